/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings, memory, frames, and what a frame may bring: refused with a name before any stage sees
 * it. */
#include "common/pipeline/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/fulldp/fulldp.h"
#include "common/labels.h"
#include "common/memory/memory.h"
#include "common/satdp/satdp_prior.h"
#include "common/sgm/sgm_range.h"

struct StxPipeline {
  StxPipelineSettings settings; /* with all sizes filled in */
  StxRdpParams rdp_params;      /* of the segments or of the cuts */
  StxPlace place;

  /* NULL: the stage is not needed. */
  const StxSgmImpl *sgm;
  const StxColmeanImpl *colmean;
  const StxRdpImpl *rdp;
  const StxSatdpImpl *satdp;

  StxImage16 disparity; /* of sgm, else without data */
  StxImage8 confidence; /* the same, and only where it is used */
  void *columns;
  uint8_t *starts; /* what rdp keeps, for satdp */
  StxStixel *stixels;
  void *scratch;
  StxColmeanTables colmean_tables;
  StxSatdpTables satdp_tables;

  bool follows; /* the next frame follows one of this camera, on this road */
  StxCamera camera;
  StxRoadTrack road;
  StxSatdpPrior prior;
  StxSgmRange range; /* of what the settings of sgm leave open */
};

/* ---- What a frame brings ------------------------------------------------------------------ */

/* An image of either kind. */
typedef struct {
  const char *name;
  const void *data;
  ptrdiff_t stride;
  int width, height, pixel; /* pixel: bytes of one */
} Picture;

#define PICTURE(name, image, pixel)                                                                \
  (Picture)                                                                                        \
  {                                                                                                \
    name, (image).data, (image).stride, (image).width, (image).height, pixel                       \
  }

static bool check_picture(Picture picture, const StxGrid *grid, StxError *error)
{
  ptrdiff_t row = (ptrdiff_t)grid->width * picture.pixel;
  if (picture.data == NULL)
    return stx_fail(error, "%s: there is none, but these settings need one", picture.name);
  if (picture.width != grid->width || picture.height != grid->height)
    return stx_fail(error, "%s has %d × %d pixels; the pipeline is one for %d × %d", picture.name,
        picture.width, picture.height, grid->width, grid->height);
  if (picture.height > 1 && picture.stride < row && picture.stride > -row)
    return stx_fail(error, "%s: its rows are %td bytes apart (stride) and %td long", picture.name,
        picture.stride, row);
  if (((uintptr_t)picture.data | (uintptr_t)picture.stride) % (unsigned)picture.pixel != 0)
    return stx_fail(error, "%s: address %p or stride %td is no multiple of the %d bytes of a value",
        picture.name, picture.data, picture.stride, picture.pixel);
  return true;
}

static bool check_absent(const char *name, const void *data, const char *source, StxError *error)
{
  return data == NULL || stx_fail(error, "%s: this pipeline is one for %s", name, source);
}

static bool check_semantics(
    const StxColmeanParams *params, const StxPipelineInput *in, StxError *error)
{
  if (params->semantics == STX_SEMANTICS_NONE)
    return true;
  if (params->semantics == STX_SEMANTICS_LABELS)
    return check_picture(PICTURE("labels", in->labels, 1), &params->grid, error);
  if (in->scores == NULL)
    return stx_fail(error, "scores: there are none, but these settings need some");
  if (in->score_shift < 0 || in->score_shift > STX_SCORE_SHIFT_MAX)
    return stx_fail(error, "scores: score_shift is %d; it must be 0 (full size) to %d (1/%d)",
        in->score_shift, STX_SCORE_SHIFT_MAX, 1 << STX_SCORE_SHIFT_MAX);
  return in->pixel_stride != 0 ||
         stx_fail(error, "scores: pixel_stride is 0; it is the bytes from one pixel to the next");
}

static bool check_camera(const StxCamera *c, const StxGrid *grid, StxError *error)
{
  StxCamera whole = *c;
  const struct {
    const char *name;
    double value, low, high;
  } fields[] = {
      {"focal", c->focal, 0, HUGE_VAL},
      {"cx", c->cx, -HUGE_VAL, HUGE_VAL},
      {"cy", c->cy, -HUGE_VAL, HUGE_VAL},
      {"baseline", c->baseline, 0, HUGE_VAL},
      {"height", c->height, 0, HUGE_VAL},
      {"pitch", c->pitch, -M_PI_2, M_PI_2},
  };
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (!isfinite(fields[i].value) || fields[i].value < fields[i].low ||
        fields[i].value > fields[i].high)
      return stx_fail(error, "camera: %s is %g; it must be finite, and from %g to %g",
          fields[i].name, fields[i].value, fields[i].low, fields[i].high);
  whole.image_width = grid->width;
  return stx_camera_check(
      &whole, "camera", "give baseline and height in metres, pitch in radians", error);
}

/* Whether a frame has what these settings, sizes filled in, need, and nothing that they do not
 * provide for. */
static bool check_input(
    const StxPipelineSettings *settings, const StxPipelineInput *in, StxError *error)
{
  const StxColmeanParams *params = &settings->colmean;
  const StxGrid *grid = &params->grid;
  bool pairs = settings->source == STX_PIPELINE_PAIRS;
  const char *source = pairs ? "pairs" : "disparities";
  Picture map = stx_disparity_is_float(params->disparity.encoding)
                    ? PICTURE("floats", in->floats, 4)
                    : PICTURE("disparity", in->disparity, 2);
  bool good = pairs
                  ? check_picture(PICTURE("left", in->left, 1), grid, error) &&
                        check_picture(PICTURE("right", in->right, 1), grid, error) &&
                        check_absent("disparity", in->disparity.data, source, error) &&
                        check_absent("confidence", in->confidence.data, source, error)
                  : check_picture(map, grid, error) &&
                        (in->confidence.data == NULL ||
                            check_picture(PICTURE("confidence", in->confidence, 1), grid, error)) &&
                        check_absent("left", in->left.data, source, error) &&
                        check_absent("right", in->right.data, source, error);
  return good && check_semantics(params, in, error) && check_camera(&in->camera, grid, error);
}

#define MAX_THREADS 256

/* ---- Settings ----------------------------------------------------------------------------- */

StxPipelineSettings stx_pipeline_defaults(void)
{
  StxPipelineSettings settings = {
      .sgm = STX_SGM_DEFAULTS,
      .colmean = {.grid = {.cell_width = 8, .cell_height = 8},
          .reduction = STX_REDUCE_WEIGHTED,
          .fill_width = STX_FILL_WIDTH_DEFAULT},
      .satdp = STX_SATDP_DEFAULTS,
      .cuts_rdp = {.epsilon = (int)(STX_SATDP_EPSILON * STX_DISPARITY_ONE)},
      .rdp = STX_RDP_DEFAULTS,
      .use_confidence = true,
  };
  stx_labels_identity(settings.colmean.label_map);
  return settings;
}

bool stx_pipeline_has(const StxPipelineSettings *settings, StxStage stage)
{
  bool satdp = settings->model != STX_PIPELINE_RDP;
  switch (stage) {
  case STX_STAGE_SGM:
    return settings->source == STX_PIPELINE_PAIRS;
  case STX_STAGE_COLMEAN:
    return true;
  case STX_STAGE_RDP:
    return !satdp || settings->cuts == STX_PIPELINE_CUTS_RDP;
  case STX_STAGE_ROADLINE:
  case STX_STAGE_SATDP:
    return satdp;
  default:
    return false;
  }
}

const char *stx_stage_name(StxStage stage)
{
  static const char *const names[] = {"sgm", "colmean", "roadline", "rdp", "satdp"};
  return (unsigned)stage < STX_STAGE_COUNT ? names[stage] : NULL;
}

static bool check_choice(const char *name, int value, int last, StxError *error)
{
  return (value >= 0 && value <= last) ||
         stx_fail(error, "%s is %d; it must be 0 to %d", name, value, last);
}

static bool check_stages(const StxPipeline *p, StxError *error)
{
  const StxPipelineSettings *s = &p->settings;
  if (stx_pipeline_has(s, STX_STAGE_SGM)) {
    if (!stx_sgm_check(&s->sgm, error))
      return false;
    if (s->sgm.depth != 0)
      return stx_fail(
          error, "depth is %d, must be 0: stixels are made of disparities", s->sgm.depth);
  }
  return stx_colmean_check(&s->colmean, error) &&
         (!stx_pipeline_has(s, STX_STAGE_SATDP) || stx_satdp_check(&s->satdp, error)) &&
         (!stx_pipeline_has(s, STX_STAGE_RDP) || stx_rdp_check(&p->rdp_params, error));
}

/* ---- Set-up ------------------------------------------------------------------------------- */

static void take_settings(
    StxPipeline *p, const StxPipelineSettings *settings, int width, int height)
{
  StxPipelineSettings *s = &p->settings;
  *s = *settings;
  s->sgm.width = s->colmean.grid.width = width;
  s->sgm.height = s->colmean.grid.height = height;
  if (s->source == STX_PIPELINE_PAIRS)
    s->colmean.disparity = (StxDisparityMeaning){STX_DISPARITY_AUTO};
  p->rdp_params = s->model == STX_PIPELINE_RDP ? s->rdp : s->cuts_rdp;
  s->satdp.grid = p->rdp_params.grid = s->colmean.grid;
  p->place.threads = stx_threads(s->threads);
}

static const void *pick(
    const StxPipelineSettings *settings, StxStage stage, const StxImplTable *table, bool *missing)
{
  if (!stx_pipeline_has(settings, stage))
    return NULL;
  const void *impl = stx_impl_pick(table, settings->backend);
  *missing |= impl == NULL;
  return impl;
}

static bool pick_all(StxPipeline *p, StxError *error)
{
  static const char *const names[] = {"auto", "cuda", "omp"};
  const StxPipelineSettings *s = &p->settings;
  bool missing = false;
  p->sgm = pick(s, STX_STAGE_SGM, &stx_sgm_impls, &missing);
  p->colmean = pick(s, STX_STAGE_COLMEAN, &stx_colmean_impls, &missing);
  p->rdp = pick(s, STX_STAGE_RDP, &stx_rdp_impls, &missing);
  p->satdp = pick(s, STX_STAGE_SATDP,
      s->model == STX_PIPELINE_FULLDP ? &stx_fulldp_impls : &stx_satdp_impls, &missing);
  return !missing || stx_fail(error, "backend %s is not in this library; choose auto or omp",
                         names[s->backend]);
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* The stages run one after another: they share one scratch block. */
static size_t scratch_size(const StxPipeline *p)
{
  const StxPipelineSettings *s = &p->settings;
  const int threads = p->place.threads;
  size_t size = p->colmean->scratch_size(&s->colmean, threads);
  if (p->sgm != NULL)
    size = larger(size, p->sgm->scratch_size(&s->sgm, threads));
  if (p->rdp != NULL)
    size = larger(size, p->rdp->scratch_size(&p->rdp_params, threads));
  if (p->satdp == NULL)
    return size;
  size = larger(size, stx_roadline_scratch(&s->satdp.grid));
  return larger(size, p->satdp->scratch_size(&s->satdp, threads));
}

static bool allocate_all(StxPipeline *p, StxError *error)
{
  const StxGrid *grid = &p->settings.colmean.grid;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  bool matches = p->sgm != NULL, trusts = matches && p->settings.use_confidence;
  p->disparity = (StxImage16){
      matches ? stx_allocate(2 * pixels) : NULL, 2 * grid->width, grid->width, grid->height};
  p->confidence =
      (StxImage8){trusts ? stx_allocate(pixels) : NULL, grid->width, grid->width, grid->height};
  p->columns = stx_allocate(stx_grid_bytes(grid));
  p->starts = stx_allocate(cells);
  p->stixels = stx_allocate(cells * sizeof *p->stixels);
  p->scratch = stx_allocate(scratch_size(p));
  p->prior.memory = stx_allocate(stx_satdp_prior_size(grid));
  if ((!matches || p->disparity.data) && (!trusts || p->confidence.data) && p->columns &&
      p->starts && p->stixels && p->scratch && p->prior.memory)
    return true;
  return stx_fail(
      error, "not enough memory for frames of %d × %d pixels", grid->width, grid->height);
}

StxPipeline *stx_pipeline_new(
    const StxPipelineSettings *settings, int width, int height, StxError *error)
{
  StxPipeline *p = calloc(1, sizeof *p);
  if (p == NULL) {
    stx_fail(error, "not enough memory for a pipeline");
    return NULL;
  }
  take_settings(p, settings, width, height);
  if (!check_choice("source", (int)settings->source, STX_PIPELINE_DISPARITIES, error) ||
      !check_choice("ground", (int)settings->ground, STX_ROAD_PIECEWISE, error) ||
      !check_choice("model", (int)settings->model, STX_PIPELINE_FULLDP, error) ||
      !check_choice("cuts", (int)settings->cuts, STX_PIPELINE_CUTS_RDP, error) ||
      !check_choice("backend", (int)settings->backend, STX_BACKEND_OMP, error) ||
      !check_choice("threads", settings->threads, MAX_THREADS, error) || !check_stages(p, error) ||
      !pick_all(p, error) || !allocate_all(p, error)) {
    stx_pipeline_free(p);
    return NULL;
  }
  stx_colmean_prepare(&p->colmean_tables);
  return p;
}

void stx_pipeline_free(StxPipeline *p)
{
  if (p == NULL)
    return;
  free(p->disparity.data);
  free(p->confidence.data);
  free(p->columns);
  free(p->starts);
  free(p->stixels);
  free(p->scratch);
  free(p->prior.memory);
  free(p);
}

void stx_pipeline_reset(StxPipeline *p)
{
  p->follows = false;
  p->range = (StxSgmRange){0};
}

/* ---- Stages ------------------------------------------------------------------------------- */

bool stx_pipeline_correct(StxPipeline *p, double offset, double deviation)
{
  return p->sgm != NULL && p->settings.sgm.infinity == STX_SGM_INFINITY_AUTO && deviation > 0 &&
         stx_sgm_range_correct(&p->range, offset, deviation);
}

static bool run_sgm(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  out->disparity = p->disparity;
  out->confidence = p->confidence; /* without data if not wanted */
  StxSgmParams params = p->settings.sgm;
  bool open = params.max_disparity == STX_SGM_AUTO || params.infinity == STX_SGM_INFINITY_AUTO;
  if (open && stx_sgm_range_is_due(&p->range) &&
      !stx_sgm_range_look(&params, &in->left, &in->right, p->scratch, &p->place, &p->range, error))
    return false;
  stx_sgm_range_apply(&p->range, &params);
  out->infinity = params.infinity;
  return p->sgm->run(&params, &in->left, &in->right, &out->disparity, &out->confidence, p->scratch,
      &p->place, error);
}

static bool run_colmean(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  StxColmeanInput input = {
      .labels = in->labels,
      .scores = in->scores,
      .class_stride = in->class_stride,
      .row_stride = in->row_stride,
      .pixel_stride = in->pixel_stride,
      .score_shift = in->score_shift,
  };
  if (p->sgm == NULL) {
    out->disparity = in->disparity;
    input.floats = in->floats;
    out->confidence = p->settings.use_confidence ? in->confidence : (StxImage8){0};
  }
  input.disparity = out->disparity;
  input.confidence = out->confidence;
  input.confidence_is_sky = p->sgm != NULL || in->confidence_is_sky;
  out->columns = p->columns;
  return p->colmean->run(
      &p->settings.colmean, &p->colmean_tables, &input, p->columns, p->scratch, &p->place, error);
}

static bool run_roadline(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  out->line = stx_road_track_follow(&p->road, &p->settings.satdp.grid, p->columns, p->scratch);
  return true;
}

/* Segments are the result if nothing comes after them; otherwise only the start rows count. */
static bool run_rdp(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  bool last = p->satdp == NULL;
  StxRdpResult result;
  if (!p->rdp->run(&p->rdp_params, p->columns, last ? p->stixels : NULL, last ? NULL : p->starts,
          &result, p->scratch, &p->place, error))
    return false;
  out->count = result.count;
  return true;
}

static bool run_satdp(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  StxSatdpParams *params = &p->settings.satdp;
  const uint8_t *starts = p->rdp != NULL ? p->starts : NULL;
  StxSatdpTables *tables = &p->satdp_tables;
  StxSatdpResult result;
  params->sky_known = out->confidence.data != NULL &&
                      (p->sgm != NULL ? p->settings.sgm.sky : in->confidence_is_sky);
  if (!stx_satdp_prepare(params, &out->camera, out->line, tables, error))
    return false;
  bool full = p->settings.model == STX_PIPELINE_FULLDP;
  if (full)
    stx_fulldp_prepare(params, tables);
  params->prior = full ? NULL : stx_satdp_prior(&p->prior, params, p->columns, out->line);
  const void *columns = full ? p->columns : p->prior.columns;
  if (!p->satdp->run(params, tables, tables->has_ground, columns, starts, p->stixels, &result,
          p->scratch, &p->place, error))
    return false;
  if (!full)
    stx_satdp_remember(&p->prior, &params->grid, p->stixels, result.count);
  out->count = result.count;
  out->pairs = stx_satdp_pairs(&params->grid, tables->has_ground);
  out->evaluated = result.evaluated;
  return true;
}

/* ---- A frame ------------------------------------------------------------------------------ */

/* A frame of another camera begins a stream, as it does where cameras travel in caps. */
static bool follow_camera(StxPipeline *p, const StxCamera *camera, StxError *error)
{
  if (p->follows && stx_camera_is_same(&p->camera, camera))
    return true;
  p->camera = *camera;
  p->prior.known = false;
  p->follows = stx_road_track_reset(&p->road, p->settings.ground, camera, error);
  return p->follows;
}

static double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static bool run_stages(
    StxPipeline *p, const StxPipelineInput *in, StxPipelineOutput *out, StxError *error)
{
  static bool (*const stages[STX_STAGE_COUNT])(StxPipeline *, const StxPipelineInput *,
      StxPipelineOutput *, StxError *) = {run_sgm, run_colmean, run_roadline, run_rdp, run_satdp};
  for (int stage = 0; stage < STX_STAGE_COUNT; stage++) {
    if (!stx_pipeline_has(&p->settings, stage))
      continue;
    double start = now_ms();
    if (!stages[stage](p, in, out, error))
      return false;
    out->ms[stage] = now_ms() - start;
  }
  return true;
}

bool stx_pipeline_run(
    StxPipeline *p, const StxPipelineInput *input, StxPipelineOutput *output, StxError *error)
{
  const StxGrid *grid = &p->settings.colmean.grid;
  StxPipelineOutput out = {.stixels = p->stixels, .grid = *grid, .camera = input->camera};
  *output = (StxPipelineOutput){0};
  if (!check_input(&p->settings, input, error) ||
      !stx_camera_fit(&out.camera, grid->width, grid->height, error) ||
      (p->satdp != NULL && !follow_camera(p, &out.camera, error)))
    return false;
  if (!run_stages(p, input, &out, error))
    return false;
  if (error != NULL)
    error->text[0] = '\0'; /* a camera that was scaled is no failure */
  *output = out;
  return true;
}
