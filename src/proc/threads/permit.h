/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PERMIT_H
#define PROC_PERMIT_H

/*
 * Says why another process may not be looked into, and what to do about it. The kernel only says
 * "not permitted"; which of its reasons it was follows from facts that everybody may read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct permit_facts {
	uint32_t pid;	 /* the process that we want to look at; 0 not said */
	uid_t ours;	 /* our effective user */
	uid_t owner;	 /* the process' user */
	gid_t group;	 /* and its group */
	bool same;	 /* all of its user and group ids are ours */
	bool capable;	 /* we have CAP_SYS_PTRACE */
	bool becomes;	 /* we may become another user: we have CAP_SETUID and CAP_SETGID */
	/* the process wants nobody to look: it is setuid, or has set PR_SET_DUMPABLE */
	bool undumpable;
	bool filtered;	 /* system calls of ours go through a seccomp filter */
	int yama;	 /* kernel.yama.ptrace_scope; 0 also if the kernel has none */
	uint32_t tracer; /* pid of who traces it already; 0 nobody */
};

/* Asks the kernel about us and that process. A fact that cannot be read counts as harmless. */
void permit_look(uint32_t pid, struct permit_facts *ret) __attribute__((nonnull));

/* Appends the reason and what to do, the command included, in one phrase without full stop. */
void permit_words(const struct permit_facts *facts, struct str *into) __attribute__((nonnull));

/*
 * Appends how to give a command of inquest as the process' user, for somebody who is root without a
 * capability. `lacking` names that one: "CAP_SYS_PTRACE".
 */
void permit_words_as(const struct permit_facts *facts, const char *lacking, const char *command,
	struct str *into) __attribute__((nonnull));

/* Asks the kernel only about us; the facts about the process stay. */
void permit_look_at_us(struct permit_facts *ret) __attribute__((nonnull));

#endif
