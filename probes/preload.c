/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/preload.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probes/seccomp.h"
#include "probes/sys.h"

#define PRELOAD_NAME  "LD_PRELOAD="
#define PRELOAD_WORDS 8192 /* an environment of more is left as it is: stacks may be small */

/* Flags of the kernel's statfs: they are valid, and no file of that mount may be mapped to run. */
#define PRELOAD_VALID   0x0020
#define PRELOAD_NO_EXEC 0x0008

#if defined(__x86_64__)
#define PRELOAD_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define PRELOAD_MACHINE EM_AARCH64
#endif

static int preload_is_it(const char *variable)
{
	return !strncmp(variable, PRELOAD_NAME, strlen(PRELOAD_NAME));
}

/* True if the linker would map it: an object of our machine, where files may be run. */
static int preload_is_loadable(int fd)
{
	struct statfs fs;
	Elf64_Ehdr head;
	long n = sys_call(SYS_pread64, fd, &head, sizeof(head), 0);

	if (n != (long)sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != PRELOAD_MACHINE)
		return 0;
	return sys_call(SYS_fstatfs, fd, &fs) || !(fs.f_flags & PRELOAD_VALID) ||
	       !(fs.f_flags & PRELOAD_NO_EXEC);
}

/* Our file, by its name and with a path, and not to be loaded: the `len` bytes at `path`. */
static int preload_is_lost(const char *path, size_t len)
{
	static const char file[] = "/libinquest-probe.so";
	const size_t tail = sizeof(file) - 1;
	char name[PRELOAD_TEXT];
	int fd, lost;

	if (len < tail || len >= sizeof(name) || memcmp(path + len - tail, file, tail) != 0)
		return 0;
	memcpy(name, path, len);
	name[len] = '\0';
	/* A capability of ours is not the image's; a sandbox may show it, and not open it. */
	if (sys_call(SYS_faccessat, AT_FDCWD, name, R_OK) < 0)
		return 1;
	fd = sys_openat(AT_FDCWD, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0)
		return fd != -EMFILE && fd != -ENFILE && fd != -ENOMEM && fd != -EINTR;
	lost = !preload_is_loadable(fd);
	sys_close(fd);
	return lost;
}

/* Copies the paths of a list that are not lost into `to`; how many were left out. */
static int preload_copy(const char *list, char *to)
{
	const char *start = to;
	int left_out = 0;

	while (*list) {
		size_t len = strcspn(list, ": ");

		if (len && preload_is_lost(list, len)) {
			left_out++;
		} else {
			memcpy(to, list, len);
			to += len;
			if (list[len])
				*to++ = list[len];
		}
		list += len + !!list[len];
	}
	if (left_out && to > start && strchr(": ", to[-1]))
		to--;
	*to = '\0';
	return left_out;
}

static int preload_has_lost(const char *variable)
{
	const char *list = variable + strlen(PRELOAD_NAME);
	char rest[PRELOAD_TEXT];

	if (!strstr(list, "/libinquest-probe.so") || strlen(variable) >= sizeof(rest))
		return 0;
	return preload_copy(list, rest) > 0;
}

/* Nobody may look at the word while it is written: it is made elsewhere, and then put in place. */
void preload_forget(char **envp)
{
	static char text[PRELOAD_TEXT];
	static int taken;

	for (; !seal_is_set() && envp && *envp; envp++) {
		if (!preload_is_it(*envp) || !preload_has_lost(*envp) ||
			__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL))
			continue;
		memcpy(text, PRELOAD_NAME, strlen(PRELOAD_NAME));
		preload_copy(*envp + strlen(PRELOAD_NAME), text + strlen(PRELOAD_NAME));
		__atomic_store_n(envp, text, __ATOMIC_RELEASE);
	}
}

size_t preload_room(char *const *envp)
{
	size_t n = 0;
	int lost = 0;

	if (seal_is_set())
		return 0;
	for (; envp && envp[n] && n < PRELOAD_WORDS; n++)
		lost |= preload_is_it(envp[n]) && preload_has_lost(envp[n]);
	return lost && n < PRELOAD_WORDS ? n + 1 : 0;
}

char *const *preload_without(char *const *envp, char **into, char text[PRELOAD_TEXT])
{
	const size_t name = strlen(PRELOAD_NAME);
	size_t n = 0;
	int mine = 0;

	for (; *envp; envp++) {
		if (!mine && preload_is_it(*envp) && preload_has_lost(*envp)) {
			mine = 1;
			memcpy(text, PRELOAD_NAME, name);
			preload_copy(*envp + name, text + name);
			if (text[name])
				into[n++] = text;
			continue;
		}
		into[n++] = *envp;
	}
	into[n] = NULL;
	return into;
}
