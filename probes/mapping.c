/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table has an entry for the census and one for each ring of this process, and of those that it
 * was forked from, whose memory it has as well. Entries are made by one thread at a time (under the
 * lock of process.c). Handlers read them at any time, so that `base` is set last and cleared first.
 * If the table is full nothing is mapped: better no ring than one that nobody watches over.
 *
 * A cut takes pages from the end, so the last word of a mapping tells whether there was one.
 */
#include "probes/mapping.h"

#include <signal.h>
#include <stddef.h>

#include "probes/death/sigchain.h"
#include "probes/self.h"
#include "probes/sys.h"

#define MAPPING_MOST 16

/* Writers: mapping_make() and mapping_drop(), under the caller's lock; handlers read it. */
static struct mapping {
	uint64_t base; /* 0: none */
	uint64_t size;
} mapping_table[MAPPING_MOST];

static uint64_t mapping_base(const struct mapping *m)
{
	return __atomic_load_n(&m->base, __ATOMIC_ACQUIRE);
}

static struct mapping *mapping_find(uint64_t base)
{
	for (size_t i = 0; i < MAPPING_MOST; i++)
		if (mapping_base(&mapping_table[i]) == base)
			return &mapping_table[i];
	return NULL;
}

void *mapping_make(int fd, uint64_t size)
{
	struct mapping *entry = mapping_find(0);
	void *base = entry ? sys_map(size, MAP_SHARED, fd) : NULL;

	if (!base)
		return NULL;
	entry->size = size;
	__atomic_store_n(&entry->base, (uint64_t)(uintptr_t)base, __ATOMIC_RELEASE);
	return base;
}

void mapping_drop(void *base, uint64_t size)
{
	struct mapping *entry = mapping_find((uint64_t)(uintptr_t)base);

	/* Cleared before, or what is mapped there next could be taken for ours. */
	if (entry)
		__atomic_store_n(&entry->base, 0, __ATOMIC_RELEASE);
	sys_unmap(base, size);
}

/*
 * Puts private zeros in a mapping's place, in one call, so that other threads never find nothing
 * there. Returns 1, or 0 if that is refused.
 */
static int mapping_replace(uint64_t base, uint64_t size)
{
	const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	return sys_call(SYS_mmap, base, size, PROT_READ | PROT_WRITE, how, -1, 0) == (long)base;
}

int mapping_mend(uint64_t at)
{
	for (size_t i = 0; i < MAPPING_MOST; i++) {
		uint64_t base = mapping_base(&mapping_table[i]), size = mapping_table[i].size;

		if (base && at >= base && at - base < size)
			return mapping_replace(base, size);
	}
	return 0;
}

void mapping_look(void)
{
	for (size_t i = 0; i < MAPPING_MOST; i++) {
		uint64_t base = mapping_base(&mapping_table[i]), size = mapping_table[i].size;

		if (base && !self_can_read(base + size - sizeof(uint64_t)))
			mapping_replace(base, size);
	}
}

void mapping_guard(void)
{
	if (!sigchain_reaches(SIGBUS))
		mapping_look();
}
