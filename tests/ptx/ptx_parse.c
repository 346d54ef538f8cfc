/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules, kernels, declarations and statements. Every statement becomes one instruction; numbers
 * and names of memory become constants, which look like registers to the machine.
 */
#include "tests/ptx/ptx_private.h"

#include <stdlib.h>
#include <string.h>

/* Registers of a declaration: one called `name`, or `count` of them called <name>0, <name>1, … */
typedef struct {
  PtxWord name;
  int count, first; /* count 0: one */
} Registers;

typedef struct {
  PtxWord name;
  int instruction;
} Label;

typedef struct {
  PtxParser *parser;
  PtxKernel *kernel;
  Registers *registers;
  int declared;
  Label *label;
  int labels;
  PtxWord *target; /* by instruction: its label, if it is a branch */
  uint64_t used;   /* the mask of a pragma, for the next load */
} Body;

/* ---- Numbers ------------------------------------------------------------------------------ */

static int number(PtxParser *parser)
{
  const PtxWord *word = ptx_next(parser);
  char *end;
  long value = strtol(word->start, &end, 10);
  if (end != word->start + word->length)
    ptx_fail(parser, "%.*s is no number", word->length, word->start);
  return (int)value;
}

/* The bits of 12, 0x1f, 0f3F800000 (a float) or 0d3FF0000000000000 (a double). */
static bool literal(const PtxWord *word, uint64_t *bits)
{
  char text[32], *end;
  if (word->length == 0 || word->length >= (int)sizeof text || word->start[0] < '0' ||
      word->start[0] > '9')
    return false;
  memcpy(text, word->start, (size_t)word->length);
  text[word->length] = '\0';
  bool bytes = text[0] == '0' && (text[1] == 'f' || text[1] == 'd');
  *bits = strtoull(bytes ? text + 2 : text, &end, bytes ? 16 : 0);
  return *end == '\0';
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Constants count from -2 downwards until all registers are known, see number_constants. */
static int constant(PtxKernel *kernel, uint64_t value)
{
  for (int i = 0; i < kernel->constants; i++)
    if (kernel->constant[i] == value)
      return -2 - i;
  kernel->constant = ptx_grow(kernel->constant, kernel->constants, sizeof *kernel->constant);
  kernel->constant[kernel->constants] = value;
  return -2 - kernel->constants++;
}

static void number_constants(PtxKernel *kernel)
{
  for (int i = 0; i < kernel->instructions; i++) {
    PtxInstruction *at = &kernel->code[i];
    at->guard = at->guard < -1 ? kernel->registers - 2 - at->guard : at->guard;
    for (int k = 0; k < PTX_SOURCES; k++)
      at->s[k] = at->s[k] < -1 ? kernel->registers - 2 - at->s[k] : at->s[k];
  }
}

static int special(const PtxWord *word)
{
  static const char *const names[PTX_SPECIALS] = {"%tid.x", "%tid.y", "%tid.z", "%ntid.x",
      "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y",
      "%nctaid.z", "%laneid"};
  for (int i = 0; i < PTX_SPECIALS; i++)
    if (ptx_is(word, names[i]))
      return i;
  return -1;
}

/* The register of that name, the innermost declaration first; -1: there is none. */
static int find_register(const Body *body, const PtxWord *word)
{
  for (int i = body->declared - 1; i >= 0; i--) {
    const Registers *r = &body->registers[i];
    int more = word->length - r->name.length;
    if (more < 0 || memcmp(word->start, r->name.start, (size_t)r->name.length) != 0)
      continue;
    if (r->count == 0 && more == 0)
      return r->first;
    char *end;
    long index = more > 0 ? strtol(word->start + r->name.length, &end, 10) : -1;
    if (r->count > 0 && more > 0 && end == word->start + word->length && index < r->count)
      return r->first + (int)index;
  }
  return special(word);
}

static const PtxShared *find_shared(const PtxKernel *kernel, const PtxWord *word)
{
  for (int i = 0; i < kernel->shareds; i++)
    if (ptx_is(word, kernel->shared[i].name))
      return &kernel->shared[i];
  return NULL;
}

/* A number or a name, as a register or constant; of what is written, only a register. */
static int value(Body *body)
{
  PtxParser *parser = body->parser;
  bool negative = ptx_accept(parser, "-");
  const PtxWord *word = ptx_next(parser);
  uint64_t bits;
  if (literal(word, &bits))
    return constant(body->kernel, negative ? 0 - bits : bits);
  int reg = ptx_is(word, "_") ? -1 : find_register(body, word);
  if (reg >= 0 || ptx_is(word, "_"))
    return reg;
  const PtxShared *shared = find_shared(body->kernel, word);
  if (shared != NULL)
    return constant(body->kernel, shared->offset);
  if (ptx_is(word, body->kernel->param))
    return constant(body->kernel, PTX_PARAM_WINDOW);
  ptx_fail(parser, "nothing is called %.*s", word->length, word->start);
  return 0;
}

/* ---- Declarations ------------------------------------------------------------------------- */

/* .reg .b32 %r<20>, t1, …; */
static void declare_registers(Body *body)
{
  PtxParser *parser = body->parser;
  ptx_next(parser); /* the type: every register has 64 bits here */
  do {
    Registers new = {.name = *ptx_next(parser), .first = body->kernel->registers};
    if (ptx_accept(parser, "<")) {
      new.count = number(parser);
      ptx_expect(parser, ">");
    }
    body->kernel->registers += new.count > 0 ? new.count : 1;
    body->registers = ptx_grow(body->registers, body->declared, sizeof *body->registers);
    body->registers[body->declared++] = new;
  } while (!parser->failed && ptx_accept(parser, ","));
  ptx_expect(parser, ";");
}

static size_t size_of_type(PtxParser *parser)
{
  const PtxWord *type = ptx_next(parser);
  int bits = 0;
  for (int i = 0; i < type->length; i++)
    if (type->start[i] >= '0' && type->start[i] <= '9')
      bits = 10 * bits + type->start[i] - '0';
  if (bits % 8 != 0 || bits == 0)
    ptx_fail(parser, "%.*s is no type of memory", type->length, type->start);
  return (size_t)bits / 8;
}

/* .align 8 .b8 name[12] */
static PtxShared variable(PtxParser *parser)
{
  PtxShared new = {.alignment = 1};
  bool aligned = ptx_accept(parser, ".align");
  if (aligned)
    new.alignment = (size_t)number(parser);
  new.size = size_of_type(parser);
  if (!aligned)
    new.alignment = new.size;
  new.name = ptx_copy(ptx_next(parser));
  if (!ptx_accept(parser, "["))
    return new;
  size_t count = 0; /* [] */
  if (!ptx_accept(parser, "]")) {
    count = (size_t)number(parser);
    ptx_expect(parser, "]");
  }
  new.size *= count;
  return new;
}

/*
 * Arrays lie no better than they must, and apart: an access that needs more than the declared
 * alignment, or that runs over the end, is found. The dynamic one comes last.
 */
static void place_shared(PtxKernel *kernel)
{
  enum { GAP = 16 };
  size_t at = GAP;
  kernel->dynamic = -1;
  for (int i = 0; i < kernel->shareds; i++) {
    PtxShared *s = &kernel->shared[i];
    if (s->size == 0) {
      kernel->dynamic = i;
      continue;
    }
    size_t twice = 2 * s->alignment;
    at = (at + twice - 1) / twice * twice + s->alignment;
    s->offset = at;
    at += s->size + GAP;
  }
  if (kernel->dynamic >= 0) {
    PtxShared *s = &kernel->shared[kernel->dynamic];
    at = (at + 2 * s->alignment - 1) / (2 * s->alignment) * 2 * s->alignment + s->alignment;
    s->offset = at;
  }
  kernel->shared_size = at;
}

/* ---- Operands ----------------------------------------------------------------------------- */

static PtxOperand tuple(Body *body)
{
  PtxOperand operand = {.kind = PTX_TUPLE};
  do {
    if (operand.count == PTX_DESTINATIONS) {
      ptx_fail(body->parser, "more than %d registers in braces", PTX_DESTINATIONS);
      break;
    }
    operand.reg[operand.count++] = value(body);
  } while (!body->parser->failed && ptx_accept(body->parser, ","));
  ptx_expect(body->parser, "}");
  return operand;
}

static PtxOperand address(Body *body)
{
  PtxParser *parser = body->parser;
  PtxOperand operand = {.kind = PTX_ADDRESS, .count = 1};
  operand.reg[0] = value(body);
  if (ptx_accept(parser, "+")) {
    bool negative = ptx_accept(parser, "-");
    int64_t offset = number(parser);
    operand.offset = negative ? -offset : offset;
  }
  ptx_expect(parser, "]");
  return operand;
}

static PtxOperand read_operand(Body *body)
{
  PtxParser *parser = body->parser;
  if (ptx_accept(parser, "{"))
    return tuple(body);
  if (ptx_accept(parser, "["))
    return address(body);
  PtxOperand operand = {.kind = PTX_REGISTER, .count = 1};
  if (parser->at < parser->words && parser->word[parser->at].start[0] == '$') {
    operand.kind = PTX_LABEL;
    operand.label = *ptx_next(parser);
    return operand;
  }
  operand.reg[0] = value(body);
  if (ptx_accept(parser, "|"))
    operand.reg[operand.count++] = value(body);
  return operand;
}

/* ---- Statements --------------------------------------------------------------------------- */

static void set_label(Body *body, const PtxWord *name)
{
  body->label = ptx_grow(body->label, body->labels, sizeof *body->label);
  body->label[body->labels++] = (Label){*name, body->kernel->instructions};
}

static void read_guard(Body *body, PtxInstruction *to)
{
  to->guard = -1;
  if (!ptx_accept(body->parser, "@"))
    return;
  to->unless = ptx_accept(body->parser, "!");
  to->guard = value(body);
}

static void read_statement(Body *body)
{
  PtxParser *parser = body->parser;
  PtxKernel *kernel = body->kernel;
  enum { MOST = 8 };
  PtxOperand operand[MOST];
  int operands = 0, first = parser->at;
  PtxInstruction new = {.used = body->used != 0 ? body->used : ~UINT64_C(0), .target = -1};
  body->used = 0;
  read_guard(body, &new);
  const PtxWord *word = ptx_next(parser);
  char *name = ptx_copy(word);
  new.line = word->line;
  while (!parser->failed && !ptx_accept(parser, ";")) {
    if (operands == MOST)
      ptx_fail(parser, "more operands than any instruction has");
    else
      operand[operands++] = read_operand(body);
    if (!parser->failed && !ptx_accept(parser, ",") && !ptx_is(&parser->word[parser->at], ";"))
      ptx_expect(parser, ";");
  }
  const PtxWord *last = &parser->word[parser->at - 1];
  int length = (int)(last->start - parser->word[first].start);
  new.text = strndup(parser->word[first].start, (size_t)length);
  if (!parser->failed)
    ptx_decode(parser, kernel, &new, name, operand, operands);
  free(name);
  kernel->code = ptx_grow(kernel->code, kernel->instructions, sizeof *kernel->code);
  body->target = ptx_grow(body->target, kernel->instructions, sizeof *body->target);
  body->target[kernel->instructions] =
      new.class == PTX_BRANCH &&operands == 1 ? operand[0].label : (PtxWord){0};
  kernel->code[kernel->instructions++] = new;
}

/* .pragma "used_bytes_mask 15"; looks at the next load; others are hints. */
static void read_pragma(Body *body)
{
  static const char mask[] = "\"used_bytes_mask ";
  const PtxWord *word = ptx_next(body->parser);
  if (word->length > (int)sizeof mask && memcmp(word->start, mask, sizeof mask - 1) == 0)
    body->used = strtoull(word->start + sizeof mask - 1, NULL, 0);
  else if (!ptx_is(word, "\"nounroll\""))
    ptx_fail(body->parser, "unknown pragma %.*s", word->length, word->start);
  ptx_expect(body->parser, ";");
}

static void read_shared(Body *body)
{
  PtxKernel *kernel = body->kernel;
  if (kernel->instructions > 0)
    ptx_fail(body->parser, "shared memory is declared behind instructions");
  kernel->shared = ptx_grow(kernel->shared, kernel->shareds, sizeof *kernel->shared);
  kernel->shared[kernel->shareds++] = variable(body->parser);
  ptx_expect(body->parser, ";");
  place_shared(kernel);
}

static bool is_label(const PtxParser *parser)
{
  return parser->at + 1 < parser->words && ptx_is(&parser->word[parser->at + 1], ":");
}

/* Reads a scope between braces, up to the last one. Names of a scope end with it. */
static void read_scope(Body *body)
{
  PtxParser *parser = body->parser;
  int declared = body->declared;
  while (!parser->failed && !ptx_accept(parser, "}")) {
    if (ptx_accept(parser, "{"))
      read_scope(body);
    else if (ptx_accept(parser, ".reg"))
      declare_registers(body);
    else if (ptx_accept(parser, ".shared"))
      read_shared(body);
    else if (ptx_accept(parser, ".pragma"))
      read_pragma(body);
    else if (is_label(parser)) {
      set_label(body, ptx_next(parser));
      ptx_expect(parser, ":");
    } else
      read_statement(body);
  }
  body->declared = declared;
}

/* ---- Kernels ------------------------------------------------------------------------------ */

static void find_target(Body *body, int i)
{
  PtxInstruction *branch = &body->kernel->code[i];
  const PtxWord *name = &body->target[i];
  for (int k = 0; k < body->labels; k++)
    if (body->label[k].name.length == name->length &&
        memcmp(body->label[k].name.start, name->start, (size_t)name->length) == 0)
      branch->target = body->label[k].instruction;
  if (branch->target < 0 || branch->target >= body->kernel->instructions)
    ptx_fail(body->parser, "line %d: no label %.*s", branch->line, name->length, name->start);
}

static void find_targets(Body *body)
{
  PtxKernel *kernel = body->kernel;
  for (int i = 0; i < kernel->instructions && !body->parser->failed; i++) {
    PtxClass class = kernel->code[i].class;
    if (class == PTX_BRANCH)
      find_target(body, i);
    if (i == 0)
      kernel->code[i].leads = true;
    if ((class == PTX_BRANCH || class == PTX_RETURN) && i + 1 < kernel->instructions)
      kernel->code[i + 1].leads = true;
  }
  for (int k = 0; k < body->labels; k++)
    if (body->label[k].instruction < kernel->instructions)
      kernel->code[body->label[k].instruction].leads = true;
  const PtxInstruction *last =
      kernel->instructions > 0 ? &kernel->code[kernel->instructions - 1] : NULL;
  bool ends =
      last != NULL && last->guard < 0 && (last->class == PTX_RETURN || last->class == PTX_BRANCH);
  if (!ends)
    ptx_fail(body->parser, "%s does not end with ret or bra", kernel->name);
}

/* ( .param .align 8 .b8 name[24] ) */
static void read_param(Body *body)
{
  PtxParser *parser = body->parser;
  ptx_expect(parser, "(");
  ptx_expect(parser, ".param");
  PtxShared param = variable(parser);
  body->kernel->param = param.name;
  body->kernel->args_size = param.size;
  ptx_expect(parser, ")");
}

static void read_bounds(Body *body)
{
  PtxParser *parser = body->parser;
  for (;;) {
    if (ptx_accept(parser, ".maxntid")) {
      body->kernel->threads = 1;
      do
        body->kernel->threads *= (unsigned)number(parser);
      while (!parser->failed && ptx_accept(parser, ","));
    } else if (ptx_accept(parser, ".minnctapersm"))
      number(parser);
    else
      break;
  }
  if (body->kernel->threads == 0)
    ptx_fail(parser, "%s has no launch bounds", body->kernel->name);
}

/* Copies those of the module's arrays that the kernel may use. */
static void take_shared(Body *body)
{
  PtxKernel *kernel = body->kernel;
  for (int i = 0; i < body->parser->shareds; i++) {
    PtxShared copy = body->parser->shared[i];
    copy.name = strdup(copy.name);
    kernel->shared = ptx_grow(kernel->shared, kernel->shareds, sizeof *kernel->shared);
    kernel->shared[kernel->shareds++] = copy;
  }
  place_shared(kernel);
}

static void read_kernel(PtxParser *parser, StxPtx *ptx)
{
  PtxKernel *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL)
    abort();
  Body body = {.parser = parser, .kernel = kernel};
  ptx->kernel = ptx_grow(ptx->kernel, ptx->kernels, sizeof *ptx->kernel);
  ptx->kernel[ptx->kernels++] = kernel;
  kernel->file = strdup(parser->file);
  kernel->name = ptx_copy(ptx_next(parser));
  kernel->registers = PTX_SPECIALS;
  read_param(&body);
  read_bounds(&body);
  take_shared(&body);
  ptx_expect(parser, "{");
  read_scope(&body);
  number_constants(kernel);
  find_targets(&body);
  ptx_drop_results(kernel);
  free(body.registers);
  free(body.label);
  free(body.target);
}

static void read_module_shared(PtxParser *parser)
{
  parser->shared = ptx_grow(parser->shared, parser->shareds, sizeof *parser->shared);
  parser->shared[parser->shareds++] = variable(parser);
  ptx_expect(parser, ";");
}

void ptx_parse(PtxParser *parser, StxPtx *ptx)
{
  while (!parser->failed && parser->at < parser->words) {
    if (ptx_accept(parser, ".version") || ptx_accept(parser, ".target") ||
        ptx_accept(parser, ".address_size"))
      ptx_next(parser);
    else if (ptx_accept(parser, ".visible")) {
      ptx_expect(parser, ".entry");
      read_kernel(parser, ptx);
    } else {
      ptx_accept(parser, ".extern");
      ptx_expect(parser, ".shared");
      if (!parser->failed)
        read_module_shared(parser);
    }
  }
}
