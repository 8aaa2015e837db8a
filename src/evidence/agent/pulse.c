/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/pulse.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "evidence/format/folder.h"
#include "ring/census.h"
#include "ring/ring.h"

/* A true ring has no more of each; this bounds what is read of a forged one. */
#define PULSE_LANES  64u
#define PULSE_GROUPS 256u

/* Mixes bytes into a hash, eight at a time. */
static uint64_t pulse_mix(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (; len >= sizeof(hash); at += sizeof(hash), len -= sizeof(hash)) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = hash_mix(hash, word);
		hash ^= hash >> 29;
	}
	return hash_bytes(hash, at, len);
}

/* --- A ring ----------------------------------------------------------------------------------- */

/* Reads exactly `len` bytes of the file; false where it has fewer. */
static bool pulse_read(int fd, void *to, size_t len, uint64_t at)
{
	return at < INT64_MAX && pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

/*
 * Hashes a board, but for its times and for which half is the newer. A thread that asks again and
 * again whether the device is done writes the same onto its board each time, in one half and the
 * other by turns: that is no progress.
 */
static uint64_t pulse_of_board(const struct ring_slot board[static 2])
{
	uint64_t both = 0;

	for (int i = 0; i < 2; i++) {
		const uint64_t words[] = {
			board[i].meta, board[i].index, board[i].count, board[i].sig};

		both += pulse_mix(HASH_START, words, sizeof(words));
	}
	return both;
}

/* Mixes in the heads and boards of all lanes. */
static uint64_t pulse_lanes(int fd, const struct ring_section *section, uint64_t hash)
{
	struct ring_lane lanes[PULSE_LANES];
	uint64_t nr = section->count < PULSE_LANES ? section->count : PULSE_LANES;

	if (section->elem_size != sizeof(lanes[0]) ||
		!pulse_read(fd, lanes, nr * sizeof(lanes[0]), section->offset))
		return hash;
	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t words[] = {lanes[i].claim, lanes[i].claims, lanes[i].head,
			pulse_of_board(lanes[i].board)};

		hash = pulse_mix(hash, words, sizeof(words));
	}
	return hash;
}

/*
 * Mixes in what was enqueued and completed in each group. Entries are taken in order, so behind the
 * first that was never used there is none.
 */
static uint64_t pulse_groups(int fd, const struct ring_section *section, uint64_t hash)
{
	const size_t from = offsetof(struct ring_group, enqueue);
	struct ring_group group;

	for (uint64_t i = 0; i < section->count && i < PULSE_GROUPS; i++) {
		uint64_t at = section->offset + i * section->elem_size;

		if (section->elem_size < sizeof(group) ||
			!pulse_read(fd, &group, offsetof(struct ring_group, first), at) ||
			!group.seq)
			break;
		hash = pulse_mix(hash, &group, from);
		hash = pulse_mix(hash, (uint8_t *)&group + from,
			offsetof(struct ring_group, first) - from);
	}
	return hash;
}

/* Hashes what the ring in this file shows; a file that is no ring gives the start value. */
static uint64_t pulse_of_ring(int fd)
{
	uint64_t hash = HASH_START;
	struct ring_header header;

	if (!pulse_read(fd, &header, sizeof(header), 0) || header.magic != RING_MAGIC)
		return hash;
	hash = pulse_mix(hash, &header, sizeof(header));
	for (size_t i = 0; i < RING_SECTIONS; i++) {
		const struct ring_section *section = &header.section[i];

		if (section->id == RING_S_LANES)
			hash = pulse_lanes(fd, section, hash);
		if (section->id == RING_S_GROUPS)
			hash = pulse_groups(fd, section, hash);
	}
	return hash;
}

/* --- All of them ------------------------------------------------------------------------------ */

/*
 * Hashes the slots of the census. What the agent itself writes into the header at each turn is no
 * news, so it is left out.
 */
static uint64_t pulse_of_census(const struct folder *folder)
{
	int fd = folder_open_file(folder, CENSUS_FILE, NULL);
	uint64_t hash = HASH_START;
	struct census_header header;
	struct census_slot slot;

	if (fd < 0)
		return hash;
	if (!pulse_read(fd, &header, sizeof(header), 0))
		header.high = 0;
	for (uint64_t i = 0; i < header.high && i < CENSUS_SLOTS; i++)
		if (pulse_read(fd, &slot, sizeof(slot), sizeof(header) + i * sizeof(slot)))
			hash = pulse_mix(hash, &slot, sizeof(slot));
	close(fd);
	return hash;
}

/* Orders rings by name. */
static int pulse_compare(const void *a, const void *b)
{
	const struct pulse_ring *left = a, *right = b;

	return left->name < right->name ? -1 : left->name > right->name;
}

/* Adds the rings of one folder. */
static void pulse_take_rings(struct pulse *pulse, const struct folder *folder)
{
	int again = dup(folder->fd);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		int fd;

		if (len <= 5 || strcmp(entry->d_name + len - 5, ".ring") != 0)
			continue;
		fd = folder_open_file(folder, entry->d_name, NULL);
		if (fd < 0)
			continue;
		*array_add(&pulse->rings) = (struct pulse_ring){
			pulse_mix(HASH_START, entry->d_name, len), pulse_of_ring(fd)};
		close(fd);
	}
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
}

/*
 * Adds the rings that found no room in shared memory: they lie in a folder of the same name in
 * /tmp.
 */
static void pulse_take_spilled(struct pulse *pulse, const struct folder *main)
{
	const char *id = strrchr(main->path, '/');
	struct folder folder = {.fd = -1};
	struct str path = {0};

	str_printf(&path, "/tmp/inquest-%u%s", (unsigned int)main->uid, id ? id : "/");
	if (strcmp(path.text, main->path) != 0 &&
		folder_open(&folder, path.text, main->uid, NULL) == 0)
		pulse_take_rings(pulse, &folder);
	folder_close(&folder);
	str_release(&path);
}

/* Compares two pulses whose rings are sorted. */
static struct pulse_news pulse_news_of(const struct pulse *before, const struct pulse *now)
{
	struct pulse_news news = {.others = before->census != now->census};
	size_t i = 0, k = 0;

	while (i < before->rings.nr && k < now->rings.nr) {
		const struct pulse_ring *old = &before->rings.items[i], *new = &now->rings.items[k];

		if (old->name == new->name) {
			news.moved += old->told != new->told;
			news.still += old->told == new->told;
		} else {
			news.others = true;
		}
		i += old->name <= new->name;
		k += old->name >= new->name;
	}
	news.others = news.others || i < before->rings.nr || k < now->rings.nr;
	return news;
}

/* Adds census and rings of one job folder, with what spilled out of it. */
static void pulse_take_folder(struct pulse *pulse, const char *path)
{
	struct folder folder = {.fd = -1};
	uint64_t census;

	if (folder_open(&folder, path, geteuid(), NULL) == 0) {
		census = pulse_of_census(&folder);
		pulse->census = pulse_mix(pulse->census, &census, sizeof(census));
		pulse_take_rings(pulse, &folder);
		pulse_take_spilled(pulse, &folder);
	}
	folder_close(&folder);
}

struct pulse_news pulse_take(struct pulse *pulse, const char *const *folders, size_t nr)
{
	struct pulse now = {.census = HASH_START};
	struct pulse_news news;

	for (size_t i = 0; i < nr; i++)
		pulse_take_folder(&now, folders[i]);
	array_sort(&now.rings, pulse_compare);
	news = pulse_news_of(pulse, &now);
	pulse_release(pulse);
	*pulse = now;
	return news;
}

void pulse_release(struct pulse *pulse)
{
	array_release(&pulse->rings);
	*pulse = (struct pulse){0};
}
