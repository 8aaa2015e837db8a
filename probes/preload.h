/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preload.h: the environment that a new image gets.
 *
 * Where our file is out of reach (a chroot, a container's mounts, another user, a sandbox that
 * shows it and does not open it, a mount from which nothing may be run, an installation that was
 * removed) the dynamic linker complains on stderr, once for each program, and some programs read
 * the stderr of others. So an image that could not load us is not asked to: our path is taken out
 * of its LD_PRELOAD, and out of that of its children with it. All else stays as it is.
 *
 * Signal-safe, also in a vfork child: the new environment lies in the caller's frame.
 */
#ifndef PROBES_PRELOAD_H
#define PROBES_PRELOAD_H

#include <alloca.h>
#include <stddef.h>

#include "probes/hook.h"

#define PRELOAD_TEXT 4096 /* of an LD_PRELOAD; a longer one is left as it is */

/*
 * Returns how many words preload_without() needs for this environment; 0: it may stay as it is.
 * NULL is an empty one.
 */
size_t preload_room(char *const *envp);

/*
 * Makes the environment without those paths of ours that cannot be loaded: in `into`, one word in
 * `text`.
 */
char *const *preload_without(char *const *envp, char **into, char text[PRELOAD_TEXT]);

/* Sets `envp` to the new image's environment: the same, or one laid out in the caller's frame. */
#define PRELOAD_ENVIRONMENT(envp)                                                                  \
	do {                                                                                       \
		size_t room = preload_room(envp);                                                  \
                                                                                                   \
		if (hook_unlikely(room))                                                           \
			(envp) = preload_without(envp, alloca(room * sizeof(char *)),              \
				alloca(PRELOAD_TEXT));                                             \
	} while (0)

/* Takes them out of the process' own environment, for good: one word of it changes. */
void preload_forget(char **envp);

#endif
