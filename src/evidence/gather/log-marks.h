/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_LOG_MARKS_H
#define EVIDENCE_LOG_MARKS_H

/*
 * Reads the marks before the words of a log's line. They tell whose line it is, by torch, torchrun,
 * srun, mpirun, Ray or the program itself; when it was written; how loudly, and by which logger. A
 * mark uses up the width that words need, and a line that names another rank is not this rank's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of number by which a line says whose it is. */
enum log_marks_by {
	LOG_MARKS_NOBODY,
	LOG_MARKS_RANK,  /* of the world */
	LOG_MARKS_LOCAL, /* a rank on its node */
	LOG_MARKS_PID,
};

/* What the marks of a line say. */
struct log_marks {
	enum log_marks_by by;
	int64_t number; /* of that kind */
	bool of_framework; /* true if a framework's own logger wrote it, as torch's and c10's do */
	bool of_launcher;  /* true if a launcher says whose it is, and not the process itself */
	bool of_c10;       /* true if c10's did: a rank that it names is one of some group */
	char level;        /* 'D', 'I', 'W', 'E', 'F'; 0 where the line does not say */
};

/*
 * Returns how many bytes of the line stand before its words, and fills in what they say. Blanks
 * that indent the words themselves belong to the words. `numbered` tells that a plain number in
 * front is the rank ("3: ", as srun -l writes it), which holds if log_marks_task() finds one in all
 * lines.
 */
size_t log_marks_read(const char *line, bool numbered, struct log_marks *ret_marks)
	__attribute__((nonnull));

/*
 * Returns the rank that PyTorch's own hook marks a line with, "[rank5]: ", be it behind the mark of
 * a launcher; -1 none. The first `before` bytes of the line are marks.
 */
int log_marks_hook(const char *line, size_t before) __attribute__((nonnull));

/* Returns the task of a line that srun -l has marked ("3: "); -1 where it has no such mark. */
int64_t log_marks_task(const char *line) __attribute__((nonnull));

#endif
