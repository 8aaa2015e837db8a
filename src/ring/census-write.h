/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census-write.h: taking a place in the job's process table. Libc-free, like ring-write.h.
 *
 *	census_format(base, ...)	the first process, in a file nobody else sees yet; or races:
 *					formatting twice with equal values does no harm
 *	i = census_claim(base, &me)	a slot, the caller's until exit (locks its first byte)
 *	...				fill exe, comm, ... of census_slot_at(base, i)
 *	census_publish(base, i, CENSUS_CANDIDATE)
 *	census_publish(base, i, CENSUS_RANK)		at the first communicator
 *	census_exit(base, i, ...)			at a clean exit
 */
#ifndef RING_CENSUS_WRITE_H
#define RING_CENSUS_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/census.h"
#include "ring/ring-cpu.h"

/* The process that a slot is for. A process is known by (pid_ns, pid, start_time). */
struct census_who {
	uint32_t pid;
	uint32_t ppid;
	uint64_t start_time;
	uint64_t pid_ns;
};

#define CENSUS_SIZE (sizeof(struct census_header) + CENSUS_SLOTS * sizeof(struct census_slot))

static inline struct census_slot *census_slot_at(void *base, int i)
{
	return (struct census_slot *)((struct census_header *)base + 1) + i;
}

/*
 * Makes a census of CENSUS_SIZE zero bytes. Boot id, times, job and name are the caller's to fill
 * in before census_open().
 */
static inline void census_format(void *base)
{
	struct census_header *h = base;

	h->version_major = CENSUS_VERSION_MAJOR;
	h->version_minor = CENSUS_VERSION_MINOR;
	h->slot_size = sizeof(struct census_slot);
	h->slots = CENSUS_SLOTS;
}

/* Stores the magic, the last thing to do: from now on others use the table. */
static inline void census_open(void *base)
{
	ring_publish_word(&((struct census_header *)base)->magic, CENSUS_MAGIC);
}

/* True if the slot is of this very process. */
static inline int census_same(const struct census_slot *s, const struct census_who *me)
{
	return s->pid == me->pid && s->start_time == me->start_time && s->pid_ns == me->pid_ns;
}

/* Raises `high` to cover slot i. */
static inline void census_raise(struct census_header *h, uint32_t i)
{
	uint32_t high = __atomic_load_n(&h->high, __ATOMIC_RELAXED);

	while (high < i + 1 && !__atomic_compare_exchange_n(&h->high, &high, i + 1, 0,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/*
 * Claims a slot if its `head` is still the one that was read. The slot is then CLAIMING, has these
 * flags and is one turn on. Returns 0 if another process was faster. A process that is killed from
 * here on leaves nothing that could be taken for a process.
 */
static inline int census_turn(struct census_slot *s, uint64_t head, uint32_t flags)
{
	uint64_t turned = (head & CENSUS_TURNS) + CENSUS_TURN;

	turned |= (uint64_t)(flags & CENSUS_FLAGS) << 32 | CENSUS_CLAIMING;
	if (!ring_cas(&s->head, head, turned))
		return 0;
	ring_fence_release();
	return 1;
}

/* Empties a slot that the caller has claimed. */
static inline void census_wipe(struct census_slot *s)
{
	for (uint64_t *word = &s->head + 1; word < (uint64_t *)(s + 1); word++)
		ring_store(word, 0);
}

/*
 * Claims the slot that this process had before it exec'ed, which is kept as it was but for the
 * flags. Returns its number, or -1 if there is none.
 */
static inline int census_take_over(void *base, const struct census_who *me)
{
	struct census_header *h = base;
	uint32_t high = ring_load_acquire32(&h->high);

	for (uint32_t i = 0; i < high && i < CENSUS_SLOTS; i++) {
		struct census_slot *s = census_slot_at(base, (int)i);
		uint64_t head = ring_load_acquire(&s->head);
		uint32_t state = (uint32_t)head, flags = (uint32_t)(head >> 32);

		flags |= CENSUS_F_EXECED | (state == CENSUS_RANK ? CENSUS_F_WAS_RANK : 0);
		if (state != CENSUS_FREE && census_same(s, me) && census_turn(s, head, flags))
			return (int)i;
	}
	return -1;
}

/*
 * Takes slot i if its head is still the one that was read: empties it and puts `me` into it.
 * Returns 0, or -1 if it has changed.
 */
static inline int census_take(void *base, uint32_t i, uint64_t head, const struct census_who *me)
{
	struct census_slot *s = census_slot_at(base, (int)i);

	if (!census_turn(s, head, 0))
		return -1;
	census_wipe(s);
	s->pid = me->pid;
	s->start_time = me->start_time;
	s->pid_ns = me->pid_ns;
	s->ppid = me->ppid;
	census_raise(base, i);
	return 0;
}

/*
 * True if nothing in a slot with this head is needed any more: its process has exited, was no rank
 * and left no ring. A failed helper is such a one; compilers have many.
 */
static inline int census_is_spent(uint64_t head)
{
	return (uint32_t)head == CENSUS_EXITED &&
	       !((head >> 32) & (CENSUS_F_WAS_RANK | CENSUS_F_HAS_RING));
}

/*
 * Takes the first slot that is free; with `spent`, the first that is spent. Returns its number, or
 * -1.
 */
static inline int census_take_any(void *base, int spent, const struct census_who *me)
{
	for (uint32_t i = 0; i < CENSUS_SLOTS; i++) {
		uint64_t head = ring_load_acquire(&census_slot_at(base, (int)i)->head);

		if ((spent ? census_is_spent(head) : (uint32_t)head == CENSUS_FREE) &&
			!census_take(base, i, head, me))
			return (int)i;
	}
	return -1;
}

/*
 * Claims a slot, which is then CLAIMING and cleared but for `me`; or takes over the slot that the
 * same process had before exec. If none is free, the slot of a non-rank that has ended without a
 * ring is used again. Returns its number, or -1 if all are taken (counted).
 */
static inline int census_claim(void *base, const struct census_who *me)
{
	struct census_header *h = base;
	int mine = census_take_over(base, me);

	if (mine < 0)
		mine = census_take_any(base, 0, me);
	if (mine < 0)
		mine = census_take_any(base, 1, me);
	if (mine < 0)
		ring_add(&h->lost, 1);
	return mine;
}

/* Publishes a slot's state, and with it all that was written into the slot before. */
static inline void census_publish(void *base, int i, enum census_state state)
{
	ring_publish_word32(&census_slot_at(base, i)->state, (uint32_t)state);
}

/* Sets CENSUS_F_* bits in a slot. */
static inline void census_flag(void *base, int i, uint32_t flags)
{
	__atomic_fetch_or(&census_slot_at(base, i)->flags, flags, __ATOMIC_RELEASE);
}

/*
 * True if this slot is the only one that tells that its rank was there, and how it ended. That is
 * so if nobody else in the table has its rank's number, or only younger processes that failed and
 * were never more than candidates: helpers that inherited the number, be it through a shell between
 * them. A launcher's task may hold many ranks, so of a task's number the slot tells only where a
 * helper would else be taken for it.
 */
static inline int census_is_only_word(void *base, int i)
{
	const struct census_slot *s = census_slot_at(base, i);
	uint32_t high = __atomic_load_n(&((struct census_header *)base)->high, __ATOMIC_ACQUIRE);
	int helpers = 0;

	if (s->rank < 0 || (s->flags & CENSUS_F_TOOL))
		return 0;
	for (uint32_t k = 0; k < high && k < CENSUS_SLOTS; k++) {
		const struct census_slot *other = census_slot_at(base, (int)k);
		uint64_t head = ring_load_acquire(&other->head);
		uint32_t state = (uint32_t)head;

		if ((int)k == i || state == CENSUS_FREE || state == CENSUS_CLAIMING ||
			other->rank != s->rank)
			continue;
		if (!census_is_spent(head) || !other->exit_status ||
			other->start_time < s->start_time)
			return 0;
		helpers++;
	}
	return helpers || !(s->flags & CENSUS_F_TASK);
}

/*
 * Frees the slot; nothing then says any more that the process was there. Returns 0 if it cannot be
 * had, because somebody sets flags in it at this moment.
 */
static inline int census_give_back(void *base, int i)
{
	struct census_slot *s = census_slot_at(base, i);

	if (!census_turn(s, ring_load(&s->head), 0))
		return 0;
	census_wipe(s);
	census_publish(base, i, CENSUS_FREE);
	return 1;
}

/*
 * Notes that the process says goodbye with `status`. Its slot stays in the table if it is a rank,
 * if the status is not 0, or if the slot is the only word of its rank; else it is freed.
 */
static inline void census_exit(void *base, int i, int32_t status, uint64_t tsc, uint64_t realtime)
{
	struct census_slot *s = census_slot_at(base, i);

	s->exit_status = status;
	s->end_tsc = tsc;
	s->end_realtime = realtime;
	if (s->state == CENSUS_RANK)
		census_flag(base, i, CENSUS_F_WAS_RANK);
	if (status || (s->flags & CENSUS_F_WAS_RANK) || census_is_only_word(base, i) ||
		!census_give_back(base, i))
		census_publish(base, i, CENSUS_EXITED);
}

#endif
