/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_FLIGHT_H
#define DECODE_DECODE_FLIGHT_H

/*
 * From Flight Recorder dumps to facts, shared by the flight*.c only. One dump alone says little:
 * a group's number is the process' own, its name stands only where there are entries, and a send
 * is known as "0->3". So the decoder only notes exhibits; context_finish() has all of them read
 * together, in these steps:
 *
 *	decode-flight.c	which dumps are one job; reads each into a flight_rank
 *	flight-lists.c	lists of ranks, which they share
 *	flight-runs.c	of dumps of several runs, those of the newest
 *	flight-clocks.c	how far the ranks' clocks are apart, and who of them met
 *	flight-names.c	what an entry's name, sizes and types mean: the signature of its op
 *	flight-torchcomms.c	what TorchComms' dumps mean otherwise
 *	flight-lives.c	groups that a job ended, and made anew under the same name
 *	flight-groups.c	groups across ranks; which of them a process' own number is
 *	flight-seats.c	how far each seat came, and which dumps are older than others
 *	flight-pairs.c	sends and receives, matched pair by pair
 *	flight-plain.c	which of millions of ops need not be told
 *	flight-facts.c	what the job gets of all that
 *
 * WHAT A DUMP SAYS, AND WHAT NOT. An entry is made when the host hands an op over; nobody notes
 * that it began (unless the job times its collectives), and that it is complete is noted when
 * somebody looks. The status of a group says how far it came, also where its entries were
 * overwritten or left out; but its numbers are those of the last op whatever its kind, and sends
 * and receives are counted apart. So where a group has any, its status is not used. Ops inside
 * ncclGroupStart and End ("coalesced") have entries of their own that never complete: that of the
 * end speaks for all. When a dump was made is not in it.
 *
 * OF GLOO IT SAYS LESS (torch 2.15). No entry ever completes: it is "retired" when it is over, well
 * or not. A status counts sends and receives too, of which there is no entry; and its "completed"
 * is what ended last, be it failed: it tells nothing. So a rank that did not come may wait in a
 * message, and where all is complete somebody may. That messages were sent shows where a later
 * collective of their group has counted them, and nowhere else. The one list of ranks has no name.
 * It is of the group that the process made last, and counts from 0 whoever is in it: its length is
 * that group's size, and no more.
 */

#include "base/array.h"
#include "decode/context.h"
#include "decode/flight/flight-dump.h"

/* An entry, as much of it as facts are made of. */
struct flight_op {
	int64_t seq;	 /* of a collective, in its group; of P2P the collectives before it */
	int64_t p2p_seq;
	int64_t record;
	int64_t created; /* JOB_UNKNOWN */
	struct job_sig sig;
	const char *place;
	uint64_t index; /* as the job has it */
	uint32_t launch;
	uint32_t seat;	/* of the rank: index into seats */
	uint32_t took_ms; /* until somebody noticed that it was complete; 0 not known */
	bool p2p;
	bool end;	/* of a coalesced launch: no op by itself */
	bool complete;
	bool began; /* on the device, as is noted where the job times its collectives */
	bool retired;
	bool unsaid;    /* over, and nothing tells whether it is complete or failed */
	bool captured;	/* into a graph: nobody waits for it */
	bool plain;	/* complete, and all who have it did the same */
	bool skip;	/* part of what another one stands for, or nobody knows what became of it */
};

/* One group as one rank's dump tells it. */
struct flight_seat {
	const char *name;
	const char *desc;
	const struct flight_list *list; /* its ranks; NULL not known, and never without any */
	int64_t pg; /* FLIGHT_UNKNOWN */
	const struct flight_status *status; /* NULL none */
	uint32_t group; /* index into groups */
	struct group_rank seat; /* NO_GROUP_RANK unknown */
	uint32_t mine; /* 1 + the seat that its own messages name ("3->2": 3); 0 none does */
	const char *maker; /* "nccl", "gloo", "other"; NULL no entry says */
	uint32_t life;	/* so many groups of that name came before it: a job ended them */
	bool left;	/* and this one, too: the rank made a later one */
	bool told;	/* by this rank's own dump, and not by others only */
	size_t entries;
	int64_t newest; /* seq: so many collectives were made, as entries say; -1 none */
	uint64_t members;    /* of the group, as amounts of its ops tell; 0 none tells, */
	bool members_differ; /* or they do not agree */
	int64_t timeout_ms;
	bool head_known, done_known, begun_known;
	uint64_t head, done, begun;
	size_t from, to; /* of the rank's collectives */
};

struct flight_rank {
	const struct exhibit *exhibit;
	int rank;
	struct job_who who;
	struct arena arena;
	ARRAY(struct flight_op) ops; /* in the order of their records */
	struct flight_op **collectives; /* by seat and number, each number once */
	ARRAY(struct flight_seat) seats;
	struct flight_status *statuses;
	size_t nstatuses;
	size_t last_size;    /* of the group that it made last, as a list without a name says; 0 */
	int release;	     /* 2010 of "2.10" */
	const char *version; /* that, and of the library */
	const char *lost;    /* what is, in words; NULL nothing */
	bool readable;
	bool has_entries, has_statuses, cut;
	bool active_only;  /* complete ops were left out */
	bool from_start;   /* all entries since the process began are there */
	bool unplaced;	   /* some status is of a group that nobody knows */
	bool outdated;	   /* made before others went on: tells of the past only */
	bool lags;	   /* others completed what it has not: it may report nothing any more */
	bool timed_out;	   /* its watchdog gave up an op */
	bool times;	   /* it notes when ops begin */
	bool sends_unseen; /* it sent or received what has no entry */
	bool torchcomms;   /* of TorchComms' own recorder */
	bool overwritten;  /* and its oldest entries are gone, */
	bool unnumbered;   /* so that nobody knows which op is which */
	bool counts_well;  /* its statuses count collectives, where nothing is sent */
	int64_t newest;	   /* time of the last thing in it */
	int64_t timeout;   /* ns of the ops that are open */
	int64_t seen;	   /* when it was made, JOB_UNKNOWN */
	int64_t ahead;	   /* ns of its clock, of that of the others; of who met nobody 0 */
	bool unsure;	   /* it may be of another run: only its times tell, which lie apart */
};

/* One group, as all dumps together tell it. */
struct flight_union {
	uint64_t key;
	const char *name;
	const char *desc;
	const struct flight_list *list; /* NULL: nobody lists its ranks */
	size_t size; /* 0 unknown */
	enum job_sized sized;
	bool world; /* PyTorch's first group: all are in it, each in the seat of its number */
	const char *maker;
	const char *listed; /* its ranks as a job has them, "0-3,8" */
	bool has_p2p;
	bool has_collectives; /* entries of such: without any, its statuses may count P2P */
};

struct flights {
	struct arena arena;
	struct flight_lists *lists; /* of ranks, which many dumps share */
	ARRAY(struct flight_rank) ranks; /* by rank */
	ARRAY(struct flight_union) groups;
	size_t *slots; /* 1 + index into groups, by key; open addressing */
	size_t nslots;
	int64_t newest;  /* the last thing in any dump, by a clock that is not ahead */
	size_t detailed; /* so many of a rank's latest ops are given, be they plain; SIZE_MAX all */
};

/* The process of a loss that is of no rank. */
static const struct job_who flight_nobody = {.host = ""};

/* Adds a loss. */
void flight_lose(struct job_builder *b, struct job_who who, const char *cite, bool of_ops,
	const char *what);

/* Reads all dumps noted in the context and gives their facts. */
void flight_finish(struct decode_context *context, struct job_builder *builder);

/* Leaves the dumps of the newest run, one for each rank, and says which are left aside. */
void flight_keep_run(
	struct flights *flights, struct decode_context *context, struct job_builder *b);

/* True if TorchComms' recorder made it; the rank that was read of one, as its entries mean it. */
bool flight_is_torchcomms(const struct flight_dump *dump);
void flight_read_torchcomms(struct flight_rank *rank, const struct flight_dump *dump);
/* Numbers such ranks' ops in their groups; and behind heads, tells what is done. */
void flight_number_torchcomms(struct flights *flights);
void flight_settle_torchcomms(struct flights *flights);

/* Gives back what was read of one. */
void flight_release_rank(struct flight_rank *rank);

/* Whether two dumps are of one run, by anything but clocks. */
enum flight_kin { FLIGHT_KIN_UNKNOWN, FLIGHT_KIN_ONE, FLIGHT_KIN_APART };

/* A rank, made ready to be held against many others; it borrows the rank. */
struct flight_yardstick;
struct flight_yardstick *flight_yardstick_new(const struct flight_rank *rank);
void flight_yardstick_free(struct flight_yardstick *yardstick);

/* That, and how far the rank's clock is ahead, ns; JOB_UNKNOWN: they have no op in common. */
enum flight_kin flight_kin(const struct flight_yardstick *yardstick,
	const struct flight_rank *rank, int64_t *ret_ahead);

/* Finds how far the clocks are apart of ranks that met, and the last thing in any dump. */
void flight_set_clocks(struct flights *flights);

/* The same moment by a clock that is not ahead, and the other way round; both take JOB_UNKNOWN. */
static inline int64_t flight_to_common(const struct flight_rank *rank, int64_t when)
{
	return when == JOB_UNKNOWN ? when : when - rank->ahead;
}

static inline int64_t flight_to_own(const struct flight_rank *rank, int64_t when)
{
	return when == JOB_UNKNOWN ? when : when + rank->ahead;
}

/* The signature of an entry, its seat where it says one; false where it ends a coalesced launch. */
bool flight_signature(const struct flight_entry *entry, struct job_sig *ret,
	struct group_rank *ret_seat);

/*
 * The rank's seat of that name, and of the number that the process gave the group, where both are
 * known; UINT32_MAX where there is none.
 */
uint32_t flight_find_seat(
	const struct flight_rank *rank, const char *name, const char *desc, int64_t pg);
/* Tells groups of one name apart that ranks made one after the other; gives each seat its life. */
void flight_number_lives(struct flights *flights);
/* Joins what all ranks say of groups: fills flights->groups, and group and seat of each seat. */
void flight_join_groups(struct flights *flights);

/* The rank of that number; NULL where it left no dump. */
struct flight_rank *flight_of(const struct flights *flights, int64_t rank);

/*
 * Marks ops as plain, if there are very many, that need not be given: they tell nothing but that
 * the job went well by then. Needs heads.
 */
void flight_find_plain(struct flights *flights);

/* How far each seat came; marks dumps that are older than what others tell. */
void flight_find_heads(struct flights *flights);

/* Numbers sends and receives so that those with one number meet. Needs groups and heads. */
void flight_join_pairs(struct flights *flights);

/*
 * Gives all of it to the builder, which copies. Cites are made in the arena. Returns how many ranks
 * the job has, or are named.
 */
int64_t flight_give_facts(
	const struct flights *flights, struct arena *arena, struct job_builder *b);

#endif
