/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track.h: what each rank did, over time: the sealed job as intervals and events, one track a rank.
 *
 * Nothing of a verdict is in it. Each interval has a begin and an end that records say, or a look
 * at the rank; what it does at the end lasts to the last sign of its life, and not beyond. A track
 * covers the job's time: where nothing is known, or what was known is gone, it says so. Intervals
 * of one track do not overlap; of things that do (a collective inside a compile) the innermost is
 * shown. Events are points: an entry, an exception, a death, a loss.
 *
 * Times are realtime ns, as in the job. Everything points into the job, which must outlive it.
 */
#ifndef VIEWER_TRACK_H
#define VIEWER_TRACK_H

#include "job/waitfor/waits.h"
#include "verdict/verdict.h"

/*
 * A rank's doing, as a record or a look at it says. If several are in one cell, the greatest wins;
 * but of those up to TRACK_ORDINARY, which all ranks are in all the time, the one that took most of
 * it.
 */
enum track_state {
	TRACK_NODATA,	  /* nothing is known: before it was seen, after its evidence */
	TRACK_OTHER,	  /* it lives, and nothing says what it does: startup */
	TRACK_COMPUTE,	  /* its own code, between recorded calls */
	TRACK_COLLECTIVE, /* in a call of NCCL or c10d, from its entry to its return */
	TRACK_DEVICE,	  /* waits for the GPU, likewise */
	TRACK_ORDINARY = TRACK_DEVICE,
	TRACK_PENDING,	  /* its own code, while what it launched is not complete at the end */
	TRACK_INPUT, /* a span of waiting for input */
	TRACK_CHECKPOINT, /* a span of reading or writing a checkpoint */
	TRACK_USER,	  /* a span of the user's own */
	TRACK_COMPILE,
	TRACK_WAITING,	  /* in a call that has not come back at the end of its evidence */
	TRACK_BLOCKED,	  /* stopped, frozen; in a lock, the GIL, a file: as a look at it says */
	TRACK_LOST,	  /* what was recorded of this time is gone */
	TRACK_DEAD,
	TRACK_STATES
};

/* An interval. */
struct track_span {
	int64_t from, to; /* from < to, or equal where it was too short to see */
	enum track_state state : 16;
	bool open : 1;	  /* goes on at the end of the evidence */
	int group;	  /* of a collective, else JOB_NONE */
	const char *name; /* "codegen 0/0", "AllReduce #1", never NULL; from outside: escape it */
	const char *cite;
};

/* How long it waited for others or the GPU, and how long anything is known of it; ns. */
struct track_share {
	int64_t waited, known;
};

/* What an event is; from TRACK_EXCEPTION on it is odd. */
enum track_kind {
	TRACK_ENTER,	 /* entered an op */
	TRACK_BEGIN,	 /* a span begins */
	TRACK_END,
	TRACK_STEP,	 /* a step was done */
	TRACK_SHARD,	 /* a batch was given */
	TRACK_NOTE,
	TRACK_LOG,	 /* a line that it wrote, where that says when */
	TRACK_FORK,	 /* it started a process, as the kernel tells */
	TRACK_EXCEPTION,
	TRACK_SIGNAL,
	TRACK_DEATH,
	TRACK_GAP,	 /* records are gone: from here on, or of a time unknown (a job_loss) */
	TRACK_KINDS
};

/* Events that are drawn over what goes on; of several in one cell the later one here. */
enum track_mark {
	TRACK_MARK_ENTERED,
	TRACK_MARK_FORK,
	TRACK_MARK_STEP,
	TRACK_MARK_LOG,
	TRACK_MARK_RECOMPILE, /* of a graph that it had compiled before */
	TRACK_MARK_KILL,      /* a signal that another process sent */
	TRACK_MARK_EXCEPTION,
	TRACK_MARKS
};

/* An event. */
struct track_event {
	int64_t when;	  /* JOB_UNKNOWN: not known; these come last */
	enum track_kind kind : 16;
	bool p2p : 1;	  /* of an entry: a send or receive */
	int group;	  /* JOB_NONE */
	const char *name; /* one line, never NULL; from outside */
	/* Of an op in its group, of a step; 0 none. Of a gap: how many ops, or records */
	uint64_t index;
	const void *fact; /* the job's struct: job_op, job_span, ...; of a gap with a time any */
	const char *cite;
};

/* What one rank did. */
struct track {
	struct rank_index rank; /* index into job->ranks */
	const struct track_span *spans; /* by time */
	size_t nspans;
	const struct track_share *shares; /* track_share() has it: of all before every 16th span */
	const struct track_event *events; /* by time */
	size_t nevents;
	enum track_state now; /* at the end of the evidence */
	int64_t since;	      /* of `now`; JOB_UNKNOWN */
	bool at_least;	      /* it may have begun before: nobody looked */
	const char *doing;    /* the name of what it does now, "" */
	const struct job_op *op; /* the collective that it waits in now; NULL: none, or not known */
	bool loses;	      /* something that was recorded of it is gone: */
	int64_t lost;	      /* so many things; JOB_UNKNOWN */
	bool holed;	      /* some of it has a time, and is drawn as holes: */
	uint64_t lost_records, lost_ops; /* so many */
};

/* What all ranks did. */
struct tracks {
	const struct job *job;
	int64_t from, to; /* the whole of it; from < to always, also of a job without any time */
	const struct track *at; /* by rank */
	size_t n;
	const char *const *phases; /* names of compile phases without ids, most frequent first */
	size_t nphases;
	bool loses; /* something is gone that was of no rank, or of nobody knows which */
	bool uneven; /* of some rank evidence ends before that of others, who live on as it does */
};

/*
 * Makes the tracks. Never NULL. Linear in the job's facts (plus sorting). tracks_free() it before
 * the job.
 */
struct tracks *tracks_new(const struct verdicts *verdicts) __attribute__((nonnull));
/* Frees them; NULL is fine. */
void tracks_free(struct tracks *tracks);

/*
 * Returns the span of what it does now: the last one, or the one before it where hosts that were
 * looked at later have made the job's time longer than what is known of this rank. NULL: it has
 * none.
 */
const struct track_span *track_last(const struct track *track) __attribute__((nonnull));

/* Returns the span at a time; NULL none. O(log n). */
const struct track_span *track_at(const struct track *track, int64_t when) __attribute__((nonnull));
/* Returns the index of the last event at or before that time, -1 none. O(log n). */
ptrdiff_t track_event_before(const struct track *track, int64_t when) __attribute__((nonnull));

/*
 * Returns how long within [from, to) it waited for others or the GPU, and for how long anything is
 * known of it while it lived. O(log n).
 */
struct track_share track_share(const struct track *track, int64_t from, int64_t to)
	__attribute__((nonnull));

/* Returns "compile", "waiting", ...: as the legend has it; never NULL. */
const char *track_state_name(enum track_state state);
/* Returns what that means, for `?`: "a span that the program has marked"; never NULL. */
const char *track_state_meaning(enum track_state state);
/* track-marks.c: returns which mark the event is; TRACK_MARKS: none. */
enum track_mark track_mark_of(const struct track_event *event) __attribute__((nonnull));
/* Returns the time that a line begins with or has in it, if that has a zone; else JOB_UNKNOWN. */
int64_t track_time_of_line(const char *line) __attribute__((nonnull));

/* Returns "entered", "died", ...: as the events pane has it; never NULL. */
const char *track_kind_name(enum track_kind kind);

/*
 * Finds which rank, and event of it, a cite names ("ring:3:g1", "stack:3:tid7"); false: no rank's.
 */
bool tracks_cited(const struct tracks *tracks, const char *cite, struct rank_index *ret_rank,
	ptrdiff_t *ret_event) __attribute__((nonnull));

#endif
