/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one state that all routes share, and how it changes. It changes rarely (birth, fork, first
 * mark, first communicator), under one lock, and each change ends by raising the epoch, by which
 * threads learn of it without asking.
 *
 *	constructor		census slot, no ring
 *	first mark or death	ring of a candidate: writer[0]
 *	first communicator	ring of a rank: writer[1]; the other stays, to be read
 *	fork			epoch 0, wiped by the kernel; process_reborn() at the first own act
 *
 * THE LOCK names its holder by pid and tid. Signal handlers come here, so a thread that finds
 * itself the holder goes away empty-handed and never waits. A forked child that inherited the lock
 * from a thread that it does not have takes it over. A thread that waits too long does without a
 * ring: the program goes first.
 *
 * Losses and words to stderr from before there is a ring are kept here and handed over.
 */
#include "probes/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probes/c10d/c10d-route.h"
#include "probes/death/death.h"
#include "probes/death/sigchain.h"
#include "probes/death/traceback.h"
#include "probes/fork.h"
#include "probes/glibc.h"
#include "probes/libc.h"
#include "probes/mapping.h"
#include "probes/mpi/mpi.h"
#include "probes/nccl/group.h"
#include "probes/place.h"
#include "probes/preload.h"
#include "probes/presence.h"
#include "probes/python/python.h"
#include "probes/ring-clock.h"
#include "probes/sys.h"
#include "probes/text.h"
#include "probes/thread.h"
#include "probes/trait.h"
#include "ring/census-write.h"
#include "ring/ring-make.h"

#define PROCESS_TEXT     4096
#define PROCESS_PATIENCE 20000 /* yields: well over what making a ring takes, under a second */

/*
 * Writers: the constructor, the thread that holds `lock`, and a forked child before it has threads;
 * of `lost` all threads, with atomics; of `text` who writes to stderr, by process_stderr().
 */
static struct {
	int begun, born;
	/* the view when it was left (process_leave()), and the epoch then */
	enum process_view left;
	uint64_t left_epoch;
	uint32_t pid;
	uint64_t lock; /* pid << 32 | tid of the thread that makes a ring now; 0 none */
	uint64_t epochs;
	uint64_t no_epoch; /* what `epoch` points to without a guard page */
	uint64_t *epoch;
	struct census_self self;
	struct ring_writer *ring;
	struct ring_writer writer[2]; /* the candidate's, the rank's */
	struct place_ring place[2];
	int made[2], refused[2];
	uint64_t lost[PROBE_LOSSES]; /* until there is a ring */
	uint32_t text_pid;
	uint64_t text_head;
	char text[PROCESS_TEXT]; /* until there is a ring */
} process = {.epoch = &process.no_epoch,
	.self = {.rank = -1, .local_rank = -1, .world_size = -1}};

/* Always equal to process.epoch, and written together with it. */
const uint64_t *probe_epoch = &process.no_epoch;

/* --- Views ----------------------------------------------------------------------------------- */

enum process_view process_view(void)
{
	if (!process.born)
		return PROCESS_UNBORN;
	if (!__atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE))
		return PROCESS_FORKED;
	return (uint32_t)sys_getpid() == process.pid ? PROCESS_SELF : PROCESS_VFORKED;
}

int process_has_begun(void)
{
	return process.begun;
}

struct ring_writer *process_ring(void)
{
	if (!__atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE))
		return NULL;
	return __atomic_load_n(&process.ring, __ATOMIC_ACQUIRE);
}

struct ring_writer *process_old_ring(void)
{
	return process.made[0] && process.made[1] ? &process.writer[0] : NULL;
}

const struct census_self *process_self(void)
{
	return &process.self;
}

/* Returns where a ring counts this kind of loss. */
static uint64_t *process_loss(struct ring_losses *l, enum probe_loss what)
{
	uint64_t *const counter[PROBE_LOSSES] = {
		[PROBE_LOST_RECORDS] = &l->records,
		[PROBE_LOST_GROUPS] = &l->groups,
		[PROBE_LOST_UNRESOLVED] = &l->unresolved,
		[PROBE_LOST_FORKED] = &l->forked,
		[PROBE_LOST_COMPLETIONS] = &l->completions,
	};

	return counter[what];
}

void probe_lose(enum probe_loss what)
{
	struct ring_writer *ring = process_ring();

	if (ring)
		ring_lose(process_loss(&ring->header->losses, what));
	else
		ring_add(&process.lost[what], 1);
}

/* --- One at a time --------------------------------------------------------------------------- */

/*
 * Returns 0 if we may change the process's state now. Never waits for itself: handlers come here,
 * too.
 */
static int process_lock(void)
{
	uint64_t mine = (uint64_t)(uint32_t)sys_getpid() << 32 | (uint32_t)sys_gettid();

	for (int patience = 0; patience < PROCESS_PATIENCE; patience++) {
		uint64_t holder = ring_load(&process.lock);

		/* A holder of another pid was a thread of our parent: it is not here. */
		if ((!holder || holder >> 32 != mine >> 32) &&
			ring_cas(&process.lock, holder, mine))
			return 0;
		if (holder == mine)
			return -1;
		sys_call(SYS_sched_yield);
	}
	return -1;
}

static void process_unlock(void)
{
	ring_publish_word(&process.lock, 0);
}

/* Raises the epoch: all threads take the slow path once, and see what has changed. */
static void process_new_epoch(void)
{
	__atomic_store_n(process.epoch, ++process.epochs, __ATOMIC_RELEASE);
}

/* --- Making a ring --------------------------------------------------------------------------- */

/* Returns the number in the name of a ring that is to be made. */
static uint32_t process_generation(uint32_t role)
{
	const struct census_slot *mine = census_mine();
	uint32_t base = 0;

	/* After an exec the files of the former image stay, whose numbers are the lower ones. */
	if (census_was_execed() && mine && (mine->flags & CENSUS_F_HAS_RING) && !process.made[0])
		base = (mine->generation | 1) + 1;
	else if (process.made[0])
		base = process.writer[0].header->generation;
	return base + (role == RING_RANK);
}

/* Writes into a ring's header which rank it is, as far as known. */
static void process_name_ring(struct ring_header *h)
{
	h->rank = process.self.rank;
	h->local_rank = process.self.local_rank;
	h->world_size = process.self.world_size;
	h->compat_flags = process.self.number;
	h->run = process.self.run;
	h->slurm = process.self.slurm;
	h->master = process.self.master;
}

static void process_fill_header(struct ring_header *h, const struct place_ring *place)
{
	struct utsname uts;

	h->place = place->place;
	census_boot(h->boot_id);
	h->pid = process.self.pid;
	h->ppid = process.self.ppid;
	h->start_time = process.self.start_time;
	h->pid_ns = process.self.pid_ns;
	h->uid = (uint32_t)sys_call(SYS_getuid);
	process_name_ring(h);
	h->restart = process.self.restart;
	text_copy(h->job, sizeof(h->job), place_job());
	if (!sys_call(SYS_uname, &uts))
		text_copy(h->host, sizeof(h->host), uts.nodename);
	if (census_mine())
		memcpy(h->comm, census_mine()->comm, sizeof(h->comm));
	else
		thread_name(h->comm);
}

/* Puts what was kept while there was no ring into the new one. */
static void process_hand_over(struct ring_writer *w)
{
	uint64_t len = process.text_head < PROCESS_TEXT ? process.text_head : PROCESS_TEXT;

	for (int what = 0; what < PROBE_LOSSES; what++)
		ring_add(process_loss(&w->header->losses, what),
			__atomic_exchange_n(&process.lost[what], 0, __ATOMIC_RELAXED));
	if (process.text_pid != process.pid)
		len = 0;
	for (uint64_t at = process.text_head - len; at < process.text_head; at++)
		ring_text_append(w, process.text + at % PROCESS_TEXT, 1);
	process.text_head = 0;
	if (w == &process.writer[1])
		w->span_serial = process.writer[0].span_serial;
}

/* Makes the census say from now on that there is a ring, and which one is the newest. */
static void process_account(uint32_t generation)
{
	struct census_slot *mine = census_mine();

	census_add_flags(CENSUS_F_HAS_RING);
	if (mine)
		mine->generation = generation;
}

/*
 * Makes memory for a ring, in a file named after this process and generation. Returns 0 or
 * negative.
 */
static int process_find_place(uint32_t generation, uint32_t role, struct place_ring *ret)
{
	char name[64];
	struct text t = text_into(name, sizeof(name));
	const struct place_request want = {
		.name = name,
		.role = role,
		.share_of = role == RING_RANK ? (uint32_t)process.self.local_size : 0,
		.taken = census_job() ? &census_job()->ring_bytes : NULL,
	};

	text_put_u64(&t, process.self.pid); /* as CENSUS_RING_FORMAT, or CENSUS_RING_ELSEWHERE */
	text_put(&t, ".");
	text_put_u64(&t, process.self.start_time);
	text_put(&t, ".");
	text_put_u64(&t, generation);
	if (census_is_elsewhere()) {
		text_put(&t, ".");
		text_put_u64(&t, process.self.pid_ns);
	}
	text_put(&t, ".ring");
	return place_ring_make(&want, ret);
}

static void process_pin(struct ring_writer *w, enum ring_milestone what, uint64_t value)
{
	const struct ring_record r = {
		.meta = ring_meta(RING_PROC, 0, RING_NO_GROUP, what),
		.index = value,
	};

	ring_pin(w, RING_PIN_PROC, ring_writer_now(w), &r);
}

/* Pins the variable that said which rank it is. A framework's word is a trait of its own. */
static void process_pin_source(struct ring_writer *w)
{
	static const char key[] = "rank-source";
	const char *source = process.self.rank_source;
	struct ring_record r;

	if (!source || process.self.rank < 0)
		return;
	r = (struct ring_record){
		.meta = ring_meta(
			RING_TRAIT, 0, RING_NO_GROUP, ring_string(w, key, sizeof(key) - 1)),
		.index = (uint64_t)process.self.rank,
		.aux = ring_string(w, source, strlen(source)),
	};
	ring_pin(w, RING_PIN_TRAIT, ring_writer_now(w), &r);
}

/* Makes a ring and switches over to it. Under the lock. */
static void process_make(uint32_t role)
{
	int which = role == RING_RANK;
	struct ring_writer *w = &process.writer[which];
	uint32_t generation = process_generation(role);

	if (process_find_place(generation, role, &process.place[which])) {
		process.refused[which] = 1;
		if (!process.ring)
			census_add_flags(CENSUS_F_NO_RING);
		return;
	}
	ring_writer_open(w, process.place[which].base);
	clock_choose(w);
	w->header->generation = generation;
	process_fill_header(w->header, &process.place[which]);
	w->header->birth_tsc = ring_writer_now(w);
	clock_anchor(w);
	process_hand_over(w);
	process_pin(w, RING_PROC_START, process.self.ppid);
	if (role == RING_RANK) {
		census_hold();
		process_pin(w, RING_PROC_RANK,
			process.self.rank < 0 ? UINT64_MAX : (uint64_t)process.self.rank);
	}
	process_pin_source(w);
	ring_publish(w->base);
	process.made[which] = 1;
	process_account(generation);
	death_forget();
	__atomic_store_n(&process.ring, w, __ATOMIC_RELEASE);
	process_new_epoch();
}

/* --- Becoming something ---------------------------------------------------------------------- */

int process_reborn(void)
{
	if (process_lock())
		return 0;
	mapping_guard();
	if (!*probe_epoch) {
		process.ring = NULL;
		memset(process.made, 0, sizeof(process.made));
		memset(process.refused, 0, sizeof(process.refused));
		memset(process.lost, 0, sizeof(process.lost));
		group_forget_all();
		c10d_forget_all();
		mpi_forget_all();
		death_forget();
		census_self_look(&process.self);
		process.pid = process.self.pid;
		census_join(&process.self, 1);
		process_new_epoch();
	}
	process_unlock();
	return 1;
}

/*
 * True if it is pointless to make a ring: there is one that will do, or there was no room for one.
 */
static int process_has(enum probe_need need)
{
	return process.made[1] || (process.made[0] && need != PROBE_NEED_RANK) ||
	       process.refused[need == PROBE_NEED_RANK];
}

int process_ready(enum probe_need need)
{
	int promoted = 0;

	if (!process.born)
		return 0;
	if (!*probe_epoch) {
		mapping_guard();
		if (need == PROBE_NEED_NOTHING && process.ring)
			ring_lose(&process.ring->header->losses.forked);
		if (need == PROBE_NEED_NOTHING || !process_reborn())
			return 0;
	}
	if (need == PROBE_NEED_NOTHING || process_has(need) || process_lock())
		return process.ring != NULL;
	mapping_guard();
	if (need == PROBE_NEED_RANK && !process_has(need)) {
		census_self_read(&process.self);
		census_promote(&process.self);
		process_make(RING_RANK);
		if (!process.ring)
			process_make(RING_CANDIDATE); /* better a small ring than none */
		promoted = process.made[1];
	} else if (!process_has(need)) {
		if (need == PROBE_NEED_WITNESS) {
			/* A forked rank is told its number after the fork. */
			census_self_read(&process.self);
			census_rename(&process.self);
		}
		process_make(RING_CANDIDATE);
	}
	process_unlock();
	if (promoted)
		traceback_arm();
	return process.ring != NULL;
}

void process_identify(int32_t rank, int32_t world_size, const char *source)
{
	if (!process_ready(PROBE_NEED_WITNESS))
		return;
	mapping_guard();
	if (census_self_tell(&process.self, rank, world_size)) {
		process.self.rank_source = NULL;
		trait_put("rank-source", source, (uint64_t)rank);
	}
	if (process.self.world_size < 0 && world_size > 0)
		process.self.world_size = world_size;
	process_name_ring(process.ring->header);
	census_rename(&process.self);
}

/* --- Ends ------------------------------------------------------------------------------------ */

void process_milestone(enum ring_milestone what, uint64_t value)
{
	struct ring_writer *ring = process_ring();

	if (!ring)
		return;
	mapping_guard();
	process_pin(ring, what, value);
}

/* Removes the rings' files: a process that was no rank and ended well leaves nothing behind. */
static void process_unlink_rings(void)
{
	for (int which = 0; which < 2; which++)
		if (process.made[which])
			place_ring_unlink(&process.place[which]);
}

void process_end(enum ring_milestone how, int status)
{
	enum process_view view = process_view();

	if (view == PROCESS_FORKED && (!status || !process_reborn()))
		return;
	if (view != PROCESS_SELF && view != PROCESS_FORKED)
		return;
	mapping_guard();
	if (status && process.text_head && process.text_pid == process.pid)
		process_ready(PROBE_NEED_CANDIDATE);
	process_milestone(how, (uint64_t)(uint32_t)status);
	if (!status && !process.made[1])
		process_unlink_rings();
	census_leave(status);
}

void process_stderr(const char *bytes, uint64_t len)
{
	enum process_view view = process_view();
	struct ring_writer *ring = view == PROCESS_SELF ? process_ring() : NULL;
	uint32_t pid;

	if (view == PROCESS_UNBORN || view == PROCESS_VFORKED)
		return;
	if (ring) {
		mapping_guard();
		ring_text_append(ring, bytes, len);
		return;
	}
	pid = (uint32_t)sys_getpid();
	if (process.text_pid != pid)
		process.text_head = 0;
	process.text_pid = pid;
	for (uint64_t i = len > PROCESS_TEXT ? len - PROCESS_TEXT : 0; i < len; i++)
		process.text[process.text_head++ % PROCESS_TEXT] = bytes[i];
}

int process_leave(void)
{
	enum process_view view = process_view();

	if (view != PROCESS_SELF && view != PROCESS_FORKED)
		return 0;
	sigchain_leave_all();
	mapping_look(); /* from now on no handler mends */
	process.left = view;
	process.left_epoch = *process.epoch;
	if (view == PROCESS_SELF && (process.made[0] || process.made[1]))
		trait_put("sealed", "seccomp", TRAIT_NO_NUMBER);
	else if (view == PROCESS_SELF)
		/* nobody will be told of its end, so nobody may wait for word of it */
		census_vanish();
	process.born = 0;
	__atomic_store_n(process.epoch, 0, __ATOMIC_RELEASE);
	return 1;
}

void process_return(void)
{
	__atomic_store_n(process.epoch, process.left_epoch, __ATOMIC_RELEASE);
	process.born = 1;
	if (process.left == PROCESS_SELF && !census_mine())
		census_join(&process.self, 0);
	sigchain_take_again();
}

void process_forked(void)
{
	*process.epoch = 0;
}

/* --- Birth ----------------------------------------------------------------------------------- */

/*
 * True if INQUEST_DISABLE is set to anything but 0: somebody wants to know whether it is our fault.
 */
static int process_is_disabled(void)
{
	const char *disable = getenv("INQUEST_DISABLE");

	return disable && *disable && strcmp(disable, "0") != 0;
}

__attribute__((constructor)) static void process_birth(void)
{
	process.begun = 1;
	libc_find();
	presence_mend(NULL);
	preload_find(environ);
	if (getauxval(AT_SECURE))
		return; /* it has more rights than its caller: none of our business */
	if (process_is_disabled() || !glibc_is_here())
		return;
	process.epoch = fork_guard(&process.no_epoch);
	probe_epoch = process.epoch;
	death_birth();
	place_find();
	census_self_look(&process.self);
	census_open_job(&process.self);
	census_self_read(&process.self);
	process.pid = process.self.pid;
	census_join(&process.self, 0);
	place_let_go();
	thread_birth();
	process_new_epoch();
	process.born = 1;
	python_birth();
}
