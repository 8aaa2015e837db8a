/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_FILE_H
#define PROC_CORE_FILE_H

/*
 * Reads a core file: segments of memory, and notes. Everything in it is a stranger's, and much of
 * it may be cut off: what is not there reads as not there.
 */

#include <stdint.h>
#include <sys/procfs.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/complaint.h"
#include "proc/symbols/elf-file.h"

#define CORE_THREADS  16384 /* threads; more are left out */
#define CORE_SEGMENTS (1u << 21) /* twice what the largest limits of systems allow */

struct core_segment {
	uint64_t start, end; /* [start, end) of memory */
	uint64_t offset;     /* where it begins in the file */
	uint64_t there;	     /* bytes of it that the file has */
	uint64_t meant;	     /* bytes of it that the file should have */
	uint32_t flags;	     /* PF_R, PF_W, PF_X */
};

struct core_mapping { /* a mapping of a file */
	uint64_t start, end, offset;
	const char *path;
};

struct core_thread {
	uint32_t tid; /* tid as the process saw it */
	elf_gregset_t regs;
};

struct core_file {
	struct elf_file elf;
	struct arena arena;
	ARRAY(struct core_segment) segments; /* by address, not overlapping */
	ARRAY(struct core_mapping) mappings; /* by address */
	/* in the order of the file, in which the one that died first is first */
	ARRAY(struct core_thread) threads;
	bool notes_cut; /* some of the notes are cut off or damaged */
	uint64_t lacking;    /* bytes of memory that were cut off */
	uint32_t pid;	     /* pid as the process saw it; 0 not known */
	char comm[16];
	char arguments[ELF_PRARGSZ + 1]; /* joined by blanks, cut; "" not known */
	bool signal_known; /* by a note of its own (NT_SIGINFO) */
	int signo, code; /* the signal that ended it, 0 none; code as in siginfo */
	uint64_t fault_addr; /* si_addr of a fault; 0 else */
	uint32_t sender; /* pid of who sent the signal; 0 nobody, or not known */
	/* addresses out of its auxiliary vector; 0 not known */
	uint64_t vdso, entry, execfn, random;
};

/*
 * Reads segments and notes of the file behind `fd`, which is borrowed and must stay open. Returns
 * 0, or negative and words if that is no core of this kind of machine, or has no thread.
 * core_file_close() in any case.
 */
int core_file_open(struct core_file *core, int fd, struct complaint *why)
	__attribute__((nonnull(1)));

/* Returns the segment that holds an address; NULL if none does. */
const struct core_segment *core_file_segment(const struct core_file *core, uint64_t at)
	__attribute__((nonnull));

/* Frees all that was read; the descriptor stays open. Takes NULL. */
void core_file_close(struct core_file *core);

#endif
