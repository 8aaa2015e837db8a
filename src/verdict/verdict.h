/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.h: inference without prose. Rules look at a sealed job and leave findings; the judge runs
 * the table of rules, ranks the findings and keeps what stands.
 *
 * A verdict names culprits only on evidence that is about them; everything in it that a person will
 * read is a fact with a cite (struct verdict_fact: a kind and its values, worded by words/).
 */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include "job/job.h"

enum verdict_class {
#define CLASS(name, ...) VERDICT_##name,
#include "lists/class.def"
	VERDICT_CLASSES
};

enum verdict_confidence {
	VERDICT_UNKNOWN,
	VERDICT_HYPOTHESIS,
	VERDICT_SUPPORTED,
	VERDICT_ESTABLISHED,
};
enum verdict_outlook {
	VERDICT_OUTLOOK_UNKNOWN,
	VERDICT_WAIT,
	VERDICT_KILL,
	VERDICT_OVER, /* the job has ended: there is nothing left to wait for or to kill */
};
enum verdict_stage {
	VERDICT_BOOTSTRAP,
	VERDICT_FIRST_FORWARD,
	VERDICT_STEADY,
	VERDICT_TEARDOWN,
	VERDICT_STAGE_UNKNOWN, /* no ring tells it */
};

enum verdict_cause {
	VERDICT_NO_CAUSE,
	VERDICT_BY_SIGNAL,
	VERDICT_BY_OOM_KILL,
	VERDICT_BY_KILLED,
	VERDICT_BY_EXCEPTION,
	VERDICT_BY_CUDA_ERROR,
	VERDICT_BY_ABORT,
	VERDICT_BY_EARLY_EXIT,
	VERDICT_BY_CHILD_DEATH,
	VERDICT_BY_GROUP_CREATION,
	VERDICT_BY_SKIPPED, /* MISMATCH: it left out an operation, and went on */
	VERDICT_BY_EXTRA,   /* MISMATCH: it has an operation that its peers do not have */
	VERDICT_BY_LEFT_GROUP, /* MISMATCH: it ended its part in a group in which others go on */
	VERDICT_BY_ADDRESS, /* NEVER_STARTED: it looks for the others elsewhere */
	VERDICT_BY_NUMBER, /* NEVER_STARTED: another rank's number was given in place of its own */
	VERDICT_BY_WORLD_SIZE, /* NEVER_STARTED: it was given another number of ranks */
	VERDICT_CAUSES
};

enum verdict_where {
	VERDICT_NOWHERE,
	VERDICT_IN_INPUT,
	VERDICT_IN_CHECKPOINT,
	VERDICT_IN_LOCK,
	VERDICT_IN_GIL,
	VERDICT_IN_FROZEN,
	VERDICT_IN_IO,
	VERDICT_IN_USER_CODE,
	VERDICT_WHERE_UNKNOWN,
	VERDICT_WHERES
};

/* The limit that ends a job if nobody does. */
enum verdict_limit {
	VERDICT_NO_LIMIT,
	VERDICT_LIMIT_DEADLINE, /* the scheduler ends the job */
	VERDICT_LIMIT_WATCHDOG, /* PyTorch's watchdog of NCCL aborts a process */
	VERDICT_LIMIT_TIMEOUT,	/* the wait itself raises an error */
	VERDICT_LIMIT_STORE,	/* a wait in the store raises an error */
	VERDICT_LIMITS
};

/* Kinds of facts; fact.def says of each what its values are. */
enum verdict_fact_kind {
#define FACT(name, words) FACT_##name,
#include "lists/fact.def"
#undef FACT
	VERDICT_FACT_KINDS
};

/* Ranks as indexes into job->ranks, ascending, unique. */
struct verdict_ranks {
	const struct rank_index *at;
	size_t n;
};

/* True if the rank is in the set. */
bool ranks_have(struct verdict_ranks ranks, struct rank_index rank);

/* Kinds of things that are named by more than a text from outside; each with the fields it uses. */
enum verdict_thing_kind {
	THING_SIG,       /* sig: "AllReduce sum 4096 float32" */
	THING_INIT,      /* name: "init of world" */
	THING_SPLIT,     /* name: "split of world" */
	THING_LOCK,      /* name, "" not known: "the lock of /a/file" */
	THING_PAIR,      /* sig.op, name: "Send of world" */
	THING_OP,        /* sig.op, index, name: "AllReduce #5 of world" */
	THING_FRAME,     /* frames[0]: "train.py:88 in step" */
	THING_FRAMES,    /* frames, then the program's own (NULL none) at place `index` of the
			  * stack: "pack (pack.c:12) < ... < step (train.py:40)" */
	THING_CALL,      /* name, else activity: "all_reduce", "the store" (activities.h) */
	THING_GRAPH,     /* name, "" none; text, NULL not compiled: "0/1 = 5f3a 41 nodes" */
	THING_SHAPE,     /* shard: "32x128" */
	THING_DEAL,      /* deal: "7 x 4 + 0" */
	THING_PROCESSES, /* processes: "python (pid 4711), ..." */
	THING_PIDS       /* processes: "4711, 4712", ... */
};

/*
 * How the rows of one batch were dealt out: `full` ranks got `most`, the most that any got; one
 * rank got `rest`, less than that (-1: no rank did); `none` ranks got nothing.
 */
struct verdict_deal {
	int64_t full, most, rest, none;
};

/* One such thing; it lies in the verdicts' arena. words/things.h puts it into words. */
struct verdict_thing {
	enum verdict_thing_kind kind;
	const char *name, *text;
	struct job_sig sig;
	uint64_t index;
	int activity; /* enum activity */
	const struct job_frame *const *frames;
	const struct job_process *const *processes;
	const struct job_shard *shard;
	struct verdict_deal deal;
	size_t n; /* frames, or processes */
	bool more; /* there are more processes than these */
};

/*
 * One fact; fact.def says what its numbers and texts are. JOB_UNKNOWN where a number is not known.
 */
struct verdict_fact {
	enum verdict_fact_kind kind;
	struct verdict_ranks ranks; /* the ranks it is about; n = 0: the job */
	int64_t a, b, c;
	const char *text; /* "" none */
	const char *text2;
	const char *cite;
	const struct verdict_thing *thing, *thing2; /* what the fact names; NULL: the texts do */
};

struct verdict_ruled_out {
	enum verdict_class class;
	struct verdict_fact why;
};

/* A seat whose world rank nobody knows. */
struct verdict_seat {
	int group;
	struct group_rank seat;
};

/* What to do next; worded by words/next.c. */
enum verdict_next {
#define NEXT(name, ...) VERDICT_NEXT_##name,
#include "lists/next.def"
	VERDICT_NEXTS
};

/* One finding. Arrays live in the verdicts' arena. */
struct verdict {
	enum verdict_class class;
	enum verdict_confidence confidence;
	enum verdict_outlook outlook;
	enum verdict_cause cause;
	enum verdict_where where;
	enum verdict_next next;
	enum job_ended_by ended_by; /* the scheduler ended it, and that is all there is to say;
				     * else JOB_ENDED_UNTOLD */
	struct verdict_ranks culprits;
	struct verdict_ranks victims;
	const struct verdict_seat *unknown_members;
	size_t nunknown;
	struct verdict_ranks camp_a, camp_b; /* two camps of which neither is blamed; else empty */
	int group; /* JOB_NONE */
	uint64_t op_index; /* 0 none */
	struct job_sig op;
	int64_t waiting; /* ns for which the longest victim has waited, JOB_UNKNOWN */
	int64_t watchdog_left; /* ns until a known limit ends the job, JOB_UNKNOWN */
	enum verdict_limit watchdog; /* which limit that is */
	const char *watchdog_cite;   /* who says it; "": it is the default of the program's
				      * library */
	struct verdict_fact headline; /* the fact in the headline */
	const struct verdict_fact *evidence; /* most telling first */
	size_t nevidence;
	const struct verdict_ruled_out *ruled_out;
	size_t nruled_out;
};

/* What a rule may lack; need.def has the words. */
enum verdict_need {
#define NEED(name, words) NEED_##name,
#include "lists/need.def"
#undef NEED
	VERDICT_NEEDS
};

/* A rule that could not be judged, and what it lacked. */
struct verdict_not_judged {
	enum verdict_class class;
	enum verdict_need need;
	struct verdict_ranks ranks; /* ranks for which it lacked; n = 0: the job */
	const char *name;	    /* the group for which it lacked; "" none */
	uint64_t index;		    /* the operation for which it lacked; 0 none */
};

/*
 * What the evidence of the whole job may lack, the most basic first. While anything does, nothing
 * is established and nobody is called well.
 */
enum verdict_lack {
	VERDICT_LACKS_NOTHING,
	VERDICT_LACKS_SIZE,      /* the world size is unknown */
	VERDICT_LACKS_RANKS,     /* some ranks were never seen */
	VERDICT_LACKS_TESTIMONY, /* some were seen, but not what they do or how they ended */
	VERDICT_LACKS_LOOK,      /* some were seen too early, or at an unknown time */
	VERDICT_LACKS_PART,      /* all were seen, but some host did not give everything it has */
};

/*
 * For a job where it is too early to tell: who waits, for whom, since when, and when it becomes a
 * hang.
 */
struct verdict_early {
	struct verdict_ranks ranks;   /* n = 0: it is not too early */
	struct verdict_ranks awaited; /* ranks known not to have come; n = 0: unknown */
	int64_t age, threshold;       /* ns */
};

struct posture;

struct verdicts {
	const struct job *job;
	enum verdict_stage stage;
	const struct verdict *at; /* most important first; at least one (healthy, slow, ...) */
	size_t n;
	const struct verdict_not_judged *not_judged;
	size_t nnot_judged;
	/* By rank, as far as stacks tell (verdict/activities/activities.h): */
	const struct posture *postures;
	bool over; /* the launcher says that the job has ended, or all ranks have */
	struct verdict_early early;
	enum verdict_lack lack;
	struct verdict_ranks
		lacking; /* the ranks for which `lack` holds; n = 0 where no world size is known */
	size_t unnumbered; /* processes beside the ranks that have no number yet: they may be some
			    * of `lacking` */
	void *arena;
};

/*
 * Judges a sealed job. It is a pure function of the job: no clock, no environment. Never NULL,
 * never fails. The job must outlive the verdicts; verdicts_free() them.
 */
struct verdicts *verdicts_of(const struct job *job);

/* Frees them with all they point to, except the job. NULL is fine. */
void verdicts_free(struct verdicts *verdicts);

/*
 * Returns the next step that takes the place of this one once nobody can look at the job any more:
 * the same where it needs no look.
 */
enum verdict_next verdict_next_of_past(enum verdict_next next);

/* Names as JSON has them, all literals; NULL for a number that none has. Here: "compile-skew". */
const char *verdict_class_name(enum verdict_class class);
/* Returns "compile-divergence", ...: the family of a class; "none" where nothing is wrong. */
const char *verdict_family_name(enum verdict_class class);
/* Returns "established", "supported", "hypothesis" or "unknown". */
const char *verdict_confidence_name(enum verdict_confidence confidence);
/* Returns "wait", "kill", "over" or "unknown". */
const char *verdict_outlook_name(enum verdict_outlook outlook);
/* Returns "signal", "oom-kill", ...: why a rank is away; NULL for no cause. */
const char *verdict_cause_name(enum verdict_cause cause);
/* Returns "input", "checkpoint", ...: where a rank stalls; NULL for nowhere. */
const char *verdict_where_name(enum verdict_where where);
/* Returns "deadline", "watchdog", "timeout" or "store"; NULL for none. */
const char *verdict_limit_name(enum verdict_limit limit);
/* Returns "bootstrap", "steady", ...: how far the job had come. */
const char *verdict_stage_name(enum verdict_stage stage);

#endif
