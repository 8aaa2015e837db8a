/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "evidence/format/worker-folder.h"
#include "job/job.h"

/* At most so many keys are known. */
#define KNOWN_MOST 262144

static uint64_t hash_of(const struct roster_key *key)
{
	uint64_t hash = hash_mix(hash_mix(HASH_START, key->by), (uint64_t)key->number);

	hash = hash_bytes(hash, key->folder, key->len);
	hash *= 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static bool is_same(const struct roster_key *a, const struct roster_key *b)
{
	return a->by == b->by && a->number == b->number && a->len == b->len &&
	       (!a->len || !memcmp(a->folder, b->folder, a->len));
}

/* Returns the key's place in the index, or the free one where it belongs. */
static size_t *spot_of(const struct roster *roster, const struct roster_key *key)
{
	size_t at = hash_of(key) % roster->index_size;

	while (roster->index[at] &&
		!is_same(&roster->known.items[roster->index[at] - 1].key, key))
		at = (at + 1) % roster->index_size;
	return &roster->index[at];
}

/* Makes room for one more key in the index. */
static void make_room(struct roster *roster)
{
	if (roster->known.nr * 2 < roster->index_size)
		return;
	free(roster->index);
	roster->index_size = roster->index_size ? roster->index_size * 2 : 64;
	roster->index = alloc_zeroed(roster->index_size, sizeof(*roster->index));
	for (size_t i = 0; i < roster->known.nr; i++)
		*spot_of(roster, &roster->known.items[i].key) = i + 1;
}

/* Notes the rank, or number, of a key; if another one was noted, none counts any more. */
static void know(struct roster *roster, const struct roster_key *key, int rank)
{
	size_t *spot;

	make_room(roster);
	spot = spot_of(roster, key);
	if (*spot && roster->known.items[*spot - 1].rank != rank) {
		roster->known.items[*spot - 1].rank = JOB_NONE;
	} else if (!*spot && roster->known.nr < KNOWN_MOST) {
		*array_add(&roster->known) = (struct roster_known){*key, rank, NULL};
		*spot = roster->known.nr;
	}
}

/* Returns the rank, or number, of a key; JOB_NONE none. */
static int rank_of(const struct roster *roster, const struct roster_key *key)
{
	size_t place = roster->index_size ? *spot_of(roster, key) : 0;

	return place ? roster->known.items[place - 1].rank : JOB_NONE;
}

/*
 * Returns how many bytes of a label are before the last slash among its first `len`; 0 if there is
 * none.
 */
static size_t folder_of(const char *label, size_t len)
{
	while (len && label[len - 1] != '/')
		len--;
	return len ? len - 1 : 0;
}

/*
 * Goes to the folder above; false at the root, which of a whole path is another than of the others.
 */
static bool go_up(const char *label, size_t *len)
{
	const bool more = *len > 0;

	*len = folder_of(label, *len);
	return more && (*len || label[0] != '/');
}

/* Returns how many bytes of a worker's folder are torchrun's for all workers of the node. */
static size_t run_of(const char *folder, size_t len)
{
	return folder_of(folder, folder_of(folder, len));
}

static void know_pid(struct roster *roster, const struct roster_entry *entry)
{
	const struct roster_key key = {ROSTER_PID, entry->pid, NULL, 0};
	size_t place;

	know(roster, &key, entry->rank);
	place = *spot_of(roster, &key);
	if (place && entry->host)
		roster->known.items[place - 1].host = entry->host;
}

void roster_add(struct roster *roster, const struct roster_entry *entry)
{
	struct worker_folder folder;

	if (entry->pid > 0)
		know_pid(roster, entry);
	if (entry->local != JOB_NONE && entry->by) {
		size_t len = folder_of(entry->by, strlen(entry->by));

		know(roster, &(const struct roster_key){ROSTER_SAID, 0, entry->by, len}, 0);
		know(roster,
			&(const struct roster_key){ROSTER_LOCAL, entry->local, entry->by, len},
			entry->rank);
	}
	if (entry->folder)
		know(roster,
			&(const struct roster_key){
				ROSTER_FOLDER, 0, entry->folder, strlen(entry->folder)},
			entry->rank);
	if (entry->file && worker_folder_find(entry->file, &folder)) {
		const char *from = worker_folder_name(entry->file, folder.run);

		know(roster,
			&(const struct roster_key){ROSTER_NAMED, 0, from,
				(size_t)(entry->file + folder.len - from)},
			entry->rank);
	}
}

void roster_add_file(struct roster *roster, const char *label)
{
	size_t len = run_of(label, roster_folder(label));
	const struct roster_key key = {ROSTER_RUN, 0, label, len};
	int run = rank_of(roster, &key);

	if (!roster_folder(label))
		return;
	if (run == JOB_NONE) {
		run = roster->runs++;
		know(roster, &key, run);
	}
	do
		know(roster, &(const struct roster_key){ROSTER_BELOW, 0, label, len}, run);
	while (go_up(label, &len));
}

int roster_of_pid(const struct roster *roster, int64_t pid)
{
	return rank_of(roster, &(const struct roster_key){ROSTER_PID, pid, NULL, 0});
}

void roster_add_host(struct roster *roster, const char *host)
{
	size_t len = strcspn(host, ".: \t");
	uint64_t hash = hash_bytes(HASH_START, host, len);

	if (!len)
		return;
	roster->several_hosts |= roster->host && roster->host != hash;
	roster->host = hash;
}

int roster_of_pid_on(const struct roster *roster, int64_t pid, const char *host)
{
	const struct roster_key key = {ROSTER_PID, pid, NULL, 0};
	size_t place = roster->index_size ? *spot_of(roster, &key) : 0;
	const char *there = place ? roster->known.items[place - 1].host : NULL;
	size_t len = there ? strcspn(there, ".") : 0;

	if (roster->several_hosts && (!host || !there))
		return JOB_NONE;
	if (host && there && (strcspn(host, ".") != len || strncmp(host, there, len) != 0))
		return JOB_NONE;
	return roster_of_pid(roster, pid);
}

int roster_of_folder(const struct roster *roster, const char *folder)
{
	int rank = rank_of(roster,
		&(const struct roster_key){ROSTER_FOLDER, 0, folder, strlen(folder)});
	size_t run = run_of(folder, strlen(folder));
	const char *name = worker_folder_name(folder, run + 1);

	if (rank != JOB_NONE || !run)
		return rank;
	return rank_of(
		roster, &(const struct roster_key){ROSTER_NAMED, 0, name, strlen(name)});
}

/* Returns the local rank that such a folder is called by. */
static int local_of(const char *folder)
{
	size_t len = strlen(folder);

	while (len && isdigit((unsigned char)folder[len - 1]))
		len--;
	return (int)strtol(folder + len, NULL, 10);
}

int roster_of_local(const struct roster *roster, const char *folder)
{
	int local = local_of(folder);
	size_t len = run_of(folder, strlen(folder));

	do {
		if (rank_of(roster, &(const struct roster_key){
					    ROSTER_SAID, 0, folder, len}) == JOB_NONE)
			continue;
		if (rank_of(roster, &(const struct roster_key){
					    ROSTER_BELOW, 0, folder, len}) == JOB_NONE)
			return JOB_NONE;
		return rank_of(roster,
			&(const struct roster_key){ROSTER_LOCAL, local, folder, len});
	} while (go_up(folder, &len));
	return JOB_NONE;
}

size_t roster_folder(const char *path)
{
	struct worker_folder folder;

	return worker_folder_find(path, &folder) ? folder.len : 0;
}

int roster_rank_of_name(const char *label)
{
	const char *at = strrchr(label, '/');

	at = strstr(at ? at : label, "rank");
	if (!at)
		return JOB_NONE;
	at += strlen("rank");
	at += *at && strchr("-_.=", *at);
	return strspn(at, "0123456789") && strspn(at, "0123456789") < 8 ? atoi(at) : JOB_NONE;
}

void roster_release(struct roster *roster)
{
	array_release(&roster->known);
	free(roster->index);
}
