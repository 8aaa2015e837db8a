/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/preload.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probes/seccomp.h"
#include "probes/sys.h"

#define PRELOAD_NAME  "LD_PRELOAD="
#define PRELOAD_WORDS 8192 /* a longer environment is left as it is, since stacks may be small */

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

/* Reads the head of an ELF object; 0 if it is none. */
static int preload_head(int fd, Elf64_Ehdr *ret)
{
	long n = sys_call(SYS_pread64, fd, ret, sizeof(*ret), 0);

	return n == (long)sizeof(*ret) && !memcmp(ret->e_ident, ELFMAG, SELFMAG);
}

static int preload_is_of_our_machine(const Elf64_Ehdr *head)
{
	return head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == PRELOAD_MACHINE;
}

/* True if the linker would map it: an object of our machine, where files may be run. */
static int preload_is_loadable(int fd)
{
	struct statfs fs;
	Elf64_Ehdr head;

	if (!preload_head(fd, &head) || !preload_is_of_our_machine(&head))
		return 0;
	return sys_call(SYS_fstatfs, fd, &fs) || !(fs.f_flags & PRELOAD_VALID) ||
	       !(fs.f_flags & PRELOAD_NO_EXEC);
}

/* True if the linker would not map that file. */
static int preload_is_out_of_reach(const char *path)
{
	int fd, lost;

	/*
	 * Asked first: a capability of ours is not the image's, and a sandbox may show a file and
	 * not open it.
	 */
	if (sys_call(SYS_faccessat, AT_FDCWD, path, R_OK) < 0)
		return 1;
	fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0)
		return fd != -EMFILE && fd != -ENFILE && fd != -ENOMEM && fd != -EINTR;
	lost = !preload_is_loadable(fd);
	sys_close(fd);
	return lost;
}

/* True if an image is a program of another machine, whose linker would refuse us. */
static int preload_is_alien(const char *image)
{
	Elf64_Ehdr head;
	int fd, alien;

	if (!image || seal_is_set())
		return 0;
	fd = sys_openat(AT_FDCWD, image, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	alien = preload_head(fd, &head) && !preload_is_of_our_machine(&head);
	sys_close(fd);
	return alien;
}

/* The path under which this process loaded us, "" unknown. Writer: preload_find(). */
static char preload_own[PRELOAD_TEXT];

static int preload_is_ours(const char *path, size_t len)
{
	static const char file[] = "/libinquest-probe.so";
	const size_t tail = sizeof(file) - 1;

	return len >= tail && !memcmp(path + len - tail, file, tail);
}

/*
 * True if a path of a list is our file, by its name and with a folder, and must not be loaded: an
 * alien image loads it in no case. A path that is neither the one by which we were loaded nor the
 * list's last cannot be asked for without a copy of it: it stays.
 */
static int preload_is_lost(const char *path, size_t len, int alien)
{
	if (!preload_is_ours(path, len))
		return 0;
	if (alien || seal_is_set())
		return 1;
	if (!path[len])
		return preload_is_out_of_reach(path);
	return !memcmp(path, preload_own, len) && !preload_own[len] &&
	       preload_is_out_of_reach(preload_own);
}

/* Returns how many paths of a list must not be loaded; `to`, unless NULL, gets the others. */
static int preload_copy(const char *list, char *to, int alien)
{
	const char *start = to;
	int lost = 0;

	while (*list) {
		size_t len = strcspn(list, ": ");

		if (len && preload_is_lost(list, len, alien)) {
			lost++;
		} else if (to) {
			memcpy(to, list, len);
			to += len;
			if (list[len])
				*to++ = list[len];
		}
		list += len + !!list[len];
	}
	if (lost && to > start && strchr(": ", to[-1]))
		to--;
	if (to)
		*to = '\0';
	return lost;
}

static int preload_has_lost(const char *variable, int alien)
{
	const char *list = variable + strlen(PRELOAD_NAME);

	return strstr(list, "/libinquest-probe.so") && strlen(variable) < PRELOAD_TEXT &&
	       preload_copy(list, NULL, alien) > 0;
}

void preload_find(char *const *envp)
{
	for (; envp && *envp; envp++) {
		const char *list = *envp + strlen(PRELOAD_NAME);

		if (!preload_is_it(*envp))
			continue;
		for (size_t len; *list; list += len + !!list[len]) {
			len = strcspn(list, ": ");
			if (len >= sizeof(preload_own) || !preload_is_ours(list, len))
				continue;
			memcpy(preload_own, list, len);
			preload_own[len] = '\0';
			return;
		}
	}
}

/* The word is made elsewhere and then put in place, since others may look at it meanwhile. */
void preload_forget(char **envp)
{
	static char text[PRELOAD_TEXT];
	static int taken;

	for (; envp && *envp; envp++) {
		if (!preload_is_it(*envp) || !preload_has_lost(*envp, 0) ||
			__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL))
			continue;
		memcpy(text, PRELOAD_NAME, strlen(PRELOAD_NAME));
		preload_copy(*envp + strlen(PRELOAD_NAME), text + strlen(PRELOAD_NAME), 0);
		__atomic_store_n(envp, text, __ATOMIC_RELEASE);
	}
}

/* True if the linker will only tell what a program would load, as ldd(1) asks it to. */
static int preload_is_asked_for(char *const *envp)
{
	static const char name[] = "LD_TRACE_LOADED_OBJECTS=";
	const size_t len = sizeof(name) - 1;

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len])
			return 1;
	return 0;
}

struct preload_room preload_room(char *const *envp, const char *image)
{
	struct preload_room room = {.alien = preload_is_asked_for(envp) || preload_is_alien(image)};
	size_t n = 0;

	for (; envp && envp[n] && n < PRELOAD_WORDS; n++)
		if (!room.text && preload_is_it(envp[n]) && preload_has_lost(envp[n], room.alien))
			room.text = strlen(envp[n]) + 1;
	if (room.text && n < PRELOAD_WORDS)
		room.words = n + 1;
	return room;
}

char *const *preload_without(
	char *const *envp, const struct preload_room *room, char **into, char *text)
{
	const size_t name = strlen(PRELOAD_NAME);
	size_t n = 0;
	int mine = 0;

	for (; *envp; envp++) {
		if (!mine && preload_is_it(*envp) && preload_has_lost(*envp, room->alien)) {
			mine = 1;
			memcpy(text, PRELOAD_NAME, name);
			preload_copy(*envp + name, text + name, room->alien);
			if (text[name])
				into[n++] = text;
			continue;
		}
		into[n++] = *envp;
	}
	into[n] = NULL;
	return into;
}
