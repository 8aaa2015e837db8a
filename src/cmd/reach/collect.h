/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_COLLECT_H
#define CMD_REACH_COLLECT_H

/*
 * One job from all of its nodes: runs `inquest gather' once per node, in parallel, each with its
 * own deadline, and joins the answers. A *launcher* runs it: an argv for each node, so that a dead
 * node delays no other. A new engine gives nodes and argvs, and is done:
 *
 *	struct collect collect = {.key = "slurm:33.0", .deadline_ms = 10000};
 *
 *	collect_add(&collect, "m1", argv);	by your own words; they are copied
 *	collect_add_via(&collect, "m2", "ssh %h", &why);	or by a template
 *	collect_run(&collect, &groups);
 *	... bundle_groups_settle(&groups, &evidence);
 *	collect_release(&collect);
 *
 * WHAT RUNS THERE. The argv gets one more word, "sh", and a script on its standard input: so
 * nothing is quoted, whether the launcher joins words for a shell there (ssh) or not (srun, kubectl
 * exec -i). It must pass standard input and output on, and give no terminal. The script looks for
 * our own path there, then for `inquest' in PATH, and runs the first that has the verb. Where none
 * has, and we are the one file, it asks for that, gets it through its input, compares its SHA-256,
 * and runs it once it is unlinked, so that nothing stays behind. In a template with %c that stands
 * for the command, quoted for a shell, in place of all this: for launchers without an input (pdsh),
 * on nodes that have inquest.
 *
 * WHAT COMES BACK are bundles as text (cmd/reach/frame.h), which is believed only whole. Greetings
 * before it, and names before each line, do no harm.
 *
 * WHO DOES NOT ANSWER is evidence: a bundle of one exhibit `coverage' (inquest-bundle(5)) says
 * which nodes were asked, and of each that lacks why; so is a gap. Nobody is judged by it, but it
 * bounds how certain one may be. A node that answers that it has nothing of the job is no node of
 * it.
 */

#include <stdbool.h>

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"
#include "cmd/bundle-groups.h"
#include "cmd/reach/frame.h"
#include "evidence/gather/live/live.h"

/* How a node has answered. */
enum collect_state {
	COLLECT_WAITING,
	COLLECT_ANSWERED,
	COLLECT_NOTHING, /* it has nothing of the job */
	COLLECT_LACKS,   /* no answer, or none that is believed: `why` */
};

/* One node that is asked. */
struct collect_node {
	char *name;  /* as it was asked for */
	char **argv; /* NULL-ended */
	bool whole;  /* argv has the command: nothing is given on its input */
	/* What came of it: */
	enum collect_state state;
	struct str why;
	const char *advice; /* what to do about that, a literal; NULL: nothing that we know */
	/* Inside: */
	struct frames frames;
	struct str input, said; /* what is still to be sent; its standard error */
	size_t sent;
	int pid, in, out, err;
	int ending; /* the launcher, once it was told to end; 0 */
	int64_t until, kill_at;
	bool streamed;
};

#define COLLECT_DEADLINE_MS 10000
#define COLLECT_AT_ONCE     64 /* launchers that run at a time */

/* The nodes to ask, for what, and how. {0} but for the wishes at first; collect_release() it. */
struct collect {
	const char *key; /* as cmd/reach/key.h has them */
	int deadline_ms; /* of each node */
	bool no_stacks, no_logs;
	unsigned samples; /* 1 to 3; 0: as gather has it */
	bool quiet;       /* no progress on stderr, even if that is a terminal */
	const char *keep; /* a folder for the bundles, one file each; NULL: none is kept */
	struct meter *meter; /* bound for answers and their contents; borrowed, NULL: none */
	ARRAY(struct collect_node) nodes;
};

/* Adds a node, unless one of that name is there already. argv is copied. */
void collect_add(struct collect *collect, const char *name, const char *const *argv)
	__attribute__((nonnull));

/*
 * Adds a node by a template: words by blanks, as a shell takes quotes and backslashes apart; %h is
 * the node's name, %c the command, %% a percent sign; without %h the name is appended. 0, also
 * where the node is there already, or -1 with words.
 */
int collect_add_via(struct collect *collect, const char *name, const char *via,
	struct complaint *why) __attribute__((nonnull(1, 2, 3)));

/*
 * Runs the launchers, and adds their answers, and the nodes without one, to groups. Returns how
 * many nodes answered with evidence. Ends at most a moment after the deadline, even if launchers
 * ignore being told to end. Complains of files that cannot be kept.
 */
size_t collect_run(struct collect *collect, struct bundle_groups *groups) __attribute__((nonnull));

/* Ends the launchers that still run, and frees the nodes. key, keep and meter are the caller's. */
void collect_release(struct collect *collect) __attribute__((nonnull));

#endif
