/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/reach/here.h"
#include "cmd/reach/key.h"
#include "cmd/reach/nodes.h"

/* -- Engines ---------------------------------------------------------------------------------- */

static int add_all_via(
	struct collect *collect, const struct nodes *nodes, const char *via, struct complaint *why)
{
	int error = 0;

	for (size_t i = 0; i < nodes->names.nr && !error; i++)
		error = collect_add_via(collect, nodes->names.items[i], via, why);
	return error;
}

/* No questions: there is nobody to answer them. */
#define SSH "ssh -o BatchMode=yes -o ConnectTimeout=5 %h"

static int add_hosts(const struct reach_wish *wish, struct collect *collect, struct complaint *why)
{
	struct nodes nodes = {0};
	int error = nodes_read(&nodes, wish->hosts, why);

	if (!error)
		error = add_all_via(collect, &nodes, wish->via ? wish->via : SSH, why);
	nodes_release(&nodes);
	return error;
}

/* "POD", "NAMESPACE/POD" or "NAMESPACE/POD/CONTAINER". */
static void add_pod(struct collect *collect, const char *name)
{
	char *copy = alloc_text(name), *rest = copy, *parts[3] = {NULL};
	const char *argv[10] = {"kubectl", "exec", "-i"};
	size_t n = 0, at = 3;

	while (n < 3 && rest)
		parts[n++] = strsep(&rest, "/");
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
}

/* The slashes are part of the names, so it is a file only where that is said: @FILE. */
static int add_pods(const struct reach_wish *wish, struct collect *collect, struct complaint *why)
{
	struct nodes nodes = {0};
	int error = nodes_read_names(&nodes, wish->pods, why);

	if (!error && wish->via)
		error = add_all_via(collect, &nodes, wish->via, why);
	for (size_t i = 0; i < nodes.names.nr && !error && !wish->via; i++)
		add_pod(collect, nodes.names.items[i]);
	nodes_release(&nodes);
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

/* Each: is it wanted, and who is asked. */
static const struct engine {
	const char *option;
	bool (*is_wanted)(const struct reach_wish *wish);
	int (*add)(const struct reach_wish *wish, struct collect *collect, struct complaint *why);
} engines[] = {
	{"--hosts", wants_hosts, add_hosts},
	{"--pods", wants_pods, add_pods},
};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

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

enum { HOSTS = 512, PODS, VIA, DEADLINE };

static const struct argp_option options[] = {
	{"hosts", HOSTS, "LIST", 0,
		"The whole job: ask each of these hosts, m[1-4,7],head, a file, or @mpirun", 0},
	{"pods", PODS, "LIST", 0,
		"The whole job: ask each of these pods, NAMESPACE/POD, by kubectl exec", 0},
	{"via", VIA, "COMMAND", 0,
		"How to run something on a node %h (default: ssh, without questions)", 0},
	{"deadline", DEADLINE, "SECONDS", 0, "How long each node has to answer (default 10)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reach_wish *wish = state->input;
	char *end;
	double seconds;

	switch (key) {
	case HOSTS:
		wish->hosts = arg;
		return 0;
	case PODS:
		wish->pods = arg;
		return 0;
	case VIA:
		wish->via = arg;
		return 0;
	case DEADLINE:
		seconds = strtod(arg, &end);
		if (end == arg || *end || !(seconds >= 0.1 && seconds <= 86400))
			argp_error(state, "not a number of seconds: %s", arg);
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
		cmd_complain("--via and --deadline are about other nodes: say --hosts or --pods");
		return CMD_USAGE;
	}
	return CMD_FINE;
}

/* -- Which job -------------------------------------------------------------------------------- */

/*
 * What a job is called here may mean nothing elsewhere: then it is asked for as its launcher names
 * it. CMD_FINE, or another status after a complaint.
 */
static int find_key(const char *job, struct str *key)
{
	struct here here = {0};
	int status = CMD_FINE;

	if (!job || key_is_wide(job)) {
		str_add(key, job ? job : "all");
		return CMD_FINE;
	}
	status = here_find(&here, job);
	if (!status && !here_wide_key(&here, key)) {
		if (key_pid(job)) {
			cmd_complain("%s is a process of this node, and nothing tells what its job "
				     "is called elsewhere: say slurm:J.S, run:ID, "
				     "master:HOST:PORT or name:N",
				job);
			status = CMD_USAGE;
		}
		str_add(key, job);
	}
	here_release(&here);
	return status;
}

/* -- What came of it -------------------------------------------------------------------------- */

static int tell_nodes(const struct collect *collect, size_t answered)
{
	const struct collect_node *node;
	size_t lacking = 0;

	array_for_each (&collect->nodes, node) {
		if (node->why.len)
			cmd_complain("%s: %s", node->name, str_text(&node->why));
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
	struct complaint why = {0};
	struct str key = {0};
	int status = find_key(job, &key);

	collect->key = str_text(&key);
	collect->deadline_ms = wish->deadline_ms;
	if (!status && wanted_engine(wish)->add(wish, collect, &why) < 0) {
		cmd_complain("%s", complaint_text(&why));
		status = CMD_USAGE;
	}
	if (!status)
		status = tell_nodes(collect, collect_run(collect, groups));
	collect_release(collect);
	collect->key = NULL;
	complaint_release(&why);
	str_release(&key);
	return status;
}
