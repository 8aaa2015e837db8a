/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.h: the job's process table, one file `census` in the job's folder.
 *
 * Every process that loads the probe claims one slot, and nothing more, until it has something to
 * say. RANK is inherited by loaders, compile workers and wrappers, so a slot with a rank is only a
 * candidate's; `state` says what became of it. A candidate that never was promoted still testifies
 * for its rank: it was there.
 *
 * CLAIM: CAS `head` of what was looked at -> CLAIMING, one turn on, fill, publish with a release
 * store of the new state. A process that finds its own (pid, start_time) has exec'ed: it takes its
 * slot over. So does whoever frees a slot, or changes what is said of a process for good: of two
 * looks that saw the same turn and the same state but CLAIMING, nothing was changed in between.
 * (Writers before 1.4 turn nothing: there pid and start_time tell, where the process is another.)
 * LIVENESS: a rank, and whoever is not in the agent's pid namespace, holds an F_SETLK write lock on
 * the first byte of its slot for life (never opening the census a second time). A process is dead
 * only if that lock is free AND its pid with that start time is gone or a zombie: others hold none,
 * and closefrom() and exec drop the lock of the living.
 * FREEING: a non-rank that exits cleanly (status 0) frees its slot, unless nobody else in the table
 * has its RANK; all others keep theirs. Of a child that a signal killed, the parent that waits for
 * it writes so into the child's slot.
 *
 * TOOLS: compilers, assemblers and linkers live for moments, thousands of them. Each counts its
 * begin and its end in the slot of its owner (the oldest process with its RANK, else its nearest
 * ancestor that is no tool), so that a compile shows progress when none is left to be seen.
 *
 * The folder: <dir>/<job>/{census,manifest,PID.STARTTIME.GENERATION.ring}, <dir> being INQUEST_DIR
 * or /dev/shm/inquest-<uid>, 0700 and owned by that uid. Of a process in another pid namespace than
 * the agent the ring is PID.STARTTIME.GENERATION.NAMESPACE.ring: a pid is given again elsewhere.
 */
#ifndef RING_CENSUS_H
#define RING_CENSUS_H

#include <stdint.h>

#define CENSUS_MAGIC	     0x31534e4543514e49ull /* "INQCENS1" */
#define CENSUS_VERSION_MAJOR 1
/* Since 2: what kind of number `rank` is; 3: agent_pid_ns; 4: turns; 5: the log. */
#define CENSUS_VERSION_MINOR 5
#define CENSUS_SLOTS	     1024
#define CENSUS_FILE	     "census"
#define CENSUS_SPILL_JOB     ".job" /* in a folder of spilled rings: a link to the job's own */
#define CENSUS_RING_FORMAT   "%u.%llu.%u.ring" /* pid, start time, generation */
#define CENSUS_RING_ELSEWHERE "%u.%llu.%u.%llu.ring" /* and inode of its pid namespace */

enum census_state {
	CENSUS_FREE,
	CENSUS_CLAIMING,
	CENSUS_CANDIDATE, /* loaded the probe; no communicator yet */
	CENSUS_RANK,	  /* promoted at its first communicator */
	CENSUS_EXITED,	  /* said goodbye; exit_status holds what it said */
};

enum {
	CENSUS_F_FORKED = 1,   /* claimed by a fork child's first own act */
	CENSUS_F_EXECED = 2,   /* claimed again after exec */
	CENSUS_F_HAS_RING = 4, /* a ring of generation 0 exists or existed */
	CENSUS_F_WAS_RANK = 8, /* EXITED, and was a rank */
	CENSUS_F_NO_RING = 16, /* no ring could be made: the process runs unrecorded */
	CENSUS_F_TOOL = 32,    /* a compiler, assembler, linker: counted in the slot of its owner */
	CENSUS_F_KILLED = 64,  /* EXITED, as its parent saw: exit_status is the signal */
	/* Which kind of number `rank` is: */
	CENSUS_F_TASK = 128,  /* only the number of a launcher's task, which may hold many ranks */
	CENSUS_F_ALONE = 256, /* RANK without LOCAL_RANK, which may be that of a node */
	CENSUS_F_OTHER_TASK = 512, /* set for this process, and not the number of its task */
};

/*
 * The bits of `flags` that are CENSUS_F_*. The rest counts the slot's turns, that is, how often it
 * has changed hands: readers mask it.
 */
#define CENSUS_FLAGS 0xffffu

/* One turn, and all bits of the turns, in a slot's `head`. */
#define CENSUS_TURN  (1ull << 48)
#define CENSUS_TURNS (0xffffull << 48)

/* The flags that say what kind of number `rank` is. */
#define CENSUS_F_NUMBER (CENSUS_F_TASK | CENSUS_F_ALONE | CENSUS_F_OTHER_TASK)

struct census_header {
	uint64_t magic; /* published last */
	uint16_t version_major;
	uint16_t version_minor;
	uint32_t slot_size;
	uint32_t slots;
	uint32_t high; /* slots ever used: readers need look no further */
	uint64_t lost; /* processes that found no slot */
	uint8_t boot_id[16];
	uint64_t created_realtime; /* ns */
	uint32_t agent_pid;	   /* 0: no agent */
	uint32_t agent_pad;
	uint64_t agent_start_time;
	uint64_t agent_beat; /* CLOCK_BOOTTIME ns of the agent's last turn; 0 never */
	uint64_t ring_bytes; /* sum of all rings made, for the node's budget */
	char job[64];
	char name[64];
	uint64_t agent_pid_ns; /* inode of its pid namespace; 0 not known */
	uint64_t log_dev; /* the plain file that was the agent's stderr at launch; 0 none */
	uint64_t log_ino;
	uint64_t log_from; /* where in it the job's own words begin */
	uint64_t spare[1];
};

/* The tools (compilers, ...) that a process owns. In a tool's own slot only `owner` counts. */
struct census_tools {
	uint32_t begun;
	uint32_t ended;	  /* by themselves, or killed as their parents saw */
	uint32_t failed;  /* ended with another status than 0 */
	uint32_t killed;  /* ended by a signal */
	uint64_t latest;  /* realtime ns of the latest begin or end; 0 never */
	uint32_t pid;	  /* of the latest one */
	uint32_t owner;	  /* a tool's: 1 + the slot that counts it; 0 none */
	char name[16];	  /* of the latest one: a hint, two may have written at once */
};

/* What the table says of one process. Text ends in NUL; times without a unit are TSC. */
struct census_slot {
	union {
		struct {
			uint32_t state; /* enum census_state */
			uint32_t flags; /* CENSUS_F_*, and turns: see CENSUS_FLAGS */
		};
		uint64_t head; /* both, to be claimed as one */
	};
	uint32_t pid;
	uint32_t ppid;
	uint64_t start_time; /* /proc/PID/stat field 22 */
	uint64_t pid_ns;
	int32_t rank; /* from RANK and its kin; -1 unknown */
	int32_t local_rank;
	int32_t world_size;
	int32_t restart;
	int32_t exit_status; /* as given to exit; valid when EXITED */
	uint32_t generation; /* rings made: 0 none or candidate's only, 1 rank's */
	uint64_t birth_tsc;
	uint64_t end_tsc;
	uint64_t birth_realtime; /* ns */
	uint64_t end_realtime;
	char comm[16];
	char exe[96]; /* end of /proc/self/exe or argv: enough to name it */
	uint32_t last_signal;	  /* latest signal that was seen, 0 none: also without a ring */
	uint32_t last_signal_pid; /* its sender, where it had one */
	struct census_tools tools;
};

_Static_assert(sizeof(struct census_tools) == 48, "census tools");
_Static_assert(sizeof(struct census_header) == 256, "census header");
_Static_assert(sizeof(struct census_slot) == 256, "census slot");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the head's lower half is the state");

#endif
