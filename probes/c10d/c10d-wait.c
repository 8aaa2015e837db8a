/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for ops of gloo, and their ends. A collective is run by a thread of its group, which says
 * so when it is over; a send or receive is over when its wait returns. DDP waits for a future
 * instead, inside PyTorch, where nothing can be seen: its thread is then outside, with an op that
 * has not completed.
 *
 * A wait for a Work that has ended already is not recorded: it is none. Who does not wait, but asks
 * a Work again and again whether it is done, is shown to ask.
 */
#include "probes/c10d/c10d-abi.h"
#include "probes/c10d/c10d-route.h"
#include "probes/death/unwound.h"
#include "probes/probe.h"
#include "probes/work.h"

#if UNWOUND_HERE

struct wait_frame {
	struct unwound unwound; /* first */
	struct probe_thread *me;
	const void *work;
	uint64_t ticket;
};

/*
 * This is a thread of a process group, inside an op: what it waits for there is the group's
 * business.
 */
static __thread int wait_runs_work;

/* --- Waits ----------------------------------------------------------------------------------- */

static void wait_begin(struct wait_frame *f, uint64_t number)
{
	struct probe_thread *me = f->me;
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_WAIT_ENTER, 0, RING_NO_GROUP, RING_CALL_c10d_wait),
		.aux = number,
	};

	f->ticket = probe_put(me, now, &r);
	probe_board(me, now, &r);
}

static void wait_exit(struct wait_frame *f, unsigned failed)
{
	struct probe_thread *me = f->me;
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(RING_WAIT_EXIT, failed, RING_NO_GROUP, RING_CALL_c10d_wait),
		.aux = failed != 0,
		.more = f->ticket,
	};

	work_end(f->work, failed ? WORK_FAILED : WORK_DONE);
	probe_put(me, now, &r);
	probe_idle(me, now);
	probe_leave(me);
}

static void wait_unwound(struct unwound *unwound)
{
	wait_exit((struct wait_frame *)unwound, RING_F_FAILED);
}

static uint64_t wait_call(const void *real, const void *work, uint64_t timeout)
{
	const uint64_t args[UNWOUND_ARGS] = {(uint64_t)(uintptr_t)work, timeout};
	struct wait_frame f = {.unwound = {.close = wait_unwound}, .work = work};
	uint64_t number, done;

	if (hook_unlikely(!real))
		return 0;
	number = wait_runs_work ? 0 : work_op(work);
	f.me = number ? probe_enter() : NULL;
	if (!f.me)
		return c10d_pass(real, args);
	wait_begin(&f, number);
	done = unwound_call(&f.unwound, real, args);
	wait_exit(&f, done & 0xff ? 0 : RING_F_FAILED);
	return done;
}

#define C10D_WAIT(fn, symbol)                                                                      \
	HOOK_EXPORT uint64_t fn(const void *work, uint64_t timeout) __asm__(symbol);               \
	HOOK_EXPORT uint64_t fn(const void *work, uint64_t timeout)                                \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		return wait_call(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu), work,       \
			timeout);                                                                  \
	}

#define MILLISECONDS "ENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"

C10D_WAIT(c10d_work_wait, "_ZN4c10d4Work4wait" MILLISECONDS)
C10D_WAIT(gloo_send_wait, "_ZN4c10d16ProcessGroupGloo8SendWork4wait" MILLISECONDS)
C10D_WAIT(gloo_recv_wait, "_ZN4c10d16ProcessGroupGloo8RecvWork4wait" MILLISECONDS)

/* --- Questions ------------------------------------------------------------------------------- */

/*
 * The latest Work that this thread has asked about and that was not done; NULL: none, or it is by
 * now.
 */
static __thread const void *question_open;

/* Shows the question on the board alone, until the answer is yes: it may be asked without end. */
static void question_show(const void *work, uint64_t number, int done)
{
	const struct ring_record asks = {
		.meta = ring_meta(RING_WAIT_ENTER, RING_F_POLL, RING_NO_GROUP,
			RING_CALL_c10d_is_completed),
		.aux = number,
	};
	struct probe_thread *me = probe_enter();

	if (!me)
		return;
	if (done)
		probe_idle(me, probe_now(me));
	else
		probe_board(me, probe_now(me), &asks);
	question_open = done ? NULL : work;
	probe_leave(me);
}

#define IS_COMPLETED "_ZN4c10d4Work11isCompletedEv"

/* Asks the real function. A Work that has ended has no op any more. */
HOOK_EXPORT uint64_t c10d_work_is_completed(const void *work) __asm__(IS_COMPLETED);
HOOK_EXPORT uint64_t c10d_work_is_completed(const void *work)
{
	static void *slot;
	const void *real = c10d_real(
		&slot, IS_COMPLETED, (const void *)c10d_work_is_completed, c10d_cpu);
	uint64_t number, done;

	if (hook_unlikely(!real))
		return 0;
	number = wait_runs_work ? 0 : work_op(work);
	done = ((uint64_t(*)(const void *))real)(work);
	if (done & 0xff ? work == question_open : number != 0)
		question_show(work, number, (done & 0xff) != 0);
	return done;
}

/* --- Ends ------------------------------------------------------------------------------------ */

/*
 * A thread of the group says that a Work has ended, well or with `error`. It is noted before the
 * program can learn of it, so that the next op never seems to come before this one's end; and once
 * more behind it, for a Work that was bound only meanwhile.
 */
#define C10D_FINISH(fn, symbol, end)                                                               \
	HOOK_EXPORT uint64_t fn(const void *work, const void *error) __asm__(symbol);              \
	HOOK_EXPORT uint64_t fn(const void *work, const void *error)                               \
	{                                                                                          \
		static void *slot;                                                                 \
		const void *real = c10d_real(&slot, symbol, (const void *)fn, c10d_cpu);           \
		uint64_t result = 0;                                                               \
                                                                                                   \
		work_end(work, end);                                                               \
		if (hook_likely(real))                                                             \
			result = ((uint64_t(*)(const void *, const void *))real)(work, error);     \
		work_end(work, end);                                                               \
		return result;                                                                     \
	}

#define FINISH "_ZN4c10d16ProcessGroupGloo9AsyncWork"

C10D_FINISH(gloo_finish, FINISH "14finishWorkGlooEv", WORK_DONE)
C10D_FINISH(gloo_finish_error,
	FINISH "19finishWorkGlooErrorERKNSt15__exception_ptr13exception_ptrE", WORK_FAILED)
C10D_FINISH(gloo_finish_error_value,
	FINISH "19finishWorkGlooErrorENSt15__exception_ptr13exception_ptrE", WORK_FAILED)

/* Runs a Work on a thread of the group. */
#define C10D_EXECUTE(fn, symbol)                                                                   \
	HOOK_EXPORT uint64_t fn(const void *work) __asm__(symbol);                                 \
	HOOK_EXPORT uint64_t fn(const void *work)                                                  \
	{                                                                                          \
		static void *slot;                                                                 \
		const void *real = c10d_real(&slot, symbol, (const void *)fn, c10d_cpu);           \
		uint64_t result = 0;                                                               \
                                                                                                   \
		wait_runs_work++;                                                                  \
		if (hook_likely(real))                                                             \
			result = ((uint64_t(*)(const void *))real)(work);                          \
		wait_runs_work--;                                                                  \
		return result;                                                                     \
	}

#define EXECUTE "_ZN4c10d16ProcessGroupGloo9AsyncWork7executeE"
#define POINTER "N3c1013intrusive_ptrIS1_NS2_6detail34intrusive_target_default_null_typeIS1_EEEE"

C10D_EXECUTE(gloo_execute, EXECUTE "RK" POINTER)
C10D_EXECUTE(gloo_execute_value, EXECUTE POINTER)

/* Frees a Work, also of other backends: nobody waits for it any more. */
#define C10D_FREE(fn, symbol)                                                                      \
	HOOK_EXPORT void fn(const void *work) __asm__(symbol);                                     \
	HOOK_EXPORT void fn(const void *work)                                                      \
	{                                                                                          \
		static void *slot;                                                                 \
		const void *real = c10d_real(&slot, symbol, (const void *)fn, c10d_cpu);           \
                                                                                                   \
		work_end(work, WORK_FAILED);                                                       \
		if (hook_likely(real))                                                             \
			((void (*)(const void *))real)(work);                                      \
	}

C10D_FREE(c10d_work_d1, "_ZN4c10d4WorkD1Ev")
C10D_FREE(c10d_work_d2, "_ZN4c10d4WorkD2Ev")

#endif
