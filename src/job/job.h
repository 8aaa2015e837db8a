/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h: the sealed facts of one job. Facts without inference; below the first waist nobody knows
 * where bytes came from, above the second nobody sees a byte.
 *
 * A job is built by decoders through `struct job_builder` (job/seal/build.h), sealed once, and
 * const ever after. Everything it points to lives in its own arena and dies with job_free().
 * Sealing sorts all arrays by their natural keys (never by arrival), so that shuffled exhibits give
 * the same job, and joins what belongs together: processes to ranks, members to groups, ops to
 * members.
 *
 * UNKNOWN IS A VALUE. Times are CLOCK_REALTIME nanoseconds of the host's own clock, JOB_UNKNOWN
 * where not known; indexes into arrays are JOB_NONE where nothing is meant, that into the ranks
 * (base/rank.h) is NO_RANK; tristates are enum job_known. 0 always means zero.
 *
 * Every fact carries a cite: the place in an exhibit that says so ("ring:3:lane0:118",
 * "proc:3", "cgroup:hostA"). A cite is never NULL in a sealed job.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rank.h"
#include "job/job-stack.h"
#include "job/known.h"
#include "job/launch.h"

/*
 * Which kinds of evidence there are of a rank, as bits. A rule that needs a missing kind is "not
 * judged".
 */
enum {
	JOB_KNOWS_RING = 1,	    /* its boards were readable */
	JOB_KNOWS_PROC = 2,	    /* /proc was read at least once */
	JOB_KNOWS_SAMPLES = 4,	    /* two /proc samples: CPU deltas exist */
	JOB_KNOWS_EXIT = 8,	    /* how it ended is known (or that it lives) */
	JOB_KNOWS_COMPLETION = 16,  /* completion of ops is tracked */
	JOB_KNOWS_CENSUS = 32,	    /* all that it left is its slot in the process table */
	JOB_KNOWS_LOG = 64,	    /* a tail of its stderr was seen */
	JOB_KNOWS_STACKS = 128,	    /* at least one of its threads has a stack */
	JOB_KNOWS_DUMP = 256,	    /* a dump tells how far it came, but not what it does */
	/* The rank's own word on what it entered: an op that is missing there was not entered. */
	JOB_KNOWS_BOARDS = JOB_KNOWS_RING | JOB_KNOWS_DUMP,
};

/* How many of something the job should have, and who says so. */
struct job_expected {
	int n;          /* JOB_NONE: nobody says, so nobody knows */
	const char *by; /* the witness: "WORLD_SIZE", "Slurm step", ...; "" none */
};

/*
 * How much of the job the evidence covers. A conclusion from something unseen asks here first
 * whether it could have been seen. Missing ranks are those of job->ranks whose process is JOB_NONE;
 * without a known world size the missing ranks are unknown.
 */
struct job_coverage {
	struct job_expected ranks;
	struct job_expected hosts;
	size_t ranks_seen; /* ranks of which a process or a dump was seen */
	size_t hosts_seen; /* hosts from which anything was gathered */
	const char *hosts_missing; /* "m2,m4": hosts expected by name and not seen; "" if their
				    * names are unknown */
	const char *hosts_part; /* "m3": hosts that gave only a part of what they have; "" if
				 * none is known to */
	unsigned kinds;         /* JOB_KNOWS_* of any rank */
	int64_t from;           /* realtime of the first thing recorded; JOB_UNKNOWN */
	int64_t to;             /* realtime of the newest reading; JOB_UNKNOWN */
};

struct job_host {
	const char *name;
	int64_t gathered;     /* T0: realtime of the gathering; a board newer than this moved on */
	bool guessed;	      /* T0 is no gathering's: the earliest reading stands in for it */
	int64_t agent_beat;   /* realtime of the agent's last turn, JOB_UNKNOWN: no agent */
	enum job_known agent_alive;
	bool over;	      /* all commands that agents launched there have ended */
	int64_t oom_kills;    /* growth of the cgroup's oom_kill since launch, JOB_UNKNOWN */
	int64_t clock_error;  /* ns by which this host's clock may be off against others */
	const char *cite, *cgroup_cite;
};

enum job_role {
	JOB_ROLE_UNKNOWN,
	JOB_ROLE_RANK,
	JOB_ROLE_CANDIDATE,
	JOB_ROLE_CHILD,
	JOB_ROLE_AGENT,
};

enum job_end {
	JOB_END_UNKNOWN,  /* nobody says whether or how it ended */
	JOB_ALIVE,
	JOB_EXITED,	  /* `status` is the exit status */
	JOB_SIGNALED,	  /* `status` is the signal's number */
	JOB_GONE,	  /* certainly gone, manner unknown */
};

/*
 * One process of the job: a rank's own, a rank's child (loader, compile worker), or a bystander.
 * Its pid is 0 if only dumps tell of it: they give neither pid nor host.
 */
struct job_process {
	int host;
	uint32_t pid, ppid;
	uint64_t start_time;
	struct rank_index rank; /* the rank whose process or descendant it is; NO_RANK: none's */
	enum job_role role;
	int restart;	   /* elastic restart generation, 0 the first */
	const char *comm;  /* never NULL; "" unknown */
	const char *was, *was_cite; /* the program that was the rank, before exec; "" the same */
	const char *what;  /* of a child: "DataLoader worker" (decode child-kind.h); "" */
	int64_t born;
	enum job_end end;
	int status;
	int64_t ended;
	const char *end_cite;
	bool failed_first;     /* its launcher saw it fail before it ended any other itself */
	bool end_by_text, end_in_doubt; /* only a log tells of its end; that of another run? */
	const char *oom_cite;  /* the kernel's or a scheduler's word that memory was its end */
	unsigned by_texts;     /* where only texts tell of it: bits, the kinds of texts; else 0 */
	const char *sample_cite; /* cites state, CPU, RSS and storage */
	char state;	       /* R S D T t Z X of the main thread, 0 unknown */
	enum job_known frozen; /* cgroup freezer */
	uint32_t tracer;       /* pid of its debugger in the gatherer's namespace; 0 none known */
	const char *wchan;     /* "" unknown */
	const char *call;      /* system call that its main thread is blocked in; "" not known */
	const char *on;        /* what it waits for: "socket to 10.0.0.5:443", a path; "" */
	const char *on_cite;
	const char *lock;      /* file whose lock some thread of it waits for; "" none */
	uint32_t lock_pid;     /* pid of the lock's holder in the holder's own namespace, if it
			        * lives on the same host; 0 unknown, or on another host */
	uint64_t lock_start;   /* the holder's start time */
	const char *lock_by;   /* the holder's name; "" unknown */
	const char *lock_held; /* another file whose lock this process holds itself; "" none */
	const char *lock_open; /* an open file that by its name is a lock's; "" none */
	bool locks_read;       /* locks were looked for: what is "" or 0 above was not found */
	const char *lock_cite;
	int64_t cpu_used;      /* ns of CPU since its start, reaped children too; JOB_UNKNOWN */
	int64_t cpu_delta;     /* ns of CPU between the samples, reaped children too; JOB_UNKNOWN */
	int64_t sample_span;   /* ns between the samples; JOB_UNKNOWN */
	int64_t idle_for;      /* ns since CPU use last grew (agent's samples); JOB_UNKNOWN */
	int64_t runs;	       /* times its first thread was put on a processor; JOB_UNKNOWN */
	int64_t asleep_since;  /* since when `runs` has not grown (agent's samples); JOB_UNKNOWN */
	int64_t stopped_since; /* begin of a stop that lasted at least to the newest sample in
			        * which it lived (agent's samples); JOB_UNKNOWN: it was not
			        * stopped */
	int64_t write_delta;   /* bytes written to storage between the samples, JOB_UNKNOWN */
	int64_t rss;	       /* bytes, JOB_UNKNOWN */
	int64_t rss_before;    /* bytes at the older sample, JOB_UNKNOWN */
	int64_t rss_most;      /* the largest of any sample; JOB_UNKNOWN */
	int64_t seen;	       /* until when a dump tells of it; JOB_UNKNOWN: until its host's T0 */
	int64_t looked;	       /* T0 of the gathering that shows it; JOB_UNKNOWN: its host's T0 */
	bool age_unknown;      /* its state is the last known one, of unknown age */
	bool other_run;	       /* its evidence may be of another run of the job */
	uint32_t twin; /* pid of the rank that was started with the same number; 0 none */
	const char *cite;
};

enum job_thread_state {
	JOB_THREAD_UNKNOWN,
	JOB_THREAD_OUTSIDE, /* outside every recorded call */
	JOB_THREAD_IN_CALL, /* inside an NCCL call */
	JOB_THREAD_IN_WAIT, /* inside a stream, event or device synchronisation */
	JOB_THREAD_POLLING, /* asked, and was told "not ready" */
};

/* What a thread was doing at T0, from its board. */
struct job_thread {
	struct rank_index rank;
	uint32_t tid;
	const char *name;
	enum job_thread_state state;
	const char *call;  /* "ncclAllReduce", "cudaStreamSynchronize", "" outside */
	const char *detail; /* what exactly: the key that a store call waits for; "" none */
	int group;	   /* the call's group; JOB_NONE for ncclGroupEnd of several or for waits */
	uint64_t op;	   /* the call's op index, 0 none */
	uint64_t stream;   /* waits: the stream waited for, 0 the whole device or unknown */
	bool whole_device; /* the wait is for every stream */
	uint64_t first_op; /* a wait for several ops of a host: the number of the first of them, */
	uint64_t ops;	   /* a bit for each from there on, the last for all behind; 0: any op */
	int64_t since;
	const char *cite;
};

/* Kinds, data types and reductions of ops are those of ring.h and nccl.h: see job/names.h. */
struct job_sig {
	uint8_t op;
	uint8_t dtype;
	uint8_t redop;
	struct group_rank peer; /* root of a rooted collective, peer of P2P; NO_GROUP_RANK */
	uint64_t count;
};
/* A reduction that is not known. */
#define JOB_NO_REDOP 0xff
/* A count that is not known, or that members need not agree on: it is compared with nothing. */
#define JOB_NO_COUNT UINT64_MAX

/* One collective or point-to-point call of one member. */
struct job_op {
	uint64_t index;	   /* collectives: API order in the group, from 1. P2P: k-th of that peer */
	struct job_sig sig;
	uint64_t hash;	   /* running hash up to and including it; 0 unknown */
	uint64_t zeros;	   /* zero-count ops up to and including it */
	int64_t entered;
	enum job_known returned;
	enum job_known completed;
	uint64_t stream;
	uint64_t launch;   /* ops of one rank with one launch id are unordered; 0 = alone */
	uint64_t order;	   /* position in the rank's order of launches, all groups; 0 unknown */
	int thread;	   /* index into threads, JOB_NONE */
	uint32_t tid;	   /* of the one thread that may have called it; 0 unknown */
	bool captured;
	bool failed;	   /* the call returned an error: it was not issued */
	bool tagged;	   /* a message whose tag and turn are known: */
	uint64_t tag;	   /* it meets only a message of this tag, */
	uint64_t turn;	   /* and is the k-th of this tag and peer, from 1 */
	const char *place; /* where in the program it was called, "train.py:88 step"; "" unknown */
	const char *parts; /* bytes that it gives to and awaits from each seat: "24:24,0:8"; of all
			    * seats together: "*24:32"; "" unknown */
	const char *cite;
};

enum job_member_state {
	JOB_MEMBER_UNSEEN,  /* no evidence from this seat */
	JOB_MEMBER_IN_INIT, /* inside communicator init */
	JOB_MEMBER_READY,
	JOB_MEMBER_CLOSING, /* inside finalize or destroy */
	JOB_MEMBER_GONE,    /* destroyed or aborted */
};

/*
 * A seat: (group, group rank). `head` is the last collective it entered: every index up to head was
 * entered, each above was not. `ops` holds those whose details are known (ascending index, gaps
 * are real); `p2p` the latest point-to-point calls (ascending order).
 */
struct job_member {
	int group;
	struct group_rank seat;
	struct rank_index rank; /* NO_RANK: nobody knows who sits there */
	enum job_member_state state;
	bool aborted;
	bool nonblocking;
	bool from_any;	  /* it received from any source: how often from whom is unknown */
	bool unordered;	  /* threads entered its ops at once: their order is not the program's */
	bool saw_capture; /* graph replays are unknown: absence proves nothing */
	int64_t init_since, ready_at;
	bool head_known;
	uint64_t head;
	uint64_t zeros;	   /* zero-count collectives up to head */
	uint64_t done;	   /* completed up to this index */
	bool done_known;
	uint64_t begun;    /* the device began all up to this index */
	bool begun_known;
	uint64_t splits;   /* calls that split it, the one in progress included */
	int64_t timeout;   /* ns in one op after which its maker ends the process; JOB_UNKNOWN */
	bool p2p_whole;	   /* p2p has all incomplete calls: one that is not there was not made */
	bool keeps_newest; /* an op without a record came before all that its rank has records of */
	const struct job_op *ops;
	size_t nops;
	const struct job_op *p2p;
	size_t np2p;
	const struct job_message_index *messages; /* p2p by peer (message-index.h); NULL: none */
	const char *cite;
};

/* Who says how many seats a group has. */
enum job_sized {
	JOB_SIZE_UNKNOWN, /* unknown: `size` counts the seats seen, there may be more */
	JOB_SIZE_GUESSED, /* told by something that does not name its group: seldom wrong */
	JOB_SIZE_SAID,    /* a member, a list of its ranks, or an op whose amounts tell it */
};

/*
 * While its size is unknown, `size` is only the number of seats seen: whoever concludes from all
 * members having done something asks `sized` first, or rollcall_unseen().
 */
struct job_group {
	uint64_t key;
	uint64_t alias;
	uint64_t parent; /* key, 0 none */
	uint64_t made_as; /* not 0: others made another group in its place; equal in all of these */
	const char *made_name; /* the name that all of its members gave it; never NULL */
	const char *name; /* "world" if all ranks are in it and no better is known; never NULL */
	const char *maker; /* "nccl", "gloo", "other"; "bootstrap": the exchange of an id, no ops */
	const char *ranks; /* world ranks by seat, "0-3,8", as a member says; never NULL */
	uint32_t size;     /* seats that it has for certain */
	enum job_sized sized;
	bool unordered;	   /* a member's threads raced for its ops: no index is the same on all */
	int first_member; /* members[first_member .. +size) by seat; a sealed job has all seats */
	const char *cite;
};

/* The same numbers as enum ring_span_kind: decoding copies them. */
enum job_span_kind {
	JOB_SPAN_NONE,
#define SPAN(name, text) JOB_SPAN_##name,
#include "lists/span.def"
#undef SPAN
	JOB_SPAN_KINDS
};

struct job_span {
	struct rank_index rank;
	int process; /* index: the rank's own or a child's */
	enum job_span_kind kind;
	const char *name;
	const char *detail; /* "" none; a compile span's: the graph's identity */
	int64_t begun;
	int64_t ended; /* JOB_UNKNOWN: open (see `open`) or end not known */
	bool open;
	int64_t cpu_at_begin;
	int64_t cpu_at_end;
	const char *cite;
};

/* A batch that one loader gave one rank. */
struct job_shard {
	struct rank_index rank;
	const char *loader;
	uint64_t index; /* number of the latest batch, from 0 */
	uint64_t rows;
	uint64_t elements;
	uint64_t batches; /* marks given */
	uint64_t total_rows;
	bool empty; /* the latest batch, or an earlier one, had no rows or no elements */
	uint64_t emptied; /* the index of the latest empty batch; meaningless unless `empty` */
	uint64_t waits;	  /* how many of `batches` have their wait still on record */
	int64_t waited;	  /* ns in all of these waits */
	uint64_t dims[8];
	unsigned ndim; /* 0: no shape known */
	int64_t when;
	const char *cite;
};

/* How far a rank came in its steps, and how long they take. */
struct job_step {
	struct rank_index rank;
	uint64_t n;
	uint64_t events;
	int64_t first; /* when its first step was done; JOB_UNKNOWN */
	int64_t when;
	uint64_t timed; /* how many of the latest steps have their duration on record */
	int64_t usual;	/* ns: the median of these; meaningless if there are none */
	int64_t low, high; /* ns: a tenth of them took less than low, a tenth more than high */
	const char *cite;
};

/*
 * A property of a rank, as its probe or framework told it; of one key the newest holds. Keys:
 * "framework", "python", "mode", "backend", "timeout", "heartbeat", "cache", ...: the list is in
 * inquest-traits(7). `number` is JOB_UNKNOWN where the trait is text only.
 */
struct job_trait {
	struct rank_index rank;
	const char *key;
	const char *text;
	int64_t number;
	int64_t when;
	const char *cite;
};

struct job_note {
	struct rank_index rank;
	const char *text;
	bool exception; /* the rank said that it dies of this */
	bool by_file;	/* told by a file whose name children inherit: one of them may have
			 * written it */
	int64_t when;
	const char *cite;
};

/* A signal that reached a rank's handler: fatal or not. */
struct job_signal {
	struct rank_index rank;
	int process;
	int signo;
	int code;
	uint32_t sender; /* sender's pid; 0: the kernel, or a process outside the rank's pid
			  * namespace */
	int sender_role; /* enum job_role of the sender where it is in the job; JOB_NONE unknown */
	bool from_self;
	bool fatal;
	bool abort_call; /* abort() was entered first */
	const char *thread; /* its name; "" unknown */
	uint32_t tid;	    /* as stacks have it; 0 unknown */
	int64_t when;
	const char *cite;
};

/* The last lines a rank wrote to stderr, newest last; text from outside, escaped by reports. */
struct job_log {
	struct rank_index rank;
	const char *last_line; /* the last useful one */
	const char *error;     /* the line that names an error (Traceback's last, CUDA's, NCCL's) */
	int64_t when;
	const char *cite;
};

/* Why a scheduler ended the job. */
enum job_ended_by {
	JOB_ENDED_UNTOLD,
	JOB_ENDED_BY_LIMIT, /* its time was over */
	JOB_ENDED_BY_NODE,  /* one of its nodes failed */
	JOB_ENDED_BY_PREEMPTION,
	JOB_ENDED_BY_CANCEL, /* by a user */
	JOB_ENDED_OTHERWISE, /* for another reason, or it was not ended */
	JOB_ENDED_REASONS
};

/* The only witnesses of a struct job_saying, and what each puts into its texts and numbers. */
enum job_saying_kind {
	JOB_SAYS_WATCHDOG, /* PyTorch's, of NCCL: text the op, a its number, b ns that it stood */
	JOB_SAYS_LIBRARY,	   /* a warning of NCCL's: text */
	JOB_SAYS_INIT,	   /* NCCL began an init, and no end of it is there: a the group's size */
	JOB_SAYS_RAS,	   /* NCCL's own look at the job: text */
	JOB_SAYS_KERNEL,   /* a line of the kernel's log: text */
	JOB_SAYS_XID,	   /* an error of a GPU, by the kernel's log: a number, text, text2 bus */
	JOB_SAYS_SLURM,	   /* text the state, text2 exit code, a an enum job_ended_by */
	JOB_SAYS_COMPILE,  /* the compile log begins a graph and has no end of it: text its id */
	JOB_SAYS_BARRIER,  /* gloo's monitored barrier: text the ranks that it missed */
	JOB_SAYS_SPAWN,	   /* torch.multiprocessing, of its process: a its number, text its end */
	JOB_SAYS_LAUNCHER, /* a launcher, of a rank that it does not name: text its end */
	JOB_SAYS_UNANSWERED, /* asked for its stacks it gave no answer: text why, text2 who asked */
	JOB_SAYS_SERVED, /* PyTorch's debug server, in a table or a health check: text */
	JOB_SAYING_KINDS
};

/*
 * What a record of somebody else (a watchdog's, a scheduler's, the kernel's) says of the job or of
 * one rank. It is told, and accuses nobody: what it says may be an echo.
 */
struct job_saying {
	struct rank_index rank; /* NO_RANK: of the job */
	enum job_saying_kind kind;
	const char *text, *text2; /* "" none */
	int64_t a, b;		  /* JOB_UNKNOWN none */
	const char *cite;
};

/* Compile caches at the rank's start, from the receipt. */
struct job_cache {
	struct rank_index rank;
	const char *path;
	int64_t files;
	int64_t bytes;
	const char *cite;
};

/* Something that was recorded but is gone, or should have been there: shown, never silent. */
struct job_loss {
	struct rank_index rank; /* NO_RANK: not of one rank */
	const char *what;
	int64_t count; /* JOB_UNKNOWN */
	bool of_ops;   /* operations may be among what is lost: absence is weaker evidence */
	bool of_last;  /* its last records may be lost: it may wait for somebody */
	bool of_p2p;   /* what is lost are sends and receives, which nothing records */
	const char *cite;
};

enum job_call_kind {
	JOB_CALL_INSIDE, /* in a call of NCCL or c10d */
	JOB_CALL_WAIT,	 /* in a synchronisation with a stream, an event or the device */
	JOB_CALL_ENTERED, /* a moment, in the call that ends a group call: it entered an op of it */
	JOB_CALL_HOLE,	 /* what the thread recorded of this time is gone: `index` records */
	JOB_CALL_STEP,	 /* a moment: step `index` was done */
};

/*
 * A call that a thread of a rank was in, from its entry to its return: known only if the reader
 * asked for calls (job_want_calls()), since there are very many. No rule needs it; it is there to
 * be drawn.
 */
struct job_call {
	struct rank_index rank;
	uint32_t tid;
	enum job_call_kind kind;
	struct job_sig sig; /* of a call that takes part in a group's order; else its op is 0 */
	const char *name;  /* "ncclAllReduce"; of a hole: what is gone */
	int group;	   /* JOB_NONE */
	uint64_t index;	   /* of the op in its group, 0 none */
	int64_t entered;
	int64_t returned;  /* JOB_UNKNOWN: it is still inside at the end of the evidence */
	const char *cite;  /* the lane */
};

/* A world rank of the attempt under judgement. */
struct job_rank {
	struct world_rank world_rank; /* as RANK says, else its position by (host, pid) */
	bool named_by_env;	      /* world_rank is what RANK says */
	bool numberless; /* nothing tells its number: world_rank is a place in this list only */
	int host;
	int process; /* index into processes; JOB_NONE: never seen */
	int anew;    /* index of a process that was started in the place of that one, when it had
		      * ended, and met nobody since; JOB_NONE */
	bool candidate_only; /* started, had RANK, never made a communicator */
	bool doubtful; /* a rank by its task's number only: it may be a launcher of ranks */
	int restart;
	unsigned knows; /* JOB_KNOWS_* */
	int64_t lost_records;
	bool loses; /* some of its own records are lost: of operations, its last ones, messages */
	bool shares_process; /* other ranks share its process: whose a thread is, is unknown */
};

struct job {
	const char *id;
	const char *name;
	int attempt;	  /* 1 + restart generation under judgement */
	int world_size;	  /* JOB_NONE unknown */
	bool world_at_least; /* world_size counts the ranks named somewhere: there may be more */
	int64_t launched; /* realtime, JOB_UNKNOWN */
	int64_t gathered; /* newest T0 of all hosts; without one, the last that dumps tell */
	int64_t deadline; /* realtime when a known watchdog or limit ends the job, JOB_UNKNOWN */
	const char *deadline_cite;
	enum job_known ended; /* the launcher said that the job is over */
	int exit_status;      /* of the launcher, where ended, or where a part of it is; -1 not
			       * told */
	int64_t told_to_end;  /* realtime, by a signal to its launcher; JOB_UNKNOWN */
	bool has_census;      /* our probe was in the job */
	/* has_census, and nothing is lost that may have told of a process: absence is evidence */
	bool census_whole;
	struct job_coverage coverage;

	const struct job_launch *launches; /* the earliest first */
	size_t nlaunches;
	const struct job_host *hosts;
	size_t nhosts;
	const struct job_rank *ranks; /* ascending world rank, attempt under judgement only */
	size_t nranks;
	const struct job_process *processes;
	size_t nprocesses;
	const struct job_thread *threads; /* by rank, then tid */
	size_t nthreads;
	const struct job_group *groups; /* by (size descending, key) */
	size_t ngroups;
	const struct job_member *members;
	size_t nmembers;
	const struct job_span *spans; /* by rank, then begin */
	size_t nspans;
	const struct job_call *calls; /* by rank, then entry; of one moment the longer first */
	size_t ncalls;
	bool calls_told; /* calls were asked for: a rank without any made none, or left no record
			  * of them */
	const struct job_shard *shards;
	size_t nshards;
	const struct job_step *steps;
	size_t nsteps;
	const struct job_note *notes;
	size_t nnotes;
	const struct job_trait *traits; /* by rank, then key */
	size_t ntraits;
	const struct job_signal *signals; /* by time */
	size_t nsignals;
	const struct job_log *logs;
	size_t nlogs;
	const struct job_saying *sayings; /* by rank (NO_RANK first), then kind */
	size_t nsayings;
	const struct job_cache *caches;
	size_t ncaches;
	const struct job_frame *frames; /* by first use in stacks */
	size_t nframes;
	const struct job_stack *stacks; /* by rank (JOB_NONE last), process, main first, tid */
	size_t nstacks;
	const struct job_snapshot *snapshots; /* by rank (JOB_NONE last), process */
	size_t nsnapshots;
	const struct job_loss *losses;
	size_t nlosses;
};

/* True if that is a rank of the job; NO_RANK never is. */
static inline bool job_has_rank(const struct job *job, struct rank_index rank)
{
	return is_rank(rank) && (size_t)rank.i < job->nranks;
}

/* Returns the rank at that place, which must be one of the job's (job_has_rank()). */
static inline const struct job_rank *job_rank(const struct job *job, struct rank_index rank)
{
	return &job->ranks[rank.i];
}

/*
 * Returns when the rank was looked at, realtime ns by its host's clock: one host may have been
 * looked at more than once, and each time at other ranks. JOB_UNKNOWN.
 */
static inline int64_t job_looked_at(const struct job *job, struct rank_index rank)
{
	const struct job_rank *r = job_rank(job, rank);
	int64_t when = r->process == JOB_NONE ? JOB_UNKNOWN : job->processes[r->process].looked;

	if (when == JOB_UNKNOWN && r->host != JOB_NONE)
		when = job->hosts[r->host].gathered;
	return when == JOB_UNKNOWN ? job->gathered : when;
}

/* Runs the statement behind it for each rank of the job in order: `rank` is its rank_index. */
#define job_for_each_rank(job, rank)                                                               \
	for (struct rank_index rank = {0}; job_has_rank((job), rank); rank.i++)

/* Returns who sits there; NULL where the group has no such seat. */
static inline const struct job_member *job_seat(
	const struct job *job, const struct job_group *group, struct group_rank seat)
{
	return seat.n < group->size ? &job->members[group->first_member + (int)seat.n] : NULL;
}

/* Releases a sealed job and all it points to. NULL is fine. */
void job_free(struct job *job);

#endif
