/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/reach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/reach/allocation.h"
#include "cmd/reach/here.h"
#include "cmd/reach/key.h"
#include "cmd/reach/nodes.h"

/* -- Engines ---------------------------------------------------------------------------------- */

/* Adds all nodes of a list by a template. 0, or -1 with words. */
static int add_all_via(
	struct collect *collect, const struct nodes *nodes, const char *via, struct complaint *why)
{
	int error = 0;

	for (size_t i = 0; i < nodes->names.nr && !error; i++)
		error = collect_add_via(collect, nodes->names.items[i], via, why);
	return error;
}

/* Sets the collector's key: without a job, whatever is there. */
static void say_all(struct collect *collect, struct str *key)
{
	if (!key->len)
		str_add(key, "all");
	collect->key = str_text(key);
}

/* How a host is reached. No questions: there is nobody to answer them. */
#define SSH "ssh -o BatchMode=yes -o ConnectTimeout=5 %h"

/* The engine of --hosts. */
static int add_hosts(const struct reach_wish *wish, struct collect *collect, struct str *key,
	struct complaint *why)
{
	struct nodes nodes = {0};
	int error = nodes_read(&nodes, wish->hosts, why);

	say_all(collect, key);
	if (!error)
		error = add_all_via(collect, &nodes, wish->via ? wish->via : SSH, why);
	nodes_release(&nodes);
	return error;
}

/* Adds "POD", "NAMESPACE/POD" or "NAMESPACE/POD/CONTAINER", by kubectl. 0, or -1 with words. */
static int add_pod(struct collect *collect, const char *name, struct complaint *why)
{
	char *copy = alloc_text(name), *rest = copy, *parts[3] = {NULL};
	const char *argv[10] = {"kubectl", "exec", "-i"};
	size_t n = 0, at = 3;

	while (n < 3 && rest)
		parts[n++] = strsep(&rest, "/");
	if (rest) {
		free(copy);
		return complaint_set(why, "no pod: %s: say NAMESPACE/POD/CONTAINER", name);
	}
	if (n > 1) {
		argv[at++] = "-n";
		argv[at++] = parts[0];
	}
	argv[at++] = parts[n > 1];
	if (n > 2) {
		argv[at++] = "-c";
		argv[at++] = parts[2];
	}
	argv[at] = "--";
	collect_add(collect, name, argv);
	free(copy);
	return 0;
}

/*
 * The engine of --pods. The slashes are part of the names, so it is a file only where that is said:
 * @FILE.
 */
static int add_pods(const struct reach_wish *wish, struct collect *collect, struct str *key,
	struct complaint *why)
{
	struct nodes nodes = {0};
	int error = nodes_read_names(&nodes, wish->pods, why);

	say_all(collect, key);
	if (!error && wish->via)
		error = add_all_via(collect, &nodes, wish->via, why);
	for (size_t i = 0; i < nodes.names.nr && !error && !wish->via; i++)
		error = add_pod(collect, nodes.names.items[i], why);
	nodes_release(&nodes);
	return error;
}

/*
 * srun as the argv of one node. What a job was told of srun in its environment would be options of
 * our step (eight tasks where one is wanted), so it is taken away, but for where Slurm is. The step
 * shares what the job has and takes nothing from it, waits for nothing, and ends no job. Where srun
 * cannot end it Slurm does, whose times are in minutes.
 */
struct srun {
	ARRAY(const char *) argv;
	ARRAY(char *) own; /* words of argv that are ours to free */
};

/* Appends a word that is borrowed. */
static void srun_add(struct srun *srun, const char *word)
{
	*array_add(&srun->argv) = word;
}

/* Appends a word, and takes it over. */
static void srun_add_own(struct srun *srun, struct str *word)
{
	*array_add(&srun->own) = str_detach(word);
	srun_add(srun, srun->own.items[srun->own.nr - 1]);
}

/* True if a variable says where Slurm is. */
static bool is_way_to_slurm(const char *variable, size_t len)
{
	static const char *const kept[] = {"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS",
		"SLURM_CLUSTER_NAME", "SLURM_JWT"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strlen(kept[i]) == len && !memcmp(variable, kept[i], len))
			return true;
	return false;
}

/*
 * Appends for `env' the variables to take away: all of Slurm's that are here but those that say
 * where it is.
 */
static void srun_add_clean(struct srun *srun)
{
	for (char **variable = environ; *variable; variable++) {
		size_t len = strcspn(*variable, "=");
		struct str name = {0};

		if ((strncmp(*variable, "SLURM_", 6) != 0 && strncmp(*variable, "SRUN_", 5) != 0) ||
			is_way_to_slurm(*variable, len))
			continue;
		str_add_bytes(&name, *variable, len);
		srun_add(srun, "-u");
		srun_add_own(srun, &name);
	}
}

/* Adds one node of an allocation, by srun. */
static void add_task(struct collect *collect, const struct allocation *allocation,
	const struct allocation_node *node)
{
	static const char *const always[] = {"srun", "--overlap", "--nodes=1", "--ntasks=1",
		"--mem=0", "--gres=none", "--mpi=none", "--cpu-bind=none",
		"--kill-on-bad-exit=0", "--quiet", "--chdir=/", "--job-name=inquest"};
	struct srun srun = {0};
	struct str word = {0};

	srun_add(&srun, "env");
	srun_add_clean(&srun);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		srun_add(&srun, always[i]);
	str_printf(&word, "--jobid=%s", allocation->id);
	srun_add_own(&srun, &word);
	str_printf(&word, "--nodelist=%s", node->name);
	srun_add_own(&srun, &word);
	str_printf(&word, "--immediate=%d", (collect->deadline_ms + 999) / 1000);
	srun_add_own(&srun, &word);
	str_printf(&word, "--time=%d", collect->deadline_ms / 60000 + 1);
	srun_add_own(&srun, &word);
	if (node->component >= 0) {
		str_printf(&word, "--het-group=%d", node->component);
		srun_add_own(&srun, &word);
	}
	srun_add(&srun, NULL);
	collect_add(collect, node->name, srun.argv.items);
	for (size_t i = 0; i < srun.own.nr; i++)
		free(srun.own.items[i]);
	array_release(&srun.own);
	array_release(&srun.argv);
}

/*
 * The engine of --slurm. The job that Slurm names is what is asked for, unless another key was
 * given.
 */
static int add_slurm(const struct reach_wish *wish, struct collect *collect, struct str *key,
	struct complaint *why)
{
	struct allocation allocation = {0};
	int error = allocation_read(&allocation, *wish->slurm ? wish->slurm : NULL, why);

	if (!error && !key->len) {
		str_printf(key, "slurm:%s", allocation.id);
		if (allocation.step >= 0)
			str_printf(key, ".%d", allocation.step);
	}
	collect->key = str_text(key);
	for (size_t i = 0; i < allocation.nodes.nr && !error; i++) {
		const struct allocation_node *node = &allocation.nodes.items[i];

		if (wish->via)
			error = collect_add_via(collect, node->name, wish->via, why);
		else
			add_task(collect, &allocation, node);
	}
	allocation_release(&allocation);
	return error;
}

static bool wants_hosts(const struct reach_wish *wish)
{
	return wish->hosts;
}

static bool wants_pods(const struct reach_wish *wish)
{
	return wish->pods;
}

static bool wants_slurm(const struct reach_wish *wish)
{
	return wish->slurm;
}

/*
 * The engines. Each: is it wanted, who is asked, and what it means that nobody can be. key is ""
 * where no job was named; who knows better than "all" sets it.
 */
static const struct engine {
	const char *option;
	bool (*is_wanted)(const struct reach_wish *wish);
	int (*add)(const struct reach_wish *wish, struct collect *collect, struct str *key,
		struct complaint *why);
	int failing; /* the status where `add` fails */
} engines[] = {
	{"--hosts", wants_hosts, add_hosts, CMD_USAGE},
	{"--pods", wants_pods, add_pods, CMD_USAGE},
	{"--slurm", wants_slurm, add_slurm, CMD_UNREADABLE},
};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

/* Returns the first engine that is wanted; NULL: none is. */
static const struct engine *wanted_engine(const struct reach_wish *wish)
{
	for (size_t i = 0; i < ENGINES; i++)
		if (engines[i].is_wanted(wish))
			return &engines[i];
	return NULL;
}

bool reach_is_wanted(const struct reach_wish *wish)
{
	return wanted_engine(wish) != NULL;
}

/* -- Options ---------------------------------------------------------------------------------- */

enum { HOSTS = 512, PODS, SLURM, VIA, DEADLINE };

static const struct argp_option options[] = {
	{"hosts", HOSTS, "LIST", 0,
		"The whole job: ask each of these hosts, m[1-4,7],head, a file, or @mpirun", 0},
	{"pods", PODS, "LIST", 0,
		"The whole job: ask each of these pods, NAMESPACE/POD, by kubectl exec", 0},
	{"slurm", SLURM, "JOB", OPTION_ARG_OPTIONAL,
		"The whole job: ask each node of that Slurm job or step, 123.0, by srun; without "
		"JOB the one that this is in",
		0},
	{"via", VIA, "COMMAND", 0,
		"How to run something on a node %h (default: ssh, without questions)", 0},
	{"deadline", DEADLINE, "SECONDS", 0, "How long each node has to answer (default 10)", 0},
	{0},
};

/* Takes one option, as argp does. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reach_wish *wish = state->input;
	double seconds;

	switch (key) {
	case HOSTS:
		wish->hosts = arg;
		return 0;
	case PODS:
		wish->pods = arg;
		return 0;
	case SLURM:
		wish->slurm = arg ? arg : "";
		return 0;
	case VIA:
		wish->via = arg;
		return 0;
	case DEADLINE:
		if (!clock_read_seconds(arg, 0.1, 86400, &seconds))
			argp_error(state, "no time: %s: say 30, 30s or 5m", arg);
		wish->deadline_ms = (int)(seconds * 1000);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp reach_argp = {.options = options, .parser = parse};

int reach_may(const struct reach_wish *wish)
{
	const struct engine *engine = wanted_engine(wish);

	for (size_t i = 0; i < ENGINES; i++)
		if (&engines[i] != engine && engines[i].is_wanted(wish)) {
			cmd_complain(
				"%s and %s: say one of them", engine->option, engines[i].option);
			return CMD_USAGE;
		}
	if (!engine && (wish->via || wish->deadline_ms)) {
		cmd_complain("--via and --deadline are about other nodes: say --hosts, --pods or "
			     "--slurm");
		return CMD_USAGE;
	}
	return CMD_FINE;
}

/* -- Which job -------------------------------------------------------------------------------- */

/*
 * Adds the key that other nodes know, of what was found here by its name; nothing where none is
 * known. A name is that of several: those that live, before those that are over, and of these one.
 * Returns CMD_FINE, or CMD_USAGE after a complaint where there are several.
 */
static int choose_key(const struct here *here, const char *job, struct str *key)
{
	struct here_keys keys = {0};
	int status = CMD_FINE;

	here_wide_keys(here, &keys);
	if (keys.all.nr == 1)
		str_add(key, str_text(&keys.all.items[0]));
	if (keys.all.nr > 1) {
		cmd_complain("%s is what several jobs are called here: in place of it say which",
			job);
		for (size_t i = 0; i < keys.all.nr; i++)
			cmd_complain("  %s", str_text(&keys.all.items[i]));
		status = CMD_USAGE;
	}
	here_keys_release(&keys);
	return status;
}

/*
 * Finds the name to ask other nodes for: a job's name here may mean nothing elsewhere, then it is
 * the launcher's. Returns CMD_FINE, or another status after a complaint.
 */
static int find_key(const char *job, struct str *key)
{
	struct here here = {0};
	int status;

	if (!job || key_is_wide(job)) {
		str_add(key, job ? job : "");
		return CMD_FINE;
	}
	status = here_find(&here, job);
	if (!status)
		status = choose_key(&here, job, key);
	if (!status && !key->len && key_pid(job)) {
		cmd_complain("%s is a process of this node, and nothing tells what its job is "
			     "called elsewhere: say slurm:J.S, run:ID, master:HOST:PORT or name:N",
			job);
		status = CMD_USAGE;
	} else if (!status && !key->len) {
		str_add(key, job);
	}
	here_release(&here);
	return status;
}

/* -- What came of it -------------------------------------------------------------------------- */

/* Complains of each node that lacks. Returns CMD_FINE if one answered, else CMD_UNREADABLE. */
static int tell_nodes(const struct collect *collect, size_t answered)
{
	const struct collect_node *node;
	size_t lacking = 0;

	array_for_each (&collect->nodes, node) {
		if (node->why.len)
			cmd_complain("%s: %s%s%s", node->name, str_text(&node->why),
				node->advice ? ": " : "", node->advice ? node->advice : "");
		lacking += node->state == COLLECT_LACKS;
	}
	if (answered)
		return CMD_FINE;
	if (lacking == collect->nodes.nr)
		cmd_complain("no node has answered, of %zu", collect->nodes.nr);
	else
		cmd_complain("nothing of %s is on the %zu nodes that answered: `inquest ls --all' "
			     "lists the jobs of a node",
			collect->key, collect->nodes.nr - lacking);
	return CMD_UNREADABLE;
}

int reach_collect(const struct reach_wish *wish, const char *job, struct collect *collect,
	struct bundle_groups *groups)
{
	const struct engine *engine = wanted_engine(wish);
	struct reach_wish meant = *wish;
	struct complaint why = {0};
	struct str key = {0};
	int status;

	/* "--slurm 123.0": what an option may have stands behind "="; this is an argument. */
	if (wish->slurm && !*wish->slurm && job && allocation_is_job(job)) {
		meant.slurm = job;
		job = NULL;
	}
	status = find_key(job, &key);
	collect->deadline_ms = wish->deadline_ms ? wish->deadline_ms : COLLECT_DEADLINE_MS;
	if (!status && engine->add(&meant, collect, &key, &why) < 0) {
		cmd_complain("%s", complaint_text(&why));
		status = engine->failing;
	}
	if (!status)
		status = tell_nodes(collect, collect_run(collect, groups));
	collect_release(collect);
	collect->key = NULL;
	complaint_release(&why);
	str_release(&key);
	return status;
}
