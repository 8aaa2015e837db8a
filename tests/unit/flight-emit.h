/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FLIGHT_EMIT_H
#define TESTS_FLIGHT_EMIT_H

/*
 * Flight Recorder dumps for tests, as their writers write them, byte for byte:
 *
 *	struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};
 *	struct str bytes;
 *
 *	emit_group(&dump, "0", "default_pg", "[0, 1]");		its pg_id is 0, the next one's 1
 *	emit_status(&dump, 0, 2, -1, 1);			enqueued, started, completed
 *	emit_entry(&dump, 0, "nccl:all_reduce", 1)->state = "completed";
 *	emit_entry(&dump, 0, "nccl:all_reduce", 2);
 *	bytes = emit_bytes(&dump, EMIT_CPP);
 *	...
 *	str_release(&bytes);
 *	emit_release(&dump);
 *
 * What the version does not have yet is left out: statuses before 2.3, timeout_ms before 2.4, the
 * library's version before 2.7, threads before 2.9.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/str.h"
#include "tests/unit/pickle-emit.h"

struct emit_group {
	const char *name, *desc, *ranks;
	int64_t pg;
};

struct emit_status {
	int64_t pg, enqueued, started, completed;
};

struct emit_frame {
	const char *name, *file;
	int line;
};

struct emit_entry {
	size_t group; /* which of the dump's: gives pg_id, name and desc */
	int64_t record, seq, p2p_seq, op;
	const char *name;
	const char *state;                   /* "scheduled" */
	const char *inputs, *outputs;        /* "[[1024, 4], [7]]" */
	const char *dtype;                   /* of each tensor */
	int64_t created, started, completed; /* ns; the last two: 0 None */
	double duration;                     /* ms; 0: not written */
	int64_t timeout;                     /* ms */
	bool retired, p2p;
	bool digits; /* numbers as strings, as tests of PyTorch write them */
	const char *thread, *thread_id;
	const struct emit_frame *frames; /* shared: those at the same address are one */
	size_t nframes;                  /* written if > 0; never in JSON */
};

struct emit_dump {
	const char *version; /* NULL: not written, as all texts here */
	const char *library;
	bool no_entries; /* includeCollectives=false */
	ARRAY(struct emit_group) groups;
	ARRAY(struct emit_status) statuses;
	ARRAY(struct emit_entry) entries;
	struct arena arena;
};

/* Its index. */
size_t emit_group(struct emit_dump *dump, const char *name, const char *desc, const char *ranks);
void emit_status(
	struct emit_dump *dump, int64_t pg, int64_t enqueued, int64_t started, int64_t completed);
/* A scheduled op of 1024 floats, to be changed at will; the address is valid until the next. */
struct emit_entry *emit_entry(struct emit_dump *dump, size_t group, const char *name, int64_t seq);

/* Of rank 1: two groups, an op that is done, one that is not, and a send. */
struct emit_dump emit_sample(const char *version);

/* The file; str_release() it. */
struct str emit_bytes(struct emit_dump *dump, enum emit_writer writer);
void emit_release(struct emit_dump *dump);

#endif
