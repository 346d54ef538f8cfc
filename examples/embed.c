/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels of a rectified stereo pair, without GStreamer: one line of text each.
 *
 *   cc embed.c $(pkg-config --cflags --libs stixels libpng) -o embed
 *   ./embed left.png right.png calib.txt
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include <stixels/camera.h>
#include <stixels/pipeline.h>

/* Gray values of a PNG file; ends the program if there are none. */
static StxImage8 load(const char *path)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (png_image_begin_read_from_file(&png, path)) {
    png.format = PNG_FORMAT_GRAY;
    StxImage8 image = {malloc(PNG_IMAGE_SIZE(png)), png.width, (int)png.width, (int)png.height};
    if (image.data != NULL && png_image_finish_read(&png, NULL, image.data, 0, NULL))
      return image;
  }
  fprintf(stderr, "%s: %s\n", path, png.message);
  exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
  StxError error = {"usage: embed LEFT.png RIGHT.png CALIBRATION"};
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxPipelineInput input = {0};
  StxPipelineOutput output;
  StxPipeline *pipeline = NULL;

  if (argc == 4 && stx_camera_load(argv[3], -1, &input.camera, &error)) {
    input.left = load(argv[1]);
    input.right = load(argv[2]);
    pipeline = stx_pipeline_new(&settings, input.left.width, input.left.height, &error);
  }
  if (pipeline == NULL || !stx_pipeline_run(pipeline, &input, &output, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return EXIT_FAILURE;
  }
  printf("# column top bottom kind label disparity-top disparity-bottom cost confidence\n");
  for (size_t i = 0; i < output.count; i++) {
    const StxStixel *s = &output.stixels[i];
    printf("%d %d %d %d %d %.9g %.9g %.9g %.9g\n", s->column, s->top, s->bottom, s->kind, s->label,
        s->disparity_top, s->disparity_bottom, s->cost, s->confidence);
  }
  stx_pipeline_free(pipeline);
  free(input.left.data);
  free(input.right.data);
  return EXIT_SUCCESS;
}
