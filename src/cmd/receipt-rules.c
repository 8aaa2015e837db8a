/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/receipt-rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/redact.h"
#include "envrules/envrules.h"
#include "report/receipt-text.h"

/*
 * True if it is known what a variable was: it is set, and its value kept; or it would be kept, so
 * that it was not set.
 */
static bool is_known(const struct job_launch *launch, const char *name)
{
	return launch_variable(launch, name) || redact_keeps_variable(name);
}

/* Returns the environment as an argv, which the caller frees with its words. */
static char **env_of(const struct job_launch *launch)
{
	char **env = alloc_zeroed(launch->nenv + 1, sizeof(*env));

	for (size_t i = 0; i < launch->nenv; i++) {
		struct str one = {0};

		str_printf(&one, "%s=%s", launch->env[i].name, launch->env[i].value);
		env[i] = str_detach(&one);
	}
	return env;
}

/* Returns 215 for "torch 2.15.0+cu132"; -1 for anything else. */
static int torch_of(const char *framework)
{
	int major, minor;

	return sscanf(framework, "torch %3d.%3d", &major, &minor) == 2 ? major * 100 + minor : -1;
}

/* Returns it as an int; -1 where it is none or not known. */
static int small(int64_t n)
{
	return n >= 0 && n < INT_MAX ? (int)n : -1;
}

/* Returns how long the slowest rank has compiled, in seconds; -1 not known. */
static int64_t longest_compile(const struct receipt *receipt)
{
	int64_t longest = -1;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].compiling > longest)
			longest = receipt->ranks[i].compiling;
	return longest < 0 ? -1 : longest / CLOCK_NS_PER_S;
}

/* Appends the line for one rule. */
static void add_rule(struct str *into, const struct receipt *receipt, const struct envrule *rule,
	bool first, bool utf8)
{
	const char *value = launch_variable(&receipt->launch, rule->name);
	struct str words = {0};

	if (value)
		str_printf(&words, "%s=%s ", rule->name, value);
	else
		str_printf(&words, "%s ", rule->name);
	str_add(&words, rule->does);
	if (rule->fix)
		str_printf(&words, "; %s", rule->fix);
	receipt_text_line(into, first ? "env rules" : "", str_text(&words), utf8);
	str_release(&words);
}

void receipt_rules(struct str *into, const struct receipt *receipt, bool utf8)
{
	char **env = env_of(&receipt->launch);
	const struct envrules_launch launch = {.env = env,
		.ranks = receipt->nranks ? small((int64_t)receipt->nranks) : -1,
		.world = small(receipt->world_size),
		.hosts = -1,
		.cpus = small(receipt->launch.cpus),
		.torch = torch_of(receipt->framework),
		.compile_s = longest_compile(receipt)};
	const struct envrule *rule = NULL;
	bool first = true;

	while (receipt->launch.env_known && (rule = envrules_next(&launch, rule))) {
		if (!is_known(&receipt->launch, rule->name))
			continue;
		add_rule(into, receipt, rule, first, utf8);
		first = false;
	}
	for (size_t i = 0; i < receipt->launch.nenv; i++)
		free(env[i]);
	free(env);
}
