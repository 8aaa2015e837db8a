/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/unprobed.h"

#include <errno.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "evidence/format/folder.h"
#include "evidence/format/json-get.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/identity.h"
#include "evidence/gather/live/live-add.h"
#include "evidence/gather/liveness.h"
#include "proc/blocking-read.h"
#include "proc/ns.h"
#include "proc/survey/survey.h"
#include "proc/tree.h"
#include "ring/census-read.h"

#define UNPROBED_PROBE	  "inquest-probe.so"
#define UNPROBED_INQUEST  "inquest"
#define UNPROBED_MAPS_CAP (8u * 1024 * 1024) /* bytes of one process' maps */
#define UNPROBED_CAP	  (256u * 1024) /* of another file of /proc, or of an exhibit */
/* ns: a process that lives for less may yet exec, or is a short-lived helper. */
#define UNPROBED_AGE_NS (3 * CLOCK_NS_PER_S)

/* One search. */
struct unprobed {
	ARRAY(uint32_t) slots; /* pids, as we see them, of the processes in the census that live */
	uint32_t agent; /* pid; 0: it is gone */
	uid_t owner;	/* of the job's folder */
	char place[96]; /* how the path of the census ends, from wherever it is seen */
	struct survey survey;
	int deadline_ms;
};

/* --- Who has a place in the census ------------------------------------------------------------ */

/* Reads who is in the census. Returns false if the agent is gone, or there is no census. */
static bool unprobed_take_census(struct unprobed *unprobed, const struct folder *folder)
{
	int fd = folder_open_file(folder, CENSUS_FILE, NULL);
	struct proc_ns_seen seen = {0};
	const char *id = strrchr(folder->path, '/');
	struct census_view view;
	void *bytes = NULL;
	size_t size = 0;

	unprobed->owner = folder->uid;
	snprintf(unprobed->place, sizeof(unprobed->place), "%s/" CENSUS_FILE, id ? id : "");
	if (fd >= 0 && census_snapshot(fd, &bytes, &size) == 0 &&
		census_view_open(&view, bytes, size) == 0) {
		unprobed->agent = view.header.agent_pid;
		if (proc_start_time(unprobed->agent) != view.header.agent_start_time)
			unprobed->agent = 0;
		for (uint32_t i = 0; i < view.slots && unprobed->agent; i++) {
			struct census_slot slot;
			struct liveness liveness;

			if (census_view_slot(&view, i, &slot) != 1)
				continue;
			liveness = liveness_of_slot(&seen, fd, i, &slot);
			if (liveness.there)
				*array_add(&unprobed->slots) = liveness.here;
		}
	}
	proc_ns_seen_release(&seen);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return unprobed->agent != 0;
}

static bool unprobed_has_slot(const struct unprobed *unprobed, uint32_t pid)
{
	for (size_t i = 0; i < unprobed->slots.nr; i++)
		if (unprobed->slots.items[i] == pid)
			return true;
	return false;
}

/*
 * True if a descendant of that process is in the census: the process is then only an ancestor of
 * the rank. `above` is an index into the survey.
 */
static bool unprobed_has_slot_below(const struct unprobed *unprobed, int above)
{
	for (size_t i = 0; i < unprobed->survey.all.nr; i++) {
		int at = unprobed->survey.all.items[i].parent;

		if (!unprobed_has_slot(unprobed, unprobed->survey.all.items[i].stat.pid))
			continue;
		for (int steps = 0; at != SURVEY_NONE && steps < 64; steps++) {
			if (at == above)
				return true;
			at = unprobed->survey.all.items[at].parent;
		}
	}
	return false;
}

static bool unprobed_is_young(const struct survey_process *process)
{
	int64_t tick = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);

	return clock_boottime_ns() - (int64_t)process->stat.start_time * tick < UNPROBED_AGE_NS;
}

/* --- Why -------------------------------------------------------------------------------------- */

enum { UNPROBED_MAPS, UNPROBED_ENVIRON, UNPROBED_AUXV, UNPROBED_FILES };

static const char *const unprobed_files[UNPROBED_FILES] = {"maps", "environ", "auxv"};

/*
 * Returns what the kernel gave the process under that key at its start; `other` where that is not
 * told.
 */
static unsigned long unprobed_given(
	const struct blocking_read *auxv, unsigned long key, unsigned long other)
{
	unsigned long pair[2];

	for (size_t at = 0; at + sizeof(pair) <= auxv->bytes.len; at += sizeof(pair)) {
		memcpy(pair, auxv->bytes.text + at, sizeof(pair));
		if (pair[0] == key)
			return pair[1];
	}
	return other;
}

/* True if the process is in another mount namespace than we are. */
static bool unprobed_has_own_mounts(uint32_t pid)
{
	char path[64], its[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	return readlink(path, its, sizeof(its) - 1) > 0 &&
		readlink("/proc/self/ns/mnt", ours, sizeof(ours) - 1) > 0 &&
		strcmp(its, ours) != 0;
}

static bool unprobed_has(const struct blocking_read *file, const char *text)
{
	return file->bytes.len && memmem(file->bytes.text, file->bytes.len, text, strlen(text));
}

/* Returns the value that a variable had when the program began; NULL where it had none. */
static const char *unprobed_variable(const struct blocking_read *block, const char *name)
{
	return claims_variable(block->bytes.len ? block->bytes.text : "", block->bytes.len, name);
}

/*
 * Returns how many filters of system calls the process has, its own and its parents'; 0 where that
 * is not told.
 */
static long unprobed_filters(uint32_t pid)
{
	struct str status = {0};
	const char *line = NULL;
	long filters;

	if (proc_read(pid, "status", &status, NULL) == 0)
		line = strstr(str_text(&status), "\nSeccomp_filters:");
	filters = line ? strtol(line + strlen("\nSeccomp_filters:"), NULL, 10) : 0;
	str_release(&status);
	return filters;
}

/* Says why nothing comes from a process that has the probe; NULL if all is well. */
static const char *unprobed_why_elsewhere(const struct unprobed *unprobed,
	const struct survey_process *process,
	const struct blocking_read files[static UNPROBED_FILES])
{
	uint32_t pid = process->stat.pid;

	/*
	 * It has the census mapped; but a slot may be what it had before it was another program, or
	 * has no use for yet.
	 */
	if (unprobed_has(&files[UNPROBED_MAPS], unprobed->place))
		return !unprobed_has_slot(unprobed, pid) &&
				       unprobed_filters(pid) > unprobed_filters(unprobed->agent)
			       ? "they gave up their system calls"
			       : NULL;
	if (process->uid != unprobed->owner)
		return "another user, who may not enter the job's folder";
	if (unprobed_has_own_mounts(pid))
		return "mounts without the job's folder";
	return unprobed_variable(&files[UNPROBED_ENVIRON], "INQUEST_JOB_DIR")
		       ? "they cannot enter the job's folder"
		       : "INQUEST_JOB_DIR was taken away";
}

/* Says why the probe is not at work in the process; NULL if it is. */
static const char *unprobed_why(const struct unprobed *unprobed,
	const struct survey_process *process,
	const struct blocking_read files[static UNPROBED_FILES])
{
	const struct blocking_read *maps = &files[UNPROBED_MAPS], *block = &files[UNPROBED_ENVIRON];
	const char *preload = unprobed_variable(block, "LD_PRELOAD");
	const char *none = unprobed_variable(block, "INQUEST_PROBE");

	if (maps->error || !maps->bytes.len)
		return "not known why: they may not be looked into";
	if (unprobed_has(maps, "/ld-musl"))
		return "the C library is not glibc";
	if (unprobed_has(maps, UNPROBED_PROBE))
		return unprobed_why_elsewhere(unprobed, process, files);
	if (none && !strcmp(none, "none"))
		return "inquest run had none for them";
	if (!preload && !unprobed_variable(block, "INQUEST_JOB_DIR"))
		return "the environment was cleared";
	if (!preload || !strstr(preload, UNPROBED_PROBE))
		return unprobed_has_own_mounts(maps->pid) ? "mounts without the probe's file"
							  : "LD_PRELOAD was replaced";
	if (unprobed_given(&files[UNPROBED_AUXV], AT_SECURE, 0))
		return "raised privileges";
	/* No loader was started with the program, even if the program has loaded one since. */
	if (!unprobed_given(&files[UNPROBED_AUXV], AT_BASE, 1))
		return "statically linked";
	if (unprobed_has_own_mounts(maps->pid))
		return "mounts without the probe's file";
	return "the loader did not load it";
}

/* --- The exhibit ------------------------------------------------------------------------------ */

/* Returns the pid by which the process knows itself. */
static uint32_t unprobed_inner_pid(uint32_t pid)
{
	struct str status = {0};
	uint32_t inner = 0;

	if (proc_read(pid, "status", &status, NULL) == 0)
		inner = proc_ns_innermost(str_text(&status));
	str_release(&status);
	return inner ? inner : pid;
}

static void unprobed_add(
	const struct survey_process *found, const char *why, struct evidence *into)
{
	struct json_object *object = json_object_new_object();
	char host[256];
	struct exhibit about = {.kind = EXHIBIT_IDENTITY,
		.host = host,
		.rank = found->rank.rank,
		.pid = unprobed_inner_pid(found->stat.pid),
		.start_time = found->stat.start_time,
		.when = clock_realtime_ns()};
	struct str text = {0};
	size_t len;

	live_host(host, sizeof(host));
	json_put_text(object, "schema", "inquest-identity/1");
	json_put_text(object, "role", "rank");
	json_put_int(object, "here", found->stat.pid);
	identity_put_rank(object, found);
	json_put_text(object, "comm", found->stat.comm);
	json_put_text(object, "command", found->command);
	json_put_text(object, "unprobed", why);
	json_put_end(object, &text);
	len = text.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&text), len);
}

static int unprobed_number(const struct json_object *object, const char *key)
{
	struct json_object *value = json_get(object, key, json_type_int);

	return value ? json_object_get_int(value) : -1;
}

bool unprobed_read(const struct exhibit *exhibit, struct unprobed_rank *ret)
{
	struct json_tokener *tokener;
	struct json_object *object, *why = NULL;
	bool is = false;

	if (exhibit->kind != EXHIBIT_IDENTITY || exhibit->len > UNPROBED_CAP)
		return false;
	tokener = json_tokener_new();
	object = json_tokener_parse_ex(tokener, (const char *)exhibit->bytes, (int)exhibit->len);
	if (json_object_is_type(object, json_type_object) &&
		json_object_object_get_ex(object, "unprobed", &why)) {
		int here = unprobed_number(object, "here");

		*ret = (struct unprobed_rank){.pid = exhibit->pid,
			.here = here > 0 ? (uint32_t)here : exhibit->pid,
			.start_time = exhibit->start_time,
			.rank = unprobed_number(object, "rank"),
			.world_size = unprobed_number(object, "world_size")};
		snprintf(ret->why, sizeof(ret->why), "%s", json_object_get_string(why));
		is = true;
	}
	json_object_put(object);
	json_tokener_free(tokener);
	return is;
}

/* --- All of it -------------------------------------------------------------------------------- */

/*
 * Looks into the processes that are left, since the probe may be there all the same; adds those
 * that have none at work.
 */
static size_t unprobed_look(
	struct unprobed *unprobed, const size_t *whose, size_t nr, struct evidence *into)
{
	struct blocking_read *files = calloc(nr * UNPROBED_FILES + 1, sizeof(*files));
	size_t found = 0;

	if (!files)
		return 0;
	for (size_t i = 0; i < nr * UNPROBED_FILES; i++)
		files[i] = (struct blocking_read){
			.pid = unprobed->survey.all.items[whose[i / UNPROBED_FILES]].stat.pid,
			.name = unprobed_files[i % UNPROBED_FILES],
			.what = BLOCKING_READ_FILE,
			.cap = i % UNPROBED_FILES == UNPROBED_MAPS ? UNPROBED_MAPS_CAP
								   : UNPROBED_CAP};
	if (nr)
		blocking_reads_run(files, nr * UNPROBED_FILES, unprobed->deadline_ms);
	for (size_t i = 0; i < nr; i++) {
		const struct survey_process *process = &unprobed->survey.all.items[whose[i]];
		const char *why = unprobed_why(unprobed, process, &files[i * UNPROBED_FILES]);

		if (!why || proc_start_time(process->stat.pid) != process->stat.start_time)
			continue;
		unprobed_add(process, why, into);
		found++;
	}
	for (size_t i = 0; i < nr * UNPROBED_FILES; i++)
		str_release(&files[i].bytes);
	free(files);
	return found;
}

/* Adds those of the surveyed processes that are ranks without a working probe. */
static size_t unprobed_of_survey(struct unprobed *unprobed, struct evidence *into)
{
	ARRAY(size_t) whose = {0};
	size_t found;

	for (size_t i = 0; i < unprobed->survey.all.nr; i++) {
		const struct survey_process *process = &unprobed->survey.all.items[i];

		if (process->is_rank && process->stat.state != 'Z' &&
			!unprobed_is_young(process) && !unprobed_has_slot_below(unprobed, (int)i))
			*array_add(&whose) = i;
	}
	found = unprobed_look(unprobed, whose.items, whose.nr, into);
	array_release(&whose);
	return found;
}

/* True if that process is an `inquest run', or a helper of one. */
static bool unprobed_is_inquest(const struct unprobed *unprobed, const struct procstat *stat)
{
	return !strcmp(stat->comm, UNPROBED_INQUEST) ||
	       liveness_same_program(unprobed->agent, stat->pid);
}

/*
 * Lists all processes that the agent watches over, except our own, which may have inherited a
 * rank's number, and except what is below another `inquest run', whose own agent watches over that.
 */
static void unprobed_list(const struct unprobed *unprobed, struct proc_list *ret)
{
	struct proc_list all = {0}, others = {0};
	ARRAY(uint32_t) inquests = {0};
	const struct procstat *stat;
	size_t other = 0;

	(void)proc_list_descendants(&all, &unprobed->agent, 1);
	array_for_each (&all.all, stat)
		if (unprobed_is_inquest(unprobed, stat))
			*array_add(&inquests) = stat->pid;
	(void)proc_list_descendants(&others, inquests.items, inquests.nr);
	array_for_each (&all.all, stat) { /* both by pid */
		while (other < others.all.nr && others.all.items[other].pid < stat->pid)
			other++;
		if ((other == others.all.nr || others.all.items[other].pid != stat->pid) &&
			!unprobed_is_inquest(unprobed, stat))
			*array_add(&ret->all) = *stat;
	}
	array_release(&inquests);
	proc_list_release(&others);
	proc_list_release(&all);
}

size_t unprobed_find(const char *path, int deadline_ms, struct evidence *into)
{
	struct unprobed unprobed = {.deadline_ms = deadline_ms};
	struct folder folder = {.fd = -1};
	struct proc_list below = {0};
	uid_t own = geteuid();
	size_t found = 0;

	if (folder_open(&folder, path, own ? own : FOLDER_ANY_UID, NULL) == 0 &&
		unprobed_take_census(&unprobed, &folder)) {
		unprobed_list(&unprobed, &below);
		survey_take_these(&unprobed.survey, &below, deadline_ms);
		found = unprobed_of_survey(&unprobed, into);
	}
	survey_release(&unprobed.survey);
	proc_list_release(&below);
	array_release(&unprobed.slots);
	folder_close(&folder);
	return found;
}
