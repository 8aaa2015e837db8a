/* SPDX-License-Identifier: Apache-2.0 */
#include "words/drift-words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "words/receipt-words.h"
#include "words/wording.h"

#define ROWS_MOST 32 /* rows of ranks' steps, of more it is said how many */

/* What each kind is called, and what it usually breaks: lists/drift.def has them. */
static const struct {
	const char *name, *breaks;
} kinds[DRIFT_KINDS] = {
#define DRIFT(name, text, breaks) {text, breaks},
#include "lists/drift.def"
#undef DRIFT
};

/* What variables that begin so usually break. The first row that fits counts. */
static const struct {
	const char *begin, *breaks;
} variables[] = {
	{"TORCH_DISTRIBUTED_DEBUG", "init"},
	{"PYTORCH_ALLOC_CONF", "late OOM"},
	{"PYTORCH_CUDA_ALLOC_CONF", "late OOM"},
	{"CUDA_VISIBLE_DEVICES", "init: another GPU"},
	{"CUDA_DEVICE_MAX_CONNECTIONS", "overlap"},
	{"CUDA_LAUNCH_BLOCKING", "step time"},
	{"OMP_", "step time"},
	{"MKL_", "step time"},
	{"TORCHINDUCTOR_", "first compile"},
	{"TORCHDYNAMO_", "first compile"},
	{"TRITON_", "first compile"},
	{"TORCH_NCCL_", "timeouts"},
	{"NCCL_", "collectives"},
	{"GLOO_", "collectives"},
	{"PYTHON", "import"},
	{"PATH", "which programs"},
	{"LD_", "which libraries"},
};

const char *drift_name(enum drift_kind kind)
{
	return kinds[kind].name;
}

const char *drift_breaks(const struct drift *drift)
{
	for (size_t i = 0; drift->kind == DRIFT_ENV && i < sizeof(variables) / sizeof(*variables);
		i++)
		if (!strncmp(drift->name, variables[i].begin, strlen(variables[i].begin)))
			return variables[i].breaks;
	return kinds[drift->kind].breaks;
}

void drift_label(struct str *into, const struct drift *drift)
{
	if (!*drift->name)
		str_add(into, drift_name(drift->kind));
	else
		str_printf(into, "%s %s",
			drift->kind == DRIFT_LIMITS     ? "limit"
			: drift->kind == DRIFT_STORAGE  ? "storage of"
			: drift->kind == DRIFT_PACKAGES ? "package"
							: "env",
			drift->name);
}

/* -- what it was ------------------------------------------------------------------------------- */

/* Appends which ranks had caches in that state. */
static void add_state(struct str *into, const struct receipt *of, enum cache_state state)
{
	int64_t *numbers = alloc_zeroed(of->nranks + 1, sizeof(*numbers));
	size_t n = 0;

	for (size_t i = 0; i < of->nranks; i++)
		if (receipt_cache(of, &of->ranks[i]) == state)
			numbers[n++] = of->ranks[i].number;
	if (n == of->nranks) {
		str_printf(into, "all %s", caches_state_name(state));
	} else if (n) {
		str_add(into, into->len ? ", " : "");
		receipt_add_ranks(into, numbers, n);
		str_printf(into, " %s", caches_state_name(state));
	}
	free(numbers);
}

/* Appends the state of all ranks' caches. */
static void add_caches(struct str *into, const struct receipt *of)
{
	for (enum cache_state state = CACHE_COLD; state <= CACHE_WARM; state++)
		add_state(into, of, state);
	if (!into->len)
		str_add(into, "not known");
}

/* Appends how many GPUs there were, and of what name; else how many a rank may open. */
static void add_gpus(struct str *into, const struct receipt *of)
{
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < of->nranks; i++)
		most = of->ranks[i].gpus > most ? of->ranks[i].gpus : most;
	if (of->launch.gpus.n)
		str_printf(into, "%zu x %s", of->launch.gpus.n, of->launch.gpus.at[0]);
	else if (most != JOB_UNKNOWN)
		str_printf(into, "%" PRId64 " to open", most);
	else
		str_add(into, "not known");
}

/* Appends a number, or what stands for one that is not known. */
static void add_number(struct str *into, int64_t n, const char *otherwise)
{
	if (n == JOB_UNKNOWN)
		str_add(into, otherwise);
	else
		str_printf(into, "%" PRId64, n);
}

/* Appends a limit of the launch. */
static void add_limit(struct str *into, const struct job_launch *launch, const char *name)
{
	int64_t n = JOB_UNKNOWN;

	for (size_t i = 0; i < launch->nlimits; i++)
		if (!strcmp(launch->limits[i].name, name))
			n = launch->limits[i].n;
	add_number(into, n, "none");
}

/* Appends the revision, and whether it was dirty. */
static void add_code(struct str *into, const struct job_launch *launch)
{
	str_add_bytes(into, launch->revision, strnlen(launch->revision, 10));
	str_add(into, !*launch->revision		 ? "not known"
		      : launch->dirty == JOB_YES ? " DIRTY"
						 : "");
}

/* Appends how many processors and how much memory the host had. */
static void add_host(struct str *into, const struct job_launch *launch)
{
	add_number(into, launch->cpus, "?");
	str_add(into, " CPUs, ");
	if (launch->memory == JOB_UNKNOWN)
		str_add(into, "?");
	else
		wording_bytes(into, launch->memory);
}

/* Appends the types of storage of a role. */
static void add_storage(struct str *into, const struct job_launch *launch, const char *role)
{
	const char *type = launch_storage_type(launch, role, 0);

	str_add(into, type ? type : "none told");
	for (size_t i = 1; type && (type = launch_storage_type(launch, role, i)); i++)
		str_printf(into, ", %s", type);
}

void drift_value(
	struct str *into, const struct drift *drift, const struct receipt *of, bool is_after)
{
	const char *text = is_after ? drift->after : drift->before;

	switch (drift->kind) {
	case DRIFT_WORLD:
		add_number(into, of->world_size, "not known");
		break;
	case DRIFT_COMMAND:
		str_add(into, text ? text : "nothing more");
		break;
	case DRIFT_CACHE:
		add_caches(into, of);
		break;
	case DRIFT_CODE:
		add_code(into, &of->launch);
		break;
	case DRIFT_GPUS:
		add_gpus(into, of);
		break;
	case DRIFT_HOST:
		add_host(into, &of->launch);
		break;
	case DRIFT_LIMITS:
		add_limit(into, &of->launch, drift->name);
		break;
	case DRIFT_STORAGE:
		add_storage(into, &of->launch, drift->name);
		break;
	case DRIFT_PACKAGES:
		str_add(into, text ? text : "not there");
		break;
	default:
		str_add(into, text ? text : drift->hidden ? "unset or withheld" : "unset");
	}
}

/* -- the answer -------------------------------------------------------------------------------- */

/*
 * Appends the names of the kinds that came out as `how` in any of the comparisons. Returns how
 * many.
 */
static size_t add_kinds(
	struct str *into, const struct drifts *drifts, size_t n, enum drift_how how)
{
	size_t found = 0;

	for (enum drift_kind kind = 0; kind < DRIFT_KINDS; kind++) {
		bool any = false;

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < drifts[i].all.nr; k++) {
				const struct drift *drift = &drifts[i].all.items[k];

				any |= drift->kind == kind && drift->how == how &&
				       (how == DRIFT_DIFFERS || drift_is_essential(drift));
			}
		if (any)
			str_printf(into, "%s%s", found++ ? ", " : "", drift_name(kind));
	}
	return found;
}

void drift_title(struct str *into, const struct drifts *drifts, size_t n)
{
	enum drift_class class = DRIFT_ONE_CLASS;
	size_t found;

	for (size_t i = 0; i < n; i++) {
		enum drift_class one = drifts_class(&drifts[i]);

		if (one == DRIFT_DRIFTED || class == DRIFT_ONE_CLASS)
			class = one;
	}
	if (class == DRIFT_ONE_CLASS) {
		str_add(into, "ONE CLASS: nothing that was recorded of both differs");
	} else if (class == DRIFT_NOT_ENOUGH) {
		str_add(into, "NOT ENOUGH KNOWN: ");
		add_kinds(into, drifts, n, DRIFT_UNKNOWN);
		str_add(into, " may differ");
	} else {
		str_add(into, "NOT ONE CLASS: ");
		found = add_kinds(into, drifts, n, DRIFT_DIFFERS);
		str_add(into, found == 1 ? " differs" : " differ");
	}
}

/* -- times ------------------------------------------------------------------------------------- */

/* Appends blanks up to that column, one at least. */
static void pad(struct str *line, size_t column)
{
	do
		str_add_char(line, ' ');
	while (line->len < column);
}

/* Adds the line, and empties it. */
static void end_row(struct drift_times *times, struct str *line)
{
	*array_add(&times->rows) = str_detach(line);
}

/* Appends the median of the steps, and the spread. */
static void add_steps(struct str *line, const struct receipt_rank *rank)
{
	receipt_add_span(line, rank->timed == JOB_UNKNOWN ? JOB_UNKNOWN : rank->usual);
	if (rank->timed == JOB_UNKNOWN)
		return;
	str_add(line, " (");
	receipt_add_span(line, rank->low);
	str_add(line, "-");
	receipt_add_span(line, rank->high);
	str_add(line, ")");
}

/* Returns the rank of that number; NULL: the run has none. */
static const struct receipt_rank *rank_of(const struct receipt *receipt, int64_t number)
{
	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].number == number)
			return &receipt->ranks[i];
	return NULL;
}

/* Adds the steps of one rank in both runs, and which was slower. */
static void add_step_row(struct drift_times *times, const struct receipt_rank *before,
	const struct receipt_rank *after)
{
	static const char *const paces[] = {"too few to say", "within the spread", "SLOWER",
		"FASTER"};
	struct str line = {0};

	str_printf(&line, "%" PRId64, before->number);
	pad(&line, 7);
	add_steps(&line, before);
	pad(&line, 32);
	add_steps(&line, after);
	pad(&line, 57);
	str_add(&line, paces[drift_pace(before, after)]);
	end_row(times, &line);
}

/* Adds the steps of each rank that both runs have, up to ROWS_MOST. */
static void add_step_rows(struct drift_times *times, const struct receipt *before,
	const struct receipt *after)
{
	struct str line = {0};
	size_t rows = 0, more = 0;

	for (size_t i = 0; i < before->nranks; i++) {
		const struct receipt_rank *same = rank_of(after, before->ranks[i].number);

		if (!same || before->ranks[i].timed == JOB_UNKNOWN || rows >= ROWS_MOST) {
			more += rows >= ROWS_MOST;
			continue;
		}
		if (!rows++) {
			str_add(&line, "RANK   STEP MEDIAN (10-90 %)    THEN");
			end_row(times, &line);
		}
		add_step_row(times, &before->ranks[i], same);
	}
	if (more) {
		str_printf(&line, "and %zu more ranks: --json has their receipts", more);
		end_row(times, &line);
	}
}

/* Appends the least and the most that any rank took; just one number where they are the same. */
static void add_spread(struct str *line, const struct receipt *of, bool compiling)
{
	int64_t least = INT64_MAX, most = JOB_UNKNOWN;

	for (size_t i = 0; i < of->nranks; i++) {
		int64_t n = compiling ? of->ranks[i].compiling : of->ranks[i].first_step;

		if (n == JOB_UNKNOWN)
			continue;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	receipt_add_span(line, most == JOB_UNKNOWN ? most : least);
	if (most != JOB_UNKNOWN && most != least) {
		str_add(line, " to ");
		receipt_add_span(line, most);
	}
}

/* Adds how long compiling and the first step took in each run. */
static void add_firsts(struct drift_times *times, const struct receipt *before,
	const struct receipt *after)
{
	struct str line = {0};

	for (int compiling = 1; compiling >= 0; compiling--) {
		str_add(&line, compiling ? "compiled, over ranks: " : "first step, over ranks: ");
		add_spread(&line, before, compiling);
		str_add(&line, " -> ");
		add_spread(&line, after, compiling);
		end_row(times, &line);
	}
}

void drift_times_of(struct drift_times *times, const struct receipt *before,
	const struct receipt *after, const struct drifts *drifts)
{
	bool firsts = drifts_allow_firsts(drifts), steps = drifts_allow_steps(drifts);
	struct str line = {0};

	if (!before->nranks || !after->nranks)
		return;
	if (firsts)
		add_firsts(times, before, after);
	if (steps)
		add_step_rows(times, before, after);
	if (firsts)
		return;
	str_add(&line, "do not compare ");
	str_add(&line, steps ? "first-step times; steady steps may be compared"
			     : "times: make what drifted, or is not known, the same");
	end_row(times, &line);
}

void drift_times_release(struct drift_times *times)
{
	for (size_t i = 0; i < times->rows.nr; i++)
		free(times->rows.items[i]);
	array_release(&times->rows);
}
