/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_FLIGHT_DUMP_H
#define DECODE_FLIGHT_DUMP_H

/*
 * Reads one rank's dump of PyTorch's Flight Recorder, as a pickle (versions 2.0 to 2.10, its forks,
 * and what Python pickles of the same) or as JSON: bytes in, plain data out, no opinion. Nothing in
 * it is executed, what it says is not believed to be consistent, unknown keys are skipped.
 *
 * A dump does not say whose it is: neither rank nor host nor job is in it, only the file's name has
 * the rank. Groups are told by name (`groups`), progress by the process' own number of the group
 * (`statuses`); only entries hold both. If two ranks have the same number, that is by chance.
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

/* A number that is not told. No number in a dump is ever this. */
#define FLIGHT_UNKNOWN INT64_MIN
/* In a status: the dump tells that there was none so far. */
#define FLIGHT_NONE (-1)

enum flight_format { FLIGHT_PICKLE, FLIGHT_JSON };

/*
 * States of an entry. "started" is told only if the job times its collectives
 * (TORCH_NCCL_ENABLE_TIMING).
 */
enum flight_state {
	FLIGHT_STATE_UNKNOWN,
	FLIGHT_SCHEDULED,
	FLIGHT_STARTED,
	FLIGHT_COMPLETED,
};

/* A yes or no; FLIGHT_MAYBE not told. */
enum flight_answer { FLIGHT_MAYBE = -1, FLIGHT_NO, FLIGHT_YES };

/* A frame of Python's stack. */
struct flight_frame {
	const char *name;
	const char *file;
	int64_t line;
};

/* A tensor's shape and type. */
struct flight_tensor {
	const int64_t *dims; /* as told: may be 0, negative, or multiply to more than 64 bits */
	uint32_t ndims;      /* 0: a scalar, or the "no tensor" of a rank that gets nothing */
	const char *dtype;   /* "Float", "BFloat16", ...; Python writes "float32" */
};

struct flight_tensors {
	const struct flight_tensor *items;
	uint32_t nr;
	bool known; /* the dump tells the sizes, or that there are none */
};

/* A group by its name. */
struct flight_group {
	const char *name; /* what entries call `group`; "0", "1", ... unless named by a program */
	const char *desc; /* "default_pg", "undefined", or what the program calls it */
	const struct flight_list *list; /* its ranks; NULL not told */
};

/* How far a group has come: collective_seq of the last op in each state, or FLIGHT_NONE. */
struct flight_status {
	int64_t pg; /* the group, as in entries' pg */
	int64_t enqueued;
	int64_t started;
	int64_t completed;
};

/* One op as its rank recorded it. */
struct flight_entry {
	int64_t record; /* number of the entry in its process; from 0 again after a reset */
	int64_t pg;     /* the process' own number of the group */
	int64_t collective_seq;
	int64_t p2p_seq;
	int64_t op;
	const char *name;  /* "nccl:all_reduce", "gloo:send 0->3", ... */
	const char *group; /* its name and its purpose: see struct flight_group */
	const char *desc;
	const char *thread;    /* name of the thread */
	const char *thread_id; /* as told, in digits */
	struct flight_tensors inputs;
	struct flight_tensors outputs;
	/*
	 * Wall clock times, since 1970. The last two say when the event was noticed, which may be
	 * much later than it was; 0: not noticed so far.
	 */
	int64_t created_ns;
	int64_t started_ns;
	int64_t completed_ns;
	int64_t timeout_ms;
	double duration_ms; /* NAN: not told */
	enum flight_state state;
	signed char retired; /* enum flight_answer: not watched any more */
	signed char is_p2p;  /* enum flight_answer */
	/* The callers' frames, innermost first; none in a dump without stacks. */
	const struct flight_frame *const *frames;
	uint32_t nframes;
};

/* What one dump holds. */
struct flight_dump {
	enum flight_format format;
	int major, minor;            /* 2 and 10 for "2.10"; -1 unknown */
	const char *library;         /* version of the communication library, "2.27.3" */
	struct flight_group *groups; /* in the dump's order; a name may be there twice */
	size_t ngroups;
	struct flight_status *statuses;
	size_t nstatuses;
	struct flight_entry *entries; /* in the dump's order, oldest first */
	size_t nentries;
	/* Number of items that could not be read, for their form or because they were cut. */
	size_t lost_groups, lost_statuses, lost_entries;
	/*
	 * Whether the dump has this part at all: an absence is proved only by a part that is there.
	 */
	bool has_groups, has_statuses, has_entries;
	/*
	 * "" for a whole dump; else one phrase, as "cut at byte 4096 of 4096" or "GLOBAL at byte
	 * 17, ...".
	 */
	const char *damage;
	size_t damage_at; /* the byte at which */

	struct arena arena; /* holds what all of that points to, except lists */
	struct flight_lists *own; /* its own lists, where the caller gave none; else NULL */
};

/*
 * Reads a dump; the bytes are not needed afterwards. Returns 0, even for a damaged dump if any of
 * it could be read; -1 with words if it is no dump at all, or nothing of it could be read. Either
 * way flight_dump_release() it.
 *
 * Time and memory are linear in len, whatever the bytes say. Its lists of ranks are put into
 * `lists`, which many dumps share and which outlive them; NULL: into its own.
 */
int flight_dump_read(const uint8_t *bytes, size_t len, struct flight_lists *lists,
	struct flight_dump *dump, struct complaint *why);

/* Frees the dump and leaves {0}; NULL is fine. */
void flight_dump_release(struct flight_dump *dump);

/*
 * Counts the elements of all tensors together; false if that is unknown: not told, negative, or
 * beyond 64 bits.
 */
bool flight_tensors_count(const struct flight_tensors *tensors, uint64_t *ret);

#endif
