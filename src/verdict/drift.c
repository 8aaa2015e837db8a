/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kind of drift has a function that compares it. Variables, packages and limits are told one
 * by one where they differ; where none does, their kind is told once, as the same, so that a reader
 * sees that it was asked.
 *
 * Whatever one of the two receipts lacks is DRIFT_UNKNOWN: a variable that was withheld, since it
 * may be a secret, a tree that was changed and not committed (both may be changed alike, or not).
 * Where nothing differs, but something essential is unknown (drift_is_essential()), no class is
 * concluded.
 */
#include "verdict/drift.h"

#include <string.h>

/* Fewer steps than these have no spread. */
#define LEAST_TIMED 5

static struct drift *add(struct drifts *drifts, enum drift_kind kind, enum drift_how how)
{
	struct drift *drift = array_add(&drifts->all);

	*drift = (struct drift){.kind = kind, .how = how, .name = ""};
	return drift;
}

/* Compares texts, of which "" is unknown. */
static void compare_texts(
	struct drifts *drifts, enum drift_kind kind, const char *before, const char *after)
{
	enum drift_how how = !*before || !*after	     ? DRIFT_UNKNOWN
			     : strcmp(before, after) != 0 ? DRIFT_DIFFERS
							  : DRIFT_SAME;
	struct drift *drift = add(drifts, kind, how);

	drift->before = before;
	drift->after = after;
}

static enum drift_how how_of(int64_t before, int64_t after)
{
	if (before == JOB_UNKNOWN || after == JOB_UNKNOWN)
		return DRIFT_UNKNOWN;
	return before == after ? DRIFT_SAME : DRIFT_DIFFERS;
}

static bool are_equal(const struct launch_texts *a, const struct launch_texts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->at[i], b->at[i]) != 0)
			return false;
	return true;
}

/* -- one kind each ----------------------------------------------------------------------------- */

static void compare_world(
	struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	bool none = !before->nranks && !after->nranks && before->ended != JOB_UNKNOWN &&
		    after->ended != JOB_UNKNOWN && before->exit_status == 0 &&
		    after->exit_status == 0;

	/* Commands that ended well and never had a rank have no world to differ in. */
	add(drifts, DRIFT_WORLD, none ? DRIFT_SAME : how_of(before->world_size, after->world_size));
}

static void compare_command(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	const struct launch_texts *was = &before->argv, *is = &after->argv;
	struct drift *drift = add(drifts, DRIFT_COMMAND, DRIFT_DIFFERS);
	size_t i = 0;

	while (i < was->n && i < is->n && !strcmp(was->at[i], is->at[i]))
		i++;
	if (!was->n || !is->n) {
		drift->how = DRIFT_UNKNOWN;
	} else if (i < was->n || i < is->n) {
		drift->before = i < was->n ? was->at[i] : NULL;
		drift->after = i < is->n ? is->at[i] : NULL;
	} else if (strcmp(before->cwd, after->cwd) != 0) {
		drift->before = before->cwd;
		drift->after = after->cwd;
	} else {
		drift->how = DRIFT_SAME;
	}
}

static bool any_compiled(const struct receipt *receipt)
{
	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].compiling != JOB_UNKNOWN)
			return true;
	return false;
}

/* Compares caches rank by rank: that the same number of them were warm is not the same. */
static void compare_caches(
	struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	enum drift_how how = before->nranks == after->nranks ? DRIFT_SAME : DRIFT_DIFFERS;

	if (!any_compiled(before) && !any_compiled(after))
		return;
	for (size_t i = 0; how == DRIFT_SAME && i < before->nranks; i++) {
		enum cache_state was = receipt_cache(before, &before->ranks[i]);
		enum cache_state is = receipt_cache(after, &after->ranks[i]);

		if (!was || !is)
			how = DRIFT_UNKNOWN;
		else if (was != is)
			how = DRIFT_DIFFERS;
	}
	add(drifts, DRIFT_CACHE, how);
}

/* Variables that differ between any two runs, or tell only who launched it and when. */
static const char *const own[] = {"PWD", "OLDPWD", "SHLVL", "MASTER_PORT", "SLURM_JOB_ID",
	"SLURM_JOBID", "SLURM_STEP_ID", "SLURM_STEPID", "SLURM_JOB_START_TIME",
	"SLURM_JOB_END_TIME", "SLURM_TASK_PID", "SLURM_LAUNCH_NODE_IPADDR",
	"SLURM_SRUN_COMM_PORT", "SLURM_SRUN_COMM_HOST", "TORCHELASTIC_RUN_ID", "HOSTNAME"};

static bool has(const struct launch_texts *texts, const char *name)
{
	for (size_t i = 0; i < texts->n; i++)
		if (!strcmp(texts->at[i], name))
			return true;
	return false;
}

static bool is_own(
	const struct job_launch *before, const struct job_launch *after, const char *name)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(own[i], name))
			return true;
	return !strncmp(name, "INQUEST_", 8) || has(&before->forced, name) ||
	       has(&after->forced, name);
}

static void compare_variable(struct drifts *drifts, const struct job_launch *before,
	const struct job_launch *after, const char *name)
{
	const char *was = launch_variable(before, name), *is = launch_variable(after, name);
	bool hidden = has(&before->withheld, name) || has(&after->withheld, name);
	struct drift *drift;

	if (is_own(before, after, name) || (was && is && !strcmp(was, is)))
		return;
	drift = add(drifts, DRIFT_ENV,
		hidden && (was || has(&before->withheld, name)) &&
				(is || has(&after->withheld, name))
			? DRIFT_UNKNOWN
			: DRIFT_DIFFERS);
	drift->name = name;
	drift->before = was;
	drift->after = is;
	drift->hidden = hidden;
}

/*
 * Compares environments: both lists are sorted by name; a variable on neither was set in neither.
 */
static void compare_env(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	size_t first = drifts->all.nr, i = 0, k = 0;

	if (!before->env_known || !after->env_known) {
		add(drifts, DRIFT_ENV, DRIFT_UNKNOWN);
		return;
	}
	while (i < before->nenv || k < after->nenv) {
		int order = i == before->nenv  ? 1
			    : k == after->nenv ? -1
					       : strcmp(before->env[i].name, after->env[k].name);

		compare_variable(drifts, before, after,
			order <= 0 ? before->env[i].name : after->env[k].name);
		i += order <= 0;
		k += order >= 0;
	}
	for (i = 0; i < before->withheld.n; i++)
		compare_variable(drifts, before, after, before->withheld.at[i]);
	for (i = 0; i < after->withheld.n; i++)
		if (!has(&before->withheld, after->withheld.at[i]))
			compare_variable(drifts, before, after, after->withheld.at[i]);
	if (drifts->all.nr == first)
		add(drifts, DRIFT_ENV, DRIFT_SAME);
}

/* Compares revisions. Two trees that both have changes may have been changed alike, or not. */
static void compare_code(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	enum drift_how how = DRIFT_SAME;

	if (!*before->revision || !*after->revision)
		how = DRIFT_UNKNOWN;
	else if (strcmp(before->revision, after->revision) != 0 ||
		 (before->dirty == JOB_YES) + (after->dirty == JOB_NO) == 2 ||
		 (before->dirty == JOB_NO) + (after->dirty == JOB_YES) == 2)
		how = DRIFT_DIFFERS;
	else if (before->dirty != JOB_NO || after->dirty != JOB_NO)
		how = DRIFT_UNKNOWN;
	add(drifts, DRIFT_CODE, how);
}

/* Returns the most devices that any rank might open; 0: none, and that is known. */
static int64_t devices_of(const struct receipt *receipt)
{
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].gpus > most)
			most = receipt->ranks[i].gpus;
	return most;
}

static void compare_gpus(
	struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	enum drift_how how = how_of(devices_of(before), devices_of(after));
	struct drift *drift;

	if (before->launch.gpus_known && after->launch.gpus_known) {
		if (!are_equal(&before->launch.gpus, &after->launch.gpus))
			how = DRIFT_DIFFERS;
		else if (how == DRIFT_UNKNOWN)
			how = DRIFT_SAME;
	} else if (how == DRIFT_SAME && devices_of(before) > 0) {
		how = DRIFT_UNKNOWN;
	}
	drift = add(drifts, DRIFT_GPUS, how);
	/* Of a job with devices it must be known which they are. */
	drift->hidden = how == DRIFT_UNKNOWN && (devices_of(before) > 0 || devices_of(after) > 0);
}

static void compare_host(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	enum drift_how how = how_of(before->cpus, after->cpus);

	/* Memory differs by a little from boot to boot. */
	if (how == DRIFT_SAME && (before->memory == JOB_UNKNOWN || after->memory == JOB_UNKNOWN))
		how = DRIFT_UNKNOWN;
	else if (how == DRIFT_SAME && (before->memory >> 30 != after->memory >> 30 ||
					      strcmp(before->machine, after->machine) != 0))
		how = DRIFT_DIFFERS;
	add(drifts, DRIFT_HOST, how);
}

static void compare_package(struct drifts *drifts, const struct launch_variable *was,
	const struct launch_variable *is)
{
	struct drift *drift;

	if (was && is && !strcmp(was->value, is->value))
		return;
	drift = add(drifts, DRIFT_PACKAGES, DRIFT_DIFFERS);
	drift->name = was ? was->name : is->name;
	drift->before = was ? was->value : NULL;
	drift->after = is ? is->value : NULL;
}

/* Compares packages: both lists are sorted by name; what a cut list lacks may have been there. */
static void compare_packages(
	struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	size_t first = drifts->all.nr, i = 0, k = 0;
	bool cut = before->packages_cut || after->packages_cut;

	if (!before->nranks && !after->nranks)
		return;
	while (before->packages_known && after->packages_known &&
		(i < before->npackages || k < after->npackages)) {
		int order = i == before->npackages  ? 1
			    : k == after->npackages ? -1
						    : strcmp(before->packages[i].name,
							      after->packages[k].name);

		if (!order || !cut)
			compare_package(drifts, order <= 0 ? &before->packages[i] : NULL,
				order >= 0 ? &after->packages[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	if (drifts->all.nr == first)
		add(drifts, DRIFT_PACKAGES,
			cut || !before->packages_known || !after->packages_known ? DRIFT_UNKNOWN
										 : DRIFT_SAME);
}

static int64_t limit_of(const struct job_launch *launch, const char *name)
{
	for (size_t i = 0; i < launch->nlimits; i++)
		if (!strcmp(launch->limits[i].name, name))
			return launch->limits[i].n;
	return JOB_UNKNOWN;
}

/* Compares limits; a limit that is not on a list was none. */
static void compare_limits(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	const struct job_launch *const both[] = {before, after};
	size_t first = drifts->all.nr;

	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < both[s]->nlimits; i++) {
			const char *name = both[s]->limits[i].name;

			if (limit_of(before, name) == limit_of(after, name) ||
				(s && limit_of(before, name) != JOB_UNKNOWN))
				continue;
			add(drifts, DRIFT_LIMITS, DRIFT_DIFFERS)->name = name;
		}
	if (drifts->all.nr == first)
		add(drifts, DRIFT_LIMITS, DRIFT_SAME);
}

static bool lie_alike(
	const struct job_launch *before, const struct job_launch *after, const char *role)
{
	for (size_t i = 0;; i++) {
		const char *was = launch_storage_type(before, role, i);
		const char *is = launch_storage_type(after, role, i);

		if (!was || !is)
			return !was && !is;
		if (strcmp(was, is) != 0)
			return false;
	}
}

/*
 * Compares storage role by role: a cache that moved to a network is another drift than data that
 * did.
 */
static void compare_storage(
	struct drifts *drifts, const struct job_launch *before, const struct job_launch *after)
{
	const struct job_launch *const both[] = {before, after};
	size_t first = drifts->all.nr;

	if (!before->storage_known || !after->storage_known) {
		add(drifts, DRIFT_STORAGE, DRIFT_UNKNOWN);
		return;
	}
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < both[s]->nstorage; i++) {
			const char *role = both[s]->storage[i].role;

			if ((i && !strcmp(both[s]->storage[i - 1].role, role)) ||
				(s && launch_storage_type(before, role, 0)) ||
				lie_alike(before, after, role))
				continue;
			add(drifts, DRIFT_STORAGE, DRIFT_DIFFERS)->name = role;
		}
	if (drifts->all.nr == first)
		add(drifts, DRIFT_STORAGE, DRIFT_SAME);
}

/* Compares what ranks say of themselves, unless neither job had any. */
static void compare_runtime(
	struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	if (!before->nranks && !after->nranks)
		return;
	compare_texts(drifts, DRIFT_BACKEND, before->backend, after->backend);
	compare_texts(drifts, DRIFT_MODE, before->mode, after->mode);
}

/* -- all of it --------------------------------------------------------------------------------- */

void drifts_of(struct drifts *drifts, const struct receipt *before, const struct receipt *after)
{
	const struct job_launch *was = &before->launch, *is = &after->launch;

	compare_world(drifts, before, after);
	compare_command(drifts, was, is);
	compare_caches(drifts, before, after);
	compare_env(drifts, was, is);
	compare_runtime(drifts, before, after);
	compare_code(drifts, was, is);
	if (before->nranks || after->nranks) {
		compare_texts(drifts, DRIFT_FRAMEWORK, before->framework, after->framework);
		compare_texts(drifts, DRIFT_PYTHON, before->python, after->python);
	}
	compare_packages(drifts, before, after);
	compare_texts(drifts, DRIFT_IMAGE, was->image, is->image);
	compare_gpus(drifts, before, after);
	compare_texts(drifts, DRIFT_DRIVER, was->driver, is->driver);
	compare_host(drifts, was, is);
	compare_storage(drifts, was, is);
	compare_texts(drifts, DRIFT_KERNEL, was->kernel, is->kernel);
	compare_limits(drifts, was, is);
}

void drifts_release(struct drifts *drifts)
{
	array_release(&drifts->all);
}

bool drift_is_essential(const struct drift *drift)
{
	switch (drift->kind) {
	case DRIFT_WORLD:
	case DRIFT_COMMAND:
	case DRIFT_CACHE:
	case DRIFT_CODE:
		return true;
	case DRIFT_ENV: /* a value that is withheld may be the same */
		return !*drift->name;
	case DRIFT_GPUS:
		return drift->hidden;
	default:
		return false;
	}
}

enum drift_class drifts_class(const struct drifts *drifts)
{
	enum drift_class class = DRIFT_ONE_CLASS;

	for (size_t i = 0; i < drifts->all.nr; i++) {
		const struct drift *drift = &drifts->all.items[i];

		if (drift->how == DRIFT_DIFFERS)
			return DRIFT_DRIFTED;
		if (drift->how == DRIFT_UNKNOWN && drift_is_essential(drift))
			class = DRIFT_NOT_ENOUGH;
	}
	return class;
}

/* True if anything of that kind differs, or may. */
static bool have(const struct drifts *drifts, enum drift_kind kind)
{
	for (size_t i = 0; i < drifts->all.nr; i++) {
		const struct drift *drift = &drifts->all.items[i];

		if (drift->kind == kind && (drift->how == DRIFT_DIFFERS ||
						   (drift->how == DRIFT_UNKNOWN &&
							   drift_is_essential(drift))))
			return true;
	}
	return false;
}

bool drifts_allow_firsts(const struct drifts *drifts)
{
	return drifts_class(drifts) == DRIFT_ONE_CLASS;
}

bool drifts_allow_steps(const struct drifts *drifts)
{
	for (enum drift_kind kind = 0; kind < DRIFT_KINDS; kind++)
		if (kind != DRIFT_CACHE && have(drifts, kind))
			return false;
	return true;
}

enum drift_pace drift_pace(const struct receipt_rank *before, const struct receipt_rank *after)
{
	if (before->timed < LEAST_TIMED || after->timed < LEAST_TIMED)
		return DRIFT_PACE_UNKNOWN;
	if (after->low > before->high)
		return DRIFT_PACE_SLOWER;
	return after->high < before->low ? DRIFT_PACE_FASTER : DRIFT_PACE_ALIKE;
}
