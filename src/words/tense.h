/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verdict has a time. A live job is spoken of in the present, one that has ended and one that was
 * recorded in the past; nothing counts down in a record.
 */
#ifndef WORDS_TENSE_H
#define WORDS_TENSE_H

#include "base/str.h"
#include "verdict/verdict.h"

/* How a job is to be spoken of. */
enum tense {
	TENSE_LIVE,     /* the job was looked at just now, and goes on */
	TENSE_ENDED,    /* the evidence says that it is over */
	TENSE_RECORDED, /* the job was looked at some time ago; what became of it is not known */
	TENSE_PAST,     /* the same, but nobody can look at it again; only used for what is to be
			 * done */
};

/* Returns the tense of the verdicts. `live` tells that the evidence was gathered just now. */
enum tense tense_of(const struct verdicts *verdicts, bool live);

/* Times in realtime ns, as the caller of a report knows them. */
struct tense_clock {
	int64_t now;     /* the time of reading; 0: as it was when the job was looked at */
	int64_t written; /* when the last of all evidence was written, where nothing in it tells
			  * a time; 0 none */
};

/*
 * Returns the tense of what is to be done. A job is past if it was told to end when it was looked
 * at, if its limit has been over since, or if there has been no word of it for long.
 */
enum tense tense_to_act(
	const struct verdicts *verdicts, bool live, const struct tense_clock *clock);

/* True if nobody can look at the job any more. */
bool tense_is_over(enum tense tense);

/*
 * Appends "2026-11-22T10:25:31.123Z", as JSON has it; nothing for JOB_UNKNOWN or a time that no
 * calendar has.
 */
void tense_add_stamp(struct str *into, int64_t realtime);

/* Appends "LIVE 2026-11-22 10:25:31 UTC": the state, and as of when all that is said holds. */
void tense_add(struct str *into, const struct verdicts *verdicts, bool live);

/*
 * Appends what the outlook means for the reader, in the tense of the job; what ends the job, `left`
 * ns after it was looked at (JOB_UNKNOWN: no limit is known); and, for a live job of which neither
 * WAIT nor KILL can be said, how to find out.
 */
void tense_add_prospect(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, int64_t left, bool live);

#endif
