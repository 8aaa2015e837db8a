/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preload.h: makes the environment that a new image gets.
 *
 * If our file is out of reach (a chroot, a container's mounts, another user, a sandbox that shows
 * it and does not open it, a mount from which nothing may be run, an installation that was removed)
 * the dynamic linker complains on stderr, once for each program, and some programs read the stderr
 * of others. So an image that could not load us is not asked to: our path is taken out of its
 * LD_PRELOAD, and with it out of that of its children. All else stays as it is. The same is done
 * for a program of another machine (32 bits, or what an emulator runs), where its path is told, and
 * where the linker is to tell what it would load, which others pack up with the program (ldd); and
 * once the process has given up its system calls (seccomp.h): the filter stays with the new image,
 * and may kill it for a call of ours.
 *
 * Signal-safe, also in a vfork child, and on the small stacks of those who handle a crash: to ask
 * takes less than 512 bytes, and the new environment, which lies in the caller's frame, is as large
 * as its words.
 */
#ifndef PROBES_PRELOAD_H
#define PROBES_PRELOAD_H

#include <alloca.h>
#include <stddef.h>
#include <string.h>

#include "probes/hook.h"

#define PRELOAD_TEXT 4096 /* bytes of an LD_PRELOAD; a longer one is left as it is */

/* What preload_without() needs. */
struct preload_room {
	size_t words; /* words of the environment; 0: it may stay as it is */
	size_t text;  /* bytes of the one that changes */
	int alien;    /* the image is of another machine, or will not run */
};

/* Notes where we were loaded from, by the process' environment. In the constructor. */
void preload_find(char *const *envp);

/*
 * Returns what it takes to leave out of this environment what must not be loaded by the image at
 * that path; NULL: not known. NULL is also an empty environment.
 */
struct preload_room preload_room(char *const *envp, const char *image);

/*
 * Makes the environment without those paths of ours: in `into`, with the word that changes in
 * `text`.
 */
char *const *preload_without(
	char *const *envp, const struct preload_room *room, char **into, char *text);

/* What is looked for along PATH is not known here. */
static inline const char *preload_path(const char *file)
{
	return file && strchr(file, '/') ? file : NULL;
}

/* Sets `envp` to the new image's environment: the same, or one laid out in the caller's frame. */
#define PRELOAD_ENVIRONMENT(envp, image)                                                           \
	do {                                                                                       \
		struct preload_room room = preload_room(envp, image);                              \
                                                                                                   \
		if (hook_unlikely(room.words))                                                     \
			(envp) = preload_without(envp, &room, alloca(room.words * sizeof(char *)), \
				alloca(room.text));                                                \
	} while (0)

/* Takes those paths out of the process' own environment, for good: one word of it changes. */
void preload_forget(char **envp);

#endif
