/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/pictures.h"

#include "common/scene/scene.h"

/* ---- The street ---------------------------------------------------------------------------- */

/* All pictures of one size. */
typedef struct {
  int width, height;
  guint8 *luma[2][PICTURES];
  guint16 *truth[PICTURES];
} Album;

static Album albums[4];
static GMutex albums_lock;

static void draw(StxScene *scene, Album *album, guint number)
{
  StxImage8 luma = {NULL, album->width, album->width, album->height};
  StxImage16 truth = {NULL, album->width * 2, album->width, album->height};
  gsize pixels = (gsize)album->width * (gsize)album->height;

  stx_scene_move(scene, number);
  for (guint eye = STX_SCENE_LEFT; eye <= STX_SCENE_RIGHT; eye++) {
    luma.data = album->luma[eye][number] = g_malloc(pixels);
    stx_scene_render(scene, eye, 1, &luma);
  }
  truth.data = album->truth[number] = g_malloc(pixels * 2);
  stx_scene_truth(scene, &truth, NULL);
}

static void fill(Album *album, int width, int height)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  StxError error = {""};
  StxScene *scene;

  params.seed = 3;
  params.width = album->width = width;
  params.height = album->height = height;
  params.camera = picture_camera(width, height);
  params.threads = 1; /* none to miss after a fork */
  scene = stx_scene_new(&params, &error);
  if (scene == NULL)
    g_error("%s", error.text);
  for (guint number = 0; number < PICTURES; number++)
    draw(scene, album, number);
  stx_scene_free(scene);
}

static const Album *open_album(int width, int height)
{
  Album *album = albums;

  g_mutex_lock(&albums_lock);
  while (album->width != 0 && (album->width != width || album->height != height)) {
    album++;
    g_assert(album < albums + G_N_ELEMENTS(albums));
  }
  if (album->width == 0)
    fill(album, width, height);
  g_mutex_unlock(&albums_lock);
  return album;
}

StxCamera picture_camera(int width, int height)
{
  return stx_scene_camera(width, height);
}

const guint16 *picture_truth(int width, int height, guint64 number)
{
  return open_album(width, height)->truth[number % PICTURES];
}

/* ---- The number ---------------------------------------------------------------------------- */

/* Squares in a row, white for 1: the first four are 1 0 1 0, then the number, highest bit first.
 * They are large enough for any encoder. */
#define SQUARE 16
#define SQUARES 16
#define SIGN 0xA000

static void paint(guint8 *luma, int width, guint64 number)
{
  guint bits = SIGN | (guint)(number % PICTURE_NUMBERS);

  for (int y = 0; y < SQUARE; y++)
    for (int x = 0; x < SQUARE * SQUARES; x++)
      luma[y * width + x] = bits >> (SQUARES - 1 - x / SQUARE) & 1 ? 235 : 16;
}

guint8 *picture_new(int width, int height, gboolean right, guint64 number)
{
  const Album *album = open_album(width, height);
  gsize size = (gsize)width * (gsize)height;
  guint8 *luma = g_memdup2(album->luma[right ? 1 : 0][number % PICTURES], size);

  paint(luma, width, number);
  return luma;
}

gint picture_number(const GstVideoFrame *frame, int x, int y)
{
  const guint8 *row = GST_VIDEO_FRAME_COMP_DATA(frame, 0);
  gint step = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, 0);
  guint bits = 0;

  row += (y + SQUARE / 2) * GST_VIDEO_FRAME_COMP_STRIDE(frame, 0);
  for (int i = 0; i < SQUARES; i++)
    bits = bits << 1 | (row[(x + i * SQUARE + SQUARE / 2) * step] > 125);
  return (bits & ~(PICTURE_NUMBERS - 1u)) == SIGN ? (gint)(bits & (PICTURE_NUMBERS - 1u)) : -1;
}
