/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h: the treaty between the probe, which writes, and inquest, which reads.
 *
 * A ring is one file in tmpfs, one per process, that outlives its writer. Everything that changes
 * in it is a *slot*: 64 bytes, two-phase, so that a torn or lapped one is provably so. There are no
 * pointers, only offsets; every section is found through the table in the header, with its element
 * size, so that a reader of another version can still read a dead process's memory.
 *
 * FORMAT (all words little endian, all sections 64-byte aligned)
 *
 *   offset  size  what
 *   0       4096  struct ring_header: magic (published last), identity, losses, section table
 *   table   ...   sections, in any order, each  count x elem_size  bytes at `offset`:
 *     ANCHORS   struct ring_slot[]     clock anchors: [0] is pinned (start), [1],[2] an A/B board
 *     LANES     struct ring_lane[]     one per writing thread; the last one is the shared overflow
 *     SLOTS     struct ring_slot[]     the lanes' slots; a lane names its first slot and its count
 *     SPANS     struct ring_slot[]     open and recently closed spans of the process
 *     MARKS     struct ring_mark[]     latest step, latest shard per loader: A/B boards with totals
 *     GROUPS    struct ring_group[]    one per member (group, group rank) of this process
 *     PINNED    struct ring_pinned[]   classes with quotas, each naming its slots in PINSLOTS
 *     PINSLOTS  struct ring_slot[]     never overwritten but in a class's `latest` part
 *     STRINGS   bytes                  append-only: u64 bytes reserved, then struct ring_string,
 *                                      padded to 8; a string's id is its offset here, 0 = none
 *     STRINDEX  uint32_t[]             open-addressed hash of string offsets, 0 = free
 *     FATAL     struct ring_fatal[]    written only by signal handlers and abort
 *     TRACES    struct ring_traceback[]  stack of the death with the same number: ring-traceback.h
 *     STDERR    struct ring_text       the last bytes that passed write(2)
 *
 * A SLOT IS VALID for ticket k if and only if seq == 2k+2 before and after its words were copied
 * (acquire before, acquire fence after). seq == 2k+1: in flight (of a dead process: torn at death;
 * report lane and ticket, never the content). seq < 2k+1: reserved, never begun. seq > 2k+2:
 * lapped. seq == 0: never used. Tables that are no sequence (spans, history, boards) number the
 * writes to one slot instead; there any even seq but 0 is valid, and the words say what it is.
 *
 * READER ALGORITHM
 *   1. header: magic, major version, incompat_flags, header_size; else refuse. file_size beyond
 *      the bytes at hand: the file was cut; read up to there and count the rest as cut.
 *   2. sections: offset + count * elem_size within file_size, elem_size >= the size known here
 *      (fields are only appended; a slot has 64 bytes for ever); an unknown section or record type
 *      is skipped.
 *   3. boards first, then lanes: the lanes are then at least as new as the boards.
 *   4. of an A/B pair take the valid slot with the higher seq.
 *   5. of a lane read tickets max(0, head - n) .. head - 1 by the rule above; gaps are exact
 *      because tickets are dense: head = read + overwritten + lapped + in flight + unbegun + cut.
 *   6. believe no offset, count or string id before it was checked.
 *
 * Times are raw TSC; an anchor (tsc, CLOCK_MONOTONIC, CLOCK_REALTIME) turns them into nanoseconds.
 * The man page is inquest-ring(5): change it with this file.
 */
#ifndef RING_RING_H
#define RING_RING_H

#include <stdint.h>
#include <string.h>

#define RING_MAGIC	    0x31474e4952514e49ull /* "INQRING1" */
#define RING_VERSION_MAJOR  1
#define RING_VERSION_MINOR  2 /* since 1: TRACES; since 2: of which run it is */
#define RING_HEADER_SIZE    4096
#define RING_SECTIONS	    16
#define RING_NO_GROUP	    0xffffu
#define RING_UNKNOWN_RANK   (-1)

/*
 * The unit in which everything is recorded. `seq` guards the other seven words; the record's type
 * says what those mean.
 */
struct ring_slot {
	uint64_t seq;
	uint64_t tsc;
	uint64_t meta;	/* ring_meta(): type:8 flags:8 group:16 arg:32 */
	uint64_t index; /* op index, step, shard index, ... */
	uint64_t count; /* elements, rows, ... */
	uint64_t sig;	/* ring_sig() of an op; else the type's */
	uint64_t aux;	/* stream, string ids, ... */
	uint64_t more;	/* running hash, ticket of the begin record, cpu ns, ... */
} __attribute__((aligned(64)));

/*
 * Record types. The words of each (others are 0):
 *
 * type         group arg           index     count      sig        aux        more
 * CALL_ENTER   g     call id       op index  count      signature  stream     ticket of GROUP or 0
 * CALL_EXIT    g     call id       op index  -          -          result     ticket of CALL_ENTER
 * OP_ENTERED   g     zero-counts   op index  count      signature  stream     running hash
 *  _F_TAGGED   g     k-th of it, 0 op index  count      signature  stream     tag, ~0 any
 * WAIT_ENTER   none  call id       event, 0  first op,0 those, 0   stream, ~0 -   (all, or unknown)
 * WAIT_EXIT    none  call id       -         -          -          result     ticket of WAIT_ENTER
 * OP_DONE      g     -             op index  -          -          stream     -   (completion)
 * SPAN_BEGIN   none  kind          serial    -          -          name|detail<<32 cpu ns + reaped
 * SPAN_END     none  kind          serial    -          -          name|detail<<32 cpu ns, as above
 * SHARD        none  loader string index     rows       elements   serial     -
 * SHAPE        none  loader string index     dim0       dim1       dim2       ndim (more: DIMS)
 * DIMS         none  loader string index     dim k      dim k+1    dim k+2    k
 * STEP         none  -             n         -          -          -          -
 * NOTE         none  string        -         -          -          -          -
 * COMM         g     call id       key       nranks     rank       alias      result
 * PROC         none  milestone     value     -          -          -          -
 * SIGNAL       none  signo         si_code   si_pid     si_uid     si_addr    tid
 * EDGE         none  call id       event     -          -          waiting stream  the recorded one
 * TRAIT        none  key string    number,~0 -          -          value string, 0 -
 * PORTIONS     g     first seat    op index  gives|awaits<<32 of that seat, of the next, two more
 * ANCHOR       none  -             monotonic realtime   bracket    maxerror   esterror   (ns)
 *
 * A wait for several ops of a host (stream ~0) has in `count` the number of the first of them, and
 * in `sig` a bit for each number from there on; the highest bit stands for all behind.
 *
 * The CPU time of a span is known only for compiles and checkpoints; for others it is 0.
 *
 * In the SPANS table SPAN_BEGIN also has sig = tid of the beginner and, once RING_F_CLOSED, count =
 * TSC of the end. In a group's history the writes to a slot are numbered 2n (entered) and 2n + 1
 * (returned: RING_F_RETURNED), n being the op's index, or its place among the P2P calls.
 *
 * A call that takes part in an explicit ncclGroup is CALL_ENTER/CALL_EXIT like any other, with the
 * flag RING_F_GROUPED; its op is *entered* only by the outermost ncclGroupEnd, which writes one
 * OP_ENTERED per op of the launch right after its own CALL_ENTER. An ungrouped op writes OP_ENTERED
 * only to the group's board and history, not to the lane (its CALL_ENTER says it all).
 */
enum ring_type {
	RING_NONE,
	RING_CALL_ENTER,
	RING_CALL_EXIT,
	RING_OP_ENTERED,
	RING_WAIT_ENTER,
	RING_WAIT_EXIT,
	RING_OP_DONE,
	RING_SPAN_BEGIN,
	RING_SPAN_END,
	RING_SHARD,
	RING_SHAPE,
	RING_DIMS,
	RING_STEP,
	RING_NOTE,
	RING_COMM,
	RING_PROC,
	RING_SIGNAL,
	RING_ANCHOR,
	RING_IDLE, /* boards only: the thread is outside every recorded call */
	RING_EDGE,
	RING_TRAIT, /* a property of the process; the newest of a key holds */
	RING_PORTIONS, /* bytes that an all-to-all gives a seat and awaits; all ones unknown */
	RING_TYPES
};

/* Flags of a record, by type. */
enum {
	RING_F_GROUPED = 1,   /* CALL_*, OP_ENTERED: part of an explicit group launch */
	RING_F_CAPTURED = 2,  /* CALL_*, OP_ENTERED: under CUDA graph capture: replays unknown */
	RING_F_RETURNED = 4,  /* boards, OP_ENTERED: the launching call has returned */
	RING_F_P2P = 8,	      /* send or recv: index counts per (group, source, destination) */
	RING_F_FAILED = 16,   /* the real call returned an error: the op was not issued */
	RING_F_POLL = 32,     /* WAIT_*: a query that said "not ready" (board only) */
	RING_F_TAGGED = 32,   /* OP_ENTERED of a send or receive: `more` is its tag, arg its turn */
	RING_F_CLOSED = 64,   /* SPANS: the span has ended */
	RING_F_RESUMED = 128, /* SPANS: begun by another thread than the one that ended it */
};

/* The kinds of a span; the values are those of enum inquest_span. */
enum ring_span_kind {
	RING_SPAN_NONE,
#define SPAN(name, text) RING_SPAN_##name,
#include "lists/span.def"
#undef SPAN
	RING_SPAN_KINDS
};

/* Milestones of RING_PROC; `index` is the value. */
enum ring_milestone {
	RING_PROC_START = 1, /* constructor ran; value: parent pid */
	RING_PROC_RANK,	     /* promoted to rank; value: rank or ~0 */
	RING_PROC_EXIT,	     /* exit() or return from main; value: status */
	RING_PROC__EXIT,     /* _exit, _Exit, quick_exit; value: status */
	RING_PROC_EXEC,	     /* about to exec; value: 0; again with an errno: it failed */
	RING_PROC_FORK,	     /* forked in the parent; value: child pid */
	RING_PROC_ABORT,     /* abort() was called; value: tid */
};

/* Operation kinds in a signature: NCCL's collectives and point-to-point calls. */
enum ring_op {
#define OP(name, ...) RING_OP_##name,
#include "lists/op.def"
#undef OP
	RING_OPS
};

#define RING_TAG_ANY	 UINT64_MAX /* a receive takes any tag */
#define RING_SIG_NO_PEER 0xffffffffu
#define RING_SIG_UNKNOWN 0xffu /* a dtype or reduction that is not known, or not NCCL's */
#define RING_SIG_BYTES	 0xfeu /* a dtype: the count is in bytes, of what type is not known */

/* Signature of an op: op:8 dtype:8 redop:8 flags:8 root-or-peer:32. The count is beside it. */
static inline uint64_t ring_sig(unsigned op, unsigned dtype, unsigned redop, uint32_t peer)
{
	return (uint64_t)(op & 0xff) | (uint64_t)(dtype & 0xff) << 8 |
	       (uint64_t)(redop & 0xff) << 16 | (uint64_t)peer << 32;
}

static inline unsigned ring_sig_op(uint64_t sig) { return sig & 0xff; }
static inline unsigned ring_sig_dtype(uint64_t sig) { return sig >> 8 & 0xff; }
static inline unsigned ring_sig_redop(uint64_t sig) { return sig >> 16 & 0xff; }
static inline uint32_t ring_sig_peer(uint64_t sig) { return (uint32_t)(sig >> 32); }

static inline uint64_t ring_meta(unsigned type, unsigned flags, unsigned group, uint32_t arg)
{
	return (uint64_t)(type & 0xff) | (uint64_t)(flags & 0xff) << 8 |
	       (uint64_t)(group & 0xffff) << 16 | (uint64_t)arg << 32;
}

static inline unsigned ring_meta_type(uint64_t meta) { return meta & 0xff; }
static inline unsigned ring_meta_flags(uint64_t meta) { return meta >> 8 & 0xff; }
static inline unsigned ring_meta_group(uint64_t meta) { return meta >> 16 & 0xffff; }
static inline uint32_t ring_meta_arg(uint64_t meta) { return (uint32_t)(meta >> 32); }

/*
 * The running hash over a group's collectives, in API order: FNV-1a over (sig, count) of each op.
 * P2P ops never enter it. Two members agree up to index i if and only if their hashes at i agree
 * (but for a 2^-64 accident).
 */
#define RING_HASH_START 0xcbf29ce484222325ull
static inline uint64_t ring_hash_op(uint64_t hash, uint64_t sig, uint64_t count)
{
	const uint64_t word[2] = {sig, count};

	for (int w = 0; w < 2; w++)
		for (int byte = 0; byte < 64; byte += 8)
			hash = (hash ^ (word[w] >> byte & 0xff)) * 0x100000001b3ull;
	return hash;
}

enum ring_section_id {
	RING_S_END,
	RING_S_ANCHORS,
	RING_S_LANES,
	RING_S_SLOTS,
	RING_S_SPANS,
	RING_S_MARKS,
	RING_S_GROUPS,
	RING_S_PINNED,
	RING_S_PINSLOTS,
	RING_S_STRINGS,
	RING_S_STRINDEX,
	RING_S_FATAL,
	RING_S_STDERR,
	RING_S_TRACES,
};

/*
 * One row of the section table in the header: `count` elements of `elem_size` bytes at `offset` in
 * the file.
 */
struct ring_section {
	uint32_t id;
	uint32_t elem_size;
	uint64_t offset;
	uint64_t count;
};

/*
 * The kind of process that wrote the ring. A candidate has a small ring; when it is promoted to a
 * rank, it gets a full one.
 */
enum ring_role { RING_CANDIDATE = 1, RING_RANK = 2 };

/* Where the file lies: in shared memory, or on disk where tmpfs was refused. */
enum ring_place { RING_PLACE_SHM = 1, RING_PLACE_DISK = 2 };

enum ring_clock { RING_CLOCK_TSC = 1, RING_CLOCK_MONOTONIC_NS = 2, RING_CLOCK_CNTVCT = 3 };

/*
 * Counts of what could not be recorded, by reason. A reader shows them, so that no loss is silent.
 */
struct ring_losses {
	uint64_t records;      /* no lane, or the overflow lane refused */
	uint64_t groups;       /* group table full */
	uint64_t strings;      /* string table full */
	uint64_t spans;	       /* span table full */
	uint64_t marks;	       /* mark table full */
	uint64_t fatal;	       /* fatal area full */
	uint64_t contended;    /* two threads met at one board (evidence in itself) */
	uint64_t unresolved;   /* a call whose real function could not be found */
	uint64_t forked;       /* calls of forked children that have no ring of their own */
	uint64_t completions;  /* ops whose completion could not be tracked */
	uint64_t spare[6];
};

struct ring_header {
	uint64_t magic; /* published last, with release */
	uint16_t version_major;
	uint16_t version_minor;
	uint32_t header_size;
	uint64_t file_size;
	uint32_t compat_flags;	 /* a reader may ignore these: CENSUS_F_NUMBER of `rank` */
	uint32_t incompat_flags; /* a reader must refuse bits it does not know */
	uint32_t role;		 /* enum ring_role */
	uint32_t place;		 /* enum ring_place */
	uint32_t clock;		 /* enum ring_clock */
	uint32_t generation;	 /* 0 the candidate's, 1 the rank's */
	uint8_t boot_id[16];
	uint32_t pid; /* in the writer's pid namespace */
	uint32_t ppid;
	uint64_t start_time; /* /proc/self/stat field 22, clock ticks since boot */
	uint64_t pid_ns;     /* inode of /proc/self/ns/pid */
	uint32_t uid;
	uint32_t profile; /* how far the ring was shrunk: 0 full, 1 a quarter, ... */
	int32_t rank;	  /* RING_UNKNOWN_RANK where nothing said so */
	int32_t local_rank;
	int32_t world_size;
	int32_t restart; /* TORCHELASTIC_RESTART_COUNT, else 0 */
	uint32_t completion; /* 0 off, 1 write, 2 event */
	uint32_t nccl_version; /* as ncclGetVersion says, 0 unknown */
	uint64_t birth_tsc;
	char job[64];
	char host[64];
	char comm[16];
	struct ring_losses losses;
	struct ring_section section[RING_SECTIONS];
	/*
	 * The run that the process belongs to: hashes (ring_run_hash()) of texts that all processes
	 * of a run share, and that seldom agree with another run's. 0 means unknown. Since version
	 * 1.2.
	 */
	uint64_t run;	 /* torchrun's id */
	uint64_t slurm;	 /* the Slurm job */
	uint64_t master; /* address and port of rank 0 */
};

#define RING_RUN_START 0xcbf29ce484222325ull

/*
 * Returns the FNV-1a hash of a text that tells runs apart. `hash` is RING_RUN_START, or the hash of
 * the text before it, which this one then continues. Returns 0 (unknown) if the text is empty or
 * "none", which any run may have, or if `hash` is 0 already.
 */
static inline uint64_t ring_run_hash(uint64_t hash, const char *text, size_t len)
{
	if (!hash || !len || (len == 4 && !memcmp(text, "none", 4)))
		return 0;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash ? hash : 1;
}

/*
 * One thread's part of SLOTS. A lane has one writer; `head` counts the tickets *reserved*, and sits
 * alone on its cache line.
 */
struct ring_lane {
	uint64_t claim; /* 0 free, else tid | 1<<32: CAS to claim, 0 to release */
	uint64_t claims;
	uint32_t tid;
	uint32_t pad;
	uint64_t first; /* index into SLOTS */
	uint64_t n;	/* a power of two */
	char name[16];	/* thread name at the claim */
	uint64_t spare;
	uint64_t head __attribute__((aligned(64)));
	uint64_t board_version; /* private to the writer */
	uint64_t spare2[6];
	struct ring_slot board[2]; /* CALL_ENTER / WAIT_ENTER while inside, IDLE outside */
} __attribute__((aligned(64)));

/*
 * The history of a group keeps the first four ops, the ops at every power of two, the last 64, and
 * the last 32 P2P calls.
 */
#define RING_FIRST 4
#define RING_POW2  44
#define RING_LAST  64
#define RING_P2P   32

/*
 * The maker of a group. A BOOTSTRAP group is the exchange of an id that comes before another group:
 * its members are in init while they wait for the id, its seat 0 is the one that gives it, and it
 * has no ops.
 */
enum ring_maker {
#define BACKEND(name, number, ...) RING_MAKER_##name = number,
#include "lists/backend.def"
};

enum {
	RING_G_READY = 1,	/* initialised: all members met */
	RING_G_NONBLOCKING = 2, /* config.blocking = 0: readiness is not known from the return */
	RING_G_FINALIZED = 4,
	RING_G_DESTROYED = 8,
	RING_G_ABORTED = 16,
	RING_G_REVOKED = 32,
	RING_G_SAW_CAPTURE = 64, /* at least one op was captured: replays are not counted */
	RING_G_HOST_DONE = 128,	 /* the library says on the host when an op is done: always known */
	RING_G_KERNELS = 256,	 /* NCCL says when the GPU begins and ends each collective */
	RING_G_FROM_ANY = 512,	 /* it received from anybody: whose messages came is not counted */
	RING_G_UNORDERED = 1024, /* threads entered its ops at once: not in the program's order */
	RING_G_ANY_TAG = 2048,	 /* it received any tag: whose turn it was is not counted */
};

/*
 * A member: this process's seat in one group. Identity is written once, before `seq` becomes 2;
 * `state` may gain bits later. op_index counts collectives in API order from 1, zero-count ones
 * included; NCCL's own order is op_index minus the zero counts.
 */
struct ring_group {
	uint64_t seq; /* 0 free, odd being written, 2*use+2 valid; reused after destroy */
	uint64_t key; /* our hash of the unique id, or of (parent key, split count, color) */
	uint64_t alias;	 /* NCCL's commHash where computable, else 0 */
	uint64_t parent; /* key, 0 for none */
	uint64_t init_tsc;
	uint64_t ready_tsc; /* 0 while inside init */
	uint64_t comm;	    /* ncclComm_t, only to match records */
	uint32_t size;
	uint32_t rank; /* group rank */
	uint32_t name; /* string id, 0 none */
	uint32_t maker;
	int32_t device;
	int32_t color;
	uint32_t splits; /* how many children were split off so far */
	uint32_t state;	 /* RING_G_* */
	uint64_t missed;    /* ops counted in op_index that could not be recorded (lost the race) */
	uint64_t contended; /* times two threads met here: order and hash are then doubtful */
	uint64_t timeout_ns; /* after so long in one op its maker ends the process; 0 unknown */
	uint64_t ranks;      /* string id: world ranks by seat, "0-3,8"; 0 not known */
	uint64_t begun_word; /* the newest collective that the GPU began; only with KERNELS */
	uint64_t spare[15];
	struct ring_slot enqueue[2];  /* OP_ENTERED; meta.group = lane, arg = zero counts so far */
	struct ring_slot complete[2]; /* OP_DONE; seq 0 = unknown */
	uint64_t enqueue_version;     /* twice the board's version; odd: claimed (by CAS) */
	uint64_t complete_version;
	uint64_t p2p_count;
	uint64_t completed_word; /* stream-ordered writes of the op index land here */
	uint64_t completed_p2p;	 /* the same for P2P: p2p_count of the newest one done */
	uint64_t op_index;	 /* collectives so far; private to the writer, as the next two */
	uint64_t hash;		 /* running hash after op_index */
	uint64_t zero_counts;	 /* of the collectives so far */
	struct ring_slot first[RING_FIRST]; /* OP_ENTERED of op 1..4: slot index-1 */
	struct ring_slot pow2[RING_POW2];   /* OP_ENTERED of op 2^k: slot k */
	struct ring_slot last[RING_LAST];   /* OP_ENTERED of op i: slot i % 64 */
	struct ring_slot p2p[RING_P2P];	    /* OP_ENTERED of the n-th P2P call: slot n % 32 */
} __attribute__((aligned(64)));

/*
 * A mark keeps the latest record of its kind and totals; `id` is the loader's string (0 for steps),
 * and `total` sums the rows.
 */
enum ring_mark_kind { RING_MARK_FREE, RING_MARK_STEP, RING_MARK_SHARD };
struct ring_mark {
	uint64_t claim; /* kind | id << 32, CAS from 0 */
	uint64_t version; /* of `latest`, as enqueue_version */
	uint64_t events;
	uint64_t total; /* rows of all shards */
	uint64_t first_tsc;
	uint64_t shape_version;
	uint64_t spare[2];
	struct ring_slot latest[2]; /* STEP or SHARD */
	struct ring_slot shape[2];  /* SHAPE of the latest shard that gave one */
	struct ring_slot first;	    /* the first shard, for ever */
} __attribute__((aligned(64)));

/*
 * The classes of the pinned region. Of each class the first `first` records are kept for ever;
 * after them, `latest` slots rotate.
 */
enum ring_pin {
	RING_PIN_PROC,	     /* PROC milestones, FORK */
	RING_PIN_COMM,	     /* COMM: init, split, destroy, abort: begin and end */
	RING_PIN_COMPILE,    /* SPAN_BEGIN/SPAN_END of compile spans */
	RING_PIN_CHECKPOINT, /* SPAN_BEGIN/SPAN_END of checkpoint spans */
	RING_PIN_SIGNAL,     /* SIGNAL: handled signals that did not end the process here */
	RING_PIN_NOTE,	     /* NOTE */
	RING_PIN_SHARD,	     /* SHARD with 0 rows or elements */
	RING_PIN_TRAIT,	     /* TRAIT */
	RING_PINS
};

struct ring_pinned {
	uint32_t class; /* enum ring_pin */
	uint32_t first;
	uint32_t latest;
	uint32_t pad;
	uint64_t start; /* index into PINSLOTS */
	uint64_t next;	/* events offered: next - (first + latest), if positive, were overwritten */
	uint64_t spare[4];
} __attribute__((aligned(64)));

/* A string of the STRINGS section; its id is its offset there. */
struct ring_string {
	uint32_t hash;
	uint32_t len;	/* published last, +1, so that 0 means not yet; bytes and a NUL follow */
	char bytes[];
};

#define RING_FATAL_REGS	 32
#define RING_FATAL_STACK 8192

/*
 * How a process ended itself, as the signal handler itself wrote it down. Registers are in the
 * order of the kernel's gregs.
 */
struct ring_fatal {
	uint64_t seq; /* 0 free, 1 being written, 2 complete */
	uint64_t tsc;
	int32_t signo;
	int32_t code; /* si_code: <signal.h> makes macros of si_pid and its kin */
	int32_t sender_pid; /* meaningful where code <= 0 */
	uint32_t sender_uid;
	uint64_t fault_addr;
	uint32_t tid;
	uint32_t via_abort; /* abort() was entered by this thread */
	char thread[16];
	uint32_t nregs;
	uint32_t stack_len;
	uint64_t sp; /* the stack pointer, or where an overflowed stack begins to be mapped */
	uint64_t lane;
	uint64_t regs[RING_FATAL_REGS];
	uint64_t spare[6];
	uint8_t stack[RING_FATAL_STACK]; /* raw bytes from sp upward, never of arguments */
} __attribute__((aligned(64)));

/* The STDERR section: a circle of the last bytes that the process wrote to stderr. */
struct ring_text {
	uint64_t head; /* bytes ever appended; the newest end at head % size */
	uint64_t size;
	uint64_t lost;
	uint64_t spare[5];
	char bytes[];
};

_Static_assert(sizeof(struct ring_slot) == 64, "a slot is one cache line");
_Static_assert(sizeof(struct ring_lane) == 256, "lane");
_Static_assert(sizeof(struct ring_group) % 64 == 0, "group");
_Static_assert(__builtin_offsetof(struct ring_group, enqueue) == 256, "group boards");
_Static_assert(sizeof(struct ring_mark) == 384, "mark");
_Static_assert(sizeof(struct ring_pinned) == 64, "pinned");
_Static_assert(sizeof(struct ring_section) == 24, "section");
_Static_assert(sizeof(struct ring_header) <= RING_HEADER_SIZE, "header");
_Static_assert(sizeof(struct ring_fatal) % 64 == 0, "fatal");

#endif
