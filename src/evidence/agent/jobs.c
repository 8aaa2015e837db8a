/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job is there if its folder has a census. The locks and pids of the census (liveness.h) say who
 * lives, never a file that somebody may have failed to update. Its agent says that it hangs, as
 * long as that agent lives. The manifest gives its name, else the census, else its folder. Nothing
 * is remembered between two calls; a listing of a few jobs takes milliseconds.
 */
#include "evidence/agent/jobs.h"

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
#include "base/checked.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/agent/fellows.h"
#include "evidence/agent/jobs-worlds.h"
#include "evidence/format/folder.h"
#include "evidence/format/json-scan.h"
#include "evidence/gather/liveness.h"
#include "proc/read.h"
#include "ring/census-read.h"

#define JOBS_CLIMB 64 /* generations between a process and the job's that is its ancestor */

static const char *const status_names[] = {
	[JOBS_RUNNING] = "running", [JOBS_HUNG] = "hung", [JOBS_ENDED] = "ended"};

const char *jobs_status_name(enum jobs_status status)
{
	return status_names[status];
}

bool jobs_entry_failed_early(const struct jobs_entry *entry)
{
	return entry->status == JOBS_ENDED && !entry->ranks && entry->world_size < 0 &&
	       entry->exit_status > 0;
}

/* A text of the manifest, or "". free() it. */
static char *manifest_text(struct json_object *manifest, const char *key)
{
	struct json_object *value;

	if (json_object_is_type(manifest, json_type_object) &&
		json_object_object_get_ex(manifest, key, &value) &&
		json_object_is_type(value, json_type_string))
		return alloc_text(json_object_get_string(value));
	return alloc_text("");
}

/* An integer of an object, or -1. */
static int64_t manifest_number(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
		!json_object_object_get_ex(object, key, &value) ||
		!json_object_is_type(value, json_type_int))
		return -1;
	return json_object_get_int64(value);
}

/* Ranks that the census does not list: the agent's word, and who of them lives. */
static void jobs_count_unprobed(struct jobs_entry *entry, struct json_object *manifest)
{
	struct json_object *list;

	if (!json_object_is_type(manifest, json_type_object) ||
		!json_object_object_get_ex(manifest, "unprobed", &list) ||
		!json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list) && i < CENSUS_SLOTS; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		int64_t pid = manifest_number(one, "pid");
		int64_t size = manifest_number(one, "world_size");
		struct proc_id id = {.pid = pid > 0 ? (uint32_t)pid : 0,
			.start_time = (uint64_t)manifest_number(one, "start_time")};
		bool alive = id.pid && proc_is_alive(id);

		entry->ranks++;
		entry->ranks_alive += alive;
		entry->unprobed += alive;
		if (size > entry->world_size && size < INT32_MAX)
			entry->world_size = (int)size;
	}
}

/* The wrapper lives as long as its command, and the agent beside it may be gone. */
static void jobs_doubt_agent(struct jobs_entry *entry, struct json_object *manifest)
{
	int64_t pid = manifest_number(manifest, "agent_pid");
	struct proc_id id = {.pid = pid > 0 && pid <= UINT32_MAX ? (uint32_t)pid : 0,
		.start_time = (uint64_t)manifest_number(manifest, "agent_start_time")};

	if (id.pid && entry->wrapper == entry->agent_pid && !proc_is_alive(id))
		entry->agent_alive = false;
}

/* What the agent says. A job is over when none of it lives, and no agent waits for its command. */
static void jobs_take_word(struct jobs_entry *entry, struct json_object *manifest)
{
	int64_t status = manifest_number(manifest, "exit_status");
	bool waits;

	if (status >= 0 && status < 256)
		entry->exit_status = (int)status;
	jobs_doubt_agent(entry, manifest);
	waits = entry->wrapper && status < 0 && *entry->said;
	jobs_count_unprobed(entry, manifest);
	if (entry->status == JOBS_ENDED && (waits || entry->unprobed))
		entry->status = JOBS_RUNNING;
	if (entry->status == JOBS_RUNNING && !strcmp(entry->said, "hung"))
		entry->status = JOBS_HUNG;
}

/* A time of the manifest, or 0. */
static int64_t manifest_time(struct json_object *manifest, const char *key)
{
	int64_t when = manifest_number(manifest, key);

	return when > 0 && when < INT64_MAX / 2 ? when : 0;
}

/* For its fellows. */
static void jobs_take_fellow(struct jobs_entry *entry, struct json_object *manifest)
{
	int64_t pid = manifest_number(manifest, "agent_pid");
	int64_t hangs = manifest_number(manifest, "hangs");

	fellow_get(&entry->fellow, manifest);
	if (pid > 0 && pid <= UINT32_MAX)
		entry->keeper = (struct proc_id){.pid = (uint32_t)pid,
			.start_time = (uint64_t)manifest_number(manifest, "agent_start_time")};
	entry->until = manifest_time(manifest, "polled");
	entry->told = manifest_time(manifest, "told");
	entry->hangs = hangs > 0 && hangs < INT32_MAX ? (unsigned int)hangs : 0;
	entry->no_logs = manifest_number(manifest, "no_logs") > 0;
	entry->keys = manifest_text(manifest, "said");
	entry->verdict = manifest_text(manifest, "verdict");
	entry->bundle = manifest_text(manifest, "bundle");
}

/* NULL: there is none that can be read. */
static struct json_object *jobs_parse_manifest(const struct folder *folder)
{
	struct json_object *manifest = NULL;
	struct str text = {0};

	if (folder_read(folder, AGENT_MANIFEST_FILE, AGENT_FILE_CAP, &text, NULL) == 0 &&
		json_scan_is_light(str_text(&text), text.len))
		manifest = json_tokener_parse(str_text(&text));
	str_release(&text);
	return manifest;
}

int64_t jobs_read_told(const struct jobs_entry *entry)
{
	struct json_object *manifest = NULL;
	struct folder folder = {.fd = -1};
	int64_t told;

	if (folder_open(&folder, entry->folder, entry->owner, NULL) == 0)
		manifest = jobs_parse_manifest(&folder);
	told = manifest_time(manifest, "told");
	json_object_put(manifest);
	folder_close(&folder);
	return told;
}

/* Words by blanks, as they were given but for secrets. */
static char *manifest_command(struct json_object *manifest)
{
	struct json_object *argv = NULL;
	struct str words = {0};

	if (!json_object_is_type(manifest, json_type_object) ||
		!json_object_object_get_ex(manifest, "argv", &argv) ||
		!json_object_is_type(argv, json_type_array))
		return alloc_text("");
	for (size_t i = 0; i < json_object_array_length(argv); i++) {
		const char *word = json_object_get_string(json_object_array_get_idx(argv, i));

		str_printf(&words, "%s%s", i ? " " : "", word ? word : "");
	}
	return words.len ? str_detach(&words) : alloc_text("");
}

static void jobs_read_manifest(struct jobs_entry *entry, const struct folder *folder)
{
	struct json_object *manifest = jobs_parse_manifest(folder);
	char *name;

	entry->said = manifest_text(manifest, "status");
	entry->command = manifest_command(manifest);
	entry->last_words = manifest_text(manifest, "last_words");
	name = manifest_text(manifest, "name");
	if (*name) {
		free(entry->name);
		entry->name = alloc_text(name);
	}
	free(name);
	jobs_take_word(entry, manifest);
	jobs_take_fellow(entry, manifest);
	json_object_put(manifest);
}

static void jobs_add_number(struct jobs_entry *entry, int number)
{
	for (size_t i = 0; i < entry->numbers.nr; i++)
		if (entry->numbers.items[i] == number)
			return;
	*array_add(&entry->numbers) = number;
}

/* Counts the ranks of the census and the living. Returns how many processes of it live. */
static unsigned int jobs_count(
	struct jobs_entry *entry, int census_fd, const struct census_view *view)
{
	unsigned int living = 0;

	for (uint32_t i = 0; i < view->slots; i++) {
		struct census_slot slot;
		struct liveness liveness;
		bool alive, rank;

		if (census_view_slot(view, i, &slot) != 1)
			continue;
		liveness = liveness_of_slot(census_fd, i, &slot);
		alive = liveness_is_alive(&liveness);
		rank = slot.state == CENSUS_RANK || (slot.flags & CENSUS_F_WAS_RANK);
		living += alive;
		entry->ranks += rank;
		entry->ranks_alive += rank && alive;
		if (slot.world_size > entry->world_size)
			entry->world_size = slot.world_size;
		/* The number of a task, or a node, is no rank's before one has shown itself. */
		if (slot.rank >= 0 &&
			(rank || !(slot.flags & (CENSUS_F_TASK | CENSUS_F_ALONE))))
			jobs_add_number(entry, slot.rank);
	}
	return living;
}

/* Reads the census: who lives, who is the agent. Returns 0, or negative with words. */
static int jobs_read_census(
	struct jobs_entry *entry, const struct folder *folder, struct complaint *why)
{
	int fd = folder_open_file(folder, CENSUS_FILE, why);
	struct census_view view;
	void *bytes = NULL;
	size_t size = 0;
	unsigned int living;
	int error;

	if (fd < 0)
		return fd;
	error = census_snapshot(fd, &bytes, &size);
	if (!error)
		error = census_view_open(&view, bytes, size);
	if (error) {
		complaint_set(why, "%s: the census cannot be read", folder->path);
		goto out;
	}
	entry->launched = checked_time((int64_t)view.header.created_realtime, 0);
	if (view.header.name[0])
		entry->name = alloc_text(view.header.name);
	living = jobs_count(entry, fd, &view);
	entry->beat = checked_time((int64_t)view.header.agent_beat, 0);
	entry->agent_pid = view.header.agent_pid;
	entry->agent_start_time = view.header.agent_start_time;
	if (entry->agent_pid) {
		struct liveness agent =
			liveness_of_process(entry->agent_pid, entry->agent_start_time, 0);

		entry->agent_alive = liveness_is_alive(&agent);
		entry->wrapper = entry->agent_alive ? agent.here : 0;
	}
	entry->status = living ? JOBS_RUNNING : JOBS_ENDED;
out:
	free(bytes);
	close(fd);
	return error;
}

static void jobs_entry_release(struct jobs_entry *entry)
{
	free(entry->folder);
	free(entry->id);
	free(entry->name);
	free(entry->command);
	free(entry->said);
	free(entry->keys);
	free(entry->verdict);
	free(entry->bundle);
	array_release(&entry->numbers);
	array_release(&entry->worlds);
	free(entry->last_words);
}

/* Adds the folder if it is a job's and may be trusted: 0, or negative with words. */
static int jobs_add(struct jobs *jobs, const char *path, uid_t uid, struct complaint *why)
{
	struct jobs_entry entry = {.world_size = -1, .exit_status = -1};
	const char *slash = strrchr(path, '/');
	struct folder folder;
	int error = folder_open(&folder, path, uid, why);

	if (error)
		return error;
	error = jobs_read_census(&entry, &folder, why);
	if (error) {
		free(entry.name);
		array_release(&entry.numbers);
		goto out;
	}
	entry.folder = alloc_text(path);
	entry.id = alloc_text(slash ? slash + 1 : path);
	entry.owner = folder.uid;
	jobs_read_manifest(&entry, &folder);
	if (!entry.name)
		entry.name = alloc_text(entry.id);
	entry.given = strcmp(entry.name, entry.id) != 0 ? entry.name : "";
	entry.job = jobs->nr;
	jobs_read_worlds(&entry, &folder);
	jobs->items = array_grow(jobs->items, jobs->nr, 1, &jobs->room, sizeof(*jobs->items));
	jobs->items[jobs->nr++] = entry;
out:
	folder_close(&folder);
	return error;
}

/* Adds every job folder below root. A folder without a census is none, and no fault. */
static void jobs_add_below(struct jobs *jobs, const char *root, uid_t uid)
{
	const struct dirent *entry;
	DIR *dir = opendir(root);

	while (dir && (entry = readdir(dir))) {
		struct complaint why = {0};
		struct str path = {0};
		int error;

		if (entry->d_name[0] == '.')
			continue;
		str_printf(&path, "%s/%s", root, entry->d_name);
		error = jobs_add(jobs, path.text, uid, &why);
		if (error && error != -ENOENT && error != -ENOTDIR)
			str_printf(&jobs->refused, "%s\n", complaint_text(&why));
		complaint_release(&why);
		str_release(&path);
	}
	if (dir)
		closedir(dir);
}

/* A folder above jobs that could not be opened: root may lack the capability that root has. */
static void jobs_note_refused(
	struct jobs *jobs, const char *path, int error, const struct complaint *why)
{
	struct stat st;

	if (error == -EACCES && geteuid() == 0 && stat(path, &st) == 0 &&
		(!jobs->barred || st.st_mtime > jobs->barred_since)) {
		jobs->barred = true;
		jobs->barred_since = st.st_mtime;
		jobs->barred_uid = st.st_uid;
		jobs->barred_gid = st.st_gid;
	}
	str_printf(&jobs->refused, "%s\n", complaint_text(why));
}

/* Adds the jobs of base/inquest-UID: our own, or as root of every UID there. */
static void jobs_add_users(struct jobs *jobs, const char *base)
{
	const struct dirent *entry;
	uid_t own = geteuid();
	DIR *dir = opendir(base);

	while (dir && (entry = readdir(dir))) {
		struct complaint why = {0};
		struct folder folder;
		struct str path = {0};
		unsigned int uid;
		int error, used = 0;

		/* Behind a "-" is what made the name free where somebody else has the plain one. */
		if (sscanf(entry->d_name, "inquest-%u%n", &uid, &used) != 1 ||
			(entry->d_name[used] && entry->d_name[used] != '-'))
			continue;
		if (own != 0 && uid != own) {
			jobs->others++;
			continue;
		}
		str_printf(&path, "%s/%s", base, entry->d_name);
		error = folder_open(&folder, path.text, uid, &why);
		if (error)
			jobs_note_refused(jobs, path.text, error, &why);
		else
			jobs_add_below(jobs, path.text, uid);
		folder_close(&folder);
		complaint_release(&why);
		str_release(&path);
	}
	if (dir)
		closedir(dir);
}

/* Newest first; of equal ones by folder, so that the order is always the same. */
static int jobs_compare(const void *a, const void *b)
{
	const struct jobs_entry *left = a, *right = b;

	if (left->launched != right->launched)
		return left->launched < right->launched ? 1 : -1;
	return strcmp(left->folder, right->folder);
}

void jobs_settle(struct jobs *jobs)
{
	array_sort_items(jobs->items, jobs->nr, sizeof(*jobs->items), jobs_compare);
	fellows_settle(jobs);
}

/* Where a process has a folder, as we get there. */
static void jobs_seen_path(uint32_t pid, const char *folder, struct str *into)
{
	str_printf(into, "/proc/%u/root%s%s", pid, *folder == '/' ? "" : "/", folder);
}

const struct jobs_entry *jobs_find_seen(const struct jobs *jobs, uint32_t pid, const char *folder)
{
	const struct jobs_entry *found = NULL;
	struct str path = {0};
	struct stat seen, have;

	jobs_seen_path(pid, folder, &path);
	if (lstat(path.text, &seen) == 0)
		for (size_t i = 0; i < jobs->nr && !found; i++)
			if (lstat(jobs->items[i].folder, &have) == 0 &&
				have.st_dev == seen.st_dev && have.st_ino == seen.st_ino)
				found = &jobs->items[i];
	str_release(&path);
	return found;
}

int jobs_add_seen(struct jobs *jobs, uint32_t pid, uid_t uid, const char *folder,
	struct complaint *why)
{
	struct str path = {0};
	int error = 0;

	if (!jobs_find_seen(jobs, pid, folder)) {
		jobs_seen_path(pid, folder, &path);
		error = jobs_add(jobs, path.text, uid, why);
	}
	str_release(&path);
	return error;
}

void jobs_list_beside(struct jobs *jobs, const char *folder)
{
	struct str root = {0};
	struct stat st;

	str_add_bytes(&root, folder, (size_t)(strrchr(folder, '/') - folder));
	if (lstat(folder, &st) == 0)
		jobs_add_below(jobs, str_text(&root), st.st_uid);
	str_release(&root);
	jobs_settle(jobs);
}

int jobs_list(struct jobs *jobs, struct complaint *why)
{
	const char *dir = getenv("INQUEST_DIR");

	(void)why; /* a folder that is not there holds no jobs: nothing can fail yet */
	if (dir && dir[0] == '/') {
		jobs_add_below(jobs, dir, geteuid() ? geteuid() : FOLDER_ANY_UID);
	} else {
		jobs_add_users(jobs, "/dev/shm");
		jobs_add_users(jobs, "/tmp");
	}
	jobs_settle(jobs);
	return 0;
}

int jobs_open(struct jobs *jobs, const char *path, struct complaint *why)
{
	char *absolute = realpath(path, NULL);
	uid_t own = geteuid();
	struct stat st;
	int error;

	/* The last part must be no link, though what leads to it may be. */
	if (!absolute || lstat(path, &st) < 0 || S_ISLNK(st.st_mode)) {
		error = absolute ? ELOOP : errno;
		free(absolute);
		return complaint_errno(why, error, "cannot open %s", path);
	}
	error = jobs_add(jobs, absolute, own ? own : FOLDER_ANY_UID, why);
	free(absolute);
	return error;
}

/* Short enough for a pid; longer digits are a name. */
static bool text_is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/* True if the owner of a slot has that pid, or had it, if nobody has it now. */
static bool slot_is_of(int census_fd, uint32_t at, const struct census_slot *slot, uint32_t pid)
{
	struct liveness owner = liveness_of_slot(census_fd, at, slot);
	struct procstat now;

	return owner.here == pid &&
	       (owner.there || proc_read_stat((struct proc_id){.pid = pid}, &now) < 0);
}

bool jobs_has_pid(const struct jobs_entry *entry, uint32_t pid)
{
	struct folder folder = {.fd = -1};
	struct census_view view;
	void *bytes = NULL;
	size_t size = 0;
	bool found = entry->wrapper && entry->wrapper == pid;
	int fd = -1;

	if (folder_open(&folder, entry->folder, entry->owner, NULL) == 0)
		fd = folder_open_file(&folder, CENSUS_FILE, NULL);
	if (fd >= 0 && census_snapshot(fd, &bytes, &size) == 0 &&
		census_view_open(&view, bytes, size) == 0) {
		for (uint32_t i = 0; i < view.slots && !found; i++) {
			struct census_slot slot;

			if (census_view_slot(&view, i, &slot) == 1)
				found = slot_is_of(fd, i, &slot, pid);
		}
	}
	free(bytes);
	if (fd >= 0)
		close(fd);
	folder_close(&folder);
	return found;
}

/* The process itself or, climbing up, whose descendant it is. */
static const struct jobs_entry *jobs_find_pid(const struct jobs *jobs, const char *arg)
{
	struct procstat stat = {0};

	if (!text_is_number(arg))
		return NULL;
	stat.ppid = (uint32_t)strtoul(arg, NULL, 10);
	for (int steps = 0; stat.ppid > 1 && steps < JOBS_CLIMB; steps++) {
		for (size_t i = 0; i < jobs->nr; i++)
			if (jobs_has_pid(&jobs->items[i], stat.ppid))
				return &jobs->items[i];
		if (proc_read_stat((struct proc_id){.pid = stat.ppid}, &stat) < 0)
			break;
	}
	return NULL;
}

/* True if that process is an ancestor of the other one. */
static bool is_above(uint32_t above, uint32_t pid)
{
	struct procstat stat = {.ppid = pid};

	for (int steps = 0; stat.ppid > 1 && steps < JOBS_CLIMB; steps++) {
		if (proc_read_stat((struct proc_id){.pid = stat.ppid}, &stat) < 0)
			return false;
		if (stat.ppid == above)
			return true;
	}
	return false;
}

/* The one job that runs below that process, a shell's or a launcher's; NULL: none, or several. */
static const struct jobs_entry *jobs_find_below(const struct jobs *jobs, const char *arg)
{
	const struct jobs_entry *found = NULL;
	uint32_t pid = text_is_number(arg) ? (uint32_t)strtoul(arg, NULL, 10) : 0;

	for (size_t i = 0; pid && i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (!entry->wrapper || entry->status == JOBS_ENDED ||
			!is_above(pid, entry->wrapper))
			continue;
		if (found && found->job != entry->job)
			return NULL;
		found = found ? found : entry;
	}
	return found;
}

const struct jobs_entry *jobs_find(
	const struct jobs *jobs, const char *arg, struct complaint *why)
{
	const struct jobs_entry *found = NULL;

	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].folder, arg) || !strcmp(jobs->items[i].id, arg))
			return &jobs->items[i];
	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (strcmp(entry->name, arg))
			continue;
		if (entry->status != JOBS_ENDED)
			return entry;
		if (!found)
			found = entry;
	}
	if (!found)
		found = jobs_find_pid(jobs, arg);
	if (!found)
		found = jobs_find_below(jobs, arg);
	if (!found)
		complaint_set(why, "no job here has the id, name or pid '%s'%s", arg,
			jobs->others ? " (other users have jobs here, shown to them and to root)"
				     : "");
	return found;
}

void jobs_release(struct jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t i = 0; i < jobs->nr; i++)
		jobs_entry_release(&jobs->items[i]);
	free(jobs->items);
	str_release(&jobs->refused);
	*jobs = (struct jobs){0};
}
