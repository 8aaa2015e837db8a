/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents of one job on other hosts. If they all see one output folder, they meet in it
 * (evidence/agent/rally.h), and the whole is judged and told once:
 *
 *	raise	an agent that finds something does not tell it, since it sees but a part; its
 *		card says that it found something
 *	ask	the first of those that live, by the names of hosts, asks all for a bundle; each
 *		gathers, keeps one in the output folder, and says on its card that it has
 *	judge	when all that live have answered, or some seconds later, the first judges over all
 *		answers, and tells it. Who has not answered is missing, and what is told says so.
 *
 * Cards say what was told, so that the host which is first next repeats nothing; and of which
 * findings the first has heard, so that a host that ends knows that its word came through. An agent
 * that hears nothing speaks for itself. A card whose beat stands still for a while is dead, which
 * is told by our own clock.
 *
 * All files are read and written by a helper: storage that does not answer stops nobody.
 */
#ifndef CMD_AGENT_RALLY_H
#define CMD_AGENT_RALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/str.h"
#include "cmd/run/announce.h"
#include "cmd/run/gatherer.h"
#include "evidence/agent/rally.h"
#include "proc/helper.h"

struct agent;
struct job;
struct look;

/* The card of another host, as it was read last. */
struct rally_other {
	struct rally_card card;
	int64_t seen;    /* when it was first seen, CLOCK_MONOTONIC ns */
	int64_t changed; /* when its beat was last seen to change, CLOCK_MONOTONIC ns */
	int64_t heard;   /* how much of what it raised had been heard when we asked last */
	bool lived;      /* it changed in our time; else it may be of an earlier job of that name */
	bool came;       /* it lives, and did not when it was read before */
	bool owes;       /* the verdicts that it says were told are not taken over yet */
	bool rival;      /* a rank of ours was on it as well, so it is of another job */
};

/* An agent's part in it. Times are CLOCK_MONOTONIC ns. */
struct agent_rally {
	bool named;        /* our folder is that of a run id, which another run may have again */
	bool wanted;       /* the job has ranks on other hosts */
	bool apart;        /* another job has our name, so we meet elsewhere, by a longer name */
	bool alone;        /* another job has that name, too, or there is none: nobody is met */
	struct str folder; /* where we meet; "": we do not */
	struct str left;   /* where both jobs had met, which is told there to who comes late; ""
			    * nowhere */
	struct rally_card own;
	ARRAY(struct rally_other) others; /* ordered by name */
	struct helper helper;             /* reads and writes cards now, if it runs */
	int fd;                           /* what it leaves, a memory file */
	int64_t joined;                   /* when we joined; 0 not */
	int64_t due;                      /* when cards are read and written next */
	int64_t wrote;                    /* when our card was written last */
	int64_t pause;                    /* ns between two such times */
	bool first;                       /* we are the first: we ask and judge */
	int64_t overlap;                  /* since when two hosts have had the same rank; 0 none */
	int64_t stepped_back;             /* when we ceased to be the first; 0 never, or
					   * forgotten */
	bool has_read;                    /* cards were read at least once */
	int64_t asked_at;                 /* when we asked; 0: no question is open */
	int64_t look_at;                  /* the answers are not judged before */
	unsigned again;                   /* how many questions had no answer that could be told */
	int64_t ask_again;                /* when to ask again; 0 not */
	int64_t met;                      /* when our card was last known to be written; 0:
					   * others do not see it */
	bool unsaid;                      /* we raised something that is not judged yet */
	int64_t own_heard;                /* how much of what we raised was heard */
	int64_t answering;                /* the question that we are answering; 0 none */
	int64_t answer_begun;             /* since when */
	struct gatherer parts;            /* reads the answers */
	bool reading; /* that helper is at work */
	struct announce announce; /* verdicts about the whole */
	bool ending;              /* our command has ended */
	int64_t until;            /* then nothing is judged any more */
};

/* True if the launcher says that the job has several nodes. */
bool agent_rally_is_told(void);

/* Takes from a look which ranks are here, and whether there are some elsewhere. */
void agent_rally_see(struct agent *agent, const struct job *job);

/*
 * Called for a verdict that stands on this host and is to be told, or no longer stands. Returns
 * true if it will be judged with other hosts; else the caller tells it.
 */
bool agent_rally_takes(struct agent *agent);

/* Reads and writes cards when that is due, asks, answers, judges. */
void agent_rally_turn(struct agent *agent, int64_t now);

/* Returns when the next turn is due, CLOCK_MONOTONIC ns. */
int64_t agent_rally_due(const struct agent *agent, int64_t now);

/*
 * Called when the command is over. Stays until what was found here has been heard, but no longer
 * than 2 s after `until`, CLOCK_MONOTONIC ns. If storage does not answer, what is to be told is
 * told at once.
 */
void agent_rally_end(struct agent *agent, int64_t until);

/* Frees all of it; the files stay. */
void agent_rally_release(struct agent *agent);

#endif
