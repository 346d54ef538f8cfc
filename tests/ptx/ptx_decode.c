/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A statement's name and operands, made an instruction. What computes is looked up in the table of
 * ptx_alu.c by its whole name; the names of all else are taken apart here, and a part that is left
 * over ends the parse.
 */
#include "tests/ptx/ptx_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- Parts of a name ---------------------------------------------------------------------- */

/* Takes `part` off the front of what is left of a name, where it is followed by a dot or the end.
 */
static bool take(const char **left, const char *part)
{
  size_t length = strlen(part);
  if (strncmp(*left, part, length) != 0 || ((*left)[length] != '.' && (*left)[length] != '\0'))
    return false;
  *left += length + ((*left)[length] == '.');
  return true;
}

typedef struct {
  const char *part;
  int value;
} Choice;

static int choose(const char **left, const Choice *choice, int otherwise)
{
  for (; choice->part != NULL; choice++)
    if (take(left, choice->part))
      return choice->value;
  return otherwise;
}

/* The bytes of a type of memory, and whether it is extended with its sign. */
static void take_type(const char **left, PtxInstruction *to)
{
  static const Choice sizes[] = {{"u8", 1}, {"s8", 1}, {"b8", 1}, {"u16", 2}, {"s16", 2},
      {"b16", 2}, {"u32", 4}, {"s32", 4}, {"b32", 4}, {"f32", 4}, {"u64", 8}, {"s64", 8},
      {"b64", 8}, {"f64", 8}, {NULL, 0}};
  to->is_signed = **left == 's';
  to->size = choose(left, sizes, 0);
}

static const Choice rules[] = {{"add", PTX_ADD}, {"min", PTX_MIN}, {"max", PTX_MAX}, {"or", PTX_OR},
    {"and", PTX_AND}, {"xor", PTX_XOR}, {"exch", PTX_EXCHANGE}, {"cas", PTX_SWAP_IF}, {NULL, 0}};
static const Choice spaces[] = {
    {"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"param", PTX_PARAM}, {NULL, 0}};
static const Choice counts[] = {{"v2", 2}, {"v4", 4}, {NULL, 0}};

/* ---- Operands ----------------------------------------------------------------------------- */

static void sources(PtxInstruction *to, const PtxOperand *operand, int count)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < operand[i].count && to->sources < PTX_SOURCES; k++)
      to->s[to->sources++] = operand[i].reg[k];
}

static void destinations(PtxInstruction *to, const PtxOperand *operand)
{
  for (int k = 0; k < operand->count; k++)
    to->d[to->destinations++] = operand->reg[k];
}

static void address(PtxParser *parser, PtxInstruction *to, const PtxOperand *operand)
{
  if (operand->kind != PTX_ADDRESS)
    ptx_fail(parser, "expected an address in brackets");
  sources(to, operand, 1);
  to->offset = operand->offset;
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* ld[.volatile|.relaxed.gpu][.space][.nc][.v2].type d, [a]; */
static bool decode_load(
    PtxParser *parser, PtxInstruction *to, const char *left, const PtxOperand *o, int operands)
{
  to->class = PTX_LOAD;
  to->is_strong = take(&left, "volatile") || take(&left, "relaxed.gpu");
  to->space = (PtxSpace)choose(&left, spaces, PTX_GENERIC);
  to->is_read_only = to->space == PTX_GLOBAL && take(&left, "nc");
  to->count = choose(&left, counts, 1);
  take_type(&left, to);
  if (operands != 2 || to->size == 0 || o[0].count != to->count)
    return false;
  destinations(to, &o[0]);
  address(parser, to, &o[1]);
  return *left == '\0';
}

/* st[.volatile][.space][.v2].type [a], b; */
static bool decode_store(
    PtxParser *parser, PtxInstruction *to, const char *left, const PtxOperand *o, int operands)
{
  to->class = PTX_STORE;
  take(&left, "volatile");
  to->space = (PtxSpace)choose(&left, spaces, PTX_GENERIC);
  to->count = choose(&left, counts, 1);
  take_type(&left, to);
  if (operands != 2 || to->size == 0 || to->space == PTX_PARAM || o[1].count != to->count)
    return false;
  address(parser, to, &o[0]);
  sources(to, &o[1], 1);
  return *left == '\0';
}

/* atom[.acq_rel.gpu].space.rule.type d, [a], b[, c]; and red, which gives nothing back. */
static bool decode_atomic(PtxParser *parser, PtxInstruction *to, const char *left,
    const PtxOperand *o, int operands, bool gives)
{
  to->class = PTX_ATOMIC;
  bool both = take(&left, "acq_rel.gpu");
  to->acquires = both || take(&left, "acquire.gpu");
  to->releases = both || (!to->acquires && take(&left, "release.gpu"));
  to->space = (PtxSpace)choose(&left, spaces, PTX_GENERIC);
  to->op = choose(&left, rules, -1);
  take_type(&left, to);
  to->count = 1;
  int wanted = (gives ? 3 : 2) + (to->op == PTX_SWAP_IF);
  if (operands != wanted || to->op < 0 || to->size < 4 || to->space == PTX_PARAM)
    return false;
  if (gives)
    destinations(to, o++);
  address(parser, to, o);
  sources(to, o + 1, to->op == PTX_SWAP_IF ? 2 : 1);
  return *left == '\0';
}

/* ---- Warps and blocks --------------------------------------------------------------------- */

/* bar.sync 0; bar.red.or.pred p, 0, q; bar.warp.sync mask; */
static bool decode_barrier(PtxInstruction *to, const char *left, const PtxOperand *o, int operands)
{
  static const Choice reductions[] = {
      {"or.pred", PTX_BAR_OR}, {"and.pred", PTX_BAR_AND}, {"popc.u32", PTX_BAR_COUNT}, {NULL, 0}};
  to->class = PTX_BARRIER;
  if (take(&left, "warp")) {
    to->class = PTX_WARP;
    to->op = PTX_SYNC;
    sources(to, o, operands);
    return take(&left, "sync") && *left == '\0' && operands == 1;
  }
  if (take(&left, "sync")) {
    to->op = PTX_BAR_SYNC;
    sources(to, o, operands);
    return *left == '\0' && operands == 1;
  }
  if (!take(&left, "red") || operands != 3)
    return false;
  to->op = choose(&left, reductions, -1);
  destinations(to, o);
  sources(to, o + 1, 2);
  return to->op >= 0 && *left == '\0';
}

/* shfl.sync.mode.b32 d|p, a, b, c, mask; */
static bool decode_shuffle(PtxInstruction *to, const char *left, const PtxOperand *o, int operands)
{
  static const Choice modes[] = {{"up", PTX_SHUFFLE_UP}, {"down", PTX_SHUFFLE_DOWN},
      {"bfly", PTX_SHUFFLE_XOR}, {"idx", PTX_SHUFFLE_AT}, {NULL, 0}};
  to->class = PTX_WARP;
  if (!take(&left, "sync") || operands != 5)
    return false;
  to->op = choose(&left, modes, -1);
  destinations(to, o);
  sources(to, o + 1, 4);
  return to->op >= 0 && take(&left, "b32") && *left == '\0';
}

/* vote.sync.ballot.b32 d, p, mask; match.any.sync.b32 d, a, mask; redux.sync.rule.u32 likewise. */
static bool decode_vote(PtxInstruction *to, const char *name, const PtxOperand *o, int operands)
{
  static const Choice votes[] = {{"vote.sync.ballot.b32", PTX_BALLOT},
      {"vote.sync.all.pred", PTX_ALL}, {"vote.sync.any.pred", PTX_ANY},
      {"match.any.sync.b32", PTX_MATCH}, {"redux.sync.add.u32", PTX_REDUCE},
      {"redux.sync.min.u32", PTX_REDUCE}, {"redux.sync.max.u32", PTX_REDUCE}, {NULL, 0}};
  const char *rule = name + strlen("redux.sync.");
  to->class = PTX_WARP;
  to->op = choose(&name, votes, -1);
  if (to->op < 0 || operands != 3)
    return false;
  if (to->op == PTX_REDUCE)
    to->rule = (PtxRule)choose(&rule, rules, 0);
  destinations(to, o);
  sources(to, o + 1, 2);
  return true;
}

static bool decode_branch(PtxInstruction *to, const char *left, const PtxOperand *o, int operands)
{
  to->class = PTX_BRANCH;
  take(&left, "uni");
  return *left == '\0' && operands == 1 && o[0].kind == PTX_LABEL;
}

/* ---- What computes ------------------------------------------------------------------------ */

/* Moves with braces pack or unpack, and have forms of their own. */
static const char *form_name(const char *name, const PtxOperand *o, int operands)
{
  bool halves = strcmp(name, "mov.b64") == 0 && operands == 2;
  bool words = strcmp(name, "mov.b32") == 0 && operands == 2;
  if ((halves || words) && o[0].kind == PTX_TUPLE && o[0].count == 2)
    return halves ? "unpack.b64" : "unpack.b32";
  if ((halves || words) && o[1].kind == PTX_TUPLE && o[1].count == 2)
    return halves ? "pack.b64" : "pack.b32";
  return name;
}

static bool decode_form(PtxInstruction *to, const char *name, const PtxOperand *o, int operands)
{
  to->class = PTX_COMPUTE;
  to->form = ptx_form(form_name(name, o, operands));
  if (to->form == NULL || operands < 2)
    return false;
  to->spread = ptx_spread(to->form);
  destinations(to, o);
  sources(to, o + 1, operands - 1);
  return to->sources == to->form->sources;
}

static bool decode(
    PtxParser *parser, PtxInstruction *to, const char *name, const PtxOperand *o, int operands)
{
  const char *left = name;
  if (take(&left, "ld"))
    return decode_load(parser, to, left, o, operands);
  if (take(&left, "st"))
    return decode_store(parser, to, left, o, operands);
  if (take(&left, "atom"))
    return decode_atomic(parser, to, left, o, operands, true);
  if (take(&left, "red"))
    return decode_atomic(parser, to, left, o, operands, false);
  if (take(&left, "bar") || take(&left, "barrier"))
    return decode_barrier(to, left, o, operands);
  if (take(&left, "shfl"))
    return decode_shuffle(to, left, o, operands);
  if (take(&left, "bra"))
    return decode_branch(to, left, o, operands);
  if (strcmp(name, "membar.gl") == 0) {
    to->class = PTX_FENCE;
    return operands == 0;
  }
  if (strcmp(name, "ret") == 0) {
    to->class = PTX_RETURN;
    return operands == 0;
  }
  return decode_vote(to, name, o, operands) || decode_form(to, name, o, operands);
}

void ptx_drop_results(PtxKernel *kernel)
{
  bool *used = ptx_zeros((size_t)kernel->registers, sizeof *used);
  for (int i = 0; i < kernel->instructions; i++) {
    const PtxInstruction *at = &kernel->code[i];
    for (int k = 0; k < at->sources; k++)
      if (at->s[k] >= 0 && at->s[k] < kernel->registers)
        used[at->s[k]] = true;
    if (at->guard >= 0)
      used[at->guard] = true;
  }
  for (int i = 0; i < kernel->instructions; i++) {
    PtxInstruction *at = &kernel->code[i];
    if (at->class == PTX_ATOMIC && at->destinations > 0 && at->d[0] >= 0 && !used[at->d[0]])
      at->destinations = 0;
  }
  free(used);
}

void ptx_decode(PtxParser *parser, PtxKernel *kernel, PtxInstruction *to, const char *name,
    const PtxOperand *operand, int operands)
{
  memset(to->d, -1, sizeof to->d);
  memset(to->s, -1, sizeof to->s);
  bool known = decode(parser, to, name, operand, operands);
  parser->at--; /* the line of the statement */
  if (!known)
    ptx_fail(parser, "%s: the machine does not know %s (%s)", kernel->name, name, to->text);
  for (int i = 0; i < to->destinations; i++)
    if (to->d[i] < -1)
      ptx_fail(parser, "%s: a constant is no destination (%s)", kernel->name, to->text);
  parser->at++;
}
