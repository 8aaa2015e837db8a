/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_DUMP_H
#define DECODE_FLIGHT_DUMP_H

/*
 * One rank's dump of PyTorch's Flight Recorder, as a pickle (versions 2.0 to 2.10, its forks, and
 * what Python pickles of the same) or as JSON: bytes in, plain data out, no opinion. Nothing in it
 * is executed, what it says is not believed to be consistent, keys that we do not know are skipped.
 *
 * A dump does not say whose it is: neither rank nor host nor job is in it, only the file's name has
 * the rank. Groups are told by name (`groups`), progress by the process' own number of the group
 * (`statuses`); only entries hold both. Two ranks have the same number by chance only.
 *
 * A dump that was cut, or damaged, is read up to there: `damage` says what and where. Unknown is a
 * value: FLIGHT_UNKNOWN for a number, "" for a text (never NULL), NAN for a duration.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/complaint.h"
#include "decode/flight/flight-lists.h"

/* Not said. No number that a dump says is ever this. */
#define FLIGHT_UNKNOWN INT64_MIN
/* In a status: it is said that there was none so far. */
#define FLIGHT_NONE (-1)

enum flight_format { FLIGHT_PICKLE, FLIGHT_JSON };

/* "started" is only ever said where the job times its collectives (TORCH_NCCL_ENABLE_TIMING). */
enum flight_state {
	FLIGHT_STATE_UNKNOWN,
	FLIGHT_SCHEDULED,
	FLIGHT_STARTED,
	FLIGHT_COMPLETED,
};

/* The numbers of a yes or no. */
enum flight_answer { FLIGHT_MAYBE = -1, FLIGHT_NO, FLIGHT_YES };

struct flight_frame {
	const char *name;
	const char *file;
	int64_t line;
};

struct flight_tensor {
	const int64_t *dims; /* as said: may be 0, negative, or multiply to more than 64 bits */
	uint32_t ndims;      /* 0: a scalar, or the "no tensor" of a rank that gets nothing */
	const char *dtype;   /* "Float", "BFloat16", ...; Python's way "float32" */
};

struct flight_tensors {
	const struct flight_tensor *items;
	uint32_t nr;
	bool known; /* the dump says the sizes, be it that there are none */
};

struct flight_group {
	const char *name; /* what entries call `group`; "0", "1", ... unless named by a program */
	const char *desc; /* "default_pg", "undefined", or what the program calls it */
	const struct flight_list *list; /* its ranks; NULL: not said */
};

/* How far a group has come: collective_seq of the last op that was ..., or FLIGHT_NONE. */
struct flight_status {
	int64_t pg; /* as entries' pg */
	int64_t enqueued;
	int64_t started;
	int64_t completed;
};

struct flight_entry {
	int64_t record; /* number of the entry in its process; begins anew at 0 after a reset */
	int64_t pg;     /* the process' own number of the group */
	int64_t collective_seq;
	int64_t p2p_seq;
	int64_t op;
	const char *name;  /* "nccl:all_reduce", "gloo:send 0->3", ... */
	const char *group; /* its name and what it is for: see struct flight_group */
	const char *desc;
	const char *thread;    /* its name */
	const char *thread_id; /* as said: digits */
	struct flight_tensors inputs;
	struct flight_tensors outputs;
	/*
	 * On the clock of the wall, since 1970. The last two say when somebody noticed, which may
	 * be much later than it was; 0: nobody has noticed so far.
	 */
	int64_t created_ns;
	int64_t started_ns;
	int64_t completed_ns;
	int64_t timeout_ms;
	double duration_ms; /* NAN: not said */
	enum flight_state state;
	signed char retired; /* enum flight_answer: nobody watches it any more */
	signed char is_p2p;  /* enum flight_answer */
	/* The callers' frames, innermost first; none in a dump without stacks. */
	const struct flight_frame *const *frames;
	uint32_t nframes;
};

struct flight_dump {
	enum flight_format format;
	int major, minor;            /* of "2.10": 2 and 10; -1 unknown */
	const char *library;         /* version of the communication library, "2.27.3" */
	struct flight_group *groups; /* as the dump has them, a name may be there twice */
	size_t ngroups;
	struct flight_status *statuses;
	size_t nstatuses;
	struct flight_entry *entries; /* as the dump has them: oldest first */
	size_t nentries;
	/* How many of them could not be read, for their form or because they were cut. */
	size_t lost_groups, lost_statuses, lost_entries;
	/* True if the dump has this part at all: only one with entries proves an absence of them.
	 */
	bool has_groups, has_statuses, has_entries;
	/*
	 * "" for a whole dump; else one phrase: "cut at byte 4096 of 4096", "GLOBAL at byte 17,
	 * ..."
	 */
	const char *damage;
	size_t damage_at; /* the byte */

	struct arena arena; /* what all of that points to, but for the lists */
	struct flight_lists *own; /* those of who gave none */
};

/*
 * Reads a dump; the bytes are not needed afterwards. 0, also for a damaged one of which something
 * could be read; -1 with words where it is no dump at all, or nothing of it could be read. Either
 * way flight_dump_release() it.
 *
 * Time and memory are linear in len, whatever the bytes say. Its lists of ranks are among `lists`,
 * which many dumps share and which outlive them; NULL: among its own.
 */
int flight_dump_read(const uint8_t *bytes, size_t len, struct flight_lists *lists,
	struct flight_dump *dump, struct complaint *why);

/* Gives the memory back and leaves {0}. Takes NULL. */
void flight_dump_release(struct flight_dump *dump);

/*
 * How many elements the tensors have together; false where that is unknown: not said, negative,
 * or beyond 64 bits.
 */
bool flight_tensors_count(const struct flight_tensors *tensors, uint64_t *ret);

#endif
