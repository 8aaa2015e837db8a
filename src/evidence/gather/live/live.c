/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of gathering: T0; census and rings, which nobody can block; who lives; /proc, cheap
 * files first; control groups; the agent's files; what may block; stacks; and last a second look at
 * /proc if no agent keeps a history.
 *
 * A process goes by the pid that it knows itself by, which is that of census and ring; `here` is
 * the pid by which we find it. In one pid namespace they are the same.
 */
#include "evidence/gather/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/meter.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/agent/serve.h"
#include "evidence/format/folder.h"
#include "evidence/format/json-get.h"
#include "evidence/format/json-put.h"
#include "evidence/format/json-scan.h"
#include "evidence/gather/fatal-modules.h"
#include "evidence/gather/live/live-add.h"
#include "evidence/gather/live/live-proc.h"
#include "evidence/gather/live/live-rings.h"
#include "evidence/gather/live/live-stacks.h"
#include "evidence/gather/liveness.h"
#include "evidence/gather/twins.h"
#include "evidence/gather/unprobed.h"
#include "proc/read.h"
#include "proc/sight.h"
#include "ring/census-read.h"

/* The folder of the job, or of one of its fellows. */
struct live_folder {
	struct folder folder;
	bool agent_samples; /* true if a living agent keeps a history */
};

struct live {
	const struct live_options *options;
	struct evidence *into;
	ARRAY(struct live_folder) folders;
	struct live_folder *at; /* the one that is looked at now, */
	size_t which;		/* and its index */
	char host[256];
	struct live_processes processes;
	struct proc_ns_seen seen;
	struct twins twins;
	struct meter *meter; /* bounds what rings may take, since their owner makes their files
			      * as large as he likes */
	ARRAY(char *) groups; /* control groups that the agent has seen */
};

static void live_add_bytes(
	struct live *live, const struct exhibit *about, uint8_t *bytes, size_t len)
{
	struct exhibit full = *about;

	full.host = live->host;
	full.when = clock_realtime_ns();
	evidence_add(live->into, &full, bytes, len);
}

static void live_turn_to(struct live *live, size_t which)
{
	live->which = which;
	live->at = &live->folders.items[which];
}

/* Returns the folder's name, which tells its exhibits from those of other folders. */
static const char *live_id(const struct live *live)
{
	const char *slash = strrchr(live->at->folder.path, '/');

	return slash ? slash + 1 : live->at->folder.path;
}

static void live_add(struct live *live, const struct exhibit *about, struct str *text)
{
	size_t len = text->len;

	live_add_bytes(live, about, (uint8_t *)str_detach(text), len);
}

/* --- Census, liveness ------------------------------------------------------------------------ */

/* Notes that a rank is not seen here, though it may live, and what would show it. */
static void live_lack_sight(struct live *live, const struct live_process *process)
{
	struct str words = {0}, command = {0};

	str_printf(&words, "process %u: ", process->pid);
	str_printf(&command, "attach %s", live_id(live));
	proc_sight_words(proc_sight(), str_text(&command), &words);
	evidence_add_gap(live->into, live->host, process->pid, str_text(&words));
	str_release(&command);
	str_release(&words);
}

static void live_take_slot(
	struct live *live, const struct census_slot *slot, const struct liveness *liveness)
{
	struct live_process *process = array_add(&live->processes.all);

	*process = (struct live_process){
		.folder = live->which,
		.pid = slot->pid,
		.here = liveness->there ? liveness->here : 0,
		.start_time = slot->start_time,
		.rank = slot->state == CENSUS_RANK ? slot->rank : -1,
		.role = "slot",
		.threads = slot->state == CENSUS_RANK || slot->rank >= 0,
		.ring_due = slot->state == CENSUS_RANK && slot->generation >= 1,
	};
	live_add_liveness(live->into, live->host, process, liveness);
	if (liveness->unseen && process->threads)
		live_lack_sight(live, process);
}

static void live_take_agent(struct live *live, const struct census_header *header)
{
	struct liveness liveness =
		liveness_of_process(header->agent_pid, header->agent_start_time);
	struct live_process *process;

	if (!header->agent_pid)
		return;
	process = array_add(&live->processes.all);
	*process = (struct live_process){
		.folder = live->which,
		.pid = header->agent_pid,
		.here = liveness.there ? liveness.here : 0,
		.start_time = header->agent_start_time,
		.rank = -1,
		.role = "agent",
	};
	live->at->agent_samples = liveness_is_alive(&liveness);
	live_add_liveness(live->into, live->host, process, &liveness);
}

/* Takes the census and asks who of it lives. Returns 0; negative with words: this is no job. */
static int live_gather_census(struct live *live, struct complaint *why)
{
	int fd = folder_open_file(&live->at->folder, CENSUS_FILE, why);
	struct liveness_census census;
	struct census_view view;
	int error;

	if (fd < 0)
		return fd;
	error = liveness_take_census(&live->seen, fd, &census);
	close(fd);
	if (error)
		return complaint_errno(why, -error, "cannot read the census of %s",
			live->at->folder.path);
	twins_tell_apart(&live->twins, &census);
	live_add_bytes(live,
		&(struct exhibit){
			.kind = EXHIBIT_CENSUS, .rank = -1, .label = (char *)live_id(live)},
		census.bytes, census.size);
	if (census_view_open(&view, census.bytes, census.size) == 0) {
		live_take_agent(live, &view.header);
		live_processes_note_log(&live->processes, &view.header);
		for (uint32_t i = 0; i < view.slots; i++) {
			struct census_slot slot;

			if (census_view_slot(&view, i, &slot) == 1)
				live_take_slot(live, &slot, &census.of[i]);
		}
	}
	free(census.of);
	return 0;
}

/* --- Ranks without probe -------------------------------------------------------------------- */

/* Returns the rank's entry; it may be in the census, from before it exec'ed, or is added. */
static struct live_process *live_process_here(struct live *live, const struct unprobed_rank *rank)
{
	struct live_process *process;

	array_for_each(&live->processes.all, process)
		if (process->here == rank->here && process->start_time == rank->start_time)
			return process;
	process = array_add(&live->processes.all);
	*process = (struct live_process){
		.pid = rank->pid, .here = rank->here, .start_time = rank->start_time};
	process->role = "rank";
	live_take_liveness(live->into, live->host, process);
	return process;
}

static void live_take_unprobed(struct live *live, const struct evidence *unprobed)
{
	for (size_t i = 0; unprobed && i < unprobed->n; i++) {
		const struct exhibit *one = &unprobed->at[i];
		struct live_process *process;
		struct unprobed_rank rank;

		if (!unprobed_read(one, &rank))
			continue;
		evidence_add(live->into, one, alloc_copy(one->bytes, one->len), one->len);
		process = live_process_here(live, &rank);
		process->role = "rank";
		process->rank = rank.rank;
		process->threads = true;
		if (proc_start_time(rank.here) != rank.start_time)
			process->here = 0;
		process->ring_due = false;
	}
}

/* --- The agent's files ----------------------------------------------------------------------- */

static const struct {
	const char *file;
	enum exhibit_kind kind;
} live_files[] = {
	{AGENT_MANIFEST_FILE, EXHIBIT_MANIFEST},
	{AGENT_RECEIPT_FILE, EXHIBIT_RECEIPT},
	{AGENT_HISTORY_FILE, EXHIBIT_HISTORY},
	{AGENT_EXITS_FILE, EXHIBIT_EXIT},
};

/* Takes from the history where a dead process' stderr went, and its error file for torchrun. */
static void live_take_paths(struct live *live, const struct json_object *one)
{
	struct json_object *log = json_get(one, "stderr", json_type_string);
	struct json_object *error = json_get(json_get(one, "env", json_type_object),
		"TORCHELASTIC_ERROR_FILE", json_type_string);
	struct json_object *pid = json_get(one, "pid", json_type_int);
	struct json_object *start_time = json_get(one, "start_time", json_type_int);
	struct live_process *process;

	if (!pid || !start_time)
		return;
	array_for_each(&live->processes.all, process) {
		if (process->pid != json_object_get_int64(pid) ||
			process->start_time != (uint64_t)json_object_get_int64(start_time))
			continue;
		if (log && !process->here && !process->log)
			process->log = alloc_text(json_object_get_string(log));
		if (error && !process->error_file)
			process->error_file = alloc_text(json_object_get_string(error));
	}
}

/* Takes what only the agent still knows of the dead: their logs and control groups. */
static void live_take_history(struct live *live, const struct str *text)
{
	struct json_object *history = json_scan_is_light(str_text(text), text->len)
					      ? json_tokener_parse(str_text(text))
					      : NULL;
	struct json_object *list = json_get(history, "processes", json_type_array);
	struct json_object *groups;

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		live_take_paths(live, json_object_array_get_idx(list, i));
	list = json_get(history, "cgroups", json_type_array);
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		groups = json_get(
			json_object_array_get_idx(list, i), "groups", json_type_string);
		if (groups)
			*array_add(&live->groups) = alloc_text(json_object_get_string(groups));
	}
	json_object_put(history);
}

/* Removes what may quote the job's errors and words: the headline and the last words. */
static void live_forget_verdict(struct str *manifest)
{
	struct json_object *object = json_tokener_parse(str_text(manifest));

	if (!object)
		return;
	if (json_object_is_type(object, json_type_object)) {
		json_object_object_del(object, "verdict");
		json_object_object_del(object, "last_words");
	}
	str_cut(manifest, 0);
	json_put_end(object, manifest);
}

/* Takes the agent's files whole. A folder without a history has nobody who samples. */
static void live_gather_files(struct live *live)
{
	bool history = false;
	struct str label = {0};

	for (size_t i = 0; i < sizeof(live_files) / sizeof(live_files[0]); i++) {
		struct complaint why = {0};
		struct str text = {0};
		int error = folder_read(
			&live->at->folder, live_files[i].file, AGENT_FILE_CAP, &text, &why);

		if (!error && live_files[i].kind == EXHIBIT_HISTORY)
			live_take_history(live, &text);
		if (!error && live_files[i].kind == EXHIBIT_MANIFEST && live->options->no_logs)
			live_forget_verdict(&text);
		str_cut(&label, 0);
		str_printf(&label, "%s/%s", live_id(live), live_files[i].file);
		if (!error)
			live_add(live,
				&(struct exhibit){.kind = live_files[i].kind,
					.rank = -1,
					.label = label.text},
				&text);
		else if (error != -ENOENT)
			evidence_add_gap(live->into, live->host, 0, complaint_text(&why));
		history = history || (!error && live_files[i].kind == EXHIBIT_HISTORY);
		str_release(&text);
		complaint_release(&why);
	}
	live->at->agent_samples = live->at->agent_samples && history;
	str_release(&label);
}

/* --- All of it ------------------------------------------------------------------------------- */

static void live_gather_proc(struct live *live)
{
	const struct live_proc_target target = {
		live->into, live->host, live->at->folder.uid, &live->processes};

	live_processes_add_descendants(&live->processes);
	for (size_t i = 0; i < live->processes.all.nr; i++)
		if (!strcmp(live->processes.all.items[i].role, "child"))
			live_take_liveness(live->into, live->host, &live->processes.all.items[i]);
	live_proc_take(&target, true);
}

/* Asks the job's agent, which may look where we may not. Returns true if it answered. */
static bool live_ask_agent(struct live *live, struct evidence *into)
{
	struct stacks_options wish = live->options->stacks;
	struct complaint why = {0};
	struct str gap = {0};
	int error;

	wish.no_logs |= live->options->no_logs;
	error = serve_ask(&live->at->folder, &wish, into, &why);
	if (error) {
		str_printf(&gap, "stacks by way of the job's agent: %s", complaint_text(&why));
		evidence_add_gap(into, live->host, 0, gap.text);
	}
	str_release(&gap);
	complaint_release(&why);
	return !error;
}

/*
 * Asks agents for the stacks of ranks that we may not look into, from this folder on; ranks of one
 * that answered are not looked into again. Returns how many folders had no answer.
 */
static size_t live_ask_agents(struct live *live, size_t from, struct evidence *into)
{
	struct live_process *process;
	size_t left = from;

	for (size_t i = from; i < live->folders.nr; i++) {
		live_turn_to(live, i);
		if (live_may_look(&live->processes, i) || !live_ask_agent(live, into)) {
			left++;
			continue;
		}
		array_for_each(&live->processes.all, process)
			if (process->folder == i)
				process->threads = false;
	}
	return left;
}

/* True if each folder that somebody lives in has an agent that samples. */
static bool live_has_samples(const struct live *live)
{
	const struct live_process *process;

	if (live->folders.nr == 1)
		return live->folders.items[0].agent_samples;
	array_for_each(&live->processes.all, process)
		if (process->here && strcmp(process->role, "agent") != 0 &&
			!live->folders.items[process->folder].agent_samples)
			return false;
	return true;
}

/* Takes stacks, if they are wanted, and the second sample, if nobody else takes any. */
static void live_gather_last(
	struct live *live, const struct live_proc_target *target, int64_t sampled)
{
	struct live_options options = *live->options;

	if (live_has_samples(live))
		options.sample_pause_ms = 0;
	if (options.stacks.samples && !live_ask_agents(live, 0, live->into))
		options.stacks.samples = 0;
	live_take_stacks(target, &options, sampled);
	if (options.sample_pause_ms > 0)
		live_proc_take(target, false);
}

/* Takes census and rings of a folder. Returns 0; negative with words: this is no job. */
static int live_gather_folder(struct live *live, size_t which, struct complaint *why)
{
	const struct live_rings rings = {live->into, live->host, &live->processes, &live->twins,
		live->meter, live->options};
	int error;

	live_turn_to(live, which);
	error = live_gather_census(live, why);
	if (error)
		return error;
	live_rings_take(&rings, &live->at->folder, live_id(live));
	return 0;
}

static void live_gather_all_files(struct live *live)
{
	for (size_t i = 0; i < live->folders.nr; i++) {
		live_turn_to(live, i);
		live_gather_files(live);
	}
}

/* Opens the fellows' folders. One whose command has ended well may be gone, which is no gap. */
static void live_open_fellows(struct live *live, uid_t owner)
{
	for (size_t i = 0; i < live->options->nfellows; i++) {
		struct live_folder fellow = {.folder = {.fd = -1}};
		struct complaint why = {0};
		int error = folder_open(&fellow.folder, live->options->fellows[i], owner, &why);

		if (!error)
			*array_add(&live->folders) = fellow;
		else if (error != -ENOENT)
			evidence_add_gap(live->into, live->host, 0, complaint_text(&why));
		complaint_release(&why);
	}
}

/* Opens all folders of the job. Returns 0; negative with words if the first cannot be had. */
static int live_open(struct live *live, const char *path, struct complaint *why)
{
	struct live_folder first = {.folder = {.fd = -1}};
	uid_t own = geteuid();
	int error = folder_open(&first.folder, path, own ? own : FOLDER_ANY_UID, why);

	live_host(live->host, sizeof(live->host));
	if (error)
		return error;
	*array_add(&live->folders) = first;
	live_open_fellows(live, first.folder.uid);
	live_turn_to(live, 0);
	return 0;
}

static void live_close(struct live *live)
{
	for (size_t i = 0; i < live->groups.nr; i++)
		free(live->groups.items[i]);
	array_release(&live->groups);
	array_release(&live->twins.all);
	proc_ns_seen_release(&live->seen);
	for (size_t i = 0; i < live->folders.nr; i++)
		folder_close(&live->folders.items[i].folder);
	array_release(&live->folders);
	live_processes_release(&live->processes);
}

/* Adds T0, and which folders are of one job. */
static void live_begin(struct live *live)
{
	const char **paths = alloc_zeroed(live->folders.nr + 1, sizeof(*paths));

	for (size_t i = 0; i < live->folders.nr; i++)
		paths[i] = live->folders.items[i].folder.path;
	live_add_clocks(live->into, live->host, live->folders.items[0].folder.uid, paths,
		live->folders.nr);
	free(paths);
}

int live_gather(const char *path, const struct live_options *options, struct evidence *into,
	struct complaint *why)
{
	static const struct live_options usual = LIVE_OPTIONS_DEFAULT;
	struct meter meter = {.most = into->meter ? 0 : meter_quarter()};
	struct live live = {.options = options ? options : &usual, .into = into,
		.meter = into->meter ? into->meter : &meter};
	struct live_proc_target target = {into, live.host, 0, &live.processes};
	int64_t sampled;
	int error = live_open(&live, path, why);

	if (error)
		return error;
	target.owner = live.at->folder.uid;
	live_begin(&live);
	error = live_gather_folder(&live, 0, why);
	if (error)
		goto out;
	for (size_t i = 1; i < live.folders.nr; i++)
		live_gather_folder(&live, i, NULL);
	live_take_unprobed(&live, live.options->unprobed);
	live_take_unprobed(&live, live.options->unprobed_of_fellows);
	live_rings_miss(&live.processes, into, live.host);
	live_gather_proc(&live);
	sampled = clock_monotonic_ns();
	live_gather_all_files(&live);
	live_proc_take_cgroups(&target, live.groups.items, live.groups.nr);
	live_leave_out(into, live.host, live.options);
	if (!live.options->no_logs)
		live_proc_take_words(&target, live.options->read_ms);
	live_gather_last(&live, &target, sampled);
	fatal_modules_add(into, live.host);
out:
	live_close(&live);
	return error;
}

int live_gather_stacks(const char *path, const struct live_options *options,
	struct evidence *into, struct complaint *why)
{
	struct evidence unused = {0};
	struct live live = {.options = options, .into = &unused};
	struct live_proc_target target = {into, live.host, 0, &live.processes};
	int error = live_open(&live, path, why);

	if (error)
		return error;
	target.owner = live.at->folder.uid;
	error = live_gather_census(&live, why);
	for (size_t i = 1; !error && i < live.folders.nr; i++) {
		live_turn_to(&live, i);
		live_gather_census(&live, NULL);
	}
	if (!error) {
		live_take_unprobed(&live, options->unprobed);
		live_take_unprobed(&live, options->unprobed_of_fellows);
		live_processes_add_descendants(&live.processes);
		if (options->ask_fellows)
			live_ask_agents(&live, 1, into);
		live_take_stacks(&target, options, clock_monotonic_ns());
	}
	evidence_release(&unused);
	live_close(&live);
	return error;
}
