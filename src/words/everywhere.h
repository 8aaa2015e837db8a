/* SPDX-License-Identifier: Apache-2.0 */
/* everywhere.h: the command that looks at a job on all of its nodes at once, to be pasted. */
#ifndef WORDS_EVERYWHERE_H
#define WORDS_EVERYWHERE_H

#include "base/str.h"
#include "job/job.h"

/*
 * Appends "inquest attach --slurm 33.0" where all ranks that say it are in one step of Slurm, "33"
 * where that is all that they have in common: Slurm knows the nodes, and whether it still runs.
 *
 * Else "inquest attach --hosts 'm[1-4]' master:m1:29511": the hosts that were seen and those
 * that lack, and where all ranks look for rank 0, if that means the same on every node. A job that
 * is `again` another run has another address and is another step: then there are hosts, and no key.
 *
 * False, and nothing, where the names of other nodes are not known, or one of the names is no plain
 * one: bundles come from strangers, and a shell reads what is pasted.
 */
bool everywhere_add_command(struct str *into, const struct job *job, bool again);

#endif
