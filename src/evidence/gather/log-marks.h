/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_MARKS_H
#define EVIDENCE_LOG_MARKS_H

/*
 * Marks before the words of a log's line: whose line it is, by torch, torchrun, srun, mpirun, Ray
 * or the program itself; when it was written; how loudly, and by which logger. It uses up the width
 * that words need, and a line that names another rank is not this rank's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By what number a line says whose it is. */
enum log_marks_by {
	LOG_MARKS_NOBODY,
	LOG_MARKS_RANK,  /* of the world */
	LOG_MARKS_LOCAL, /* rank on its node */
	LOG_MARKS_PID,
};

struct log_marks {
	enum log_marks_by by;
	int64_t number;
	bool of_framework; /* a framework's own logger wrote it, as torch's and c10's do */
	char level;        /* 'D', 'I', 'W', 'E', 'F'; 0 where the line does not say */
};

/*
 * Returns how many bytes of the line stand before its words, and fills in what they say. Blanks by
 * which the words themselves are indented are the words'. `numbered`: a plain number in front is
 * the rank ("3: ", as of srun -l), as log_marks_task() says of all lines.
 */
size_t log_marks_read(const char *line, bool numbered, struct log_marks *ret_marks)
	__attribute__((nonnull));

/*
 * The rank that PyTorch's own hook marks a line with, "[rank5]: ", be it behind the mark of a
 * launcher; -1 none. `before` bytes of it are marks.
 */
int log_marks_hook(const char *line, size_t before) __attribute__((nonnull));

/* The task of a line as srun -l marks them ("3: "), -1 where it has no such mark. */
int64_t log_marks_task(const char *line) __attribute__((nonnull));

#endif
