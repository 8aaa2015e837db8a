/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_TEXTS_H
#define DECODE_TEXTS_H

/*
 * Texts that others leave of a job that was not prepared: logs, error files, a scheduler's record,
 * the kernel's log, printed stacks. One alone seldom says of which rank it is. So they are
 * collected, and read together when all else is known: first who is who (roster.h), then what each
 * says.
 *
 * If other evidence tells of ranks, texts only add to these. The only ranks that they make then are
 * those that others' dumps name, and that left none themselves.
 */

#include <stdlib.h>

#include "decode/context.h"
#include "decode/exhibits/roster.h"

/* Kinds of text that may tell of one rank: bits of job_process.by_texts. */
enum {
	TEXTS_LOG = 1,
	TEXTS_ERROR_FILE = 2,
	TEXTS_KERNEL = 4,
	TEXTS_SLURM = 8,
	TEXTS_STACKS = 16,
};

/* At most so many jobs of Slurm are kept. */
#define TEXTS_JOBS 16

/* Whether a log is of the run that other evidence knows. */
enum texts_doubt {
	TEXTS_SURE,
	TEXTS_UNDATED, /* no time tells that */
	TEXTS_DOUBTFUL /* its times are rather of another run */
};

/* What the readers share. */
struct texts {
	struct decode_context *context;
	struct job_builder *builder;
	struct roster roster;
	struct decode_process **ranks; /* the process of each rank */
	bool *shared;		       /* for each rank, whether several processes claim it */
	bool make;     /* nothing else tells of ranks: texts make their processes */
	bool torchrun; /* torchrun told how its ranks failed: tasks of Slurm are no ranks then */
	bool tasks;    /* srun told how tasks ended, or put their numbers before lines */
	struct {
		long job, task; /* task of an array; -1 not told */
	} jobs[TEXTS_JOBS]; /* jobs of Slurm that logs are of, by their words or names */
	int njobs;
	/*
	 * Of the ranks that other evidence knows, ns: no end of theirs was before the first of
	 * these, and they were seen, or came to the end of their dumps, until the second one.
	 * JOB_UNKNOWN: nothing tells.
	 */
	int64_t seen_from, seen_to;
	/*
	 * When the last file of a dump was written, ns: until then the job may have hung.
	 * JOB_UNKNOWN: there is none.
	 */
	int64_t dumps_written;
	/* Logs that may be of another run: */
	ARRAY(struct texts_doubted {
		const struct exhibit *log;
		enum texts_doubt doubt;
	}) doubtful;
	enum texts_doubt doubt; /* of the log that is being read */
	int64_t ndumps;         /* ranks that left one */
	bool misdated; /* the files of dumps are older than what they hold: times of files lie */
};

/* Reads all that was collected. */
void texts_finish(struct decode_context *context, struct job_builder *builder)
	__attribute__((nonnull));

/* Keeps an exhibit for texts_finish(): the decoder of such kinds. Returns 0. */
int texts_keep(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why) __attribute__((nonnull(1, 3)));

/* Returns the process of that rank, made where texts may make it; NULL none. */
struct decode_process *texts_process(struct texts *texts, int rank, unsigned kind)
	__attribute__((nonnull));

/* Returns the process of a rank of unknown number, by its pid. */
struct decode_process *texts_stranger(struct texts *texts, int64_t pid, unsigned kind)
	__attribute__((nonnull));

/* True if texts made that process. */
bool texts_made(const struct decode_process *process) __attribute__((nonnull));

/* Notes that a log is of that job of Slurm, 0 none, or of that task of an array, -1 none. */
void texts_add_slurm(struct texts *texts, long job, long task) __attribute__((nonnull));

/*
 * Adds a saying to the rank, or to the job if the rank is not known. `texts`: those of the saying.
 */
void texts_say(struct texts *texts, int rank, const struct job_saying *saying)
	__attribute__((nonnull));

/* Returns the exhibit's bytes as a text, in the context's arena; of a log, with plain lines. */
const char *texts_of(const struct texts *texts, const struct exhibit *exhibit)
	__attribute__((nonnull));

/* Returns whether a log may be of another run than what else is known. */
enum texts_doubt texts_doubt_of(const struct texts *texts, const struct exhibit *exhibit)
	__attribute__((nonnull));

/* Returns the cite "FILE:LINE". */
const char *texts_cite(struct texts *texts, const struct exhibit *exhibit, int64_t line)
	__attribute__((nonnull));

/* Gets one line of a text. */
typedef void texts_line(void *with, const char *line, int64_t number);

/*
 * Calls `visit` with each line of a text, as a text of its own. In a text that was sieved the
 * number stands before a tab; else lines are counted.
 */
void texts_each_line(const char *text, texts_line *visit, void *with)
	__attribute__((nonnull(1, 2)));

/* Readers of one kind of text each, in a file of its own. */
void texts_read_joblogs(struct texts *texts) __attribute__((nonnull));
void texts_read_kernel(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));
void texts_read_slurm(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));
void texts_read_stacks(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));
void texts_read_served(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));
void texts_read_ras(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));
void texts_read_compiles(struct texts *texts, const struct exhibit *exhibit)
	__attribute__((nonnull));
void texts_read_error(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));

#endif
