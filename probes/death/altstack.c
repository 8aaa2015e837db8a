/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/altstack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "probes/dl.h"
#include "probes/hook.h"
#include "probes/libc.h"
#include "probes/process.h"
#include "probes/seccomp.h"
#include "probes/symver.h"
#include "probes/sys.h"

#define ALTSTACK_UNIT  65536
#define ALTSTACK_UNITS 16
#define ALTSTACK_MOST  2048 /* at once: each is two of the maps that the kernel gives a process */

/*
 * What a thread was to do. It lies in the lowest bytes of the alternate stack that the thread will
 * get: the kernel begins at the other end, and this is read before the stack is given to the
 * kernel.
 */
struct altstack_errand {
	void *(*routine)(void *);
	void *arg;
};

/* Writer: the constructor. */
static struct {
	pthread_key_t key;
	int has_key;
	size_t guard; /* a page */
	int small;    /* memory is locked from now on. Written by who asks for that */
	int mapped;   /* how many there are */
} altstacks;

/* Memory with a guard below. What tells of it is its address plus the number of units. */
struct altstack {
	void *at;
	size_t size;
};

static struct altstack altstack_of(void *told)
{
	uintptr_t units = (uintptr_t)told % 4096;

	return (struct altstack){(char *)told - units, units * ALTSTACK_UNIT};
}

/* Counts some more, or less. Returns how many there are. */
static int altstack_count(int more)
{
	return __atomic_add_fetch(&altstacks.mapped, more, __ATOMIC_RELAXED);
}

/* True if memory or address space has a limit at this moment: programs set it themselves, too. */
static int altstack_is_limited(void)
{
	static const int of[] = {RLIMIT_AS, RLIMIT_DATA};
	struct rlimit space;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (!sys_call(SYS_prlimit64, 0, of[i], NULL, &space) &&
			space.rlim_cur != RLIM_INFINITY)
			return 1;
	return 0;
}

static void *altstack_map_units(size_t units)
{
	char *at = sys_alloc(altstacks.guard + units * ALTSTACK_UNIT);

	if (!at)
		return NULL;
	sys_call(SYS_mprotect, at, altstacks.guard, PROT_NONE);
	return at + altstacks.guard + units;
}

/*
 * Maps one for a thread whose own stack has `own` bytes. Returns what tells of it; NULL if refused,
 * or if there are enough.
 */
static void *altstack_map(size_t own)
{
	size_t units = own / ALTSTACK_UNIT + (own % ALTSTACK_UNIT != 0);
	void *told = NULL;

	if (units > ALTSTACK_UNITS)
		units = ALTSTACK_UNITS;
	if (altstack_count(1) > ALTSTACK_MOST) {
		altstack_count(-1);
		return NULL;
	}
	if (units > 1 && !__atomic_load_n(&altstacks.small, __ATOMIC_RELAXED) &&
		!altstack_is_limited())
		told = altstack_map_units(units);
	if (!told)
		told = altstack_map_units(1);
	if (!told)
		altstack_count(-1);
	return told;
}

static void altstack_unmap(void *told)
{
	struct altstack altstack = altstack_of(told);

	sys_unmap((char *)altstack.at - altstacks.guard, altstacks.guard + altstack.size);
	altstack_count(-1);
}

/* Has the kernel use it. Returns the kernel's answer. */
static long altstack_set(void *told)
{
	struct altstack altstack = altstack_of(told);
	const stack_t mine = {.ss_sp = altstack.at, .ss_size = altstack.size};

	return sys_call(SYS_sigaltstack, &mine, NULL);
}

static int altstack_is_missing(void)
{
	stack_t had;

	return !sys_call(SYS_sigaltstack, NULL, &had) && (had.ss_flags & SS_DISABLE);
}

void *altstack_give(void)
{
	void *told;

	if (!altstack_is_missing())
		return NULL;
	told = altstack_map(SIZE_MAX);
	if (!told || !altstack_set(told))
		return told;
	altstack_unmap(told);
	return NULL;
}

void altstack_take(void *told)
{
	const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t now;

	if (!told || seal_is_set() || sys_call(SYS_sigaltstack, NULL, &now))
		return;
	if (now.ss_sp == altstack_of(told).at && sys_call(SYS_sigaltstack, &none, NULL))
		return; /* the thread runs on it: leave it */
	altstack_unmap(told);
}

static __attribute__((noinline)) void altstack_put_on(void *told)
{
	if (seal_is_set())
		return;
	if (pthread_setspecific(altstacks.key, told) || altstack_set(told)) {
		pthread_setspecific(altstacks.key, NULL);
		altstack_unmap(told);
	}
}

/*
 * The first function of a thread. The program's own function is called in its place, not beneath
 * it: nothing of ours is on the thread's stack, so no address of a local may leave this function.
 */
static void *altstack_begin(void *told)
{
	const struct altstack_errand *there = altstack_of(told).at, errand = *there;

	altstack_put_on(told);
	return errand.routine(errand.arg);
}

/*
 * Returns the real pthread_create(); NULL if there is none. Before glibc 2.34 it comes with
 * libpthread, for which a plugin may be the first to ask; and a program that asks for a weak
 * pthread_create() finds ours, and must get a thread.
 */
static __typeof__(pthread_create) *altstack_real(void)
{
	if (!LIBC_FOUND(pthread_create) &&
		!hook_find("pthread_create", (void *)pthread_create, hook_libc))
		dl_open("libpthread.so.0", RTLD_NOW | RTLD_GLOBAL);
	return LIBC_REAL(pthread_create);
}

/*
 * Calls the real pthread_create(), whose result it gives. If there is no memory for an alternate
 * stack, or the probe is switched off, the thread begins as if we were not here.
 */
HOOK_EXPORT int pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	__typeof__(pthread_create) *real = altstack_real();
	struct altstack_errand *errand;
	size_t own = SIZE_MAX;
	void *told;
	int err;

	if (!real)
		return EAGAIN;
	if (attr && pthread_attr_getstacksize)
		pthread_attr_getstacksize(attr, &own);
	told = altstacks.has_key && !seal_is_set() ? altstack_map(own) : NULL;
	if (!told)
		return real(thread, attr, routine, arg);
	errand = altstack_of(told).at;
	*errand = (struct altstack_errand){.routine = routine, .arg = arg};
	err = real(thread, attr, altstack_begin, told);
	if (err)
		altstack_unmap(told);
	return err;
}

/* Calls the real mlockall(). What is mapped from here on may be there as a whole, and counts. */
HOOK_EXPORT int mlockall(int flags)
{
	__typeof__(mlockall) *real = LIBC_REAL(mlockall);

	if (flags & MCL_FUTURE)
		__atomic_store_n(&altstacks.small, 1, __ATOMIC_RELAXED);
	if (real)
		return real(flags);
	errno = ENOSYS;
	return -1;
}

void altstack_birth(void)
{
	altstacks.guard = getauxval(AT_PAGESZ);
	altstacks.has_key =
		pthread_key_create && !pthread_key_create(&altstacks.key, altstack_take);
	altstack_give();
}
