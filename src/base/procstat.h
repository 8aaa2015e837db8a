/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCSTAT_H
#define BASE_PROCSTAT_H

/*
 * The text of /proc/PID/stat (and of /proc/PID/task/TID/stat), parsed. On the ground floor because
 * two floors that do not know each other need it: src/proc reads it from the machine, src/decode
 * from an exhibit. Times are clock ticks of the machine the text came from.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat {
	uint32_t pid;	       /* of a task: its tid */
	char comm[64];	       /* as the kernel cut it; may hold any byte, also ')', '\n' */
	char state;	       /* R S D T t Z X I; S where only the main thread has ended */
	char task_state;       /* the task's own: Z there */
	uint32_t ppid;
	bool kernel;	       /* a thread of the kernel's own: no program */
	uint64_t cpu_ticks;    /* user and system, all threads */
	uint64_t reaped_ticks; /* of children that were waited for */
	uint32_t threads;
	uint64_t start_time;   /* ticks since boot */
	int64_t rss_pages;
	uint32_t processor;    /* where it runs, or ran last */
	bool exit_code_known;  /* only of a zombie: the kernel shows others 0 */
	int exit_code;	       /* as from wait(): see WIFEXITED() */
};

/*
 * Parses the len bytes of the file. Returns false if they are no such text. Fields behind a cut
 * read as 0.
 */
bool procstat_parse(const char *text, size_t len, struct procstat *ret)
	__attribute__((nonnull));

/*
 * Returns how many bytes a process wrote, by the text of its /proc/PID/io, which ends with '\0'; -1
 * where that does not say. It is the larger of what was given to write() and what went to storage:
 * a file system in memory writes nothing there, and one that puts writing off does so later.
 */
int64_t procstat_written(const char *text) __attribute__((nonnull));

#endif
