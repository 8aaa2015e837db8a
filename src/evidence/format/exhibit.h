/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhibit.h: bytes without opinion. Evidence is a set of exhibits; a live job, a bundle and a
 * foreign dump differ only in how they obtain them. Decoding never asks the machine: everything a
 * decoder needs (which processes live, the time of reading, the time between samples) is an exhibit
 * too.
 *
 * Ownership: evidence owns its exhibits, an exhibit its bytes and strings.
 */
#ifndef EVIDENCE_EXHIBIT_H
#define EVIDENCE_EXHIBIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Kinds of exhibits. The name goes into bundles, so that an unknown kind of a later version is kept
 * and skipped. Documents marked (json) are small objects whose fields inquest-bundle(5) lists.
 */
#define EXHIBIT_KINDS(K)                                                                           \
	K(GATHER, "gather")	    /* (json) per host and gathering: host, boot id, T0 */ \
	K(CENSUS, "census")	    /* the job's process table, raw */                             \
	K(RING, "ring")		    /* one ring, a snapshot, raw */                                \
	K(LIVENESS, "liveness")	    /* (json) a process: is its lock free, are its pid and start
				     * time there */   \
	K(PROC_STAT, "proc-stat")   /* /proc/PID/stat; several samples differ in `when` */         \
	K(PROC_STATUS, "proc-status")                                                              \
	K(PROC_WCHAN, "proc-wchan")                                                                \
	K(PROC_IO, "proc-io")                                                                      \
	K(PROC_CALL, "proc-call")   /* what its main thread is blocked on: see proc/blocked.h */   \
	K(PROC_LOCKS, "proc-locks") /* file locks that it holds or waits for: proc/locks.h */   \
	K(PROC_TASKS, "proc-tasks") /* the stat lines of all threads */                            \
	K(CGROUP, "cgroup")	    /* memory.events, freezer state: text, at launch and now */    \
	K(EXIT, "exit")		    /* (json) how a process ended, as its agent saw it */          \
	K(RECEIPT, "receipt")	    /* (json) the facts at launch */                               \
	K(MANIFEST, "manifest")	    /* (json) launched, running, hung, ok, error; last polled */   \
	K(STDERR, "stderr")	    /* the tail of a regular file behind fd 2 */                   \
	K(HISTORY, "history")	    /* (json) the agent's samples: CPU, RSS, children over time */ \
	K(ERROR_FILE, "error-file") /* a worker's error file for torchrun, raw */        \
	K(IDENTITY, "identity")	    /* (json) a process' rank, and who says so */ \
	K(MODULE, "module")	    /* an ELF object on stacks, see stacks.h */              \
	K(STACKS, "stacks")	    /* all threads of a process at one moment, raw */          \
	K(JOB_LOG, "job-log")	    /* lines of a log of all ranks: "NUMBER\tTEXT" each */     \
	K(SLURM_RECORD, "slurm-record") /* what scontrol or sacct say of the job, text */          \
	K(KERNEL_LOG, "kernel-log") /* lines of the kernel's log: "NUMBER\tTEXT" each */           \
	K(STACK_TEXT, "stack-text") /* stacks as py-spy or faulthandler print them */              \
	K(RAS, "ras")		    /* what NCCL RAS says of a job, text or JSON */                \
	K(SERVED, "served")	    /* tables and health checks of PyTorch's debug server */       \
	K(COMPILE_LOG, "compile-log") /* lines of TORCH_TRACE: "NUMBER\tTEXT" each */              \
	K(FLIGHT, "flight")	    /* one rank's dump of PyTorch's Flight Recorder, raw */ \
	K(COVERAGE, "coverage") /* (json) the nodes that were asked, and why one is missing */

enum exhibit_kind {
#define EXHIBIT_ENUM(id, name) EXHIBIT_##id,
	EXHIBIT_KINDS(EXHIBIT_ENUM)
#undef EXHIBIT_ENUM
	EXHIBIT_UNKNOWN_KIND
};

/* Bytes of one kind, with what they are of. */
struct exhibit {
	enum exhibit_kind kind;
	char *kind_name; /* as in the bundle; names an unknown kind */
	char *host; /* never NULL */
	int rank;	 /* the world rank, where the gatherer knew it, else -1: a hint, never
			  * decoded */
	uint32_t pid;	 /* 0: it is not of one process */
	uint64_t start_time; /* of the process, in clock ticks since boot; 0 not known */
	int64_t when;	 /* when it was read, realtime ns; 0 where no time is possible */
	char *label;	 /* details, by kind: a path, "launch" or "now"; "" none */
	uint8_t *bytes;
	size_t len;
	bool damaged;	 /* its checksum failed in the bundle: it is kept and cited as lost, but
			  * not believed */
};

/* Something that should have been gathered and was not. It becomes a loss of the job. */
struct exhibit_gap {
	char *host; /* "" not known */
	uint32_t pid; /* 0: not of one process */
	char *what;
};

struct meter;

/* A set of exhibits and gaps. {0} is the empty one. */
struct evidence {
	struct meter *meter; /* bounds the memory that reading and decoding may use; borrowed;
			      * NULL: no bound */
	struct exhibit *at;
	size_t n;
	size_t room;
	struct exhibit_gap *gaps;
	size_t ngaps;
	size_t gaps_room;
};

/* Returns the name of a kind as bundles have it; "unknown" for any other number. Never NULL. */
const char *exhibit_kind_name(enum exhibit_kind kind);
/*
 * Returns the kind of that name; EXHIBIT_UNKNOWN_KIND where none has it. `name` must not be NULL.
 */
enum exhibit_kind exhibit_kind_of(const char *name);

/*
 * Adds an exhibit: copies the strings of `about` (NULL host and label become ""), and takes `bytes`
 * (malloc'ed) over. Where `about` has a kind_name, the kind is found by that. Secrets in texts
 * become stars on the way (base/redact.h), whatever their source: so nothing gathered, written,
 * read or shown has any (for a Flight Recorder's dump: nothing written or shown, flight-redact.h).
 * The result is valid until the next one is added.
 */
struct exhibit *evidence_add(
	struct evidence *evidence, const struct exhibit *about, uint8_t *bytes, size_t len);
/*
 * Notes something that could not be gathered. Copies both strings. `host` may be NULL; pid 0 means
 * that it is of no process.
 */
void evidence_add_gap(struct evidence *evidence, const char *host, uint32_t pid, const char *what);

/*
 * Stands in the words of a gap that an option asked for: "WHAT: left out, as OPTION asked". It is a
 * gap like any other, so that nobody takes what was not seen for what was not there. Operations are
 * never left out.
 */
#define EXHIBIT_LEFT_OUT ": left out, as "
/*
 * Notes that `what` was left out, as that option asked. `host` is "" where it was left out of all.
 */
void evidence_leave_out(
	struct evidence *evidence, const char *host, const char *what, const char *option);

/*
 * Returns how many of `most` bytes may be read into memory: half of the meter's bound, as decoding
 * needs the other.
 */
size_t evidence_room(const struct evidence *evidence, size_t most);

/* Moves everything in `from` to the end of `into`, and leaves `from` empty. */
void evidence_move(struct evidence *into, struct evidence *from);

/* Releases all exhibits but the first n. */
void evidence_cut(struct evidence *evidence, size_t n);

/* Releases the contents; `evidence` itself is the caller's and is empty afterwards. */
void evidence_release(struct evidence *evidence);

#endif
