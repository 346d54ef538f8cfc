/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the machine's files.
 *
 *   ptx.c         kernels by name
 *   ptx_text.c    a text, cut into words
 *   ptx_parse.c   declarations and statements
 *   ptx_decode.c  a statement, made an instruction
 *   ptx_alu.c     what computes: a table of all forms
 *   ptx_compute.c one of them, for the lanes of a warp
 *   ptx_unsure.c  which bits of its result are unknown
 *   ptx_memory.c  loads, stores, atomics
 *   ptx_late.c    stores that are seen late
 *   ptx_race.c    races on shared memory
 *   ptx_sync.c    barriers, and operations of a warp
 *   ptx_run.c     blocks, warps, and who runs when
 *   ptx_chosen.c  the same, by a chooser's choice
 */
#pragma once

#include "tests/ptx/ptx.h"

enum { PTX_LANES = 32, PTX_SOURCES = 5, PTX_DESTINATIONS = 4, PTX_MOST_BLOCKS = 4 };

/* The start of generic addresses of other spaces than the global one. */
#define PTX_SHARED_WINDOW (UINT64_C(1) << 60)
#define PTX_PARAM_WINDOW (UINT64_C(1) << 61)

/* ---- Code --------------------------------------------------------------------------------- */

/* One value per lane: of narrow types zero- or sign-extended; readers take the low bits. */
typedef struct {
  uint64_t lane[PTX_LANES];
} PtxLanes;

/* Computes the lanes of `mask`. */
typedef void (*PtxAlu)(uint64_t *d, const uint64_t *const *s, uint32_t mask);

/* The type of a value: its bits, and what they mean. */
typedef struct {
  uint8_t bits;
  bool is_signed, is_float;
} PtxType;

typedef struct {
  const char *name; /* as in the text */
  PtxAlu run;
  int sources;
  bool divides;  /* by its second source, which must not be 0 */
  bool moves;    /* a register that was never written may be moved to another */
  bool selects;  /* looks at one of its first two sources, by the third */
  PtxAlu second; /* computes the second result, or NULL */
  PtxType result, source[4];
} PtxForm;

/* The spread of unknown bits from sources to a result; see ptx_unsure.c. */
typedef enum {
  PTX_SPREAD_ALL,
  PTX_SPREAD_BITS,
  PTX_SPREAD_SUM,
  PTX_SPREAD_LEFT,
  PTX_SPREAD_ORDER,
  PTX_SPREAD_SAME,
  PTX_SPREAD_LEAST,
  PTX_SPREAD_LEAST_HALVES,
  PTX_SPREAD_BYTES,
  PTX_SPREAD_MOVE_1,
  PTX_SPREAD_MOVE_2
} PtxSpread;

/* The form of that name, or NULL. */
const PtxForm *ptx_form(const char *name);

typedef enum {
  PTX_COMPUTE,
  PTX_LOAD,
  PTX_STORE,
  PTX_ATOMIC,
  PTX_FENCE,
  PTX_BRANCH,
  PTX_RETURN,
  PTX_BARRIER,
  PTX_WARP,
  PTX_CLASSES
} PtxClass;

typedef enum { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_PARAM } PtxSpace;

/* The operations of atomics and reductions. */
typedef enum {
  PTX_ADD,
  PTX_MIN,
  PTX_MAX,
  PTX_OR,
  PTX_AND,
  PTX_XOR,
  PTX_EXCHANGE,
  PTX_SWAP_IF
} PtxRule;

typedef enum {
  PTX_SYNC,
  PTX_SHUFFLE_UP,
  PTX_SHUFFLE_DOWN,
  PTX_SHUFFLE_XOR,
  PTX_SHUFFLE_AT,
  PTX_BALLOT,
  PTX_ALL,
  PTX_ANY,
  PTX_MATCH,
  PTX_REDUCE
} PtxWarpOp;

typedef enum { PTX_BAR_SYNC, PTX_BAR_OR, PTX_BAR_AND, PTX_BAR_COUNT } PtxBarrierOp;

typedef struct {
  const char *text; /* the statement */
  int line;
  PtxClass class;
  const PtxForm *form; /* COMPUTE */
  PtxSpread spread;
  int guard;   /* a predicate, or -1 */
  bool unless; /* … that must be false */
  int destinations, sources;
  int d[PTX_DESTINATIONS], s[PTX_SOURCES]; /* registers; -1: none */
  /* LOAD, STORE, ATOMIC: the address is s[0] + offset, values of a store s[1] … */
  PtxSpace space;
  int64_t offset;
  int size, count; /* bytes of an element; elements */
  bool is_signed;
  bool is_strong;          /* LOAD: sees memory as it is, if the space is global */
  bool acquires, releases; /* ATOMIC: with a fence behind, and before it */
  bool is_read_only;       /* LOAD: of what no thread writes during the launch */
  uint64_t used;           /* bytes of a load that somebody looks at */
  int op;                  /* PtxRule, PtxWarpOp, PtxBarrierOp */
  PtxRule rule;            /* of PTX_REDUCE */
  int target;              /* BRANCH: instruction */
  bool leads;              /* begins a basic block */
} PtxInstruction;

typedef struct {
  char *name;
  size_t size, alignment;
  size_t offset; /* in the block's shared memory */
} PtxShared;

/* Values of special registers are in registers of that number, when they are used. */
typedef enum {
  PTX_TID_X,
  PTX_TID_Y,
  PTX_TID_Z,
  PTX_NTID_X,
  PTX_NTID_Y,
  PTX_NTID_Z,
  PTX_CTAID_X,
  PTX_CTAID_Y,
  PTX_CTAID_Z,
  PTX_NCTAID_X,
  PTX_NCTAID_Y,
  PTX_NCTAID_Z,
  PTX_LANEID,
  PTX_SPECIALS
} PtxSpecial;

typedef struct {
  char *name, *file;
  char *param; /* its name */
  size_t args_size;
  unsigned threads; /* of a block, at most */
  PtxInstruction *code;
  int instructions;
  int registers;      /* the first ones are the special registers; constants follow */
  uint64_t *constant; /* register `registers` + i */
  int constants;
  PtxShared *shared;
  int shareds;
  size_t shared_size; /* of all of them */
  int dynamic;        /* which of them is as large as the launch says, or -1 */
} PtxKernel;

struct StxPtx {
  PtxKernel **kernel;
  int kernels;
};

/* ---- Parsing ------------------------------------------------------------------------------ */

typedef struct {
  const char *start;
  int length, line;
} PtxWord;

typedef struct {
  const char *file;
  PtxWord *word;
  int words, at;
  PtxShared *shared; /* of the module */
  int shareds;
  bool failed;
  char *error;
  size_t error_size;
} PtxParser;

/* Cuts the text into words; false: something else than PTX. */
bool ptx_read_words(PtxParser *parser, const char *text);

void ptx_fail(PtxParser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ptx_is(const PtxWord *word, const char *text);
PtxWord *ptx_next(PtxParser *parser);
bool ptx_accept(PtxParser *parser, const char *text);
void ptx_expect(PtxParser *parser, const char *text);
char *ptx_copy(const PtxWord *word);
/* Grows the array by one element. */
void *ptx_grow(void *array, int count, size_t element);

/* All kernels of the words, added to `ptx`. */
void ptx_parse(PtxParser *parser, StxPtx *ptx);

/* An operand of a statement. */
typedef struct {
  enum { PTX_REGISTER, PTX_ADDRESS, PTX_TUPLE, PTX_LABEL } kind;
  int reg[PTX_DESTINATIONS]; /* REGISTER, TUPLE; ADDRESS: its base */
  int count;                 /* of a tuple, and of what is joined by | */
  int64_t offset;
  PtxWord label;
} PtxOperand;

/* Makes the instruction called `name` of its operands. */
void ptx_decode(PtxParser *parser, PtxKernel *kernel, PtxInstruction *to, const char *name,
    const PtxOperand *operand, int operands);

/* Unused results of atomics are dropped, as nvcc says atom where red would do. */
void ptx_drop_results(PtxKernel *kernel);

/* ---- Running ------------------------------------------------------------------------------ */

typedef struct PtxRun PtxRun;
typedef struct PtxBlock PtxBlock;

typedef enum { PTX_READY, PTX_AT_BARRIER, PTX_IN_WARP, PTX_DONE } PtxState;

typedef struct {
  PtxBlock *block;
  int number;                         /* within the block */
  uint32_t exists;                    /* lanes */
  uint32_t ready;                     /* lanes in that state */
  int pc[PTX_LANES];                  /* instruction */
  PtxState state[PTX_LANES];          /* of each lane */
  uint32_t meets[PTX_LANES];          /* IN_WARP: the mask that the lane gave */
  uint32_t met[PTX_LANES][PTX_LANES]; /* see ptx_race.c */
  uint32_t *known;                    /* by register: lanes that know all of its bits */
  uint32_t *partly;                   /* lanes that have it from memory that was never written */
  PtxLanes *value;                    /* by register */
  PtxLanes *unsure; /* of the lanes that are in `partly` and not in `known`: bits nobody knows */
  int *unwritten;   /* by register: the line that loaded what was never written */
} PtxWarp;

/* The last accesses to a byte of shared memory. */
typedef struct {
  uint16_t thread; /* + 1; 0: nobody */
  bool atomic;
  unsigned block_epoch;
  uint32_t epoch;
} PtxTouch;

struct PtxBlock {
  PtxRun *run;
  unsigned index[3];
  unsigned serial; /* which one of the launch, from 1 on */
  int warps, threads, ended;
  bool over; /* no block of the launch takes its place any more */
  PtxWarp *warp;
  uint8_t *shared, *shared_known; /* 2: between two arrays */
  PtxTouch *writer, *reader;      /* of each byte of it */
  size_t shared_size;
  int arrived;    /* at the barrier */
  int predicates; /* of them, true */
  unsigned epoch; /* barriers that are over */
  unsigned *seen; /* by thread: see ptx_late.c */
  struct PtxStore *store;
  int stores;
};

struct PtxRun {
  PtxKernel *kernel;
  const StxPtxLaunch *launch;
  PtxLanes *constant;
  PtxBlock *block; /* resident ones */
  int blocks;
  unsigned next[3]; /* block to begin with */
  bool all_begun;
  uint64_t random;
  const StxPtxMemory *near; /* what was touched last */
  uint8_t **touched;        /* by memory: how each byte was, see ptx_memory.c; NULL: not yet */
  struct PtxPast *past;     /* see ptx_late.c */
  int pasts;
  int *past_lines; /* the same */
  unsigned clock, begun;
  unsigned idle; /* instructions since something was written, or has met or ended */
  bool failed;
  char *error;
  size_t error_size;
};

/* A launch of this kernel. */
bool ptx_run(PtxKernel *kernel, const StxPtxLaunch *launch, char *error, size_t size);

/* Ends the process when there is no memory. */
void *ptx_zeros(size_t count, size_t size);

/* A number below `below`, from the seed. */
unsigned ptx_random(PtxRun *run, unsigned below);

/* The decision of the launch's chooser. */
unsigned ptx_choose(PtxRun *run, unsigned below, uint64_t state);

/* Runs lanes that are at one instruction until they part, wait, end or have had their turns. */
void ptx_run_group(PtxWarp *warp, uint32_t group, int turns);
/* No thread of the block can go on: names one that waits. */
void ptx_name_the_stuck(PtxBlock *block);
/* All blocks, as the chooser says. */
void ptx_run_chosen(PtxRun *run);

/* The launch's first fault, by a lane at an instruction. */
void ptx_fault(PtxWarp *warp, const PtxInstruction *at, int lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline const uint64_t *ptx_lanes(const PtxWarp *warp, int reg)
{
  const PtxRun *run = warp->block->run;
  return reg < run->kernel->registers ? warp->value[reg].lane
                                      : run->constant[reg - run->kernel->registers].lane;
}

static inline uint64_t ptx_low_bits(int bits)
{
  return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/* `hash`, and these bytes. */
static inline uint64_t ptx_hash(uint64_t hash, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001B3);
  return hash ^ hash >> 29;
}

static inline int ptx_lowest(uint32_t mask)
{
  return __builtin_ctz(mask);
}

/* Returns the lanes of `mask` that do not know all bits of the register. */
static inline uint32_t ptx_unknown(const PtxWarp *warp, int reg, uint32_t mask)
{
  return reg < warp->block->run->kernel->registers ? mask & ~warp->known[reg] : 0;
}

/* Returns the lanes of `mask` that have never written the register. */
static inline uint32_t ptx_unwritten(const PtxWarp *warp, int reg, uint32_t mask)
{
  uint32_t unknown = ptx_unknown(warp, reg, mask);
  return unknown != 0 ? unknown & ~warp->partly[reg] : 0;
}

/* The bits of a lane's register that were loaded from memory that was never written. */
static inline uint64_t ptx_unsure(const PtxWarp *warp, int reg, int lane)
{
  uint32_t unknown = ptx_unknown(warp, reg, UINT32_C(1) << lane);
  return unknown != 0 && (unknown & warp->partly[reg]) != 0 ? warp->unsure[reg].lane[lane] : 0;
}

/* The lanes in which a predicate is true. */
static inline uint32_t ptx_true(const PtxWarp *warp, int reg)
{
  const uint64_t *value = ptx_lanes(warp, reg);
  uint32_t yes = 0;
  for (int lane = 0; lane < PTX_LANES; lane++)
    yes |= (uint32_t)(value[lane] & 1) << lane;
  return yes;
}

/* A lane's register gets a value of which some bits are those that this line loaded from memory
 * that was never written. */
void ptx_write_partly(PtxWarp *warp, int reg, int lane, uint64_t value, uint64_t unsure, int line);

static inline uint64_t *ptx_write(PtxWarp *warp, int reg, uint32_t mask)
{
  warp->known[reg] |= mask;
  return warp->value[reg].lane;
}

/* Whether the lanes of the mask know the register; else a fault. */
bool ptx_known(PtxWarp *warp, const PtxInstruction *at, int reg, uint32_t mask);

PtxSpread ptx_spread(const PtxForm *form);
/* By lane, the bits of the result that do not follow from the sources' known bits. */
void ptx_spread_unsure(const PtxInstruction *at, PtxAlu run, const uint64_t *const *source,
    const PtxLanes *unsure, uint32_t mask, uint64_t *result);

/* Bytes, and for each whether it was ever written. */
typedef struct {
  uint8_t byte[32], known[32];
} PtxBytes;

/* An atomic that gives no result and has one operand. */
void ptx_reduce(const PtxInstruction *at, uint8_t *bytes, uint8_t *known, const PtxBytes *operand);

/* One instruction for the lanes of `mask`; they stay where they are. */
void ptx_compute(PtxWarp *warp, const PtxInstruction *at, uint32_t mask);
void ptx_load(PtxWarp *warp, PtxInstruction *at, uint32_t mask);
void ptx_store(PtxWarp *warp, PtxInstruction *at, uint32_t mask);
void ptx_atomic(PtxWarp *warp, PtxInstruction *at, uint32_t mask);

/* The lanes arrive; lanes that need not wait any more are ready behind the instruction. */
void ptx_barrier(PtxWarp *warp, const PtxInstruction *at, uint32_t mask);
void ptx_warp_op(PtxWarp *warp, const PtxInstruction *at, uint32_t mask);

/* ---- Races -------------------------------------------------------------------------------- */

void ptx_race_begin(PtxBlock *block);
/* The lanes have met at a bar.warp.sync. */
void ptx_race_meet(PtxWarp *warp, uint32_t members);
/* Whether what the thread did at these epochs lies before what the lane does now. */
bool ptx_race_knows(
    const PtxWarp *warp, int lane, int thread, unsigned block_epoch, uint32_t epoch);
/* The lane touches these bytes: a fault if that is a race. */
void ptx_race(PtxWarp *warp, const PtxInstruction *at, int lane, size_t offset, int size);

/* ---- Late stores -------------------------------------------------------------------------- */

/* The lane's store to global memory, or its atomic that gives no result, which stays in the block
 * for a while. */
void ptx_late_store(PtxWarp *warp, const PtxInstruction *at, int lane, uint8_t *to, uint8_t *known,
    const PtxBytes *value);
/* The bytes that the lane sees at `from`, in place of those there. */
void ptx_late_load(PtxWarp *warp, int lane, const uint8_t *from, PtxBytes *bytes, int size);
/* … and by a volatile load. */
void ptx_late_peek(PtxWarp *warp, const uint8_t *from, PtxBytes *bytes, int size);
/* Before an atomic: what the block has stored at that place is there. Before a load: only what its
 * atomics have left there. */
void ptx_late_settle(PtxWarp *warp, const uint8_t *at, int size, bool atomics_only);
void ptx_late_note(PtxWarp *warp, const uint8_t *at, const uint8_t *known, int size);
void ptx_late_fence(PtxWarp *warp, uint32_t mask);
/* Both halves of a fence, of one lane: before an atomic, and behind it. */
void ptx_late_release(PtxWarp *warp, int lane);
void ptx_late_acquire(PtxWarp *warp, int lane);
/* A few of the stores of some block become visible. */
void ptx_late_drip(PtxRun *run);
void ptx_late_end(PtxBlock *block);
/* Number i of the block's stores becomes visible, after those before it to the same place. */
void ptx_late_let_go(PtxBlock *block, int i);
/* Waiting stores, and old values that may still be seen, as a part of a hash. */
uint64_t ptx_late_hash(const PtxRun *run, uint64_t hash);
/* Threads first … first + count - 1, of each warp the lanes of `mask`, know what any of them knows.
 */
void ptx_late_meet(PtxBlock *block, int first, int count, uint32_t mask);
