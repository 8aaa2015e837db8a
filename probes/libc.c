/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/libc.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *libc_found[LIBC_FUNCTIONS];

/* Our own function of each name: what is found must be another. */
#define LIBC(name) {#name, (void *)(name)},
static const struct {
	const char *name;
	void *ours;
} libc_ours[LIBC_FUNCTIONS] = {
#include "probes/libc.def"
};
#undef LIBC

void libc_find(void)
{
	for (int i = 0; i < LIBC_FUNCTIONS; i++)
		__atomic_store_n(&libc_found[i],
			hook_find(libc_ours[i].name, libc_ours[i].ours, hook_libc),
			__ATOMIC_RELAXED);
}
