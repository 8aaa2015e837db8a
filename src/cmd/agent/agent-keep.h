/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the agent leaves on storage that outlives the node: bundles and manifest.jsonl. A saver
 * process writes, and the agent waits for it only for a limited time: verdicts are told even if
 * that storage hangs.
 */
#ifndef CMD_AGENT_KEEP_H
#define CMD_AGENT_KEEP_H

#include "cmd/agent/agent.h"
#include "evidence/agent/agentfiles.h"

/* How long is waited at the end, when nothing else is left to do. */
#define AGENT_KEEP_LAST_MS 3000

/*
 * Keeps a bundle of this look, and waits up to `ms` until it is there: then agent->bundle names it.
 * A failure is told once, until a bundle could be written again.
 */
void agent_keep_bundle(struct agent *agent, const struct look *look, int ms);

/*
 * Takes in the news of the saver, waiting up to `ms` for it. If a bundle came later than its
 * verdict was told, tells where it is.
 */
void agent_keep_news(struct agent *agent, int ms);

/*
 * Keeps a look that began before this signal but was not done when the signal went out, at `until`,
 * CLOCK_MONOTONIC ns. A rank has died meanwhile, of the signal or of the fault: nobody can tell
 * which. So nobody is blamed, but the evidence is kept, since there will be no other; the bundle
 * and the log say that it came late.
 */
void agent_keep_late(struct agent *agent, struct look *look, int signo, int64_t until);

struct proc_id;
/*
 * Keeps what is left of a command that failed before any rank was there. Nothing is told, since the
 * command has its own words for that; but what it was, how it ended and what it printed last is
 * kept.
 */
void agent_keep_command(struct agent *agent, struct proc_id child);

/*
 * Waits for what is being written. After a good end, a bundle that was never mentioned is to be
 * removed, and the one before is mentioned again. Returns the path of the former, for
 * agent_keep_line(); NULL where there is none. The caller frees it.
 */
char *agent_keep_forget(struct agent *agent);

/*
 * Called before all others. Removes what killed agents have left half-written, and begins to add
 * the launch's line to manifest.jsonl; waits for nothing. A failure is not told, since the last
 * line will fail as well.
 */
void agent_keep_launched(struct agent *agent, const struct agent_manifest *manifest);

/*
 * Adds the job's last line to manifest.jsonl, and removes the bundle `remove`, if that is not NULL.
 */
void agent_keep_line(
	struct agent *agent, const struct agent_manifest *manifest, const char *remove);

#endif
