/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h: what each rank was doing, and how it ended, if it did: one struct per rank, made once.
 * Causes and effects of deaths are told apart here.
 *
 * A death is a rank's OWN if the rank caused it: by a fault signal, an exception, abort() outside
 * of a watchdog, a CUDA error, or memory. It is KILLED if somebody else did and the rank was the
 * first to go. It is an ECHO if a watchdog, a launcher or the failing of others ended the rank: for
 * a rank inside an operation that others never entered, only memory, a CUDA error, or a fault
 * signal that did not follow another's end counts as its own. Where all were killed at once, it is
 * the END of the job. UNSURE is a death that only might be its own: it counts only where nothing
 * else explains the stall.
 */
#ifndef VERDICT_PROFILE_H
#define VERDICT_PROFILE_H

#include "job/clocks.h"
#include "job/compiles.h"
#include "job/waitfor/waits.h"
#include "verdict/activities/activities.h"
#include "verdict/verdict.h"

enum death {
	DEATH_NONE,  /* it lives, or nothing is known */
	DEATH_CLEAN, /* exit status 0 */
	DEATH_OWN,
	DEATH_KILLED,
	DEATH_UNSURE,
	DEATH_ECHO,
	DEATH_END,
};

enum progress { PROGRESS_UNKNOWN, PROGRESS_NO, PROGRESS_YES };

struct profile {
	const struct job_process *process; /* NULL: never seen */
	bool readable; /* its evidence can be read: its boards, or its census slot if it never
		        * made a group */
	bool ended;
	bool waits; /* some of its standing or doubtful waits lack a rank, and are no mere guess */
	enum death death;
	enum verdict_cause cause; /* why it died */
	int64_t fault;            /* when its own progress stopped, by its own clock; JOB_UNKNOWN */
	const struct job_signal *fatal; /* the fact that ended it; NULL */
	const struct job_stack *death_stack; /* stack of the thread that the death struck; NULL
					      * not known */
	bool rejected; /* a backend ended it over what another rank sent */
	const struct job_signal *told;  /* the first signal from outside that told it to end;
					 * NULL */
	const struct job_signal *own_end; /* the signal that ended it, if it sent that to itself;
					   * NULL */
	const struct job_note *exception;
	const struct job_note *thread_exception; /* the exception of which one of its threads
						  * died; NULL */
	const struct job_trait *raised_at; /* the innermost frames where `exception` was raised;
					    * NULL */
	const struct job_note *handling;   /* the last exception that it handled at a collective;
					    * NULL */
	const struct job_trait *handled_at; /* where that exception was raised; NULL */
	int64_t worked; /* when it came to the last operation of its work; JOB_UNKNOWN */
	bool names_nobody; /* the operation that it is in is with a peer that its group lacks */
	bool gave_up;	   /* its watchdog had given up, as a log says */
	const struct job_log *log;
	const struct job_process *stopped_child; /* a living child that is stopped; NULL */
	const struct job_process *dead_child; /* a child that died badly before the rank's fault;
					       * NULL */
	const struct job_trait *tools; /* compilers that ran below it; NULL none */
	struct compiling compile;                         /* open spans of a compile */
	const struct job_span *input, *checkpoint, *user; /* open spans; NULL */
	const struct job_note *pool; /* its own words that its compile workers died; NULL */
	bool device_victim; /* its compile waits for the GPU, behind an open op of its own
			     */
	bool frozen;
	bool traced; /* frozen by a debugger */
	int64_t stopped_for; /* ns for which it, unlike others, had been stopped when it was
			      * ended; JOB_UNKNOWN: it had not been, or for less than a hang */
	struct posture posture; /* what it is doing by its stacks */
	const char *address; /* "HOST:PORT" where it looks for PyTorch's store; "" not known */
	const char *address_cite;
	bool address_used; /* one of its calls says so, and not only its environment */
	const char *usual_address; /* where most ranks look, who never meet this one; NULL: it
				    * looks there, too, or unknown */
	bool empty_now;                /* its latest batch was empty, and its peers' were not */
	bool empty_once;               /* some batch of the rank was empty */
	bool empty_lately;             /* one of its latest batches was empty, and it may still
				        * work on that one */
	const struct job_trait *no_batch; /* end of a pass that gave it no batch, while peers got
					   * some */
	bool leaving;                  /* it is in finalize or destroy, or was */
	const struct job_shard *shard; /* the mark that empty_* are about, else any of the rank;
				        * NULL */
	const struct job_step *step;
	enum progress progress; /* by CPU, children, and span events */
	int64_t cpu;            /* ns of CPU that it and its descendants used between the
				 * samples; JOB_UNKNOWN */
	int64_t cpu_span;
	int64_t spun; /* the part of `cpu` that threads may have used which wait in calls that
		       * spin */
	int64_t idle;    /* ns for which nothing moved in it; JOB_UNKNOWN */
	int64_t written; /* bytes written to storage between the samples; JOB_UNKNOWN */
	int64_t outside; /* ns since its threads left their last call; JOB_UNKNOWN */
	const char *outside_cite;
};

/*
 * Returns an array by rank, with deaths judged; never NULL; profiles_free() it. Points into the
 * job, which must outlive it.
 */
struct profile *profiles_new(const struct job *job, const struct waits *waits,
	const struct clocks *clocks, const struct posture *postures);
/* Frees them; NULL is fine. */
void profiles_free(struct profile *profiles);

/*
 * True if the rank's last words, or the place where it ended, tell that ranks brought different
 * operations, without telling which.
 */
bool profile_tells_mismatch(const struct profile *p);
/* True if the rank's exception, or without one an error in its log, tells of another rank's end. */
bool profile_tells_of_others(const struct profile *p);
/* True if the rank's last words tell that the other end of a connection was gone. */
bool profile_tells_of_gone(const struct profile *p);

/* True if a thread of the rank computes between the samples rather than sleeps. */
bool profile_is_busy(const struct profile *p);
/* True if more was written to storage between the samples than a line of a log. */
bool profile_writes(const struct profile *p);

/* Fills in where each rank looks for the others (store-address.c). */
void address_find(const struct job *job, const struct waits *waits, struct profile *profiles);
/*
 * Returns after how long, ns, a wait at the start is a hang, however long starts take: all ranks
 * have come to where they wait, and some stand at an address where they never meet the others.
 * INT64_MAX where that is not so.
 */
int64_t address_threshold(
	const struct job *job, const struct waits *waits, const struct profile *profiles);

/*
 * Judges deaths once all profiles have had a first pass: which of them are causes
 * (profile-deaths.c).
 */
void profiles_judge_deaths(const struct job *job, const struct waits *waits,
	const struct clocks *clocks, struct profile *profiles);

/* True if this kind of signal is raised by a fault of the process itself. */
bool profile_is_fault_signal(int signo);

#endif
