/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-keep.h: what the agent leaves on storage that outlives the node, bundles and
 * manifest.jsonl. A saver writes it, and the agent waits for it only so long: what is to be said is
 * said, whatever becomes of that storage.
 */
#ifndef CMD_AGENT_KEEP_H
#define CMD_AGENT_KEEP_H

#include "cmd/agent/agent.h"
#include "evidence/agent/agentfiles.h"

/* In the end there is nothing else to be done. */
#define AGENT_KEEP_LAST_MS 3000

/*
 * Keeps a bundle of this look, and waits so many ms for it to be there: then agent->bundle names
 * it. If there can be none, that is said, once until there is one.
 */
void agent_keep_bundle(struct agent *agent, const struct look *look, int ms);

/*
 * True if a bundle that was begun is there now, within so many ms. One that was not there yet when
 * the verdict was said is said then.
 */
void agent_keep_news(struct agent *agent, int ms);

/*
 * Keeps a look that was taken before this signal, which went out at `until`, CLOCK_MONOTONIC ns,
 * before we were done; and somebody has died: of it, or of what was wrong, and nobody can tell. So
 * nobody is blamed; but what was seen is all that there will ever be, and that it is late is said
 * in it, and in the log.
 */
void agent_keep_late(struct agent *agent, struct look *look, int signo, int64_t until);

/*
 * Waits for what is being written. After a good end a bundle that nobody was told of goes; what is
 * told then is the one before.
 * Gives its path, for agent_keep_line() and free(); NULL where there is none.
 */
char *agent_keep_forget(struct agent *agent);

/*
 * Before all others. Sweeps what agents left behind that were killed while they wrote, and
 * begins to add a line to manifest.jsonl that the job was launched; waits for nothing. Where
 * that fails nothing is said: the last line will fail as well.
 */
void agent_keep_launched(struct agent *agent, const struct agent_manifest *manifest);

/* Adds the job's last line to manifest.jsonl, and removes that bundle, if it is not NULL. */
void agent_keep_line(
	struct agent *agent, const struct agent_manifest *manifest, const char *remove);

#endif
