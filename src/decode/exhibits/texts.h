/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_TEXTS_H
#define DECODE_TEXTS_H

/*
 * What others leave of a job that nobody prepared: logs, error files, a scheduler's record, the
 * kernel's log, printed stacks. Each alone seldom says of whom it is; so they are collected, and
 * read together when all else is known: first who is who (roster.h), then what each says.
 *
 * Where other evidence tells of ranks, texts add to it, and make nobody; but of a rank that dumps
 * of others name, and that left none.
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

#define TEXTS_JOBS 16

struct texts {
	struct decode_context *context;
	struct job_builder *builder;
	struct roster roster;
	struct decode_process **ranks; /* by rank: the process that is it */
	bool *shared;		       /* by rank: several processes say that they are */
	bool make;     /* nothing else tells of ranks */
	bool torchrun; /* it has told how its ranks failed: tasks of Slurm are no ranks then */
	bool tasks;    /* srun has told how tasks ended, or put their numbers before lines */
	struct {
		long job, task; /* task of an array; -1 none is told */
	} jobs[TEXTS_JOBS]; /* of Slurm, that logs are of, as these say or are called */
	int njobs;
};

/* Reads all that was collected. */
void texts_finish(struct decode_context *context, struct job_builder *builder)
	__attribute__((nonnull));

/* Keeps an exhibit for that; what decoders of such kinds do. */
int texts_keep(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why) __attribute__((nonnull(1, 3)));

/* The process of that rank, made where texts may; NULL none. */
struct decode_process *texts_process(struct texts *texts, int rank, unsigned kind)
	__attribute__((nonnull));

/* That of a rank whose number nobody knows, by its pid. */
struct decode_process *texts_stranger(struct texts *texts, int64_t pid, unsigned kind)
	__attribute__((nonnull));

/* True if texts made that process. */
bool texts_made(const struct decode_process *process) __attribute__((nonnull));

/* A log is of that job of Slurm, 0 none, or of that task of an array, -1 none. */
void texts_add_slurm(struct texts *texts, long job, long task) __attribute__((nonnull));

/* Says it of the rank, or of the job where nobody knows the rank. `texts`: those of the saying. */
void texts_say(struct texts *texts, int rank, const struct job_saying *saying)
	__attribute__((nonnull));

/* The exhibit's bytes as a text, in the context's arena. */
const char *texts_of(struct texts *texts, const struct exhibit *exhibit) __attribute__((nonnull));

/* "FILE:LINE" */
const char *texts_cite(struct texts *texts, const struct exhibit *exhibit, int64_t line)
	__attribute__((nonnull));

typedef void texts_line(void *with, const char *line, int64_t number);

/*
 * Calls it with each line of a text, as a text of its own. Of one that was sieved the number stands
 * before a tab; else lines are counted.
 */
void texts_each_line(const char *text, texts_line *visit, void *with)
	__attribute__((nonnull(1, 2)));

/* The readers, one file each. */
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
