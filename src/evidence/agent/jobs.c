/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job is there if its folder has a census. Who lives is told by the locks and pids of the census
 * (liveness.h), never by a file that somebody may have failed to update. That it hangs is the word
 * of its agent, as long as that agent lives. Its name is that of the manifest, else of the census,
 * else of its folder. Nothing is remembered between two calls; a listing of a few jobs takes
 * milliseconds.
 */
#include "evidence/agent/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include "evidence/format/json-get.h"
#include "evidence/format/json-scan.h"
#include "evidence/gather/liveness.h"
#include "proc/read.h"
#include "ring/census-read.h"

/*
 * How many folders of one owner are looked at, the latest first, and how much may be read of all of
 * them. A usual owner has a few hundred folders at most; a hostile one has as many as he likes, and
 * anyone who lists jobs waits for that.
 */
#define JOBS_FOLDERS_MOST 1024u
#define JOBS_SLOTS_MOST	  32768u /* of their censuses */
#define JOBS_BYTES_MOST	  (64u << 20) /* of manifests */
#define JOBS_RINGS_MOST	  65536u /* files in their folders */
#define JOBS_WORLDS_MOST  16384u /* communicators */

#define JOBS_PLACES_MOST  65536u /* folders in one folder of jobs, of all owners */
#define JOBS_REFUSED_MOST 4096	 /* bytes of words in `refused`: the first line is what people
				  * see */

static const char *const status_names[] = {
	[JOBS_RUNNING] = "running", [JOBS_HUNG] = "hung", [JOBS_ENDED] = "ended"};

const char *jobs_status_name(enum jobs_status status)
{
	return status_names[status];
}

/* Returns a text of the manifest, "" where it has none. The caller frees it. */
static char *manifest_text(struct json_object *manifest, const char *key)
{
	const char *text = json_get_text(manifest, key);

	return alloc_text(text ? text : "");
}

/* Returns an integer of the object, -1 where it has none. */
static int64_t manifest_number(struct json_object *object, const char *key)
{
	int64_t number = -1;

	json_get_int(object, key, &number);
	return number;
}

/*
 * Counts the ranks without probe, which no census lists: the agent names them, their pids tell who
 * lives.
 */
static void jobs_count_unprobed(struct jobs_entry *entry, struct json_object *manifest)
{
	size_t nr;
	struct json_object *list = json_get_list(manifest, "unprobed", &nr);

	for (size_t i = 0; i < nr && i < CENSUS_SLOTS; i++) {
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

/*
 * Takes the agent for gone if it has died beside its wrapper, which lives as long as the command.
 */
static void jobs_doubt_agent(struct jobs_entry *entry, struct json_object *manifest)
{
	int64_t pid = manifest_number(manifest, "agent_pid");
	struct proc_id id = {.pid = pid > 0 && pid <= UINT32_MAX ? (uint32_t)pid : 0,
		.start_time = (uint64_t)manifest_number(manifest, "agent_start_time")};

	if (id.pid && entry->wrapper == entry->agent_pid && !proc_is_alive(id))
		entry->agent_alive = false;
}

/*
 * Takes in what the agent says in the manifest. A job is over when none of its processes lives, and
 * no agent waits for its command.
 */
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

/* Returns a time of the manifest; 0 where it has none that can be one. */
static int64_t manifest_time(struct json_object *manifest, const char *key)
{
	int64_t when = manifest_number(manifest, key);

	return when > 0 && when < INT64_MAX / 2 ? when : 0;
}

/* Takes what the manifest tells to the agents of the job's other folders, and to a successor. */
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

/* Parses the manifest, sets how many bytes it has; NULL: none can be read. The caller puts it. */
static struct json_object *jobs_parse_manifest(const struct folder *folder, size_t *ret_bytes)
{
	struct json_object *manifest = NULL;
	struct str text = {0};

	if (folder_read(folder, AGENT_MANIFEST_FILE, AGENT_FILE_CAP, &text, NULL) == 0 &&
		json_scan_is_light(str_text(&text), text.len))
		manifest = json_tokener_parse(str_text(&text));
	*ret_bytes = text.len;
	str_release(&text);
	return manifest;
}

int64_t jobs_read_told(const struct jobs_entry *entry)
{
	struct json_object *manifest = NULL;
	struct folder folder = {.fd = -1};
	size_t bytes;
	int64_t told;

	if (folder_open(&folder, entry->folder, entry->owner, NULL) == 0)
		manifest = jobs_parse_manifest(&folder, &bytes);
	told = manifest_time(manifest, "told");
	json_object_put(manifest);
	folder_close(&folder);
	return told;
}

/* Returns the launched command, words by blanks, as the manifest has it. The caller frees it. */
static char *manifest_command(struct json_object *manifest)
{
	size_t nr;
	struct json_object *argv = json_get_list(manifest, "argv", &nr);
	struct str words = {0};

	for (size_t i = 0; i < nr; i++) {
		const char *word = json_object_get_string(json_object_array_get_idx(argv, i));

		str_printf(&words, "%s%s", i ? " " : "", word ? word : "");
	}
	return words.len ? str_detach(&words) : alloc_text("");
}

static void jobs_read_manifest(struct jobs_entry *entry, const struct folder *folder)
{
	struct json_object *manifest = jobs_parse_manifest(folder, &entry->cost.bytes);
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

/* Adds the number of a rank, once. */
static void jobs_add_number(struct jobs_entry *entry, int number)
{
	for (size_t i = 0; i < entry->numbers.nr; i++)
		if (entry->numbers.items[i] == number)
			return;
	*array_add(&entry->numbers) = number;
}

/*
 * Counts the census' ranks, and those of them that live. Returns how many of its processes live,
 * ranks or not.
 */
static unsigned int jobs_count(
	struct jobs_entry *entry, int census_fd, const struct census_view *view)
{
	struct proc_ns_seen seen = {0};
	unsigned int living = 0;

	for (uint32_t i = 0; i < view->slots; i++) {
		struct census_slot slot;
		struct liveness liveness;
		bool alive, rank;

		if (census_view_slot(view, i, &slot) != 1)
			continue;
		liveness = liveness_of_slot(&seen, census_fd, i, &slot);
		alive = liveness_is_alive(&liveness);
		rank = slot.state == CENSUS_RANK || (slot.flags & CENSUS_F_WAS_RANK);
		living += alive;
		entry->ranks += rank;
		entry->ranks_alive += rank && alive;
		if (slot.world_size > entry->world_size)
			entry->world_size = slot.world_size;
		/*
		 * The number of a task, or of a node, is no rank's until a rank has shown itself
		 * there.
		 */
		if (slot.rank >= 0 &&
			(rank || !(slot.flags & (CENSUS_F_TASK | CENSUS_F_ALONE))))
			jobs_add_number(entry, slot.rank);
	}
	proc_ns_seen_release(&seen);
	return living;
}

/* What the census says of the job and of its agent. */
static void jobs_take_census(struct jobs_entry *entry, int fd, const struct census_view *view)
{
	entry->launched = checked_time((int64_t)view->header.created_realtime, 0);
	if (view->header.name[0])
		entry->name = alloc_text(view->header.name);
	entry->cost.slots = view->slots;
	entry->status = jobs_count(entry, fd, view) ? JOBS_RUNNING : JOBS_ENDED;
	entry->beat = checked_time((int64_t)view->header.agent_beat, 0);
	entry->agent_pid = view->header.agent_pid;
	entry->agent_start_time = view->header.agent_start_time;
	if (entry->agent_pid) {
		struct liveness agent =
			liveness_of_process(entry->agent_pid, entry->agent_start_time);

		entry->agent_alive = liveness_is_alive(&agent);
		entry->wrapper = entry->agent_alive ? agent.here : 0;
	}
}

/* Reads the census: who lives, and who is the agent. Returns 0, or negative with words. */
static int jobs_read_census(
	struct jobs_entry *entry, const struct folder *folder, struct complaint *why)
{
	int fd = folder_open_file(folder, CENSUS_FILE, why);
	struct census_view view;
	void *bytes = NULL;
	size_t size = 0;
	int error;

	if (fd < 0)
		return fd;
	error = census_snapshot(fd, &bytes, &size);
	if (!error)
		error = census_view_open(&view, bytes, size);
	if (error)
		complaint_set(why, "%s: the census cannot be read", folder->path);
	else
		jobs_take_census(entry, fd, &view);
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

/* Returns the owner's share so far. It is valid until the next call, which may move the list. */
static struct jobs_share *jobs_share_of(struct jobs *jobs, uid_t owner)
{
	struct jobs_share *share;

	array_for_each(&jobs->shares, share)
		if (share->owner == owner)
			return share;
	share = array_add(&jobs->shares);
	share->owner = owner;
	return share;
}

/* True if the owner has used up his share; then one more of his folders counts as left out. */
static bool jobs_is_too_much(struct jobs *jobs, uid_t owner)
{
	struct jobs_share *share = jobs_share_of(jobs, owner);
	bool is = share->folders >= JOBS_FOLDERS_MOST || share->slots >= JOBS_SLOTS_MOST ||
		  share->bytes >= JOBS_BYTES_MOST || share->rings >= JOBS_RINGS_MOST ||
		  share->worlds >= JOBS_WORLDS_MOST;

	share->left += is;
	return is;
}

/* Adds what it took to look at the entry to its owner's share. */
static void jobs_charge(struct jobs *jobs, const struct jobs_entry *entry)
{
	struct jobs_share *share = jobs_share_of(jobs, entry->owner);

	share->folders++;
	share->slots += entry->cost.slots;
	share->bytes += entry->cost.bytes;
	share->rings += entry->cost.rings;
	share->worlds += entry->worlds.nr;
}

/* Notes owner, device and inode, which tell the folder whatever its path is. */
static void jobs_take_place(struct jobs_entry *entry, const struct folder *folder)
{
	struct stat about;

	entry->owner = folder->uid;
	if (fstat(folder->fd, &about) == 0) {
		entry->dev = about.st_dev;
		entry->inode = about.st_ino;
	}
}

/*
 * Adds the folder if it is a job's and may be trusted. Returns 0, or negative with words; -EDQUOT
 * where its owner has too many.
 */
static int jobs_add(struct jobs *jobs, const char *path, uid_t uid, struct complaint *why)
{
	struct jobs_entry entry = {.world_size = -1, .exit_status = -1};
	const char *slash = strrchr(path, '/');
	struct folder folder;
	int error = folder_open(&folder, path, uid, why);

	if (error)
		return error;
	jobs_take_place(&entry, &folder);
	if (jobs_is_too_much(jobs, folder.uid)) {
		complaint_set(why, "%s is one of too many of its user", path);
		error = -EDQUOT;
	} else {
		error = jobs_read_census(&entry, &folder, why);
	}
	if (error) {
		free(entry.name);
		array_release(&entry.numbers);
		goto out;
	}
	entry.folder = alloc_text(path);
	entry.id = alloc_text(slash ? slash + 1 : path);
	jobs_read_manifest(&entry, &folder);
	if (!entry.name)
		entry.name = alloc_text(entry.id);
	entry.given = strcmp(entry.name, entry.id) != 0 ? entry.name : "";
	entry.job = jobs->nr;
	jobs_read_worlds(&entry, &folder);
	jobs->items = array_grow(jobs->items, jobs->nr, 1, &jobs->room, sizeof(*jobs->items));
	jobs->items[jobs->nr++] = entry;
	jobs_charge(jobs, &entry);
out:
	folder_close(&folder);
	return error;
}

/* A folder in a folder of jobs, and when something was last made or removed in it. */
struct jobs_place {
	char *name;
	struct timespec changed;
};

/* Orders places from the last changed on; ties by name. */
static int jobs_compare_places(const void *a, const void *b)
{
	const struct jobs_place *left = a, *right = b;

	if (left->changed.tv_sec != right->changed.tv_sec)
		return left->changed.tv_sec < right->changed.tv_sec ? 1 : -1;
	if (left->changed.tv_nsec != right->changed.tv_nsec)
		return left->changed.tv_nsec < right->changed.tv_nsec ? 1 : -1;
	return strcmp(left->name, right->name);
}

struct jobs_places {
	ARRAY(struct jobs_place) all;
	bool more; /* there are more than JOBS_PLACES_MOST */
};

/*
 * Lists the folders below root, the last changed first, so that it is the oldest that are left out.
 */
static void jobs_list_places(const char *root, struct jobs_places *places)
{
	const struct dirent *entry;
	DIR *dir = opendir(root);

	while (dir && (entry = readdir(dir))) {
		struct stat about;

		if (entry->d_name[0] == '.' ||
			fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISDIR(about.st_mode))
			continue;
		places->more = places->all.nr == JOBS_PLACES_MOST;
		if (places->more)
			break;
		*array_add(&places->all) =
			(struct jobs_place){alloc_text(entry->d_name), about.st_mtim};
	}
	if (dir)
		closedir(dir);
	array_sort(&places->all, jobs_compare_places);
}

/* Adds a line to `refused`, while there is room. */
static void jobs_refuse(struct jobs *jobs, const char *words)
{
	if (jobs->refused.len < JOBS_REFUSED_MOST)
		str_printf(&jobs->refused, "%s\n", words);
}

/* Adds to `refused` whose folders were too many to look at all of them. */
static void jobs_tell_left(struct jobs *jobs, const char *root, bool more)
{
	struct jobs_share *share;
	struct str words = {0};

	array_for_each(&jobs->shares, share) {
		if (share->left)
			str_printf(&words, "%s: %zu more folders of user %u, who has too many",
				root, share->left, (unsigned int)share->owner);
		if (words.len)
			jobs_refuse(jobs, str_text(&words));
		str_cut(&words, 0);
		share->left = 0;
	}
	if (more)
		str_printf(&words, "%s: what lies behind its first %u folders", root,
			JOBS_PLACES_MOST);
	if (words.len)
		jobs_refuse(jobs, str_text(&words));
	str_release(&words);
}

/* Adds every job folder below root. A folder without a census is no job's, which is no fault. */
static void jobs_add_below(struct jobs *jobs, const char *root, uid_t uid)
{
	struct jobs_places places = {0};
	struct jobs_place *place;

	jobs_list_places(root, &places);
	array_for_each(&places.all, place) {
		struct complaint why = {0};
		struct str path = {0};
		int error;

		str_printf(&path, "%s/%s", root, place->name);
		error = jobs_add(jobs, path.text, uid, &why);
		if (error && error != -ENOENT && error != -ENOTDIR && error != -EDQUOT)
			jobs_refuse(jobs, complaint_text(&why));
		complaint_release(&why);
		str_release(&path);
		free(place->name);
	}
	jobs_tell_left(jobs, root, places.more);
	array_release(&places.all);
}

/*
 * Notes that a folder above jobs could not be opened; root may lack root's capability in a
 * container.
 */
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
	jobs_refuse(jobs, complaint_text(why));
}

/* Adds the jobs of the folders `base`/inquest-UID: our own, or, as root, of every UID there. */
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

		/* What follows a "-" made the name free where somebody else has the plain one. */
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

/* Orders entries from the newest on; ties by folder, so that the order is always the same. */
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

/* Appends the path by which we get to the folder that a process names so. */
static void jobs_seen_path(uint32_t pid, const char *folder, struct str *into)
{
	str_printf(into, "/proc/%u/root%s%s", pid, *folder == '/' ? "" : "/", folder);
}

const struct jobs_entry *jobs_find_seen(const struct jobs *jobs, uint32_t pid, const char *folder)
{
	const struct jobs_entry *found = NULL;
	struct str path = {0};
	struct stat seen;

	jobs_seen_path(pid, folder, &path);
	if (lstat(path.text, &seen) == 0)
		for (size_t i = 0; i < jobs->nr && !found; i++)
			if (jobs->items[i].dev == seen.st_dev &&
				jobs->items[i].inode == seen.st_ino)
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

	(void)why; /* a folder that is not there holds no jobs, so nothing can fail yet */
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

	/* The last part must be no link, though parts before it may be. */
	if (!absolute || lstat(path, &st) < 0 || S_ISLNK(st.st_mode)) {
		error = absolute ? ELOOP : errno;
		free(absolute);
		return complaint_errno(why, error, "cannot open %s", path);
	}
	error = jobs_add(jobs, absolute, own ? own : FOLDER_ANY_UID, why);
	free(absolute);
	return error;
}

void jobs_release(struct jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t i = 0; i < jobs->nr; i++)
		jobs_entry_release(&jobs->items[i]);
	free(jobs->items);
	str_release(&jobs->refused);
	array_release(&jobs->shares);
	*jobs = (struct jobs){0};
}
