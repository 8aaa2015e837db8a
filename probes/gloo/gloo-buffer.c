/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends and receives of gloo. A buffer of a context is sent to a rank, or received into from one or
 * any of several, and waited for. Those calls return at once; the wait blocks.
 *
 *	send(), recv()			CALL_ENTER, the op enters its group, CALL_EXIT
 *	waitSend(), waitRecv()		WAIT_ENTER, WAIT_EXIT on the op's number: done
 *
 * A buffer may be sent to several ranks at once, and received into from several. A wait for one of
 * several is held by none of them, so it is a call and no more. When it returns, gloo says with
 * which rank the *latest* was that ended: that one has ended, be it not the one that was waited
 * for. Where that rank has several, or its one was told before, nobody knows which ended: then, and
 * where there are more than PENDING, the ends of all that are pending there are lost, and counted
 * so; the buffer is lost until it is freed, and waits for what is begun on it are calls. A wait
 * that was aborted ends nothing: it may be begun again.
 */
#include "probes/c10d/c10d-route.h"
#include "probes/death/unwound.h"
#include "probes/gloo/gloo-abi.h"
#include "probes/gloo/gloo.h"
#include "probes/hostop.h"
#include "probes/nccl/group.h"
#include "probes/work.h"

#if UNWOUND_HERE

/* ops pending on each side of a buffer; their keys are the addresses of its first 16 bytes */
#define PENDING 8

enum side { SENDS, RECEIVES };

struct buffer_frame {
	struct unwound unwound; /* first */
	struct host_op op;
	const void *buffer;
	const void *key; /* the key of the op that is waited for */
	enum side side;
	int one;	 /* no other op can be the one that the wait is for */
};

/* How a wait came back. */
enum outcome { WAIT_DONE, WAIT_ABORTED, WAIT_THREW };

#define PEERS	  1024 /* a power of two */
#define LOST_MOST 64

/*
 * The rank that the op of a key is with. Writers: all threads that begin one; the latest has the
 * place.
 */
static struct {
	uint64_t key;
	uint64_t peer;
} peers[PEERS];

/* An op was begun on any buffer: before that nobody needs to look whether one ends. */
static uint64_t buffers_used;

/* Returns the i-th key of one side of a buffer. */
static const void *key_at(const void *buffer, enum side side, unsigned i)
{
	return (const char *)buffer + side * PENDING + i;
}

static unsigned peer_place(const void *key)
{
	return (unsigned)((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull >> 40) % PEERS;
}

static int peer_is_set(const void *key)
{
	return ring_load_acquire(&peers[peer_place(key)].key) == (uint64_t)(uintptr_t)key;
}

static void peer_set(const void *key, uint32_t peer)
{
	unsigned at = peer_place(key);

	ring_store(&peers[at].key, 0);
	ring_store(&peers[at].peer, peer);
	ring_publish_word(&peers[at].key, (uint64_t)(uintptr_t)key);
}

/* Returns the key of the one pending op with that rank; NULL if there is none, or more than one. */
static const void *key_with(const void *buffer, enum side side, int rank)
{
	const void *found = NULL;

	for (unsigned i = 0; i < PENDING; i++) {
		const void *key = key_at(buffer, side, i);

		if (!work_op(key))
			continue;
		if (!peer_is_set(key))
			return NULL;
		if (ring_load(&peers[peer_place(key)].peer) != (uint32_t)rank)
			continue;
		if (found)
			return NULL;
		found = key;
	}
	return found;
}

/*
 * Buffers with ops of whose end nobody will tell, until they are freed. Writers: all threads.
 * `all`: there were too many, and every buffer counts as lost.
 */
static struct {
	uint64_t some, all;
	uint64_t buffers[LOST_MOST];
} lost;

static int is_lost(const void *buffer)
{
	for (unsigned i = 0; ring_load(&lost.some) && i < LOST_MOST; i++)
		if (ring_load(&lost.buffers[i]) == (uint64_t)(uintptr_t)buffer)
			return 1;
	return ring_load(&lost.all) != 0;
}

static void note_lost(const void *buffer)
{
	ring_store(&lost.some, 1);
	for (unsigned i = 0; i < LOST_MOST; i++)
		if (ring_cas(&lost.buffers[i], 0, (uint64_t)(uintptr_t)buffer))
			return;
	ring_store(&lost.all, 1);
}

static void forget_lost(const void *buffer)
{
	for (unsigned i = 0; ring_load(&lost.some) && i < LOST_MOST; i++)
		ring_cas(&lost.buffers[i], (uint64_t)(uintptr_t)buffer, 0);
}

/* Gives the buffer up: from now on nobody knows which of its ops end. */
static void lose_all(const void *buffer)
{
	if (!is_lost(buffer))
		note_lost(buffer);
	for (unsigned i = 0; i < 2 * PENDING; i++)
		work_lose_of(key_at(buffer, SENDS, i));
}

/* Returns a free key of one side of a buffer; NULL if there is none. */
static const void *free_key(const void *buffer, enum side side)
{
	for (unsigned i = 0; i < PENDING; i++)
		if (!work_op(key_at(buffer, side, i)))
			return key_at(buffer, side, i);
	return NULL;
}

/*
 * Returns the key of the oldest op that has not ended, and how many such there are. Numbers of ops
 * rise.
 */
static const void *oldest(const void *buffer, enum side side, unsigned *ret)
{
	const void *found = NULL;
	uint64_t least = UINT64_MAX;

	*ret = 0;
	for (unsigned i = 0; i < PENDING; i++) {
		uint64_t number = work_op(key_at(buffer, side, i));

		*ret += number != 0;
		if (!number || number > least)
			continue;
		least = number;
		found = key_at(buffer, side, i);
	}
	return found;
}

/*
 * Returns the group of a buffer's context, if it is one that is recorded; GROUP_NONE inside a call
 * of ours.
 */
static int group_at(const void *buffer)
{
	const struct probe_thread *me = probe_me;

	if (me && me->depth)
		return GROUP_NONE;
	return group_of((const void *)(uintptr_t)abi_word(buffer, GLOO_BUFFER_TRANSPORT));
}

/* --- Begun ----------------------------------------------------------------------------------- */

static void begin_unwound(struct unwound *unwound)
{
	struct buffer_frame *f = (struct buffer_frame *)unwound;

	work_end_of(f->key, f->op.number, WORK_FAILED);
	host_op_return(&f->op, RING_F_FAILED);
}

static uint64_t bytes_of(const void *buffer, const uint64_t *args)
{
	uint64_t all = gloo_buffer_bytes(buffer), offset = args[3], bytes = args[4];

	if (bytes != UINT64_MAX)
		return bytes;
	return offset < all ? all - offset : 0;
}

/* Binds the op to a key of its buffer. If there is none, nothing of the buffer is known to end. */
static void follow(struct buffer_frame *f, enum side side, uint32_t peer)
{
	f->key = is_lost(f->buffer) ? NULL : free_key(f->buffer, side);
	if (!f->key) {
		lose_all(f->buffer);
		work_lose(f->op.number);
		return;
	}
	peer_set(f->key, peer);
	work_bind(f->op.number, f->key);
}

/* Does a send or receive; args are the buffer, the peer, the slot, the offset, the bytes. */
static void begin(struct gloo_function *function, enum side side, uint32_t peer,
	const uint64_t *args)
{
	static const struct {
		uint32_t call;
		unsigned op;
	} what[] = {
		[SENDS] = {RING_CALL_gloo_send, RING_OP_SEND},
		[RECEIVES] = {RING_CALL_gloo_recv, RING_OP_RECV},
	};
	struct buffer_frame f = {.unwound = {.close = begin_unwound},
		.buffer = (const void *)(uintptr_t)args[0]};
	const void *real = gloo_real(function, f.buffer);
	int group = group_at(f.buffer);

	if (hook_unlikely(!real))
		return;
	f.op.me = group < 0 ? NULL : probe_enter();
	if (!f.op.me) {
		c10d_pass(real, args);
		return;
	}
	ring_store(&buffers_used, 1);
	host_op_enter(&f.op, what[side].call,
		&(const struct host_op_of){.group = group,
			.flags = RING_F_P2P,
			.count = bytes_of(f.buffer, args),
			.tag = args[2],
			.sig = ring_sig(what[side].op, RING_SIG_BYTES, 0, peer)});
	follow(&f, side, peer);
	unwound_call(&f.unwound, real, args);
	host_op_return(&f.op, 0);
}

#define BUFFER "_ZN4gloo9transport3tcp13UnboundBuffer"
#define WORD(x) ((uint64_t)(uintptr_t)(x))

#define GLOO_BEGIN(name, side, peer, type, symbol_)                                                \
	HOOK_EXPORT void name(void *self, type to, uint64_t slot, uint64_t offset, uint64_t bytes) \
		__asm__(symbol_);                                                                  \
	HOOK_EXPORT void name(void *self, type to, uint64_t slot, uint64_t offset, uint64_t bytes) \
	{                                                                                          \
		static struct gloo_function f = {                                                  \
			.symbol = symbol_, .ours = (const void *)name};                            \
                                                                                                   \
		begin(&f, side, peer,                                                              \
			(const uint64_t[UNWOUND_ARGS]){                                            \
				WORD(self), WORD(to), slot, offset, bytes});                       \
	}

GLOO_BEGIN(gloo_send, SENDS, (uint32_t)to, int, BUFFER "4sendEimmm")
GLOO_BEGIN(gloo_recv, RECEIVES, (uint32_t)to, int, BUFFER "4recvEimmm")
/* A vector that is passed by value comes as its address. */
GLOO_BEGIN(gloo_recv_any, RECEIVES, RING_SIG_NO_PEER, const void *,
	BUFFER "4recvESt6vectorIiSaIiEEmmm")

/* --- Waited for ------------------------------------------------------------------------------ */

/* Ends the op that was waited for; if it may be one of several, that with the rank. */
static void settle(const struct buffer_frame *f, enum outcome outcome, int rank)
{
	unsigned pending;
	int one = f->one && oldest(f->buffer, f->side, &pending) == f->key && pending == 1;
	const void *key = one ? f->key : key_with(f->buffer, f->side, rank);

	if (outcome == WAIT_ABORTED || !f->key)
		return;
	if (one)
		work_end_of(key, f->op.number, outcome == WAIT_DONE ? WORK_DONE : WORK_FAILED);
	else if (key && outcome == WAIT_DONE)
		work_end(key, WORK_DONE);
	else
		lose_all(f->buffer);
}

static void wait_end(struct buffer_frame *f, enum outcome outcome, int rank)
{
	struct probe_thread *me = f->op.me;
	unsigned failed = outcome == WAIT_DONE ? 0 : RING_F_FAILED;
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(f->one ? RING_WAIT_EXIT : RING_CALL_EXIT, failed, RING_NO_GROUP,
			RING_CALL_gloo_wait),
		.aux = failed != 0,
		.more = f->op.ticket,
	};

	settle(f, outcome, rank);
	probe_put(me, now, &r);
	probe_idle(me, now);
	probe_leave(me);
}

static void wait_unwound(struct unwound *unwound)
{
	wait_end((struct buffer_frame *)unwound, WAIT_THREW, -1);
}

/*
 * Records the begin of a wait. A wait for the only op names it; a wait for one of several is a
 * call.
 */
static void wait_begin(struct buffer_frame *f)
{
	struct probe_thread *me = f->op.me;
	uint64_t now = probe_now(me);
	const struct ring_record r = {
		.meta = ring_meta(f->one ? RING_WAIT_ENTER : RING_CALL_ENTER, 0, RING_NO_GROUP,
			RING_CALL_gloo_wait),
		.aux = f->one ? f->op.number : 0,
	};

	f->op.ticket = probe_put(me, now, &r);
	probe_board(me, now, &r);
}

/* Does a wait. gloo says whom it was with if it is asked to: we ask if the program does not. */
static uint64_t wait_call(struct gloo_function *function, enum side side, uint64_t *args)
{
	struct buffer_frame f = {.unwound = {.close = wait_unwound},
		.buffer = (const void *)(uintptr_t)args[0],
		.side = side};
	const void *real = gloo_real(function, f.buffer);
	int rank = -1, *told = (int *)(uintptr_t)args[1];
	unsigned pending = 0;
	uint64_t done;

	if (hook_unlikely(!real))
		return 0;
	if (ring_load(&buffers_used) && group_at(f.buffer) >= 0) {
		f.key = oldest(f.buffer, side, &pending);
		f.op.me = probe_enter();
	}
	if (!f.op.me)
		return c10d_pass(real, args);
	f.op.number = work_op(f.key);
	f.one = pending == 1;
	wait_begin(&f);
	if (!told)
		args[1] = (uint64_t)(uintptr_t)(told = &rank);
	done = unwound_call(&f.unwound, real, args);
	wait_end(&f, done & 0xff ? WAIT_DONE : WAIT_ABORTED, *told);
	return done;
}

#define MILLISECONDS "PiNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"

#define GLOO_WAIT(name, side, symbol_)                                                             \
	HOOK_EXPORT uint64_t name(void *self, int *rank, uint64_t ms) __asm__(symbol_);            \
	HOOK_EXPORT uint64_t name(void *self, int *rank, uint64_t ms)                              \
	{                                                                                          \
		static struct gloo_function f = {                                                  \
			.symbol = symbol_, .ours = (const void *)name};                            \
                                                                                                   \
		return wait_call(&f, side,                                                         \
			(uint64_t[UNWOUND_ARGS]){WORD(self), WORD(rank), ms});                     \
	}

GLOO_WAIT(gloo_wait_send, SENDS, BUFFER "8waitSendE" MILLISECONDS)
GLOO_WAIT(gloo_wait_recv, RECEIVES, BUFFER "8waitRecvE" MILLISECONDS)

/* --- Freed ----------------------------------------------------------------------------------- */

/* Frees a buffer: nobody waits for its ops any more, and its address may be given anew. */
static void buffer_death(struct gloo_function *f, void *self)
{
	const void *real = gloo_real(f, self);

	for (unsigned i = 0; ring_load(&buffers_used) && i < 2 * PENDING; i++)
		work_end(key_at(self, SENDS, i), WORK_FAILED);
	forget_lost(self);
	if (hook_likely(real))
		((void (*)(void *))real)(self);
}

#define BUFFER_DEATH(name, symbol_)                                                                \
	HOOK_EXPORT void name(void *self) __asm__(symbol_);                                        \
	HOOK_EXPORT void name(void *self)                                                          \
	{                                                                                          \
		static struct gloo_function f = {                                                  \
			.symbol = symbol_, .ours = (const void *)name};                            \
                                                                                                   \
		buffer_death(&f, self);                                                            \
	}

BUFFER_DEATH(gloo_buffer_d0, BUFFER "D0Ev")
BUFFER_DEATH(gloo_buffer_d1, BUFFER "D1Ev")
BUFFER_DEATH(gloo_buffer_d2, BUFFER "D2Ev")

#endif
