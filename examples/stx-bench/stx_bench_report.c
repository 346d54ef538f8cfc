/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-bench/stx_bench.h"

#include <jansson.h>
#include <string.h>

#define COLUMNS 12
#define CELL 40

static const char *const titles[COLUMNS] = {"stage", "code", "threads", "size", "cell", "input",
    "median ms", "min ms", "x omp", "rate", "of limit", "pairs left"};
static const int widths[COLUMNS] = {13, 10, 7, 9, 5, 12, 9, 9, 7, 11, 8, 10};

/* The first line of /proc/cpuinfo that names the processor, or "unknown processor". */
static void cpu_name(char *name, size_t size)
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
      snprintf(
          name, size, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
      break;
    }
  if (file != NULL)
    fclose(file);
}

/* ---- Text and Markdown -------------------------------------------------------------------- */

static void print_line(FILE *out, BenchFormat format, const char cells[COLUMNS][CELL])
{
  for (int i = 0; i < COLUMNS; i++)
    if (format == BENCH_MARKDOWN)
      fprintf(out, "| %s ", cells[i]);
    else
      fprintf(out, i == 0 || i == 1 || i == 5 ? "%-*s " : "%*s ", widths[i], cells[i]);
  fputs(format == BENCH_MARKDOWN ? "|\n" : "\n", out);
}

static void print_limits(FILE *out, const char *bullet, const BenchMachine *machine)
{
  for (int i = 0; i < machine->thread_counts; i++) {
    const BenchLimits *limits = &machine->limits[i];
    fprintf(out,
        "%sLimit, %d thread%s: copy %.1f GB/s, 8-bit add %.0f Gop/s, float64 multiply-add %.1f "
        "Gop/s\n",
        bullet, limits->threads, limits->threads == 1 ? "" : "s", limits->copy, limits->add8,
        limits->mul_add);
  }
  const BenchDevice *device = machine->device;
  if (device == NULL)
    return;
  const StxCudaInfo *info = device->info;
  fprintf(out,
      "%s%s, compute capability %d.%d, %d multiprocessors, clock %.0f MHz, memory %.1f GiB, %d "
      "bits, %.0f MHz, level-2 cache %.1f MiB (as its driver says)\n%sLimit, GPU: copy %.1f "
      "GB/s\n",
      bullet, info->name, info->major, info->minor, info->processors, info->clock_khz / 1e3,
      (double)info->memory / (1 << 30), info->memory_bus_bits, info->memory_clock_khz / 1e3,
      (double)info->l2_cache / (1 << 20), bullet, device->copy);
}

static void print_machine(FILE *out, BenchFormat format, const BenchMachine *machine)
{
  char cpu[128];
  cpu_name(cpu, sizeof cpu);
  fprintf(out, "%s, gst-stixels %s, compiler %s\n\n", cpu, STX_VERSION, __VERSION__);
  print_limits(out, format == BENCH_MARKDOWN ? "* " : "", machine);
  fputc('\n', out);
}

void bench_print_head(FILE *out, BenchFormat format, const BenchMachine *machine)
{
  char cells[COLUMNS][CELL];
  print_machine(out, format, machine);
  for (int i = 0; i < COLUMNS; i++)
    snprintf(cells[i], CELL, "%s", titles[i]);
  print_line(out, format, cells);
  if (format == BENCH_MARKDOWN)
    fputs("|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|\n", out);
}

static void format_times(const BenchRow *row, char cells[COLUMNS][CELL])
{
  double ms = row->median;
  int digits = ms < 0.1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : 1;
  snprintf(cells[6], CELL, "%.*f", digits, row->median);
  snprintf(cells[7], CELL, "%.*f", digits, row->minimum);
  if (row->ratio > 0)
    snprintf(cells[8], CELL, row->ratio < 100 ? "%.2f" : "%.0f", row->ratio);
  if (row->stage == BENCH_PIPELINE)
    snprintf(cells[9], CELL, "%.1f fps", 1e3 / row->median);
  else if (row->rate > 0)
    snprintf(cells[9], CELL, "%.1f %s", row->rate, row->unit);
  if (row->limit > 0)
    snprintf(cells[10], CELL, "%.0f %%", 100 * row->rate / row->limit);
  if (row->share >= 0)
    snprintf(cells[11], CELL, "%.1f %%", 100 * row->share);
}

void bench_print_rows(FILE *out, BenchFormat format, const BenchRow *rows, int count)
{
  for (int i = 0; i < count; i++) {
    const BenchRow *row = &rows[i];
    char cells[COLUMNS][CELL] = {""};
    snprintf(cells[0], CELL, "%s", bench_stage_name(row->stage));
    snprintf(cells[1], CELL, "%s%s", row->impl, row->graph ? " graph" : "");
    if (row->threads > 0)
      snprintf(cells[2], CELL, "%d", row->threads);
    snprintf(cells[3], CELL, row->height > 0 ? "%dx%d" : "%d", row->width, row->height);
    if (row->cell > 0)
      snprintf(cells[4], CELL, "%dx%d", row->cell, row->cell);
    snprintf(cells[5], CELL, "%s", row->input);
    if (row->differs)
      snprintf(cells[6], CELL, "DIFFERS");
    else
      format_times(row, cells);
    print_line(out, format, cells);
  }
  fflush(out);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *row_json(const BenchRow *row)
{
  json_t *object = json_pack("{s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:b, s:i}",
      "stage", bench_stage_name(row->stage), "implementation", row->impl, "graph", row->graph,
      "input_sets", row->sets, "threads", row->threads, "width", row->width, "height", row->height,
      "cell", row->cell, "classes", row->classes, "input", row->input, "differs", row->differs,
      "runs", row->runs);
  if (row->runs == 0)
    return object;
  json_object_set_new(object, "median_ms", json_real(row->median));
  json_object_set_new(object, "minimum_ms", json_real(row->minimum));
  if (row->ratio > 0)
    json_object_set_new(object, "times_reference", json_real(row->ratio));
  if (row->rate > 0) {
    json_object_set_new(object, "rate", json_real(row->rate));
    json_object_set_new(object, "unit", json_string(row->unit));
  }
  if (row->limit > 0)
    json_object_set_new(object, "limit", json_real(row->limit));
  if (row->share >= 0)
    json_object_set_new(object, "pairs_evaluated", json_real(row->share));
  return object;
}

static json_t *limits_json(const BenchMachine *machine)
{
  json_t *list = json_array();
  for (int i = 0; i < machine->thread_counts; i++) {
    const BenchLimits *limits = &machine->limits[i];
    json_array_append_new(
        list, json_pack("{s:i, s:f, s:f, s:f}", "threads", limits->threads, "copy_gb_s",
                  limits->copy, "add8_gop_s", limits->add8, "mul_add_gop_s", limits->mul_add));
  }
  return list;
}

static json_t *device_json(const BenchDevice *device)
{
  if (device == NULL)
    return json_null();
  const StxCudaInfo *info = device->info;
  char capability[32];
  snprintf(capability, sizeof capability, "%d.%d", info->major, info->minor);
  return json_pack("{s:s, s:s, s:i, s:f, s:f, s:i, s:I, s:I, s:f}", "name", info->name,
      "compute_capability", capability, "multiprocessors", info->processors, "clock_mhz",
      info->clock_khz / 1e3, "memory_clock_mhz", info->memory_clock_khz / 1e3, "memory_bus_bits",
      info->memory_bus_bits, "memory_bytes", (json_int_t)info->memory, "l2_cache_bytes",
      (json_int_t)info->l2_cache, "copy_gb_s", device->copy);
}

void bench_print_json(FILE *out, const BenchMachine *machine, const BenchRow *rows, int count)
{
  char cpu[128];
  cpu_name(cpu, sizeof cpu);
  json_t *list = json_array();
  for (int i = 0; i < count; i++)
    json_array_append_new(list, row_json(&rows[i]));
  json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "cpu", cpu, "version", STX_VERSION,
      "compiler", __VERSION__, "limits", limits_json(machine), "device",
      device_json(machine->device), "rows", list);
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', out);
  json_decref(root);
}
