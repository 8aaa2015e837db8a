/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANK_MOST (1 << 24) /* a higher number is no rank */

/* Strings with a NUL behind each. */
struct block {
	const char *text;
	size_t len;
};

/*
 * The variables of one launcher; NULL: it has none such. The rank counts only if `with` is set
 * (NULL: always).
 */
struct dialect {
	const char *launcher;
	const char *source;
	const char *with;
	const char *rank;
	const char *local;
	const char *world;
	const char *node;
	bool of_task;
};

static const struct dialect dialects[] = {
	{"torchrun", "environ: RANK of torchrun", "TORCHELASTIC_RUN_ID", "RANK", "LOCAL_RANK",
		"WORLD_SIZE", "GROUP_RANK", false},
	{"env", "environ: RANK, LOCAL_RANK", "LOCAL_RANK", "RANK", "LOCAL_RANK", "WORLD_SIZE",
		"GROUP_RANK", false},
	{"jax", "environ: JAX_PROCESS_ID", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID", NULL,
		"JAX_NUM_PROCESSES", NULL, false},
	{"openmpi", "environ: OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", NULL, true},
	{"pmix", "environ: PMIX_RANK", NULL, "PMIX_RANK", NULL, NULL, NULL, true},
	{"hydra", "environ: PMI_RANK", NULL, "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", NULL,
		true},
	{"mvapich", "environ: MV2_COMM_WORLD_RANK", NULL, "MV2_COMM_WORLD_RANK",
		"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE", NULL, true},
	{"pals", "environ: PALS_RANKID", NULL, "PALS_RANKID", NULL, NULL, "PALS_NODEID", true},
	{"flux", "environ: FLUX_TASK_RANK", NULL, "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID",
		"FLUX_JOB_SIZE", NULL, true},
};

bool claims_are_of_tasks(const char *launcher)
{
	/* The launchers that no dialect names: by Slurm's variables, and by tables of processes. */
	static const char *const others[] = {"slurm", "srun", "mpirun"};
	bool found = false;

	for (size_t i = 0; launcher && i < sizeof(dialects) / sizeof(dialects[0]); i++)
		found |= dialects[i].of_task && !strcmp(dialects[i].launcher, launcher);
	for (size_t i = 0; launcher && i < sizeof(others) / sizeof(others[0]); i++)
		found |= !strcmp(others[i], launcher);
	return found;
}

const char *claims_trust_name(enum claim_trust trust)
{
	static const char *const names[] = {[CLAIM_HYPOTHESIS] = "hypothesis",
		[CLAIM_SUPPORTED] = "supported", [CLAIM_ESTABLISHED] = "established"};

	return names[trust];
}

int claims_number(const char *text)
{
	char *end;
	long value;

	if (!text || *text < '0' || *text > '9' || strlen(text) > 9)
		return CLAIM_UNKNOWN;
	value = strtol(text, &end, 10);
	return *end ? CLAIM_UNKNOWN : (int)value;
}

/*
 * Returns the string of a block at *at, and moves behind it; NULL if there is none, or it was cut.
 */
static const char *block_next(const struct block *block, size_t *at)
{
	const char *text = block->text + *at;
	const char *end = *at < block->len ? memchr(text, '\0', block->len - *at) : NULL;

	if (!end)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

const char *claims_variable(const char *environ, size_t len, const char *name)
{
	const struct block block = {environ, len};
	size_t at = 0, length = strlen(name);
	const char *text;

	while ((text = block_next(&block, &at)))
		if (!strncmp(text, name, length) && text[length] == '=')
			return text + length + 1;
	return NULL;
}

/* Returns where the option's name ends in a word that gives it; NULL for any other word. */
static const char *option_match(const char *word, const char *name)
{
	if (word[0] != '-' || word[1] != '-')
		return NULL;
	for (word += 2; *name; word++, name++)
		if (*word != *name && !(*name == '-' && *word == '_'))
			return NULL;
	return *word == '=' || !*word ? word : NULL;
}

const char *claims_option(const char *cmdline, size_t len, const char *name)
{
	const struct block block = {cmdline, len};
	size_t at = 0;
	const char *word;

	while ((word = block_next(&block, &at))) {
		const char *end = option_match(word, name);

		if (end)
			return *end == '=' ? end + 1 : block_next(&block, &at);
	}
	return NULL;
}

/* Adds a claim behind those there are, unless there is no room or it is no possible rank. */
static void claims_add(struct claims *claims, const struct rank_claim *claim)
{
	if (claims->nr < CLAIMS_MOST && claim->rank < RANK_MOST)
		claims->all[claims->nr++] = *claim;
}

/* Returns a variable's value; NULL if it has none, or for no name. */
static const char *variable(const struct block *environ, const char *name)
{
	return name ? claims_variable(environ->text, environ->len, name) : NULL;
}

/* Returns a variable's value as a number; CLAIM_UNKNOWN if it is none. */
static int number(const struct block *environ, const char *name)
{
	return claims_number(variable(environ, name));
}

/*
 * Finds the true local rank under --virtual-local-rank, where every worker is told 0 and sees one
 * GPU. If nodes are alike it follows from the ranks; it counts only if it is another than 0.
 */
static void unmask_local_rank(struct rank_claim *claim, const struct block *environ)
{
	int per_node = number(environ, "LOCAL_WORLD_SIZE"), place;

	if (claim->local_rank != 0 || per_node <= 1 || claim->node_rank < 0)
		return;
	place = claim->rank - claim->node_rank * per_node;
	if (place > 0 && place < per_node)
		claim->local_rank = place;
}

/* Adds the claim by the variables of one launcher. */
static void claim_by(struct claims *claims, const struct block *environ, const struct dialect *by)
{
	struct rank_claim claim = {.rank = number(environ, by->rank),
		.local_rank = number(environ, by->local),
		.world_size = number(environ, by->world),
		.node_rank = number(environ, by->node),
		.restart = CLAIM_UNKNOWN,
		.launcher = by->launcher,
		.source = by->source,
		.trust = CLAIM_ESTABLISHED,
		.of_task = by->of_task};

	if (claim.rank == CLAIM_UNKNOWN || (by->with && !variable(environ, by->with)))
		return;
	/* A rank beyond the world belongs to another world. */
	if (claim.world_size != CLAIM_UNKNOWN && claim.rank >= claim.world_size) {
		claim.world_size = CLAIM_UNKNOWN;
		claim.trust = CLAIM_SUPPORTED;
	}
	if (!by->of_task) {
		unmask_local_rank(&claim, environ);
		claim.restart = number(environ, "TORCHELASTIC_RESTART_COUNT");
	}
	claims_add(claims, &claim);
}

/*
 * Adds Slurm's claim, only in a step: outside of one SLURM_PROCID is that of the batch script, 0
 * for everybody.
 */
static void claim_by_slurm(struct claims *claims, const struct block *environ)
{
	struct rank_claim claim = {.rank = number(environ, "SLURM_PROCID"),
		.local_rank = number(environ, "SLURM_LOCALID"),
		.world_size = number(environ, "SLURM_STEP_NUM_TASKS"),
		.node_rank = number(environ, "SLURM_NODEID"),
		.restart = CLAIM_UNKNOWN,
		.launcher = "slurm",
		.source = "environ: SLURM_PROCID",
		.trust = CLAIM_ESTABLISHED,
		.of_task = true};
	const char *step = variable(environ, "SLURM_STEP_ID");
	const char *job = variable(environ, "SLURM_JOB_ID");

	if (claims_number(job) != CLAIM_UNKNOWN)
		snprintf(claims->slurm, sizeof(claims->slurm), "%s", job);
	if (!*claims->slurm || claims_number(step) == CLAIM_UNKNOWN)
		return;
	snprintf(claims->step, sizeof(claims->step), "%s.%s", job, step);
	if (claim.world_size == CLAIM_UNKNOWN)
		claim.world_size = number(environ, "SLURM_NTASKS");
	if (claim.rank != CLAIM_UNKNOWN)
		claims_add(claims, &claim);
}

/*
 * Adds the claim by arguments. They name the place on the node; that is the rank only on a single
 * node.
 */
static void claim_by_arguments(
	struct claims *claims, const struct block *environ, const struct block *cmdline)
{
	struct rank_claim claim = {.world_size = number(environ, "WORLD_SIZE"),
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.launcher = "arguments"};
	int rank = number(environ, "RANK");

	claim.local_rank =
		claims_number(claims_option(cmdline->text, cmdline->len, "local-rank"));
	claim.rank = claims_number(claims_option(cmdline->text, cmdline->len, "global-rank"));
	if (claim.rank != CLAIM_UNKNOWN) {
		claim.source = "argument: --global_rank";
		claim.trust = CLAIM_SUPPORTED;
	} else if (claim.local_rank != CLAIM_UNKNOWN && rank != CLAIM_UNKNOWN) {
		claim.rank = rank;
		claim.source = "environ: RANK, argument: --local_rank";
		claim.trust = CLAIM_ESTABLISHED;
	} else if (claim.local_rank != CLAIM_UNKNOWN) {
		claim.rank = claim.local_rank;
		claim.source = "argument: --local_rank, of a single node";
		claim.trust = CLAIM_HYPOTHESIS;
	} else {
		return;
	}
	claims_add(claims, &claim);
}

/* Adds the claim by arguments as programs of JAX take them: their own, and of how many. */
static void claim_by_jax_arguments(struct claims *claims, const struct block *cmdline)
{
	const struct rank_claim claim = {
		.rank = claims_number(claims_option(cmdline->text, cmdline->len, "process-id")),
		.local_rank = CLAIM_UNKNOWN,
		.world_size = claims_number(
			claims_option(cmdline->text, cmdline->len, "num-processes")),
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.launcher = "jax",
		.source = "arguments: --process_id, --num_processes",
		.trust = CLAIM_SUPPORTED};

	if (claim.rank != CLAIM_UNKNOWN && claim.rank < claim.world_size)
		claims_add(claims, &claim);
}

/* Adds RANK without LOCAL_RANK, which may be the number of a node. */
static void claim_by_node(struct claims *claims, const struct block *environ)
{
	const struct rank_claim claim = {.rank = number(environ, "RANK"),
		.local_rank = CLAIM_UNKNOWN,
		.world_size = number(environ, "WORLD_SIZE"),
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.launcher = "env",
		.source = "environ: RANK without LOCAL_RANK",
		.trust = CLAIM_HYPOTHESIS,
		.of_node = true};

	if (claim.rank != CLAIM_UNKNOWN && claim.world_size > claim.rank &&
		!variable(environ, "LOCAL_RANK"))
		claims_add(claims, &claim);
}

/*
 * Reads the place. A script that starts itself again, as Lightning does, gives each process a place
 * and no rank.
 */
static void read_place(struct claims *claims, const struct block *environ)
{
	const struct rank_claim place = {.rank = CLAIM_UNKNOWN,
		.local_rank = number(environ, "LOCAL_RANK"),
		.world_size = number(environ, "WORLD_SIZE"),
		.node_rank = number(environ, "NODE_RANK"),
		.restart = CLAIM_UNKNOWN,
		.launcher = "env",
		.trust = CLAIM_SUPPORTED};

	claims->has_place = place.local_rank != CLAIM_UNKNOWN && place.world_size > 0 &&
			    place.world_size <= RANK_MOST && place.node_rank != CLAIM_UNKNOWN &&
			    !variable(environ, "RANK") && !variable(environ, "GROUP_RANK");
	if (claims->has_place)
		claims->place = place;
}

/*
 * Reads what the job is called, by the best of those who name it, and the other names. torchrun's
 * "none" is no name.
 */
static void read_names(struct claims *claims, const struct block *environ)
{
	static const char *const names[] = {"TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE",
		"OMPI_MCA_ess_base_jobid", "PMI_JOBID", "FLUX_JOB_ID"};
	const char *address = variable(environ, "MASTER_ADDR");
	const char *port = variable(environ, "MASTER_PORT");
	const char *jax = variable(environ, "JAX_COORDINATOR_ADDRESS");
	const char *folder = variable(environ, "INQUEST_JOB_DIR");
	const char *error_file = variable(environ, "TORCHELASTIC_ERROR_FILE");
	const char *pmix = variable(environ, "PMIX_NAMESPACE");
	const char *run = variable(environ, "TORCHELASTIC_RUN_ID");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !*claims->job; i++) {
		const char *name = variable(environ, names[i]);

		if (name && strcmp(name, "none") != 0)
			snprintf(claims->job, sizeof(claims->job), "%s", name);
	}
	if (!*claims->job && *claims->step)
		snprintf(claims->job, sizeof(claims->job), "%s", claims->step);
	if (run && strcmp(run, "none") != 0)
		snprintf(claims->run, sizeof(claims->run), "%s", run);
	if (pmix)
		snprintf(claims->pmix, sizeof(claims->pmix), "%s", pmix);
	if (address && port)
		snprintf(claims->master, sizeof(claims->master), "%s:%s", address, port);
	else if (jax)
		snprintf(claims->master, sizeof(claims->master), "%s", jax);
	if (error_file && strlen(error_file) < sizeof(claims->error_file))
		strcpy(claims->error_file, error_file);
	if (folder)
		snprintf(claims->folder, sizeof(claims->folder), "%s", folder);
}

void claims_read(struct claims *ret, const char *environ, size_t environ_len, const char *cmdline,
	size_t cmdline_len)
{
	const struct block variables = {environ, environ_len}, words = {cmdline, cmdline_len};

	*ret = (struct claims){0};
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		/* RANK and LOCAL_RANK as torchrun sets them are no second claim. */
		if (!strcmp(dialects[i].launcher, "env") && ret->nr)
			continue;
		claim_by(ret, &variables, &dialects[i]);
	}
	claim_by_slurm(ret, &variables);
	claim_by_arguments(ret, &variables, &words);
	claim_by_jax_arguments(ret, &words);
	claim_by_node(ret, &variables);
	read_place(ret, &variables);
	read_names(ret, &variables);
}
