/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.h: the steps of sealing, shared by the seal-*.c only. In this order: aliases (which keys are
 * one group), people (hosts, processes, ranks), groups with their seats, ops and threads, facts
 * (everything that hangs on a process). Each sorts what it was given by a total order first, so
 * that arrival never matters.
 */
#ifndef JOB_SEAL_H
#define JOB_SEAL_H

#include "job/seal/raw.h"

/* More seats than these nobody has: a size beyond is damage, and only seen seats are kept. */
#define SEAL_MAX_SEATS       (1 << 18)
#define SEAL_MAX_TOTAL_SEATS (1 << 20) /* beside 4 for each that was seen */

/* A process as only sealing needs it, beside its job_process. */
struct seal_person {
	struct job_who who;
	struct job_identity identity;
	int parent;  /* index of the parent process, JOB_NONE */
	bool stale;  /* of an earlier restart generation */
	bool doubtful; /* its number is a task's, and nobody knows whether tasks are ranks */
	bool shared; /* holds several seats of one group: each seat is a rank of its own */
	struct rank_index rank; /* the (first) rank that is this process, NO_RANK */
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
	struct job_who last_who; /* the latest looked up, and what it was */
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

/* The total order of processes: by host, pid, start time. Hosts must not be NULL. */
int seal_compare_who(const struct job_who *a, const struct job_who *b);

/* Index of the process in the job; JOB_NONE where it is not of it. */
int seal_find_process(struct seal *seal, struct job_who who);

/* The rank a process is or belongs to; NO_RANK for a bystander or an earlier attempt. */
struct rank_index seal_rank_of(const struct seal *seal, int process);

/* Index of the group with that key, JOB_NONE. Once seal_groups() has made them. */
int seal_find_group(const struct seal *seal, uint64_t key);

/* Gives one key to a group that has two. The first step. */
void seal_aliases(struct seal *seal);
/* Hosts and processes: fills hosts, processes and people, parents included. */
void seal_people(struct seal *seal);
/* Finds processes whose number is no rank's: launchers. Called by seal_ranks() only, once it is
 * known who made a communicator. */
void seal_numbers(struct seal *seal);
/* Finds processes of an earlier run than the one that is judged. Called by seal_ranks() only. */
void seal_runs(struct seal *seal);
/*
 * Finds which process is which rank, and whose child. Needs people; afterwards seal_rank_of()
 * holds.
 */
void seal_ranks(struct seal *seal);
/* Seats that no member of their group knew are numbered. Needs ranks. */
void seal_seats(struct seal *seal);
/* Groups of one key that are not one get keys of their own. Needs ranks, and seats. */
void seal_clashes(struct seal *seal);
/* Groups of one name that cannot be one are known as such (made_as). After seal_clashes(). */
void seal_creations(struct seal *seal);
/* Groups and all their seats. Needs ranks; members of no rank are left out. */
void seal_groups(struct seal *seal);
/* Names of groups. Called by seal_groups() only. */
void seal_names(struct seal *seal);
/* Threads and ops. Needs groups. */
void seal_ops(struct seal *seal);
/* Seals the calls: what threads were in over time. Needs groups. */
void seal_calls(struct seal *seal);
/* Stacks with their frames, and how they were taken. Needs ranks. */
void seal_stacks(struct seal *seal);
/* Seals the facts that hang on a process. Needs ranks; may be called once, as all of these. */
void seal_facts(struct seal *seal);
/* Seals how the job was launched, each launch once. */
void seal_launches(struct seal *seal);
/* Seals what the evidence covers. The last step. */
void seal_coverage(struct seal *seal);

#endif
