/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhibit.h: bytes without opinion. Evidence is a set of exhibits; a live job, a bundle and a
 * foreign dump differ only in how they obtain them. Decoding never asks the machine: whatever a
 * decoder needs to know (who is alive, when it was read, time between samples) is an exhibit too.
 *
 * Ownership: evidence owns its exhibits, an exhibit its bytes and strings.
 */
#ifndef EVIDENCE_EXHIBIT_H
#define EVIDENCE_EXHIBIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Kinds; the name goes into bundles, so that an unknown kind of a later version is kept and
 * skipped. Documents marked (json) are small objects whose fields inquest-bundle(5) lists.
 */
#define EXHIBIT_KINDS(K)                                                                           \
	K(GATHER, "gather")	    /* (json) per host and gathering: host, boot id, T0 */ \
	K(CENSUS, "census")	    /* the job's process table, raw */                             \
	K(RING, "ring")		    /* one ring, a snapshot, raw */                                \
	K(LIVENESS, "liveness")	    /* (json) a process: lock free? pid and start time there? */   \
	K(PROC_STAT, "proc-stat")   /* /proc/PID/stat; several samples differ in `when` */         \
	K(PROC_STATUS, "proc-status")                                                              \
	K(PROC_WCHAN, "proc-wchan")                                                                \
	K(PROC_IO, "proc-io")                                                                      \
	K(PROC_CALL, "proc-call")   /* what its main thread is blocked on: see proc/blocked.h */   \
	K(PROC_LOCKS, "proc-locks") /* locks of files that it waits for and has: proc/locks.h */   \
	K(PROC_TASKS, "proc-tasks") /* the stat lines of all threads */                            \
	K(CGROUP, "cgroup")	    /* memory.events, freezer state: text, at launch and now */    \
	K(EXIT, "exit")		    /* (json) how a process ended, as its agent saw it */          \
	K(RECEIPT, "receipt")	    /* (json) the facts at launch */                               \
	K(MANIFEST, "manifest")	    /* (json) launched, running, hung, ok, error; last polled */   \
	K(STDERR, "stderr")	    /* the tail of a regular file behind fd 2 */                   \
	K(HISTORY, "history")	    /* (json) the agent's samples: CPU, RSS, children over time */ \
	K(ERROR_FILE, "error-file") /* what a worker left for torchrun before dying, raw */        \
	K(IDENTITY, "identity")	    /* (json) which rank a process is said to be, by whom */ \
	K(MODULE, "module")	    /* an ELF object on stacks, see stacks.h */              \
	K(STACKS, "stacks")	    /* all threads of a process at one moment, raw */          \
	K(FLIGHT, "flight")	    /* one rank's dump of PyTorch's Flight Recorder, raw */ \
	K(COVERAGE, "coverage") /* (json) which nodes were asked, and why one lacks */

enum exhibit_kind {
#define EXHIBIT_ENUM(id, name) EXHIBIT_##id,
	EXHIBIT_KINDS(EXHIBIT_ENUM)
#undef EXHIBIT_ENUM
	EXHIBIT_UNKNOWN_KIND
};

struct exhibit {
	enum exhibit_kind kind;
	char *kind_name; /* as in the bundle; names an unknown kind */
	char *host;
	int rank;	 /* world rank where the gatherer knew it, -1 else: a hint, never decoded */
	uint32_t pid;	 /* 0: not of one process */
	uint64_t start_time;
	int64_t when;	 /* realtime ns of the reading; 0 where what was told can be none */
	char *label;	 /* more about it: a path, "launch" or "now"; "" none */
	uint8_t *bytes;
	size_t len;
	bool damaged;	 /* its checksum failed in the bundle: kept, cited as lost, not believed */
};

/* A thing that should have been gathered and was not. Becomes a loss of the job. */
struct exhibit_gap {
	char *host;
	uint32_t pid;
	char *what;
};

struct meter;

struct evidence {
	struct meter *meter; /* what reading and decoding it may take; borrowed, NULL: no bound */
	struct exhibit *at;
	size_t n;
	size_t room;
	struct exhibit_gap *gaps;
	size_t ngaps;
	size_t gaps_room;
};

/* The name of a kind as bundles have it; "unknown" for any other number. Never NULL. */
const char *exhibit_kind_name(enum exhibit_kind kind);
/* The kind of that name; EXHIBIT_UNKNOWN_KIND where none has it. name must not be NULL. */
enum exhibit_kind exhibit_kind_of(const char *name);

/*
 * Adds an exhibit; copies the strings of `about` (NULL host and label are ""), takes `bytes` over
 * (malloc'ed). Secrets in texts become stars on the way (base/redact.h), wherever they come from:
 * so what is gathered, written, read and shown has none (of a Flight Recorder's dump what is
 * written and shown: flight-redact.h). Where `about` has a kind_name, the kind is
 * found by it. Valid until the next one.
 */
struct exhibit *evidence_add(
	struct evidence *evidence, const struct exhibit *about, uint8_t *bytes, size_t len);
/* Notes what could not be gathered. Copies both strings; host may be NULL, pid 0: of none. */
void evidence_add_gap(struct evidence *evidence, const char *host, uint32_t pid, const char *what);

/*
 * Notes what is not there since whoever gathers did not want it: "WHAT: left out, as OPTION asked".
 * It is a gap like any other, so that nobody takes what is not seen for what was not there; but
 * operations are never among it.
 */
#define EXHIBIT_LEFT_OUT ": left out, as "
void evidence_leave_out(
	struct evidence *evidence, const char *host, const char *what, const char *option);

/* How much of `most` bytes may be read into memory, as far as the meter goes. */
size_t evidence_room(const struct evidence *evidence, size_t most);

/* Moves all that is in `from` behind what is in `into`, and leaves `from` empty. */
void evidence_move(struct evidence *into, struct evidence *from);

/* Releases the exhibits behind the first n. */
void evidence_cut(struct evidence *evidence, size_t n);

/* Releases everything inside; `evidence` itself is the caller's and is empty afterwards. */
void evidence_release(struct evidence *evidence);

#endif
