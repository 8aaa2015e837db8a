/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "probes/death/altstack.h"
#include "probes/death/sigchain.h"
#include "probes/mapping.h"
#include "probes/probe.h"
#include "probes/process.h"
#include "probes/ring-clock.h"
#include "probes/seccomp.h"
#include "probes/symver.h"
#include "probes/sys.h"

__thread struct probe_thread *probe_me;

/* Tells of a thread's end. Writer: the constructor. */
static struct {
	pthread_key_t key;
	int has_key;
} thread_ends;

void thread_name(char name[16])
{
	if (sys_call(SYS_prctl, PR_GET_NAME, name))
		name[0] = '\0';
}

/* --- Life ------------------------------------------------------------------------------------ */

/* Gives a thread's lane, stack and pages back; called at its end. */
static void thread_end(void *arg)
{
	struct probe_thread *me = arg;

	probe_me = NULL;
	if (seal_is_set())
		return;
	if (me->joined == *probe_epoch)
		mapping_guard();
	if (me->joined == *probe_epoch && me->lane)
		ring_lane_release(me->ring, me->lane);
	altstack_take(me->altstack);
	sys_unmap(me, sizeof(*me));
}

void thread_birth(void)
{
	thread_ends.has_key =
		pthread_key_create && !pthread_key_create(&thread_ends.key, thread_end);
	altstack_birth();
}

/* Makes the calling thread's state; NULL without memory. */
static struct probe_thread *thread_make(void)
{
	struct probe_thread *me = sys_alloc(sizeof(*me));

	if (!me)
		return NULL;
	me->altstack = altstack_give();
	probe_me = me;
	return me;
}

/* Joins the present ring. Whatever the thread was in the middle of belongs to the old one. */
static void thread_join(struct probe_thread *me)
{
	uint64_t epoch = __atomic_load_n(probe_epoch, __ATOMIC_ACQUIRE);
	struct ring_writer *ring = process_ring();
	uint32_t tid = (uint32_t)sys_gettid();
	char name[16];

	if (me->tid != tid) { /* new, or a forked child's copy of its parent's */
		me->depth = me->group_depth = me->queued = me->births = 0;
		me->standing.mark = NULL;
		me->lane = NULL;
		me->tid = tid;
	} else if (me->ring && me->lane && me->ring != ring) {
		ring_lane_release(me->ring, me->lane);
	}
	thread_name(name);
	me->ring = ring;
	me->lane = ring_lane_claim(ring, tid, name);
	me->joined = epoch;
	me->epoch = sigchain_reaches(SIGBUS) ? epoch : PROBE_LOOKS;
}

/*
 * Called if the thread's epoch is not the process's. pthread_setspecific() may allocate, so a
 * thread that comes here first from a signal handler is not registered for its end: its lane is
 * then freed only with the process.
 */
static struct probe_thread *thread_join_slow(enum probe_need need)
{
	struct probe_thread *me = probe_me;
	int fresh = !me;

	if (me && me->depth && me->tid == (uint32_t)sys_gettid())
		return me; /* inside a call: join when it is over */
	if (!process_ready(need))
		return NULL;
	mapping_guard();
	if (me && me->epoch == PROBE_LOOKS && me->joined == *probe_epoch)
		return me;
	if (!me)
		me = thread_make();
	if (!me) {
		probe_lose(PROBE_LOST_RECORDS);
		return NULL;
	}
	thread_join(me);
	if (fresh && thread_ends.has_key)
		pthread_setspecific(thread_ends.key, me);
	return me;
}

struct probe_thread *probe_enter_slow(enum probe_need need)
{
	if (need == PROBE_NEED_NOTHING && *probe_epoch && !process_ring())
		return NULL; /* the common case of a process that has nothing to say */
	return thread_join_slow(need);
}

struct probe_thread *probe_enter_needing(enum probe_need need)
{
	struct probe_thread *me = probe_me;

	if (me && me->depth && me->epoch == *probe_epoch)
		return NULL;
	if (process_ready(need))
		return probe_enter();
	return NULL;
}

void probe_now_slow(struct probe_thread *me, uint64_t now)
{
	char name[16];

	if (me->epoch == PROBE_LOOKS)
		mapping_look();
	if (now - ring_load(&me->ring->anchor_tsc) <= PROBE_ANCHOR_TICKS)
		return;
	clock_anchor(me->ring);
	if (!me->lane)
		return;
	thread_name(name); /* threads are often named after their first call */
	__builtin_memcpy(me->lane->name, name, sizeof(name));
}
