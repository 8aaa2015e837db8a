/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CORE_FILE_H
#define PROC_CORE_FILE_H

/*
 * A core file: segments of memory and notes. Everything in it is a stranger's, and much of it may
 * be cut off: what is not there reads as not there.
 */

#include <stdint.h>
#include <sys/procfs.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/complaint.h"
#include "proc/symbols/elf-file.h"

#define CORE_THREADS  16384 /* more are left out */
#define CORE_SEGMENTS (1u << 21) /* what the largest limits of systems allow, twice */

struct core_segment {
	uint64_t start, end; /* of memory */
	uint64_t offset;     /* in the file */
	uint64_t there;	     /* bytes of it that the file has */
	uint64_t meant;	     /* bytes of it that the file should have */
	uint32_t flags;	     /* PF_R, PF_W, PF_X */
};

struct core_mapping { /* of a file */
	uint64_t start, end, offset;
	const char *path;
};

struct core_thread {
	uint32_t tid; /* as the process saw it */
	elf_gregset_t regs;
};

struct core_file {
	struct elf_file elf;
	struct arena arena;
	ARRAY(struct core_segment) segments; /* by address, not overlapping */
	ARRAY(struct core_mapping) mappings; /* by address */
	ARRAY(struct core_thread) threads;   /* in the order of the file: the one that died first */
	bool notes_cut;
	uint64_t lacking;    /* bytes of memory that were cut off */
	uint32_t pid;	     /* as the process saw it; 0 not known */
	char comm[16];
	char arguments[ELF_PRARGSZ + 1];
	bool signal_known;
	int signo, code; /* what the process got; code as in siginfo */
	uint64_t fault_addr;
	uint32_t sender; /* pid, of a signal that was sent; 0 */
	uint64_t vdso, entry, execfn, random; /* of its auxiliary vector; 0 not known */
};

/*
 * Reads segments and notes of the file behind fd, which is borrowed and must stay open. 0, or
 * negative with words where that is no core of this kind of machine. core_file_close() in any case.
 */
int core_file_open(struct core_file *core, int fd, struct complaint *why)
	__attribute__((nonnull(1)));

/* The segment that holds an address; NULL none. */
const struct core_segment *core_file_segment(const struct core_file *core, uint64_t at)
	__attribute__((nonnull));

/* Takes NULL. */
void core_file_close(struct core_file *core);

#endif
