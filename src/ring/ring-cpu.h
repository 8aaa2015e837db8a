/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-cpu.h: what differs between processors, one function each.
 *
 * The writer's whole memory model is here: `word` accesses are relaxed, publishing is a release,
 * and ring_fence_release() keeps "in progress" ahead of the payload. On x86-64 all of it is plain
 * moves; the compiler's order is then what counts after a kill, the processor's only for a live
 * reader. ThreadSanitizer knows no fences: under it (RING_TSAN) each word is released and
 * acquired instead.
 */
#ifndef RING_CPU_H
#define RING_CPU_H

#include <stdint.h>

#include "ring/ring.h"

#ifdef __SANITIZE_THREAD__
#define RING_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RING_TSAN
#endif
#endif

#ifdef RING_TSAN
#define RING_WORD_STORE __ATOMIC_RELEASE
#define RING_WORD_LOAD  __ATOMIC_ACQUIRE
#else
#define RING_WORD_STORE __ATOMIC_RELAXED
#define RING_WORD_LOAD  __ATOMIC_RELAXED
#endif

static inline void ring_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, RING_WORD_STORE);
}

static inline uint64_t ring_load(const uint64_t *word)
{
	return __atomic_load_n(word, RING_WORD_LOAD);
}

static inline void ring_publish_word(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline uint64_t ring_load_acquire(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void ring_fence_release(void)
{
#ifndef RING_TSAN
	__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

static inline void ring_fence_acquire(void)
{
#ifndef RING_TSAN
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/* Adds n and returns the old value; safe among threads. */
static inline uint64_t ring_add(uint64_t *word, uint64_t n)
{
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* Puts `to` where `from` stands, with acquire. Returns 0 if something else stood there. */
static inline int ring_cas(uint64_t *word, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The 32-bit ring_load_acquire() and ring_publish_word(). */
static inline uint32_t ring_load_acquire32(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void ring_publish_word32(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/*
 * Publishes `to` where `*from` stands. Returns 0 if another thread was first: `*from` then has its
 * value, and what it published is acquired.
 */
static inline int ring_cas_release32(uint32_t *word, uint32_t *from, uint32_t to)
{
	return __atomic_compare_exchange_n(word, from, to, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
}

/*
 * Returns the time by the ring's clock: the processor's own counter, which is alike on all cores.
 * The length of a tick is unknown here; anchors tell it. The reading is not ordered with memory:
 * never conclude from differences under 100 ns.
 */
static inline uint64_t ring_now(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
#error "inquest has no clock for this processor yet"
#endif
}

/* Returns the enum ring_clock that ring_now() reads. */
static inline uint32_t ring_now_clock(void)
{
#if defined(__x86_64__)
	return RING_CLOCK_TSC;
#else
	return RING_CLOCK_CNTVCT;
#endif
}

/*
 * Reserves and returns the next ticket of a lane that only this thread writes. It must be one step
 * towards signal handlers of this thread, not towards other threads: on x86 an xadd without LOCK is
 * that, and costs 2 ns in place of 7. (A plain load and store is not: a handler between them would
 * take the same ticket.)
 */
static inline uint64_t ring_reserve(uint64_t *head)
{
#if defined(__x86_64__) && !defined(RING_TSAN)
	uint64_t ticket = 1;

	__asm__ volatile("xaddq %0, %1" : "+r"(ticket), "+m"(*head) : : "memory", "cc");
	return ticket;
#else
	return __atomic_fetch_add(head, 1, __ATOMIC_RELAXED);
#endif
}

/* Tells the processor that the caller spins, waiting for another thread. */
static inline void ring_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
