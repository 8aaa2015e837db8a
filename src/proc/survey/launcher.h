/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_LAUNCHER_H
#define PROC_LAUNCHER_H

/*
 * Knows programs that start ranks, and programs that stand between those and a rank. Neither is a
 * rank.
 */

#include <stdbool.h>
#include <stddef.h>

struct launcher {
	const char *name; /* "torchrun", "srun", ...: a literal */
	bool in_order;	  /* its children are ranks, born in the order of LOCAL_RANK */
	bool has_table;	  /* it may keep an MPIR_proctable (proc/survey/mpir.h) */
	const char *per_node; /* its option that says how many ranks a node has; NULL none */
};

/*
 * Returns which launcher a process is, by its name and its command line (words with a NUL behind
 * each); NULL if it is none. Python programs are known by the module or script that they run.
 */
const struct launcher *launcher_of(const char *comm, const char *cmdline, size_t len)
	__attribute__((nonnull));

/*
 * True for a wrapper (a shell, a profiler, an init): it runs a program for somebody else, and
 * waits.
 */
bool launcher_is_wrapper(const char *comm) __attribute__((nonnull));

/*
 * True for a process of our own beside `inquest run' or an attach: forked, under a name of its own.
 */
bool launcher_is_part(const char *comm) __attribute__((nonnull));

/* True for a shell that runs no script: somebody sits before it, or may. */
bool launcher_is_session(const char *comm, const char *cmdline, size_t len)
	__attribute__((nonnull));

/* True for a Python interpreter, by its name or by the first word of its command line. */
bool launcher_is_python(const char *comm, const char *cmdline, size_t len)
	__attribute__((nonnull));

#endif
