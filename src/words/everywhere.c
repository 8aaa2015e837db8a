/* SPDX-License-Identifier: Apache-2.0 */
#include "words/everywhere.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/array.h"

/*
 * A host's name as a number behind a prefix: "m07" is 7 behind "m". Without a number it is all
 * prefix.
 */
struct host {
	const char *name;
	size_t len, prefix;
	uint64_t number;
};

/* Hosts, while they are sorted. */
struct hosts {
	ARRAY(struct host) list;
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
/* A number of more digits is part of the name. */
#define DIGITS_MOST 9

/* True if a shell, and whatever is asked for that host, take it for a name. */
static bool is_plain(const char *name, size_t len)
{
	return len && len == strspn(name, LETTERS "._-") && *name != '-';
}

bool everywhere_is_word(const char *name)
{
	return *name && *name != '-' && !name[strspn(name, LETTERS ".:_-")];
}

/* Adds a host, its name taken apart. The name is borrowed. */
static void add_host(struct hosts *hosts, const char *name, size_t len)
{
	struct host *host = array_add(&hosts->list);

	*host = (struct host){.name = name, .len = len, .prefix = len};
	while (host->prefix && len - host->prefix < DIGITS_MOST &&
		strchr("0123456789", name[host->prefix - 1]))
		host->prefix--;
	for (size_t i = host->prefix; i < len; i++)
		host->number = host->number * 10 + (uint64_t)(name[i] - '0');
}

/* Orders hosts by prefix, then by digits, then by number. */
static int compare_hosts(const void *va, const void *vb)
{
	const struct host *a = va, *b = vb;
	int by = strncmp(a->name, b->name, a->prefix < b->prefix ? a->prefix : b->prefix);

	if (!by && a->prefix != b->prefix)
		by = a->prefix < b->prefix ? -1 : 1;
	if (!by && a->len != b->len)
		by = a->len < b->len ? -1 : 1;
	return by ? by : (a->number > b->number) - (a->number < b->number);
}

/*
 * Sorts the hosts, and keeps one of those that are the same: one may have been seen and be missing
 * as well, as where only one of two gatherings worked.
 */
static void sort_hosts(struct hosts *hosts)
{
	size_t n = 0;

	array_sort(&hosts->list, compare_hosts);
	for (size_t i = 0; i < hosts->list.nr; i++)
		if (!n || compare_hosts(&hosts->list.items[n - 1], &hosts->list.items[i]) != 0)
			hosts->list.items[n++] = hosts->list.items[i];
	hosts->list.nr = n;
}

/* True if b may stand in the brackets of a: they have one prefix, and numbers of as many digits. */
static bool are_like(const struct host *a, const struct host *b)
{
	return a->len == b->len && a->prefix == b->prefix && a->prefix < a->len &&
	       !strncmp(a->name, b->name, a->prefix);
}

/* Appends the hosts of one prefix from `first` on, "m[1-3,7]". Returns how many they are. */
static size_t add_like(struct str *into, const struct hosts *hosts, size_t first)
{
	const struct host *at = &hosts->list.items[first];
	size_t n = 1;

	while (first + n < hosts->list.nr && are_like(at, at + n))
		n++;
	if (n == 1) {
		str_add_bytes(into, at->name, at->len);
		return 1;
	}
	str_add_bytes(into, at->name, at->prefix);
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && at[i + run].number == at[i].number + run; run++)
			;
		str_add(into, i ? "," : "[");
		str_add_bytes(into, at[i].name + at->prefix, at->len - at->prefix);
		if (run > 1) {
			str_add_char(into, '-');
			str_add_bytes(into, at[i + run - 1].name + at->prefix,
				at->len - at->prefix);
		}
	}
	str_add_char(into, ']');
	return n;
}

/*
 * Lists the hosts that were seen and those that are missing, each once, in order. Returns false
 * where one of them is no plain name, or only one is known.
 */
static bool find_hosts(struct hosts *hosts, const struct job *job)
{
	const char *at = job->coverage.hosts_missing;
	bool plain = true;

	for (size_t i = 0; i < job->nhosts; i++)
		add_host(hosts, job->hosts[i].name, strlen(job->hosts[i].name));
	for (size_t len; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		add_host(hosts, at, len);
	}
	for (size_t i = 0; i < hosts->list.nr; i++)
		plain = plain && is_plain(hosts->list.items[i].name, hosts->list.items[i].len);
	if (plain)
		sort_hosts(hosts);
	return plain && hosts->list.nr > 1;
}

/*
 * Returns where all ranks that tell it look for rank 0; NULL where they differ, or where that means
 * nothing on other nodes.
 */
static const char *find_master(const struct job *job)
{
	const char *master = NULL;

	for (size_t i = 0; i < job->ntraits; i++) {
		const char *text = job->traits[i].text;

		if (strcmp(job->traits[i].key, "master") != 0 || !text)
			continue;
		if (master && strcmp(master, text) != 0)
			return NULL;
		master = text;
	}
	if (!master || !address_is_wide(master) || *master == ':' ||
		strlen(master) != strspn(master, LETTERS "._-:"))
		return NULL;
	return master;
}

#define STEP_DIGITS "0123456789"

/* Returns how long the job's number is in "33.0" or "33"; 0: it is no such text. */
static size_t job_len(const char *text)
{
	size_t job = strspn(text, STEP_DIGITS), step;

	if (!job || job > DIGITS_MOST)
		return 0;
	if (!text[job])
		return job;
	step = text[job] == '.' ? strspn(text + job + 1, STEP_DIGITS) : 0;
	return step && step <= DIGITS_MOST && !text[job + 1 + step] ? job : 0;
}

/*
 * Appends the step of Slurm of all ranks that tell one, behind `before`; where their steps differ,
 * or some tell just a job, their job. Returns false where they tell several jobs, or none.
 */
static bool add_step(struct str *into, const char *before, const struct job *job)
{
	const char *step = NULL;
	size_t len = 0;
	bool whole = true;

	for (size_t i = 0; i < job->ntraits; i++) {
		const char *text = job->traits[i].text;

		if (strcmp(job->traits[i].key, "slurm") != 0 || !text)
			continue;
		if (!step)
			len = job_len(text);
		if (!len || job_len(text) != len || (step && strncmp(step, text, len) != 0))
			return false;
		whole = whole && (!step || !strcmp(step, text));
		step = text;
	}
	if (!step)
		return false;
	str_add(into, before);
	str_add_bytes(into, step, whole ? strlen(step) : len);
	return true;
}

#define BY_SLURM "inquest attach --slurm "

bool everywhere_add_slurm(struct str *into, const struct job *job)
{
	return (job->nhosts > 1 || *job->coverage.hosts_missing) && add_step(into, BY_SLURM, job);
}

void everywhere_add_key(struct str *into, const struct job *job)
{
	if (!add_step(into, "slurm:", job))
		str_add(into, "--all");
}

bool everywhere_add_command(struct str *into, const struct job *job, bool again)
{
	const char *master = again ? NULL : find_master(job);
	struct hosts hosts = {0};
	struct str list = {0};
	bool known;

	if (!again && add_step(into, BY_SLURM, job))
		return true;
	known = find_hosts(&hosts, job);
	if (known) {
		for (size_t i = 0; i < hosts.list.nr;) {
			str_add(&list, i ? "," : "");
			i += add_like(&list, &hosts, i);
		}
		str_printf(into, strchr(str_text(&list), '[') ? "%s'%s'" : "%s%s",
			"inquest attach --hosts ", str_text(&list));
		if (master)
			str_printf(into, " master:%s", master);
	}
	array_release(&hosts.list);
	str_release(&list);
	return known;
}
