/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envrules.h: what a variable of the environment does to a job, and when that is not what somebody
 * would want. A rule is a row of a table: a variable, when it speaks, what follows, what to do, and
 * where that is known from. A rule reads the environment and what is known of the launch, and
 * nothing else: it asks no file and no process, so that it judges a machine of yesterday, too.
 *
 * What is not known is said so (-1, NULL), and a rule that would need it is silent.
 */
#ifndef ENVRULES_ENVRULES_H
#define ENVRULES_ENVRULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How bad it is, the worst last. */
enum envrule_grade {
	ENVRULE_NOTE, /* something is forced or left out; a comparison has to know it */
	ENVRULE_WARN, /* it costs time, or the evidence of a later hang */
	ENVRULE_FAIL, /* the job cannot work so */
};

/* What a launch is known to be. */
struct envrules_launch {
	char *const *env;	/* NULL-ended NAME=VALUE */
	int ranks;		/* on this machine; -1 not known */
	int world;		/* in all; -1 not known */
	int hosts;		/* -1 not known */
	int cpus;		/* that we may use; -1 not known */
	int torch;		/* major * 100 + minor, 215 for 2.15; -1 not known */
	int64_t compile_s;	/* the longest compile known, in seconds; -1 not known */
	const char *interfaces; /* names of network interfaces, blanks between; NULL not known */
};

/* One rule. */
struct envrule {
	const char *name; /* the variable it is about */
	enum envrule_grade grade;
	/*
	 * True if the rule speaks of this launch. The value is NULL where the variable is not set.
	 */
	bool (*holds)(const struct envrules_launch *launch, const char *value);
	const char *does;   /* what follows from it, as words behind the variable and its value */
	const char *fix;    /* what to do; NULL: nothing need be done */
	const char *source; /* who says so: a program, since which version, and where */
};

/*
 * Returns the next rule that speaks of this launch, behind `after` (NULL: the first); NULL: no
 * more.
 */
const struct envrule *envrules_next(const struct envrules_launch *launch,
	const struct envrule *after) __attribute__((nonnull(1)));

/* Returns how many rules there are. */
size_t envrules_count(void);
/*
 * Returns one of them, in the order in which envrules_next() has them; i is below envrules_count().
 */
const struct envrule *envrules_at(size_t i) __attribute__((returns_nonnull));

#endif
