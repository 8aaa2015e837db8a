/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "probes/libc.h"
#include "probes/process.h"
#include "probes/sys.h"

typedef long seal_syscall_fn(long nr, long a, long b, long c, long d, long e, long f);

/* True if the process is sealed. Writers: seal_begin() and seal_end(). */
static int seal_set;

int seal_is_set(void)
{
	return __atomic_load_n(&seal_set, __ATOMIC_RELAXED);
}

/* Does what libc's syscall() does, if there is none behind us. */
static long seal_kernel(long nr, long a, long b, long c, long d, long e, long f)
{
	long result = sys_call(nr, a, b, c, d, e, f);

	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/*
 * True if a call would seal. With a filter that is none it does not: libraries ask so what the
 * kernel knows.
 */
static int seal_is_meant(unsigned long mode, const void *filter)
{
	return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

/* Called before the kernel is asked. Returns 1 if we have left the process. */
static int seal_begin(void)
{
	if (seal_is_set() || !process_leave())
		return 0;
	__atomic_store_n(&seal_set, 1, __ATOMIC_RELAXED);
	return 1;
}

/* Called after the kernel was asked, with its result: if it refused, we come back. */
static void seal_end(int begun, long result)
{
	if (!begun || !result)
		return;
	__atomic_store_n(&seal_set, 0, __ATOMIC_RELAXED);
	process_return();
}

/*
 * Calls the real prctl() with all that it may have been given; leaves the process before seccomp.
 * Signal-safe.
 */
HOOK_EXPORT int prctl(int option, ...)
{
	__typeof__(prctl) *real = LIBC_FOUND(prctl);
	unsigned long a, b, c, d;
	int result, begun = 0;
	va_list args;

	va_start(args, option);
	a = va_arg(args, unsigned long);
	b = va_arg(args, unsigned long);
	c = va_arg(args, unsigned long);
	d = va_arg(args, unsigned long);
	va_end(args);
	if (hook_unlikely(option == PR_SET_SECCOMP) && seal_is_meant(a, (const void *)b))
		begun = seal_begin();
	if (real)
		result = real(option, a, b, c, d);
	else
		result = (int)seal_kernel(
			SYS_prctl, option, (long)a, (long)b, (long)c, (long)d, 0);
	seal_end(begun, result);
	return result;
}

/* True if a raw system call would seal. */
static int seal_is_asked(long nr, long a, long b, long c)
{
	if (nr == SYS_prctl && a == PR_SET_SECCOMP)
		return seal_is_meant((unsigned long)b, (const void *)c);
	if (nr != SYS_seccomp)
		return 0;
	return a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c);
}

/*
 * Calls the real syscall(): by a jump for all but the calls that may seal, since some calls come
 * back twice, or on another stack. Signal-safe.
 */
HOOK_EXPORT long seal_syscall(long nr, long a, long b, long c, long d, long e, long f) __asm__(
	"syscall");
HOOK_EXPORT long seal_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	seal_syscall_fn *real = (seal_syscall_fn *)LIBC_FOUND(syscall);
	long result;
	int begun;

	if (!real)
		real = seal_kernel;
	if (hook_likely(nr != SYS_seccomp && nr != SYS_prctl))
		return real(nr, a, b, c, d, e, f);
	begun = seal_is_asked(nr, a, b, c) && seal_begin();
	result = real(nr, a, b, c, d, e, f);
	seal_end(begun, result);
	return result;
}
