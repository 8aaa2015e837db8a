/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/gpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "preflight/check.h"

#define NVML "nvml"

/* --- Which are the job's ---------------------------------------------------------------------- */

/*
 * Returns the GPU that one name of CUDA_VISIBLE_DEVICES means: an index, or the beginning of a
 * UUID; -1: none here.
 */
static int gpu_named(const struct nvml_machine *machine, const char *name, size_t len)
{
	if (len && len < 4 && strspn(name, "0123456789") >= len) {
		int index = atoi(name);

		return index < (int)machine->nr ? index : -1;
	}
	for (unsigned i = 0; i < machine->nr; i++)
		if (len > 4 && !strncmp(machine->gpus[i].uuid, name, len))
			return (int)i;
	return -1;
}

void gpus_find(const struct preflight_wish *wish, const struct nvml_machine *machine,
	struct gpus_of_job *ret, struct check_sink *sink)
{
	const char *visible = env_value(wish->env, "CUDA_VISIBLE_DEVICES");

	ret->nr = 0;
	for (unsigned i = 0; !visible && i < machine->nr; i++)
		ret->list[ret->nr++] = i;
	for (const char *at = visible; at && *at && ret->nr < NVML_GPUS_MOST; at += *at == ',') {
		size_t len = strcspn(at, ",");
		int gpu = gpu_named(machine, at, len);

		if (gpu < 0 && sink && *at != '-')
			check_say(sink, PREFLIGHT_FAIL, "CUDA_VISIBLE_DEVICES",
				"name GPUs that `nvidia-smi -L` lists",
				"it names '%.*s', and this machine has no such GPU", (int)len, at);
		if (gpu < 0)
			break; /* CUDA ends the list there */
		ret->list[ret->nr++] = (unsigned)gpu;
		at += len;
	}
	if (wish->ranks > 0 && ret->nr > (unsigned)wish->ranks)
		ret->nr = (unsigned)wish->ranks;
}

/* --- Each GPU --------------------------------------------------------------------------------- */

/* Says whether a GPU is broken. */
static void judge_state(const struct nvml_gpu *gpu, unsigned i, struct check_sink *sink)
{
	if (gpu->lost) {
		check_say(sink, PREFLIGHT_FAIL, NVML, "reboot, or drain this machine",
			"GPU %u does not answer: it may have fallen off the bus", i);
		return;
	}
	if (gpu->ecc > 0)
		check_say(sink, PREFLIGHT_FAIL, NVML, "reset the GPU; drain it if they come back",
			"GPU %u: %lld memory errors since boot could not be corrected", i,
			(long long)gpu->ecc);
	if (gpu->remap_failed == 1)
		check_say(sink, PREFLIGHT_FAIL, NVML, "have the GPU replaced",
			"GPU %u: bad rows of its memory could not be replaced", i);
	else if (gpu->remap_pending == 1)
		check_say(sink, PREFLIGHT_WARN, NVML, "reset the GPU before the launch",
			"GPU %u: bad rows of its memory wait for a reset to be replaced", i);
	if (gpu->links_down > 0)
		check_say(sink, PREFLIGHT_FAIL, NVML, "reset the GPUs; see `nvidia-smi nvlink -s`",
			"GPU %u: %d of its %d NVLinks are down", i, gpu->links_down,
			gpu->links + gpu->links_down);
}

/* Says whether a GPU is split up, or others use it. */
static void judge_use(const struct preflight_wish *wish, const struct nvml_gpu *gpu, unsigned i,
	struct check_sink *sink)
{
	struct str pids = {0};

	if (gpu->mig == 1)
		check_say(sink, wish->ranks == 1 ? PREFLIGHT_WARN : PREFLIGHT_FAIL, NVML,
			"nvidia-smi -mig 0, or choose another machine",
			"GPU %u is split up (MIG): a rank gets a part, and parts have no NVLink",
			i);
	if (gpu->processes == 0)
		return;
	for (unsigned k = 0; k < gpu->processes && k < NVML_PIDS_MOST && gpu->pids[k]; k++)
		str_printf(&pids, "%s%u", k ? ", " : ": pid ", gpu->pids[k]);
	check_say(sink, PREFLIGHT_WARN, NVML, "end them, or choose other GPUs",
		"GPU %u is in use by %u process%s%s; %.1f of %.1f GB are taken", i,
		gpu->processes, gpu->processes == 1 ? "" : "es", str_text(&pids),
		(double)gpu->used / 1e9, (double)gpu->memory / 1e9);
	str_release(&pids);
}

/* Says of GPUs that are not of the kind asked for, or not of one kind. */
static void judge_name(const struct preflight_wish *wish, const struct nvml_machine *machine,
	const struct gpus_of_job *job, struct check_sink *sink)
{
	const struct nvml_gpu *first = &machine->gpus[job->list[0]];

	for (unsigned k = 0; k < job->nr; k++) {
		const struct nvml_gpu *gpu = &machine->gpus[job->list[k]];

		if (gpu->lost)
			continue;
		if (wish->gpus && !strcasestr(gpu->name, wish->gpus))
			check_say(sink, PREFLIGHT_FAIL, NVML, NULL, "GPU %u is %s, not %s",
				job->list[k], *gpu->name ? gpu->name : "without a name",
				wish->gpus);
		else if (!first->lost && strcmp(gpu->name, first->name) != 0)
			check_say(sink, PREFLIGHT_WARN, NVML,
				"choose GPUs of one kind: the slowest sets the pace",
				"GPU %u is %s, GPU %u is %s", job->list[0], first->name,
				job->list[k], gpu->name);
	}
}

/* Says if there are fewer GPUs than ranks. */
static void judge_number(const struct preflight_wish *wish, const struct nvml_machine *machine,
	const struct gpus_of_job *job, struct check_sink *sink)
{
	if (wish->ranks > 0 && job->nr < (unsigned)wish->ranks)
		check_say(sink, PREFLIGHT_FAIL, NVML, NULL,
			"%u GPU%s for %d ranks%s", job->nr, job->nr == 1 ? "" : "s", wish->ranks,
			job->nr < machine->nr ? ": CUDA_VISIBLE_DEVICES hides the others" : "");
}

/* --- The ways between them -------------------------------------------------------------------- */

#define PAIRS_TOLD 4 /* pairs by name */

/* Pairs with one fault, told in one line: the first by name, the others by number. */
struct pair_list {
	struct str names;
	unsigned nr;
};

/* Adds a pair. */
static void add_pair(struct pair_list *list, unsigned a, unsigned b)
{
	if (list->nr++ < PAIRS_TOLD)
		str_printf(&list->names, "%sGPU %u-GPU %u", list->names.len ? ", " : "", a, b);
}

/* Returns the pairs in words; borrowed from the list. */
static const char *pairs_text(struct pair_list *list)
{
	if (list->nr > PAIRS_TOLD)
		str_printf(&list->names, " and %u more pairs", list->nr - PAIRS_TOLD);
	return str_text(&list->names);
}

/*
 * Returns the most links that two GPUs of the machine have between them; 0: no NVLink between any
 * two.
 */
static int best_links(const struct nvml_machine *machine)
{
	int best = 0;

	for (unsigned a = 0; a < machine->nr; a++)
		for (unsigned b = 0; b < a; b++) {
			const struct nvml_pair *pair = &machine->pairs[a][b];

			if (pair->way == NVML_WAY_NVLINK && pair->links > best)
				best = pair->links;
		}
	return best;
}

/* Returns what a slow way means. */
static const char *crossing(enum nvml_way way)
{
	return way == NVML_WAY_SYS ? "traffic crosses from CPU to CPU" : "traffic crosses the CPU";
}

/*
 * Says of all pairs of one way, which is none that a job should use; `best` links are what others
 * have.
 */
static void judge_way(const struct preflight_wish *wish, const struct nvml_machine *machine,
	const struct gpus_of_job *job, enum nvml_way way, int best, struct check_sink *sink)
{
	struct pair_list pairs = {0};
	struct nvml_pair of_way = {way, 0}, of_best = {NVML_WAY_NVLINK, best};
	char room[8], best_room[8];

	for (unsigned a = 0; a < job->nr; a++)
		for (unsigned b = a + 1; b < job->nr; b++)
			if (machine->pairs[job->list[a]][job->list[b]].way == way)
				add_pair(&pairs, job->list[a], job->list[b]);
	if (pairs.nr && best > 0)
		check_say(sink, PREFLIGHT_FAIL, NVML,
			"choose GPUs that NVLink joins; see `nvidia-smi topo -m`",
			"%s %s %s, not %s: %s", pairs_text(&pairs), pairs.nr == 1 ? "is" : "are",
			nvml_way_name(&of_way, room), nvml_way_name(&of_best, best_room),
			crossing(way));
	else if (pairs.nr)
		check_say(sink, wish->pcie ? PREFLIGHT_WARN : PREFLIGHT_FAIL, NVML,
			wish->pcie ? NULL : "say --pcie if GPUs without NVLink are meant",
			"%s %s %s, and no GPU here has NVLink: %s", pairs_text(&pairs),
			pairs.nr == 1 ? "is" : "are", nvml_way_name(&of_way, room),
			crossing(way));
	str_release(&pairs.names);
}

/* Says of pairs with fewer links than others, of unknown ways, or that all is well. */
static void judge_links(const struct nvml_machine *machine, const struct gpus_of_job *job, int best,
	struct check_sink *sink)
{
	struct pair_list fewer = {0}, unknown = {0};
	unsigned joined = 0, all = 0;

	for (unsigned a = 0; a < job->nr; a++)
		for (unsigned b = a + 1; b < job->nr; b++) {
			const struct nvml_pair *pair =
				&machine->pairs[job->list[a]][job->list[b]];

			all++;
			joined += pair->way == NVML_WAY_NVLINK && pair->links == best;
			if (pair->way == NVML_WAY_NVLINK && pair->links < best)
				add_pair(&fewer, job->list[a], job->list[b]);
			else if (pair->way == NVML_WAY_UNKNOWN)
				add_pair(&unknown, job->list[a], job->list[b]);
		}
	if (fewer.nr)
		check_say(sink, PREFLIGHT_WARN, NVML, "see `nvidia-smi topo -m`",
			"%s: fewer than the NV%d of other pairs", pairs_text(&fewer), best);
	if (unknown.nr)
		check_say(sink, PREFLIGHT_NONE, NVML, NULL, "how %s are joined is not known",
			pairs_text(&unknown));
	if (all && joined == all)
		check_say(sink, PREFLIGHT_OK, NVML, NULL, "all pairs NV%d", best);
	str_release(&fewer.names);
	str_release(&unknown.names);
}

/* Says how the job's GPUs are joined. */
static void judge_ways(const struct preflight_wish *wish, const struct nvml_machine *machine,
	const struct gpus_of_job *job, struct check_sink *sink)
{
	static const enum nvml_way bad[] = {NVML_WAY_SYS, NVML_WAY_NODE, NVML_WAY_PHB};
	int best = best_links(machine);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		judge_way(wish, machine, job, bad[i], best, sink);
	judge_links(machine, job, best, sink);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Says what there is: kind, driver, and which GPU each rank gets. */
static void say_well(const struct nvml_machine *machine, const struct gpus_of_job *job,
	struct check_sink *sink)
{
	const struct nvml_gpu *first = &machine->gpus[job->list[0]];
	struct str driver = {0};

	if (!first->lost)
		check_say(sink, PREFLIGHT_OK, NVML, NULL, "%u %s, %.0f GB each", job->nr,
			first->name, (double)first->memory / 1e9);
	if (*machine->driver)
		str_printf(&driver, "driver %s", machine->driver);
	if (driver.len && machine->cuda > 0)
		str_printf(&driver, ", for CUDA up to %d.%d", machine->cuda / 1000,
			machine->cuda % 1000 / 10);
	if (driver.len)
		check_say(sink, PREFLIGHT_OK, NVML, NULL, "%s", driver.text);
	str_release(&driver);
	for (unsigned k = 0; k < job->nr; k++)
		check_say_detail(sink, NVML, "local rank %u: GPU %u, %s, %s", k, job->list[k],
			machine->gpus[job->list[k]].bus, machine->gpus[job->list[k]].uuid);
}

/* Says all of the job's GPUs. */
static void judge_all(const struct preflight_wish *wish, const struct nvml_machine *machine,
	struct check_sink *sink)
{
	struct gpus_of_job job;

	gpus_find(wish, machine, &job, sink);
	judge_number(wish, machine, &job, sink);
	for (unsigned k = 0; k < job.nr; k++) {
		judge_state(&machine->gpus[job.list[k]], job.list[k], sink);
		judge_use(wish, &machine->gpus[job.list[k]], job.list[k], sink);
	}
	if (job.nr == 0) {
		check_say(sink, wish->gpus ? PREFLIGHT_FAIL : PREFLIGHT_NONE, NVML, NULL,
			"no GPU for the job: the machine has %u", machine->nr);
		return;
	}
	judge_name(wish, machine, &job, sink);
	judge_ways(wish, machine, &job, sink);
	say_well(machine, &job, sink);
}

void check_gpus(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	struct nvml_machine machine;
	struct complaint why = {0};
	int error = nvml_read(&machine, &why);

	(void)arg;
	if (error == -EIO)
		check_say(sink, PREFLIGHT_FAIL, NVML, "see `nvidia-smi` and the kernel's log", "%s",
			complaint_text(&why));
	else if (error == -ENOSYS)
		check_say(sink, PREFLIGHT_NONE, NVML, NULL,
			"GPUs: not looked at: %s: see `nvidia-smi`", complaint_text(&why));
	else if (error)
		check_say(sink, wish->gpus ? PREFLIGHT_FAIL : PREFLIGHT_NONE, NVML,
			wish->gpus ? "choose a machine with NVIDIA's driver" : NULL,
			"GPUs: not looked at: %s", complaint_text(&why));
	else
		judge_all(wish, &machine, sink);
	complaint_release(&why);
}
