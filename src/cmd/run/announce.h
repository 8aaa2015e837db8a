/* SPDX-License-Identifier: Apache-2.0 */
/*
 * announce.h: when the agent speaks. A verdict stands once its wait is as long as the user asked
 * for, a death at once. A verdict that stands is said once; a verdict that differs in class,
 * culprits, cause, or in whether waiting helps, is said again, but nothing endlessly. Ranks that
 * wait for nobody who is known here count too, until something better is found: it may be another
 * node that knows; not where stacks show that some move, and none stands. Ranks that only stand may
 * serve requests, of which there are none: a job that went on from that by itself is said to stand
 * again only once it has done so for twice as long. So too, but for half as long again, where a
 * rank keeps the others and the job went on from that: one that evaluates is said once. What
 * stood in one attempt does not in the next.
 */
#ifndef CMD_ANNOUNCE_H
#define CMD_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/str.h"
#include "verdict/verdict.h"

/* What a look means for whoever is told. */
enum announce_news {
	ANNOUNCE_NOTHING,  /* nothing stands */
	ANNOUNCE_SAY,      /* a verdict stands that was not said yet */
	ANNOUNCE_STILL,    /* what was said still stands */
	ANNOUNCE_RESOLVED, /* what stood does no more: the job moves */
};

/* What is remembered from look to look. {0} at first; announce_release() it. */
struct announce {
	ARRAY(char *) said; /* keys of what was said since the job last moved */
	unsigned said_in_all; /* so often something was said, which has a bound */
	char *seen;    /* key of the verdict of the last look, NULL none */
	int64_t since; /* CLOCK_MONOTONIC ns since when it is seen */
	bool stands; /* what was seen has been taken to stand */
	int attempt;      /* of which that is, or last was; 0 none */
	bool unexplained; /* what stands is a wait that blames nobody */
	bool idle;        /* at the last look ranks stood, and nobody is known to wait */
	int64_t idled;    /* ns for which they did at most until the job moved by itself */
	int64_t stood;  /* ns for which what stands has, at the last look that showed it */
	char *passed;   /* key of what last stood, when the job moved again by itself; NULL none */
	int64_t passed_after; /* ns for which that had stood */
	int fine_looks; /* looks in a row that blame nobody, while something stands */
};

/* True if the verdicts name something wrong, rather than nothing or not enough. */
bool announce_blames(const struct verdicts *verdicts);

/* Where nobody is blamed: true if they tell where ranks stand, or who waits. */
bool announce_tells(const struct verdicts *verdicts);

/* Returns for how many ns what they tell of has stood, as far as they say; JOB_UNKNOWN. */
int64_t announce_waited(const struct verdicts *verdicts);

/* True if they say the same as those of the last look that blamed somebody. */
bool announce_is_same(const struct announce *announce, const struct verdicts *verdicts);

/*
 * True if what stands is of an earlier attempt than these tell of: whatever they say, that is over.
 */
bool announce_is_outlived(const struct announce *announce, const struct verdicts *verdicts);

/* True if they name the same culprits, whatever of. Not where nobody is named. */
bool announce_blames_same(const struct announce *announce, const struct verdicts *verdicts);

/* Takes the verdicts of one look at the time `now`. hang_after: a wait so long, in ns, stands. */
enum announce_news announce_take(struct announce *announce, const struct verdicts *verdicts,
	int64_t now, int64_t hang_after);

/*
 * Takes the last verdicts, as the job is about to end: whatever blames somebody now stands. Returns
 * SAY, STILL or NOTHING.
 */
enum announce_news announce_take_last(struct announce *announce, const struct verdicts *verdicts);

/*
 * Notes that somebody else has said the verdict of that key, and it stands: not to be said again.
 */
void announce_adopt(struct announce *announce, const char *key);

/* Notes that what was to be said could not be: it will have to be said. */
void announce_unsay(struct announce *announce);

/* True if what was seen last is another thing than was said: once it stood a while it is said. */
bool announce_waits(const struct announce *announce) __attribute__((nonnull));

/* Puts the keys of what was said since the job last moved into *into, a line each. */
void announce_keys(const struct announce *announce, struct str *into);

/* Forgets what was said: it is somebody else's to know. */
void announce_forget(struct announce *announce);

/* Frees what was remembered. What stands, and how much was said, are kept as they are. */
void announce_release(struct announce *announce);

#endif
