/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_FLIGHT_H
#define DECODE_DECODE_FLIGHT_H

/*
 * Turns Flight Recorder dumps into facts; shared by the flight*.c only. One dump alone says little:
 * a group's number is the process' own, its name stands only where there are entries, and a send is
 * known as "0->3". So the decoder only notes exhibits; context_finish() has all of them read
 * together, in these steps:
 *
 *	flight-choice.c	finds which dumps are one job
 *	decode-flight.c	reads each into a flight_rank
 *	flight-lists.c	lists of ranks, which they share
 *	flight-runs.c	of dumps of several runs keeps those of the newest
 *	flight-clocks.c	how far the ranks' clocks are apart, and which ranks met
 *	flight-names.c	what an entry's name, sizes and types mean: the signature of its op
 *	flight-torchcomms.c	what TorchComms' dumps mean otherwise
 *	flight-lives.c	groups that a job ended, and made anew under the same name
 *	flight-groups.c	groups across ranks; which of them a process' own number is
 *	flight-seats.c	how far each seat came, and which dumps are older than others
 *	flight-pairs.c	sends and receives, matched pair by pair
 *	flight-unmade.c	who may wait in the making of a group, which has no entry
 *	flight-plain.c	which of millions of ops need not be told
 *	flight-facts.c	gives the job the facts
 *
 * WHAT A DUMP SAYS, AND WHAT NOT. An entry is made when the host hands an op over. Its beginning is
 * not noted (unless the job times its collectives), and its completion only when a thread looks.
 * The status of a group says how far it came, also where its entries were overwritten or left out;
 * but its numbers are those of the last op whatever its kind, and sends and receives are counted
 * apart. So where a group has any, its status is not used. Ops inside ncclGroupStart and End
 * ("coalesced") have entries of their own that never complete: the end's entry speaks for all. A
 * dump does not say when it was made.
 *
 * OF GLOO IT SAYS LESS (torch 2.15). No entry ever completes: it is "retired" when it is over, well
 * or not. A status counts sends and receives too, which have no entries; and its "completed" is
 * what ended last, be it failed: it tells nothing. So a rank that did not come may wait in a
 * message, and where all is complete a rank may still wait. That messages were sent shows only in a
 * later collective of their group, which has counted them. The one list of ranks has no name. It is
 * of the group that the process made last, and counts from 0 whatever ranks are in it: its length
 * is that group's size, and no more.
 */

#include "base/array.h"
#include "base/clock.h"
#include "decode/context.h"
#include "decode/flight/flight-dump.h"

/* The time from a timeout until all dumps are written, ns. */
#define FLIGHT_DUMPS_TAKE (120 * CLOCK_NS_PER_S)

/* An entry of a dump, as much of it as facts are made of. */
struct flight_op {
	int64_t seq;	 /* number of a collective in its group; of P2P the collectives before it */
	int64_t p2p_seq;
	int64_t record;
	int64_t created; /* time in ns, JOB_UNKNOWN */
	struct job_sig sig;
	const char *place;
	const char *parts; /* what a late all-to-all gives, as in struct job_op */
	uint64_t index; /* index of the op in the job */
	uint32_t launch;
	uint32_t seat;	/* index into the rank's seats */
	uint32_t took_ms; /* until it was noticed to be complete; 0 not known */
	uint32_t thread;  /* hash of the thread's id; 0 not told */
	bool p2p;
	bool end;	/* the end of a coalesced launch: no op by itself */
	bool complete;
	bool began; /* begun on the device; noted only if the job times its collectives */
	bool retired;
	bool unsaid;    /* not known whether it is complete: its state, or if it failed */
	bool captured;	/* recorded into a graph: no thread waits for it */
	bool untold;	/* what it did is not known, but that it was there */
	bool plain;	/* complete, and all ranks that have it did the same */
	bool skip;	/* left out: another stands for it, or its fate is not known */
};

/* One group as one rank's dump tells it. */
struct flight_seat {
	const char *name;
	const char *desc;
	const struct flight_list *list; /* its ranks; NULL not known, and never without any */
	int64_t pg; /* the process' own number of the group; FLIGHT_UNKNOWN */
	const struct flight_status *status; /* NULL none */
	uint32_t group; /* index into groups */
	struct group_rank seat; /* its own number in the group; NO_GROUP_RANK */
	uint32_t mine; /* 1 + the seat that its own messages name ("3->2": 3); 0 none */
	const char *maker; /* "nccl", "gloo", "other"; NULL not told */
	uint32_t life;	/* number of groups of that name that the job ended before */
	bool left;	/* the job ended this one too: the rank made a later one */
	bool told;	/* this rank's own dump tells of it, not only others' */
	size_t entries;
	int64_t newest; /* seq of the newest entry, the collectives so far; -1 none */
	uint64_t members;    /* group's size by the amounts of its ops; 0 not told */
	bool members_differ; /* these amounts do not agree */
	int64_t timeout_ms;
	bool head_known, done_known, begun_known;
	uint64_t head, done, begun;
	size_t from, to; /* the seat's part of the rank's collectives */
	uint32_t namesake; /* the rank's next seat of that name; UINT32_MAX none */
	uint32_t last_namesake; /* of the first one: the last */
};

/* One rank's dump, as it is read. */
struct flight_rank {
	const struct exhibit *exhibit;
	int rank;
	struct job_who who;
	struct arena arena;
	ARRAY(struct flight_op) ops; /* in the order of their records */
	struct flight_op **collectives; /* by seat and number, each number once */
	ARRAY(struct flight_seat) seats; /* flight_add_seat() adds one */
	uint32_t *names; /* 1 + the first seat of each name, by its hash; 0 free */
	size_t nnames;	 /* a power of two, or 0 */
	struct flight_status *statuses;
	size_t nstatuses;
	size_t last_size;    /* of the group made last, by a list without name; 0 not told */
	int release;	     /* dump version: 2010 for "2.10"; negative not known */
	const char *version; /* the dump's version, and the library's */
	const char *lost;    /* what is lost, in words; NULL nothing */
	bool readable;
	bool has_entries, has_statuses, cut;
	bool active_only;  /* complete ops were left out */
	bool from_start;   /* all entries since the process began are there */
	bool unstated;	   /* it does not say whether some op is complete */
	bool forgotten;	   /* of a group it has neither numbered entries nor a status */
	bool unplaced;	   /* some status is of an unknown group */
	bool outdated;	   /* made before others went on: tells only of the past */
	bool lags;	   /* others completed what it has not: it may report no more */
	bool timed_out;	   /* its watchdog gave up on an op */
	bool times;	   /* the dump notes when ops begin */
	bool sends_unseen; /* it sent or received what has no entries */
	bool peerless;     /* it has a send or receive open whose entry names no peer */
	bool to_itself;    /* it has a send to itself open, or a receive from itself */
	bool misnamed;     /* its messages say that it is another rank than its file says */
	bool unmade;       /* others wait for it, and it may wait in the making of a group */
	bool endless;      /* it has sends and receives whose launch has no end */
	bool torchcomms;   /* made by TorchComms' own recorder */
	bool overwritten;  /* by TorchComms, and the oldest entries are gone, */
	bool unnumbered;   /* so that ops cannot be numbered */
	bool counts_well;  /* its statuses count collectives if nothing is sent */
	int64_t oldest;	   /* time of the first operation in it; JOB_UNKNOWN */
	int64_t newest;	   /* time of the last thing in it */
	int64_t timeout;   /* timeout of the open ops, ns */
	int64_t seen;	   /* when the dump was made; JOB_UNKNOWN */
	int64_t ahead;	   /* its clock less the others', ns; 0 if it met none */
	bool unsure;	   /* it may be of another run: only its times, which lie apart, tell */
};

/* One group, as all dumps together tell it. */
struct flight_union {
	uint64_t key;
	const char *name;
	const char *desc;
	const struct flight_list *list; /* NULL: no dump lists its ranks */
	size_t size; /* 0 unknown */
	enum job_sized sized;
	bool world; /* PyTorch's first group: all ranks, each in the seat of its number */
	const char *maker;
	const char *listed; /* its ranks as a job has them, "0-3,8" */
	bool has_p2p;
	bool has_collectives; /* has entries of collectives; if not, its statuses may count P2P */
};

/* All dumps of a job. */
struct flights {
	struct arena arena;
	struct flight_lists *lists; /* lists of ranks, which many dumps share */
	ARRAY(struct flight_rank) ranks; /* by rank */
	ARRAY(struct flight_union) groups;
	size_t *slots; /* 1 + index into groups, by key; open addressing */
	size_t nslots;
	int64_t newest;  /* time of the last thing in any dump, on the common clock */
	int64_t oldest;  /* and of the first */
	size_t detailed; /* so many of a rank's latest ops are given even if plain; SIZE_MAX all */
};

/* The process in losses that are of no rank. */
static const struct job_who flight_nobody = {.host = ""};

/* Adds a loss of unknown extent; `of_ops` if it may hide operations. */
void flight_lose(struct job_builder *b, struct job_who who, const char *cite, bool of_ops,
	const char *what);

/* Reads all dumps noted in the context and gives their facts. */
void flight_finish(struct decode_context *context, struct job_builder *builder);

/* Chooses the dumps of one job, by rank; of a rank there may be several. */
void flight_choose_files(
	struct flights *flights, struct decode_context *context, struct job_builder *b);

/* Keeps the dumps of the newest run, one for each rank, and tells which it leaves out. */
void flight_keep_run(
	struct flights *flights, struct decode_context *context, struct job_builder *b);

/* True if TorchComms' recorder made the dump. */
bool flight_is_torchcomms(const struct flight_dump *dump);
/* Adapts the rank that was read of such a dump to what its entries mean. */
void flight_read_torchcomms(struct flight_rank *rank, const struct flight_dump *dump);
/* Numbers such ranks' ops in their groups. */
void flight_number_torchcomms(struct flights *flights);
/* Tells which of these ops are done. Needs heads. */
void flight_settle_torchcomms(struct flights *flights);

/* Frees what was read of one dump. */
void flight_release_rank(struct flight_rank *rank);

/* Whether two dumps are of one run, by all but clocks. */
enum flight_kin {
	FLIGHT_KIN_UNKNOWN,
	FLIGHT_KIN_ONE,
	FLIGHT_KIN_APART,
	FLIGHT_KIN_OFF /* unknown; but if it is one, their clocks are apart */
};

/* A rank made ready to be compared with many others; it borrows the rank. */
struct flight_yardstick;
struct flight_yardstick *flight_yardstick_new(const struct flight_rank *rank);
void flight_yardstick_free(struct flight_yardstick *yardstick);

/*
 * Compares a rank with the yardstick's. Also gives how far the rank's clock is ahead, ns;
 * JOB_UNKNOWN if they have no op in common.
 */
enum flight_kin flight_kin(const struct flight_yardstick *yardstick,
	const struct flight_rank *rank, int64_t *ret_ahead);

/* Finds how far the clocks of ranks that met are apart, and the first and last thing of all. */
void flight_set_clocks(struct flights *flights);

/*
 * Converts a moment to the clock that all ranks share, and back to the rank's own; JOB_UNKNOWN
 * stays.
 */
static inline int64_t flight_to_common(const struct flight_rank *rank, int64_t when)
{
	return when == JOB_UNKNOWN ? when : when - rank->ahead;
}

static inline int64_t flight_to_own(const struct flight_rank *rank, int64_t when)
{
	return when == JOB_UNKNOWN ? when : when + rank->ahead;
}

/*
 * Gets the signature of an entry, and its seat if it says one. False for the end of a coalesced
 * launch.
 */
bool flight_signature(const struct flight_entry *entry, struct job_sig *ret,
	struct group_rank *ret_seat);

/*
 * Returns what it gives each seat and awaits from each, "24:24,0:8" bytes, where an all-to-all has
 * a tensor for each; "*24:32" of all together, where it has one; else "".
 */
const char *flight_parts(struct arena *arena, const struct flight_entry *entry);

/* Adds a copy of a seat to the rank's, and returns its index. Moves the others. */
uint32_t flight_add_seat(struct flight_rank *rank, const struct flight_seat *seat);
/*
 * Returns the rank's seat of that name, and of the number that the process gave the group, where
 * both are known; UINT32_MAX if there is none.
 */
uint32_t flight_find_seat(
	const struct flight_rank *rank, const char *name, const char *desc, int64_t pg);
/*
 * Tells groups of one name apart that ranks made one after the other, and gives each seat its life.
 */
void flight_number_lives(struct flights *flights);
/*
 * Joins what all ranks say of groups: fills flights->groups, and the group and the number in it of
 * each seat.
 */
void flight_join_groups(struct flights *flights);

/* Returns the rank of that number; NULL if it left no dump. */
struct flight_rank *flight_of(const struct flights *flights, int64_t rank);

/*
 * If there are very many ops, marks those as plain that need not be given: they only tell that the
 * job went well by then. Needs heads.
 */
void flight_find_plain(struct flights *flights);

/* Finds how far each seat came, and marks dumps that are older than what others tell. */
void flight_find_heads(struct flights *flights);

/* Marks ranks that may wait in the making of a group. Needs heads and pairs. */
void flight_find_unmade(struct flights *flights);

/* Numbers sends and receives so that those of one number meet. Needs groups and heads. */
void flight_join_pairs(struct flights *flights);

/*
 * Gives all facts to the builder, which copies them; cites are made in the arena. Returns how many
 * ranks the job has, or are named.
 */
int64_t flight_give_facts(
	const struct flights *flights, struct arena *arena, struct job_builder *b);

#endif
