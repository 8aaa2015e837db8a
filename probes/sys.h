/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys.h: the kernel, directly. The probe's own business must not show in its host: libc's wrappers
 * set errno, are cancellation points and may be interposed; these do not and are not.
 *
 * Every function returns what the kernel returns: 0 or positive, or -errno. All may be called from
 * a signal handler, after fork and in a vfork child.
 */
#ifndef PROBES_SYS_H
#define PROBES_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#if defined(__x86_64__)
static inline long sys_call6(long nr, const long a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long sys_call6(long nr, const long a[6])
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1];
	register long x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4];
	register long x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "the probe knows x86-64 and aarch64"
#endif

/* sys_call(nr, up to six arguments): pointers and integers alike. */
#define SYS_ARGS(nr, a, b, c, d, e, f, ...)                                                        \
	sys_call6(nr,                                                                              \
		(const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)})
#define sys_call(...) SYS_ARGS(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

static inline int sys_getpid(void)
{
	return (int)sys_call(SYS_getpid);
}
static inline int sys_gettid(void)
{
	return (int)sys_call(SYS_gettid);
}
static inline int sys_close(int fd)
{
	return (int)sys_call(SYS_close, fd);
}

static inline int sys_openat(int dir, const char *path, int flags, unsigned mode)
{
	return (int)sys_call(SYS_openat, dir, path, flags, mode);
}

static inline long sys_read(int fd, void *to, size_t size)
{
	return sys_call(SYS_read, fd, to, size);
}

static inline long sys_write(int fd, const void *from, size_t size)
{
	return sys_call(SYS_write, fd, from, size);
}

static inline int sys_fstat(int fd, struct stat *st)
{
	return (int)sys_call(SYS_fstat, fd, st);
}

static inline long sys_readlink(const char *path, char *to, size_t size)
{
	return sys_call(SYS_readlinkat, AT_FDCWD, path, to, size);
}

/* Maps a file, or memory. Returns the mapping, or NULL: no caller needs to know why. */
static inline void *sys_map(size_t size, int flags, int fd)
{
	long at = sys_call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	return at < 0 && at > -4096 ? NULL : (void *)at; /* NOLINT: the kernel's word */
}

/*
 * Returns memory of our own: zeroed, only in this process, only as much as is touched. NULL if
 * refused.
 */
static inline void *sys_alloc(size_t size)
{
#ifdef PROBE_SANITIZED /* the runtime must see that this memory is nobody's any more: by libc */
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
#else
	return sys_map(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
#endif
}

static inline int sys_madvise(void *at, size_t size, int advice)
{
	return (int)sys_call(SYS_madvise, at, size, advice);
}

static inline void sys_unmap(void *at, size_t size)
{
	sys_call(SYS_munmap, at, size);
}

#endif
