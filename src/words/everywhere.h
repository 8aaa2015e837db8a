/* SPDX-License-Identifier: Apache-2.0 */
/* The command that looks at a job on all of its nodes at once, to be pasted. */
#ifndef WORDS_EVERYWHERE_H
#define WORDS_EVERYWHERE_H

#include "base/str.h"
#include "job/job.h"

/* True if a shell takes a name for one word as it is, and no verb of ours for an option. */
bool everywhere_is_word(const char *name);

/*
 * Appends "inquest attach --slurm 33.0" if all ranks that tell it are in one step of Slurm, "33" if
 * only the job is the same: Slurm knows the nodes, and whether it still runs.
 *
 * Else appends "inquest attach --hosts 'm[1-4]' master:m1:29511": the hosts that were seen and
 * those that are missing, and where all ranks look for rank 0, if that means the same on every
 * node. Where the command is for another run (`again`), that has another address and is another
 * step: then there are hosts, and no key.
 *
 * Returns false, and appends nothing, where the names of other nodes are not known, or one of the
 * names is no plain one: bundles come from strangers, and a shell reads what is pasted.
 */
bool everywhere_add_command(struct str *into, const struct job *job, bool again);

/*
 * Appends "inquest attach --slurm 33.0", if the job is on several nodes and all its ranks are of
 * one job of Slurm: then no other command reaches them from where one stands. Else returns false.
 */
bool everywhere_add_slurm(struct str *into, const struct job *job);

/*
 * Appends what means the job on each of its nodes: "slurm:33.0", or "--all" where it has no name
 * that all of them know.
 */
void everywhere_add_key(struct str *into, const struct job *job);

#endif
