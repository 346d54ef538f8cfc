/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels drawn on the left picture of a stereo pair, with OpenCV and without GStreamer: cv::Mat in
 * and out. The calibration is one of lenses (common/calibration/calibration.h), and the pair is
 * rectified with it, or KITTI's calib.txt of a pair that is rectified.
 *
 *   c++ overlay.cc $(pkg-config --cflags --libs stixels opencv4) -o overlay
 *   ./overlay left.png right.png calib.txt overlay.png
 *
 * Or with CMake: find_package(stixels), find_package(OpenCV), and
 *   target_link_libraries(overlay stixels::stixels ${OpenCV_LIBS})
 */
#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <stixels/memory.h>
#include <stixels/overlay.h>
#include <stixels/pipeline.h>
#include <stixels/rectify.h>

/* A refused call, as an exception. */
struct Errors : StxError {
  Errors() : StxError{}
  {
  }
  void must(bool good) const
  {
    if (!good)
      throw std::runtime_error(text);
  }
};

/* Memory as the library wants it. */
struct Block : std::unique_ptr<void, decltype(&std::free)> {
  explicit Block(std::size_t size) : unique_ptr(stx_allocate(size), &std::free)
  {
    if (get() == nullptr)
      throw std::bad_alloc();
  }
};

/* Every table of fields has the defaults of its struct. */
template <typename Params> Params defaults(const StxFields &table)
{
  return *static_cast<const Params *>(table.defaults);
}

/* A view of a Mat; its rows may be any number of bytes apart. */
static StxImage8 view(const cv::Mat &mat)
{
  return {mat.data, static_cast<std::ptrdiff_t>(mat.step[0]), mat.cols, mat.rows};
}

static const StxPlace all_cores = {stx_threads(0), nullptr, nullptr};

/* The pair becomes that of two ideal cameras, of which `camera` is the left one. */
static void rectify(const StxCalibration &calibration, std::array<cv::Mat, 2> &pair,
    StxCamera &camera, Errors &error)
{
  auto *impl =
      static_cast<const StxRectifyImpl *>(stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO));
  auto params = defaults<StxRectifyParams>(stx_rectify_fields);
  for (int side = 0; side < 2; side++) {
    StxRectifyView seen;
    error.must(stx_rectify_view(
        &calibration, &params, side, pair[side].cols, pair[side].rows, &seen, &camera, &error));
    Block memory(stx_rectify_map_bytes(&seen, 0, 0));
    stx_rectify_map_fill(&seen, 0, 0, memory.get(), all_cores.threads);
    const StxRectifyMap map = stx_rectify_map_in(&seen, 0, 0, memory.get());
    const StxRectifySample sample = {pair[side].channels(), {0, 0, 0, 0}};
    cv::Mat rectified(seen.height, seen.width, pair[side].type());
    const StxImage8 from = view(pair[side]), to = view(rectified);
    error.must(impl->run(&map, &sample, &from, &to, &all_cores, &error));
    pair[side] = rectified;
  }
}

/* Draws on a picture of three bytes per pixel: blue, green, red, as OpenCV has it. */
static void draw(const StxPipelineOutput &stixels, cv::Mat &picture, Errors &error)
{
  auto *impl =
      static_cast<const StxOverlayImpl *>(stx_impl_pick(&stx_overlay_impls, STX_BACKEND_AUTO));
  auto params = defaults<StxOverlayParams>(stx_overlay_fields);
  params.camera = stixels.camera;
  params.width = params.frame_width = picture.cols;
  params.height = params.frame_height = picture.rows;
  params.stixel_width = stixels.grid.cell_width;
  params.columns = stx_grid_columns(&stixels.grid);
  params.format = stx_pixel_format("BGR");
  error.must(stx_overlay_check(&params, &error));

  Block memory(stx_overlay_size(&params));
  Block scratch(impl->scratch_size(&params, stixels.count, all_cores.threads));
  StxOverlay *overlay = stx_overlay_init(memory.get(), &params);
  StxFrame frame = {{picture.data}, {static_cast<std::ptrdiff_t>(picture.step[0])}};
  stx_overlay_draw_all(
      impl, overlay, &frame, stixels.stixels, stixels.count, scratch.get(), all_cores.threads);
}

static void run(char **names)
{
  Errors error;
  std::array<cv::Mat, 2> pair = {cv::imread(names[1]), cv::imread(names[2])};
  if (pair[0].empty() || pair[1].empty())
    throw std::runtime_error("no picture in one of the two files");

  auto settings = stx_pipeline_defaults();
  StxPipelineInput input{};
  if (stx_calibration_is_known(names[3], &error)) {
    const StxCalibrationFiles files = {names[3], nullptr, -1, 0};
    StxCalibration calibration;
    error.must(stx_calibration_load(&files, pair[0].cols, pair[0].rows, &calibration, &error));
    rectify(calibration, pair, input.camera, error);
  } else {
    error.must(stx_camera_load(names[3], -1, &input.camera, &error));
  }

  std::array<cv::Mat, 2> gray;
  for (int side = 0; side < 2; side++)
    cv::cvtColor(pair[side], gray[side], cv::COLOR_BGR2GRAY);
  input.left = view(gray[0]);
  input.right = view(gray[1]);
  std::unique_ptr<StxPipeline, decltype(&stx_pipeline_free)> pipeline(
      stx_pipeline_new(&settings, gray[0].cols, gray[0].rows, &error), &stx_pipeline_free);
  error.must(pipeline != nullptr);
  StxPipelineOutput output;
  error.must(stx_pipeline_run(pipeline.get(), &input, &output, &error));
  std::cout << output.count << " stixels\n";
  draw(output, pair[0], error);
  if (!cv::imwrite(names[4], pair[0]))
    throw std::runtime_error("the picture cannot be written");
}

int main(int argc, char **argv)
{
  if (argc != 5) {
    std::cerr << "usage: overlay LEFT RIGHT CALIBRATION PICTURE\n";
    return EXIT_FAILURE;
  }
  try {
    run(argv);
  } catch (const std::exception &what) {
    std::cerr << what.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
