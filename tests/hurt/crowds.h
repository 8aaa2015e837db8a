/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowds.h: jobs with very many of one thing (open messages of a pair, groups of a rank, threads of
 * a process, lines of a log, ranks in a circle), to hold that the time of reading and judging grows
 * with what is read, and not with its square.
 */
#ifndef TESTS_CROWDS_H
#define TESTS_CROWDS_H

#include <stddef.h>

#include "evidence/format/exhibit.h"
#include "job/seal/build.h"

/* A job of n of a thing: either of the two makes it. */
struct crowd {
	const char *name;
	size_t n; /* so many take about a hundredth of a second */
	void (*facts)(struct job_builder *b, size_t n);
	void (*evidence)(struct evidence *evidence, size_t n);
	bool open; /* it still grows by more than it should: only shown, by its name */
};

/* By facts, and by exhibits; a row without a name is the last. */
extern const struct crowd crowds_of_facts[], crowds_of_exhibits[];

#endif
