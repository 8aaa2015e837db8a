/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that say who is a rank, where rank 0 is, and what a rank may use of the machine. */
#include <string.h>

#include "envrules/envrules-lists.h"

/*
 * True if rank 0 is looked for on each host itself. All here are conditions of rules: a value of
 * NULL is not set.
 */
static bool is_this_host_only(const struct envrules_launch *launch, const char *value)
{
	return launch->hosts > 1 && value &&
		(!strcmp(value, "localhost") || !strncmp(value, "127.", 4) ||
			!strcmp(value, "::1"));
}

/* True if it is not the number of ranks that will be there. */
static bool is_another_world(const struct envrules_launch *launch, const char *value)
{
	int64_t world = envrules_number(value);

	return launch->world > 0 && world >= 0 && world != launch->world;
}

/* True if a rank's number is set for a job of several. */
static bool takes_a_rank_along(const struct envrules_launch *launch, const char *value)
{
	return envrules_number(value) >= 0 && (launch->ranks > 1 || launch->world > 1);
}

/* True if all threads of all ranks are more than the processors. */
static bool is_too_many_threads(const struct envrules_launch *launch, const char *value)
{
	int64_t threads = envrules_number(value);

	return threads > 0 && launch->ranks > 0 && launch->cpus > 0 &&
		threads * launch->ranks > launch->cpus;
}

/* True if several ranks have no value told. */
static bool is_not_set_for_ranks(const struct envrules_launch *launch, const char *value)
{
	return !value && launch->ranks > 1;
}

/* True if it is not set. */
static bool is_not_set(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return !value;
}

static const struct envrule rules[] = {
	{"MASTER_ADDR", ENVRULE_FAIL, is_this_host_only,
		"each host looks for rank 0 on itself: ranks of the others wait at init",
		"name the host of rank 0",
		"PyTorch torch.distributed env:// rendezvous (TCPStore)"},
	{"WORLD_SIZE", ENVRULE_WARN, is_another_world,
		"is not the number of ranks asked for: what reads it waits for ranks that never "
		"come",
		"unset it before the launcher", "PyTorch torch.distributed env:// rendezvous"},
	{"RANK", ENVRULE_WARN, takes_a_rank_along,
		"is set before the launch: each process that no launcher numbers takes it for its "
		"own",
		"unset it before the launcher", "PyTorch torch.distributed env:// rendezvous"},
	{"OMP_NUM_THREADS", ENVRULE_WARN, is_too_many_threads,
		"times the ranks is more than the processors: threads of ranks displace each other",
		"at most processors / ranks", "OpenMP 4.0 section 4.2; PyTorch intra-op threads"},
	{"OMP_NUM_THREADS", ENVRULE_NOTE, is_not_set_for_ranks,
		"is not set: torchrun sets 1, other launchers leave a thread per processor to "
		"each rank",
		NULL, "PyTorch torch/distributed/run.py, since 1.9"},
	{"PYTHONUNBUFFERED", ENVRULE_NOTE, is_not_set,
		"is not set: what a killed rank printed last into a pipe is lost", NULL,
		"CPython sys.stdout, block buffered where it is no terminal"},
};

const struct envrules_list envrules_of_launch = {rules, sizeof(rules) / sizeof(rules[0])};
