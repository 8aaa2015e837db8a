/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.h: the steps of sealing, for the seal-*.c only. Their order: aliases (which keys are one
 * group), people (hosts, processes, ranks), groups with their seats, ops and threads, facts
 * (everything that hangs on a process). Each step first sorts what it was given by a total order,
 * so that arrival never matters.
 */
#ifndef JOB_SEAL_H
#define JOB_SEAL_H

#include "job/seal/raw.h"

/*
 * No group has more seats than these: a larger size is damage, and only seats that were seen are
 * kept.
 */
#define SEAL_MAX_SEATS       (1 << 18)
#define SEAL_MAX_TOTAL_SEATS (1 << 20) /* of all groups, plus 4 for each seat that was seen */

/* What only sealing needs of a process, beside its job_process. */
struct seal_person {
	struct job_who who;
	struct job_identity identity;
	int parent;  /* index of the parent process, JOB_NONE */
	bool stale;  /* it is of an earlier restart or run, and not judged */
	bool doubtful; /* its number is its task's, and nobody knows whether tasks are ranks */
	bool shared; /* it holds several seats of one group: each seat is a rank of its own */
	struct rank_index rank; /* the (first) rank that this process is; NO_RANK: none */
};

/* The rank of a seat in a process that several ranks share. */
struct seal_seat_rank {
	int process;
	uint64_t group_key;
	struct group_rank seat;
	struct rank_index rank;
};

struct seal {
	struct job_builder *b;
	struct job *job;
	struct arena *arena;
	struct job_host *hosts;
	struct job_process *processes;
	struct seal_person *people;
	struct job_rank *ranks;
	struct job_group *groups;
	struct job_member *members;
	struct job_thread *threads;
	int *by_key; /* group indexes, ascending key */
	ARRAY(struct seal_seat_rank) seat_ranks;
	struct job_who last_who; /* the process that was looked up last, and its index */
	int last_process;
};

#define SEAL_ORDER(a, b)                                                                           \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)
#define SEAL_ORDER_TEXT(a, b)                                                                      \
	do {                                                                                       \
		int order_ = (a) == (b) ? 0 : strcmp((a), (b));                                    \
		if (order_)                                                                        \
			return order_;                                                             \
	} while (0)
#define SEAL_KEEP_MAX(into, from)                                                                  \
	do {                                                                                       \
		if ((from) > (into))                                                               \
			(into) = (from);                                                           \
	} while (0)

/* Orders processes totally: by host, pid, start time. Hosts must not be NULL. */
int seal_compare_who(const struct job_who *a, const struct job_who *b);

/*
 * Returns the index of the process in the job; JOB_NONE: it is not of the job. Without a start time
 * it is the newest process of that pid.
 */
int seal_find_process(struct seal *seal, struct job_who who);

/*
 * Returns the rank that a process is or belongs to; NO_RANK for a bystander or an earlier attempt,
 * and for JOB_NONE.
 */
struct rank_index seal_rank_of(const struct seal *seal, int process);

/*
 * Returns the index of the group with that key; JOB_NONE. Valid once seal_groups() has made them.
 */
int seal_find_group(const struct seal *seal, uint64_t key);

/* Gives one key to each group that has two. The first step. */
void seal_aliases(struct seal *seal);
/* Fills hosts, processes and people, with their parents. */
void seal_people(struct seal *seal);
/* Finds processes whose number is no rank's: launchers. Called by seal_ranks() only, once it is
 * known who made a communicator. */
void seal_numbers(struct seal *seal);
/* Finds processes in whose places their launcher has started others, with other numbers, since.
 * Called by seal_ranks() only. */
void seal_renumbered(struct seal *seal);
/* Finds processes of an earlier run than the one that is judged. Called by seal_ranks() only. */
void seal_runs(struct seal *seal);
/*
 * Finds which process is which rank, and whose child. Needs people; afterwards seal_rank_of()
 * holds.
 */
void seal_ranks(struct seal *seal);
/* Numbers the seats of groups in which no member knows its seat. Needs ranks. */
void seal_seats(struct seal *seal);
/*
 * Gives keys of their own to groups that have one key and are not one group. Needs ranks, and
 * seats.
 */
void seal_clashes(struct seal *seal);
/* Marks groups of one name that cannot be one group (made_as). After seal_clashes(). */
void seal_creations(struct seal *seal);
/* Makes the groups and all their seats. Needs ranks; members of no rank are left out. */
void seal_groups(struct seal *seal);
/* Names the groups. Called by seal_groups() only. */
void seal_names(struct seal *seal);
/* Seals threads and ops. Needs groups. */
void seal_ops(struct seal *seal);
/* Seals the calls: what threads were in over time. Needs groups. */
void seal_calls(struct seal *seal);
/* Seals stacks with their frames, and how they were taken. Needs ranks. */
void seal_stacks(struct seal *seal);
/* Seals the facts that hang on a process. Needs ranks; may be called once, as all of these. */
void seal_facts(struct seal *seal);
/* Seals how the job was launched, each launch once. */
void seal_launches(struct seal *seal);
/* Seals what the evidence covers. The last step. */
void seal_coverage(struct seal *seal);

#endif
