/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/rally.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/address.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"
#include "base/hash.h"
#include "evidence/format/folder.h"
#include "evidence/format/json-get.h"
#include "evidence/format/json-put.h"
#include "evidence/format/json-scan.h"
#include "proc/read.h"

#define CARD    "card."
#define SCHEMA  "inquest-rally/1"
#define OPENING "{\"schema\":\"" SCHEMA "\",\"card\":\""
#define FOLDER  ".rally-"
#define PLAIN   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define RALLY_RANKS_MOST 65536
/*
 * A card is written every ten seconds at least, so a folder that stood still for a day is nobody's.
 */
#define OLD_S (24 * 3600)
/* How many old folders are removed at once. */
#define SWEEP_MOST 64

/* --- Names ------------------------------------------------------------------------------------ */

/* Hashes a word with its end, so that "1" and "23" are not "12" and "3". NULL is "". */
static uint64_t hash_word(uint64_t hash, const char *word)
{
	return hash_mix(hash_text(hash, word ? word : ""), 0);
}

/*
 * Hashes a Slurm step with its cluster and restart count: a step keeps its number when its job is
 * requeued, and has it again on another cluster.
 */
static uint64_t hash_step(uint64_t hash, const char *step)
{
	const char *again = getenv("SLURM_RESTART_COUNT");

	hash = hash_word(hash, step);
	hash = hash_word(hash, again ? again : "0");
	return hash_word(hash, getenv("SLURM_CLUSTER_NAME"));
}

bool rally_folder(const char *out, const struct fellow *fellow, bool apart, struct str *into)
{
	bool wide = address_is_wide(fellow->master);
	uint64_t hash = HASH_START;
	uid_t uid = geteuid();

	if (apart ? *fellow->step || !*fellow->run || !wide
		  : !*fellow->step && !*fellow->run && !wide)
		return false;
	hash = hash_bytes(hash, &uid, sizeof(uid));
	if (*fellow->step) {
		hash = hash_step(hash, fellow->step);
	} else {
		if (*fellow->run)
			hash = hash_word(hash, fellow->run);
		if (apart || !*fellow->run)
			hash = hash_word(hash, fellow->master);
	}
	str_printf(into, "%s/" FOLDER "%016llx", out, (unsigned long long)hash);
	return true;
}

/*
 * Two hosts may have one name, and one machine may be several hosts, as its containers are: so the
 * name has a hash of the boot id and of the folder of jobs that is seen. It has the master, too,
 * since two jobs on the same hosts have a rank 0 each.
 */
void rally_card_name(const char *jobs, const char *master, struct str *into)
{
	uint64_t hash = HASH_START;
	struct str boot = {0};
	char host[65] = "";
	struct stat about;

	gethostname(host, sizeof(host) - 1);
	for (char *c = host; *c; c++)
		if (*c == '.' || !strchr(PLAIN, *c))
			*c = *c == '.' ? '\0' : '_';
	file_read("/proc/sys/kernel/random/boot_id", 64, &boot, NULL);
	hash = hash_word(hash, str_text(&boot));
	if (stat(jobs, &about) == 0) {
		hash = hash_bytes(hash, &about.st_dev, sizeof(about.st_dev));
		hash = hash_bytes(hash, &about.st_ino, sizeof(about.st_ino));
	}
	hash = hash_word(hash, master);
	str_printf(into, CARD "%s-%08x", host, (unsigned)(hash ^ hash >> 32));
	str_release(&boot);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Adds "heard" of the first host's card. */
static void put_heard(struct json_object *object, const struct rally_card *card)
{
	struct json_object *list = json_object_new_array();
	const struct rally_heard *heard;

	array_for_each (&card->heard, heard) {
		struct json_object *one = json_object_new_object();

		json_put_text(one, "card", heard->card);
		json_put_int(one, "born", heard->born);
		json_put_int(one, "raised", heard->raised);
		json_object_array_add(list, one);
	}
	json_object_object_add(object, "heard", list);
}

/* Appends the card as JSON, without the newline. */
static void format_card(const struct rally_card *card, struct str *into)
{
	struct json_object *object = json_object_new_object();
	struct json_object *ranks = json_object_new_array();
	const int *rank;

	array_for_each (&card->ranks, rank)
		json_object_array_add(ranks, json_object_new_int(*rank));
	json_put_text(object, "schema", SCHEMA);
	json_put_text(object, "card", card->name);
	json_put_text(object, "host", card->host);
	json_put_int(object, "pid", card->pid);
	json_put_int(object, "born", card->born);
	json_put_int(object, "launched", card->launched);
	json_put_int(object, "beat", card->beat);
	json_put_int(object, "pause_ms", card->pause_ms);
	json_put_int(object, "raised", card->raised);
	json_put_int(object, "asked", card->asked);
	json_put_int(object, "answered", card->answered);
	json_object_object_add(object, "over", json_object_new_boolean(card->over));
	json_object_object_add(object, "clash", json_object_new_boolean(card->clash));
	json_put_int(object, "attempt", card->attempt);
	json_object_object_add(object, "ranks", ranks);
	json_put_text(object, "bundle", card->bundle);
	json_put_text(object, "keys", card->keys);
	json_put_text(object, "verdict", card->verdict);
	if (card->heard.nr)
		put_heard(object, card);
	json_put_end(object, into);
}

int rally_write(const char *folder, const struct rally_card *card, struct complaint *why)
{
	struct folder trusted = {.fd = -1};
	struct str text = {0};
	int err = follow_make_folder(folder);

	if (err)
		err = complaint_errno(why, -err, "cannot make %s", folder);
	/* A folder that was there before may be anybody's. */
	if (!err)
		err = folder_open(&trusted, folder, geteuid(), why);
	folder_close(&trusted);
	format_card(card, &text);
	str_add_char(&text, '\n');
	if (!err)
		err = agent_file_write(folder, card->name, &text, why);
	str_release(&text);
	return err;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* True if a file of that name is a card, and not one half written. */
static bool is_card(const char *name)
{
	return !strncmp(name, CARD, strlen(CARD)) && !strstr(name, ".tmp-");
}

/* True if what was appended from there on is exactly one line. */
static bool is_one_line(const struct str *lines, size_t from)
{
	return lines->len > from &&
	       memchr(lines->text + from, '\n', lines->len - from) == lines->text + lines->len - 1;
}

/*
 * True if the line is the card of the file of that name. A copied or renamed card does not count,
 * since each host has one.
 */
static bool names_itself(const char *line, const char *name)
{
	struct str opening = {0};
	bool does;

	str_printf(&opening, OPENING "%s\",", name);
	does = !strncmp(line, opening.text, opening.len);
	str_release(&opening);
	return does;
}

int rally_read(const char *path, size_t most, struct str *lines, struct complaint *why)
{
	struct folder folder = {.fd = -1};
	struct file_names names = {0};
	int err = folder_open(&folder, path, geteuid(), why);

	if (!err)
		err = file_list(path, &names, why);
	for (size_t i = 0, read = 0; !err && i < names.list.nr && read < most; i++) {
		const char *name = strrchr(names.list.items[i], '/') + 1;
		size_t len = lines->len;

		if (!is_card(name))
			continue;
		if (folder_read(&folder, name, RALLY_CARD_CAP, lines, NULL) < 0 ||
			!is_one_line(lines, len) || !names_itself(lines->text + len, name))
			str_cut(lines, len);
		else
			read++;
	}
	file_names_release(&names);
	folder_close(&folder);
	return err;
}

/* Returns the object's text, "" where it has none. The caller frees it. */
static char *text_of(struct json_object *object, const char *key)
{
	const char *text = json_get_text(object, key);

	return alloc_text(text ? text : "");
}

/* Returns the object's number; 0 where it has none, or a negative one. */
static int64_t number_of(struct json_object *object, const char *key)
{
	int64_t number = 0;

	json_get_int(object, key, &number);
	return number > 0 ? number : 0;
}

static void get_heard(struct json_object *object, struct rally_card *card)
{
	size_t nr;
	struct json_object *list = json_get_list(object, "heard", &nr);

	for (size_t i = 0; i < nr && i < RALLY_CARDS_MOST; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_is_type(one, json_type_object))
			*array_add(&card->heard) = (struct rally_heard){text_of(one, "card"),
				number_of(one, "born"), number_of(one, "raised")};
	}
}

static void get_ranks(struct json_object *object, struct rally_card *card)
{
	size_t nr;
	struct json_object *list = json_get_list(object, "ranks", &nr);

	for (size_t i = 0; i < nr && i < RALLY_RANKS_MOST; i++) {
		struct json_object *rank = json_object_array_get_idx(list, i);

		if (json_object_is_type(rank, json_type_int))
			*array_add(&card->ranks) = json_object_get_int(rank);
	}
}

static bool truth_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) && json_object_get_boolean(value);
}

/*
 * True for a name that is no path, and has nothing that a terminal or a shell would take for more.
 */
static bool is_plain_name(const char *name)
{
	return *name != '.' && *name != '-' && strlen(name) <= NAME_MAX &&
	       !name[strspn(name, PLAIN)];
}

bool rally_card_parse(const char *line, size_t len, struct rally_card *ret)
{
	struct json_object *object = NULL;
	struct json_tokener *tokener = json_tokener_new();

	*ret = (struct rally_card){0};
	if (tokener && json_scan_is_light(line, len))
		object = json_tokener_parse_ex(tokener, line, (int)len);
	json_tokener_free(tokener);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return false;
	}
	*ret = (struct rally_card){.name = text_of(object, "card"),
		.host = text_of(object, "host"),
		.pid = (uint32_t)number_of(object, "pid"),
		.born = number_of(object, "born"),
		.launched = number_of(object, "launched"),
		.beat = number_of(object, "beat"),
		.pause_ms = number_of(object, "pause_ms"),
		.raised = number_of(object, "raised"),
		.asked = number_of(object, "asked"),
		.answered = number_of(object, "answered"),
		.over = truth_of(object, "over"),
		.clash = truth_of(object, "clash"),
		.attempt = (int)(number_of(object, "attempt") & INT_MAX),
		.bundle = text_of(object, "bundle"),
		.keys = text_of(object, "keys"),
		.verdict = text_of(object, "verdict")};
	get_heard(object, ret);
	get_ranks(object, ret);
	json_object_put(object);
	if (!is_plain_name(ret->bundle))
		*ret->bundle = '\0';
	if (strncmp(ret->name, CARD, strlen(CARD)) || strchr(ret->name, '/')) {
		rally_card_release(ret);
		return false;
	}
	return true;
}

void rally_card_release(struct rally_card *card)
{
	struct rally_heard *heard;

	free(card->name);
	free(card->host);
	free(card->bundle);
	free(card->keys);
	free(card->verdict);
	array_for_each (&card->heard, heard)
		free(heard->card);
	array_release(&card->heard);
	array_release(&card->ranks);
	*card = (struct rally_card){0};
}

/* --- Files ------------------------------------------------------------------------------------ */

int rally_open_bundle(const char *out, const char *name)
{
	struct str path = {0};
	struct stat about;
	int fd;

	str_printf(&path, "%s/%s", out, name);
	fd = file_open(path.text);
	str_release(&path);
	if (fd >= 0 &&
		(fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
			about.st_mode & 022)) {
		close(fd);
		fd = -EACCES;
	}
	return fd;
}

/*
 * Removes, through the opened folder that is known to be ours, cards and what a killed writer left
 * half written; other files stay.
 */
void rally_remove(const char *path)
{
	struct folder folder = {.fd = -1};
	struct file_names names = {0};

	if (folder_open(&folder, path, geteuid(), NULL) == 0 && file_list(path, &names, NULL) == 0)
		for (size_t i = 0; i < names.list.nr; i++) {
			const char *name = strrchr(names.list.items[i], '/') + 1;

			if (!strncmp(name, CARD, strlen(CARD)))
				unlinkat(folder.fd, name, 0);
		}
	file_names_release(&names);
	folder_close(&folder);
	rmdir(path);
}

/* True if it is a folder of ours to which nobody has written for OLD_S. */
static bool is_old(int out, const char *name, int64_t now)
{
	struct stat about;

	return fstatat(out, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode) &&
	       about.st_uid == geteuid() && now - about.st_mtime > OLD_S;
}

void rally_sweep(const char *out, int64_t now)
{
	int fd = follow_open(AT_FDCWD, out, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	int removed = 0;

	while (dir && removed < SWEEP_MOST && (entry = readdir(dir))) {
		struct str path = {0};

		if (strncmp(entry->d_name, FOLDER, strlen(FOLDER)) ||
			!is_old(fd, entry->d_name, now))
			continue;
		str_printf(&path, "%s/%s", out, entry->d_name);
		rally_remove(path.text);
		str_release(&path);
		removed++;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}
