/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/key.h"

#include <stdlib.h>
#include <string.h>

#include "base/address.h"

/* What somebody says of his job, by kinds of keys; "" not told. */
struct told {
	const char *slurm, *step, *run, *master, *pmix, *name;
};

static const struct told nothing = {"", "", "", "", "", ""};

/* Returns what stands behind the prefix of such a key; NULL: the key is of another kind. */
static const char *behind(const char *key, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(key, prefix, len) ? NULL : key + len;
}

/* True if something was told, and it is this. */
static bool is_same(const char *told, const char *value)
{
	return *told && !strcmp(told, value);
}

/* True if what was told of a job fits the key; not where the key is a pid. */
static bool is_told(const char *key, const struct told *told)
{
	const char *value;

	if (!strcmp(key, "all"))
		return true;
	if ((value = behind(key, "slurm:")))
		return is_same(told->step, value) || is_same(told->slurm, value);
	if ((value = behind(key, "run:")))
		return is_same(told->run, value);
	if ((value = behind(key, "master:")))
		return is_same(told->master, value);
	if ((value = behind(key, "pmix:")))
		return is_same(told->pmix, value) || is_same(told->run, value);
	if ((value = behind(key, "name:")))
		return is_same(told->name, value);
	if (behind(key, "pid:"))
		return false;
	return is_same(told->step, key) || is_same(told->run, key) || is_same(told->name, key) ||
	       is_same(told->pmix, key);
}

bool key_is_of_folder(const char *key, const struct jobs_entry *entry)
{
	const struct fellow *fellow = &entry->fellow;
	struct told told = {
		fellow->slurm, fellow->step, fellow->run, fellow->master, "", entry->name};

	return is_told(key, &told) || !strcmp(key, entry->id) || !strcmp(key, entry->folder);
}

/* Returns what a process says of its job, by its environment. */
static struct told told_by(const struct survey_process *process)
{
	const struct claims *claims = &process->claims;

	return (struct told){claims->slurm, claims->step, claims->job, claims->master,
		claims->pmix, ""};
}

bool key_is_of_process(const char *key, const struct survey_process *process)
{
	const struct told told = told_by(process);

	return is_told(key, &told);
}

bool key_is_not_of_process(const char *key, const struct survey_process *process)
{
	const struct told told = told_by(process);

	if (is_told(key, &told))
		return false;
	return (behind(key, "slurm:") && *told.slurm) || (behind(key, "run:") && *told.run) ||
	       (behind(key, "master:") && *told.master) || (behind(key, "pmix:") && *told.pmix);
}

bool key_is_of_job(const char *key, const struct survey *survey, size_t job)
{
	const struct survey_process *process;

	if (!strcmp(key, survey->jobs.items[job].id))
		return true;
	array_for_each(&survey->all, process)
		if (process->is_rank && process->job == (int)job &&
			key_is_of_process(key, process))
			return true;
	return false;
}

uint32_t key_pid(const char *key)
{
	const char *value = behind(key, "pid:"), *digits = value ? value : key;

	if (!*digits || strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 9)
		return 0;
	return (uint32_t)strtoul(digits, NULL, 10);
}

/* The kinds of keys that begin with a word and a colon. */
static const struct kind {
	const char *prefix, *form;
	bool wide; /* key_is_wide() */
} kinds[] = {
	{"slurm:", "slurm:JOB.STEP", true},
	{"run:", "run:ID", true},
	{"master:", "master:HOST:PORT", true},
	{"pmix:", "pmix:NAMESPACE", true},
	{"name:", "name:NAME", true},
	{"pid:", "pid:N", false},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Returns the kind that the key begins as; NULL none. */
static const struct kind *kind_of(const char *key)
{
	for (size_t i = 0; i < KINDS; i++)
		if (behind(key, kinds[i].prefix))
			return &kinds[i];
	return NULL;
}

bool key_is_wide(const char *key)
{
	const struct kind *kind = kind_of(key);

	return kind ? kind->wide : !strcmp(key, "all");
}

void key_add_fault(const char *key, struct str *into)
{
	const struct kind *kind = kind_of(key);
	int word = (int)strspn(key, "abcdefghijklmnopqrstuvwxyz");

	if (kind) {
		if (!*behind(key, kind->prefix) || (behind(key, "pid:") && !key_pid(key)))
			str_printf(into, "; say %s", kind->form);
		return;
	}
	if (!word || key[word] != ':')
		return;
	str_printf(into, "; no KEY begins with '%.*s', but with ", word + 1, key);
	for (size_t i = 0; i < KINDS; i++)
		str_printf(into, "%s%s", i ? ", " : "", kinds[i].form);
}

/*
 * Appends the first of these that is told, and by which other nodes can know it. False if none is.
 */
static bool put_key(const struct told *told, struct str *into)
{
	if (*told->step)
		str_printf(into, "slurm:%s", told->step);
	else if (*told->run)
		str_printf(into, "run:%s", told->run);
	else if (address_is_wide(told->master))
		str_printf(into, "master:%s", told->master);
	else if (*told->name)
		str_printf(into, "name:%s", told->name);
	else
		return false;
	return true;
}

bool key_of_process(const struct survey_process *process, struct str *into)
{
	struct told told = nothing;

	told.step = process->claims.step;
	told.run = process->claims.job;
	told.master = process->claims.master;
	return put_key(&told, into);
}

bool key_of_folder(const struct jobs_entry *entry, struct str *into)
{
	struct told told = nothing;

	told.step = entry->fellow.step;
	told.run = entry->fellow.run;
	told.master = entry->fellow.master;
	told.name = entry->given;
	return put_key(&told, into);
}
