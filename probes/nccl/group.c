/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nccl/group.h"

#include <string.h>

#define GROUP_HANDLES  256 /* a power of two; more live communicators than rings have groups */
#define GROUP_RING_MAX 64  /* entries of the largest ring */
#define GROUP_GONE     1   /* a handle that was unbound: searches go on behind it */

/* Writers: all threads that make or end communicators, word by word with atomics. */
static struct {
	struct {
		uint64_t comm; /* 0 never used */
		int64_t group;
	} table[GROUP_HANDLES];
	/* children made so far, by the parent's entry and by kind */
	uint32_t children[GROUP_RING_MAX][GROUP_ALL];
} groups;

/* --- Identity -------------------------------------------------------------------------------- */

static uint64_t group_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Makes a key of a hash: 0 means "no key" in the ring. */
static uint64_t group_key(uint64_t hash)
{
	return hash ? hash : 1;
}

uint64_t group_key_of_id(const void *id, size_t size)
{
	const uint8_t *bytes = id;
	uint64_t hash = RING_HASH_START;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return group_key(group_mix(hash, size));
}

uint64_t group_key_of_kin(uint64_t parent, enum group_kin kin, uint64_t first, uint64_t second)
{
	return group_key(group_mix(group_mix(group_mix(parent, kin), first), second));
}

/* NCCL's hash, as its bitops.h has it since 2.26.2: fed in pieces, then digested. */
struct group_nccl_hash {
	uint64_t a, b;
};

static void group_nccl_eat(struct group_nccl_hash *h, const void *from, size_t size)
{
	const uint8_t *bytes = from;

	h->a ^= size;
	while (size) {
		size_t chunk = size < 8 ? size : 8;
		uint64_t word = 0;

		h->a += h->b;
		h->b ^= h->a;
		h->a ^= h->a >> 31;
		h->a *= 0x9de62bbc8cef3ce3ull;
		h->b ^= h->b >> 32;
		h->b *= 0x485cd6311b599e79ull;
		memcpy(&word, bytes, chunk);
		h->a += word;
		bytes += chunk;
		size -= chunk;
	}
}

static uint64_t group_nccl_digest(const struct group_nccl_hash *h)
{
	uint64_t hash = h->a;

	hash ^= hash >> 31;
	hash *= 0xbac3bd562846de6bull;
	hash += h->b;
	hash ^= hash >> 32;
	hash *= 0x995a187a14e7b445ull;
	return hash;
}

uint64_t group_alias_of_id(const void *id, size_t size)
{
	struct group_nccl_hash hash = {1, 1};

	group_nccl_eat(&hash, id, size);
	return group_nccl_digest(&hash);
}

uint64_t group_alias_of_kin(uint64_t parent_alias, int32_t number, int32_t color)
{
	struct group_nccl_hash hash = {1, 1};

	if (!parent_alias)
		return 0;
	group_nccl_eat(&hash, &parent_alias, sizeof(parent_alias));
	group_nccl_eat(&hash, &number, sizeof(number));
	group_nccl_eat(&hash, &color, sizeof(color));
	return group_nccl_digest(&hash);
}

uint32_t group_number_child(int parent, enum group_kin kin)
{
	if (parent < 0 || parent >= GROUP_RING_MAX)
		return 0;
	return __atomic_add_fetch(&groups.children[parent][kin], 1, __ATOMIC_RELAXED);
}

uint32_t group_next_child(int parent, enum group_kin kin)
{
	if (parent < 0 || parent >= GROUP_RING_MAX)
		return 0;
	return __atomic_load_n(&groups.children[parent][kin], __ATOMIC_RELAXED) + 1;
}

/* --- Handles --------------------------------------------------------------------------------- */

static unsigned group_slot(uint64_t comm)
{
	return (unsigned)((comm >> 4) * 0x9e3779b97f4a7c15ull >> 32) % GROUP_HANDLES;
}

void group_bind(const void *comm, int group)
{
	uint64_t handle = (uint64_t)(uintptr_t)comm;
	unsigned at = group_slot(handle);

	if (!handle || group < 0)
		return;
	group_unbind(comm);
	if (group < GROUP_RING_MAX)
		memset(groups.children[group], 0, sizeof(groups.children[group]));
	for (unsigned probe = 0; probe < GROUP_HANDLES; probe++, at = (at + 1) % GROUP_HANDLES) {
		uint64_t seen = ring_load(&groups.table[at].comm);

		if (seen > GROUP_GONE || !ring_cas(&groups.table[at].comm, seen, GROUP_GONE + 1))
			continue;
		__atomic_store_n(&groups.table[at].group, group, __ATOMIC_RELAXED);
		ring_publish_word(&groups.table[at].comm, handle);
		return;
	}
}

void group_unbind(const void *comm)
{
	uint64_t handle = (uint64_t)(uintptr_t)comm;
	unsigned at = group_slot(handle);

	for (unsigned probe = 0; handle && probe < GROUP_HANDLES; probe++) {
		if (ring_load(&groups.table[at].comm) == handle)
			ring_publish_word(&groups.table[at].comm, GROUP_GONE);
		at = (at + 1) % GROUP_HANDLES;
	}
}

int group_of(const void *comm)
{
	uint64_t handle = (uint64_t)(uintptr_t)comm;
	unsigned at = group_slot(handle);

	for (unsigned probe = 0; probe < GROUP_HANDLES; probe++) {
		uint64_t seen = ring_load_acquire(&groups.table[at].comm);

		if (seen == handle && handle > GROUP_GONE + 1)
			return (int)__atomic_load_n(&groups.table[at].group, __ATOMIC_RELAXED);
		if (!seen)
			break;
		at = (at + 1) % GROUP_HANDLES;
	}
	return GROUP_NONE;
}

void group_forget_all(void)
{
	memset(groups.table, 0, sizeof(groups.table));
	memset(groups.children, 0, sizeof(groups.children));
}
