/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-rally.h: the agents of one job on other hosts. Where they all see one output folder, they
 * meet in it (evidence/agent/rally.h), and the whole is judged and said once:
 *
 *	raise	whoever finds something that is to be said does not say it, since he sees but a
 *		part; his card says so
 *	ask	the first of those that live, by the names of hosts, asks everybody for a bundle;
 *		each gathers, keeps one in the output folder, and says on his card that he has
 *	judge	when all that live have answered, or some seconds later, the first judges over all
 *		answers, and says it. Who has not answered is missing, and what is said tells.
 *
 * Cards tell what was said, so that whoever comes first after him repeats nothing; and of whom he
 * has heard, so that who ends knows that his word came through. Who hears nothing speaks for
 * himself. A card whose beat stands still for a while is dead; that is told by our own clock.
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
	int64_t seen;    /* CLOCK_MONOTONIC ns: since when */
	int64_t changed; /* CLOCK_MONOTONIC ns: when its beat was seen to be another */
	int64_t heard;   /* what it had raised when we asked last */
	bool lived;      /* in our time: else it may be of an earlier job of that name */
	bool came;       /* it lives, and did not when it was read before */
	bool owes;       /* what it says was said is not taken over yet */
	bool rival;      /* a rank of ours was on it as well */
};

struct agent_rally {
	bool named;        /* our folder is that of a run id, which another run may have again */
	bool wanted;       /* the job has ranks on other hosts */
	bool apart;        /* another job has our name: it meets elsewhere, by more of a name */
	bool alone;        /* and so has no more of it that we have not: nobody is met */
	struct str folder; /* ""; else we are in it */
	struct str left;   /* where both jobs had met: who comes late is told there; "" */
	struct rally_card own;
	ARRAY(struct rally_other) others; /* by name */
	struct helper helper;             /* at work for us, and */
	int fd;                           /* what it leaves */
	int64_t joined;                   /* CLOCK_MONOTONIC ns; 0 not */
	int64_t due;                      /* the next reading and writing */
	int64_t wrote;                    /* when our card was */
	int64_t pause;                    /* ns between two */
	bool first;                       /* we ask and judge */
	int64_t overlap;                  /* two hosts have one rank since; 0 none */
	int64_t stepped_back;             /* when we no longer did; 0 never, or forgotten */
	bool has_read;                    /* cards, once */
	int64_t asked_at;                 /* 0: no question is open */
	int64_t look_at;                  /* not to be judged before */
	unsigned again;                   /* questions without an answer that could be said */
	int64_t ask_again;                /* CLOCK_MONOTONIC ns; 0 not */
	int64_t met;                      /* when ours was written last; 0: others do not see it */
	bool unsaid;                      /* we raised something, and it is not judged yet */
	int64_t own_heard;                /* of what we raised */
	int64_t answering;                /* the question that is being answered; 0 none */
	int64_t answer_begun;             /* since when */
	struct gatherer parts;            /* reads the answers */
	bool reading;
	struct announce announce; /* of the whole */
	bool ending;              /* our command has ended, and */
	int64_t until;            /* CLOCK_MONOTONIC ns: then nothing is judged any more */
};

/* True if the launcher says that the job has several nodes. */
bool agent_rally_is_told(void);

/* Takes from a look which ranks are here, and whether there are some elsewhere. */
void agent_rally_see(struct agent *agent, const struct job *job);

/*
 * What stands on this host, and is to be said, or no longer stands: will others judge it? Else the
 * caller says it for itself.
 */
bool agent_rally_takes(struct agent *agent);

/* Reads and writes cards when that is due, asks, answers, judges. */
void agent_rally_turn(struct agent *agent, int64_t now);

/* When the next turn is due, CLOCK_MONOTONIC ns. */
int64_t agent_rally_due(const struct agent *agent, int64_t now);

/*
 * The command is over: stays until what was found here is heard of, and no longer than `until`,
 * CLOCK_MONOTONIC ns, and 2 s. Where storage does not answer, what is to be said is said at once.
 */
void agent_rally_end(struct agent *agent, int64_t until);

/* Frees all of it; the files stay. */
void agent_rally_release(struct agent *agent);

#endif
