/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/altstack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "probes/hook.h"
#include "probes/process.h"
#include "probes/symver.h"
#include "probes/sys.h"

#define ALTSTACK_SIZE  65536
#define ALTSTACK_GUARD 4096

/*
 * The lowest bytes of a thread's stack-to-be carry what it was to do: the kernel begins at the
 * other end, and they are read before it is given to it.
 */
struct altstack_errand {
	void *(*routine)(void *);
	void *arg;
};

/* Writers: the constructor, and for `real` the first thread that creates another. */
static struct {
	void *real;
	pthread_key_t key;
	int has_key;
} altstacks;

/* Memory with a guard below; NULL if refused. */
static void *altstack_map(void)
{
	char *at = sys_alloc(ALTSTACK_GUARD + ALTSTACK_SIZE);

	if (!at)
		return NULL;
	sys_call(SYS_mprotect, at, ALTSTACK_GUARD, PROT_NONE);
	return at + ALTSTACK_GUARD;
}

static void altstack_unmap(void *altstack)
{
	sys_unmap((char *)altstack - ALTSTACK_GUARD, ALTSTACK_GUARD + ALTSTACK_SIZE);
}

static int altstack_is_missing(void)
{
	stack_t had;

	return !sys_call(SYS_sigaltstack, NULL, &had) && (had.ss_flags & SS_DISABLE);
}

void *altstack_give(void)
{
	stack_t mine = {.ss_size = ALTSTACK_SIZE};

	if (!altstack_is_missing())
		return NULL;
	mine.ss_sp = altstack_map();
	if (!mine.ss_sp || !sys_call(SYS_sigaltstack, &mine, NULL))
		return mine.ss_sp;
	altstack_unmap(mine.ss_sp);
	return NULL;
}

void altstack_take(void *altstack)
{
	const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t now;

	if (!altstack || sys_call(SYS_sigaltstack, NULL, &now))
		return;
	if (now.ss_sp == altstack && sys_call(SYS_sigaltstack, &none, NULL))
		return; /* running on it: leave it */
	altstack_unmap(altstack);
}

static __attribute__((noinline)) void altstack_put_on(void *memory)
{
	const stack_t mine = {.ss_sp = memory, .ss_size = ALTSTACK_SIZE};

	if (pthread_setspecific(altstacks.key, memory) || sys_call(SYS_sigaltstack, &mine, NULL)) {
		pthread_setspecific(altstacks.key, NULL);
		altstack_unmap(memory);
	}
}

/*
 * The first function of a thread; the program's own is called in its place, not beneath it: nothing
 * of ours is on the thread's stack, so no address of a local may leave this function.
 */
static void *altstack_begin(void *memory)
{
	const struct altstack_errand errand = *(const struct altstack_errand *)memory;

	altstack_put_on(memory);
	return errand.routine(errand.arg);
}

/*
 * As the real one, whose result it gives. Where there is no memory for an alternate stack, or the
 * probe is switched off, the thread begins as if we were not here.
 */
HOOK_EXPORT int pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	__typeof__(pthread_create) *real =
		HOOK_REAL_AT(altstacks.real, pthread_create, "pthread_create");
	struct altstack_errand *errand;
	int err;

	if (!real)
		return EAGAIN;
	errand = altstacks.has_key ? altstack_map() : NULL;
	if (!errand)
		return real(thread, attr, routine, arg);
	errand->routine = routine;
	errand->arg = arg;
	err = real(thread, attr, altstack_begin, errand);
	if (err)
		altstack_unmap(errand);
	return err;
}

void altstack_birth(void)
{
	hook_resolve(&altstacks.real, "pthread_create", (void *)pthread_create, hook_libc);
	altstacks.has_key = !pthread_key_create(&altstacks.key, altstack_take);
	altstack_give();
}
