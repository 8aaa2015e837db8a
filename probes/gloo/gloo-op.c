/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops of gloo: a function each, which returns when it is done, or throws. What it moves are buffers
 * of the same thread, which are its own business (gloo-buffer.c sees that it is inside an op).
 *
 * gloo knows no types: an element is so many bytes, and what reduces them is any function. So
 * amounts are bytes, and two ranks that reduce otherwise are not told apart.
 *
 * ORDER. Several threads may be in ops of one context, which gloo tells apart by their tags:
 * TorchComms runs each asynchronous op on a thread of its own. Which thread comes first differs
 * from rank to rank. So a context is noted as without order once a thread enters while another is
 * inside, or with a lower tag than another thread has used before.
 */
#include "probes/c10d/c10d-route.h"
#include "probes/death/unwound.h"
#include "probes/gloo/gloo-abi.h"
#include "probes/gloo/gloo.h"
#include "probes/hostop.h"
#include "probes/nccl/group.h"
#include "probes/portions.h"

#if UNWOUND_HERE

/* How the options say, at word `at`, how much the op moves. */
enum amount {
	AMOUNT_NONE,	 /* nothing that ranks could be compared by */
	AMOUNT_ELEMENTS, /* elements, and behind them the bytes of one */
	AMOUNT_BUFFER,	 /* a buffer */
	AMOUNT_SHARE,	 /* a buffer; none where it is a share of the one behind it */
	AMOUNT_SUM,	 /* a vector of elements, and behind it the bytes of one */
	AMOUNT_APART,	 /* each member may bring what it likes */
};

struct gloo_shape {
	uint32_t call; /* enum ring_call */
	unsigned op;   /* enum ring_op */
	enum amount amount;
	unsigned at;
	unsigned root;	/* word with the root in its lower half; 0 none */
	unsigned tag;	/* byte where the tag is */
	/*
	 * word of a vector of the bytes that each member is given; six words on, of what it gives
	 */
	unsigned parts;
	int reduces;
};

struct op_frame {
	struct unwound unwound; /* first */
	struct host_op op;
};

/* --- What the options say -------------------------------------------------------------------- */

static const void *buffer_at(const void *options, unsigned word)
{
	return (const void *)(uintptr_t)abi_word(options, word);
}

static uint64_t sum_of(const void *vector)
{
	const char *at = abi_begin(vector);
	uint64_t sum = 0;

	for (size_t i = 0; i + 8 <= abi_bytes(vector); i += 8)
		sum += abi_word(at + i, 0);
	return sum;
}

static uint64_t amount_of(const struct gloo_shape *s, const void *options, const void *context)
{
	const void *buffer;

	switch (s->amount) {
	case AMOUNT_ELEMENTS:
		return abi_word(options, s->at) * abi_word(options, s->at + 1);
	case AMOUNT_BUFFER:
		return gloo_buffer_bytes(buffer_at(options, s->at));
	case AMOUNT_SHARE:
		buffer = buffer_at(options, s->at);
		if (buffer)
			return gloo_buffer_bytes(buffer);
		return gloo_buffer_bytes(buffer_at(options, s->at + 1)) / gloo_size(context);
	case AMOUNT_SUM:
		return sum_of((const char *)options + 8 * (size_t)s->at) *
		       abi_word(options, s->at + 3);
	case AMOUNT_APART:
		return UINT64_MAX;
	default:
		return 1;
	}
}

static uint64_t sig_of(const struct gloo_shape *s, const void *options)
{
	return ring_sig(s->op, s->amount == AMOUNT_NONE ? 0 : RING_SIG_BYTES,
		s->reduces ? RING_SIG_UNKNOWN : 0,
		s->root ? (uint32_t)abi_word(options, s->root) : RING_SIG_NO_PEER);
}

/* --- An all-to-all's parts ------------------------------------------------------------------- */

struct parts {
	const void *given, *awaited; /* vectors of bytes, by seat */
};

static uint32_t part_at(const void *vector, uint32_t seat)
{
	return seat < abi_bytes(vector) / 8 ? portion(abi_word(abi_begin(vector), seat))
					    : PORTION_UNKNOWN;
}

static uint64_t part_of(const void *of, uint32_t seat)
{
	const struct parts *p = of;

	return part_at(p->given, seat) | (uint64_t)part_at(p->awaited, seat) << 32;
}

static void put_parts(const struct host_op *op, const struct gloo_shape *s, const char *options)
{
	const char *given = options + 8 * (size_t)s->parts;
	const struct parts parts = {given, given + 8 * (size_t)6};

	if (s->parts)
		portions_put(op->me, &op->entered, part_of, &parts);
}

/* --- Order ----------------------------------------------------------------------------------- */

#define GROUPS 64 /* entries of the largest ring */

/* Writers: all threads in ops, with atomics. */
static struct {
	uint64_t inside; /* threads */
	uint64_t tag;	 /* of the latest */
	uint64_t tid;	 /* and its thread */
} orders[GROUPS];

void gloo_order_new(int group)
{
	if (group < 0 || group >= GROUPS)
		return;
	ring_store(&orders[group].inside, 0);
	ring_store(&orders[group].tag, 0);
	ring_store(&orders[group].tid, 0);
}

/*
 * Notes the begin of an op, and whether the context has lost its order. One thread may use tags as
 * it likes: its ops have its order.
 */
static void order_enter(const struct probe_thread *me, int group, const struct gloo_shape *s,
	const char *options)
{
	uint32_t tag;

	if (group >= GROUPS)
		return;
	__builtin_memcpy(&tag, options + s->tag, sizeof(tag));
	if (ring_add(&orders[group].inside, 1) || (tag < ring_load(&orders[group].tag) &&
							  ring_load(&orders[group].tid) != me->tid))
		ring_group_state(me->ring, group, RING_G_UNORDERED);
	ring_store(&orders[group].tag, tag);
	ring_store(&orders[group].tid, me->tid);
}

static void order_leave(int group)
{
	if (group >= 0 && group < GROUPS)
		ring_add(&orders[group].inside, UINT64_MAX);
}

/* --- The call -------------------------------------------------------------------------------- */

static void op_end(struct op_frame *f, unsigned failed)
{
	order_leave(f->op.entered.group);
	host_op_return(&f->op, failed);
}

static void op_unwound(struct unwound *unwound)
{
	op_end((struct op_frame *)unwound, RING_F_FAILED);
}

static void op_call(struct gloo_function *function, const struct gloo_shape *s, const void *options)
{
	const uint64_t args[UNWOUND_ARGS] = {(uint64_t)(uintptr_t)options};
	const void *context = gloo_context_at(abi_pointer(options));
	const void *real = gloo_real(function, gloo_transport(context));
	struct op_frame f = {.unwound = {.close = op_unwound}};
	int group = group_of(context);

	if (hook_unlikely(!real))
		return;
	f.op.me = group < 0 ? NULL : probe_enter();
	if (!f.op.me) {
		c10d_pass(real, args);
		return;
	}
	order_enter(f.op.me, group, s, options);
	host_op_enter(&f.op, s->call,
		&(const struct host_op_of){.group = group,
			.count = amount_of(s, options, context),
			.sig = sig_of(s, options)});
	put_parts(&f.op, s, options);
	unwound_call(&f.unwound, real, args);
	op_end(&f, 0);
}

#define GLOO_OP(name, op_, symbol_, ...)                                                           \
	HOOK_EXPORT void gloo_op_##name(const void *options) __asm__(symbol_);                     \
	HOOK_EXPORT void gloo_op_##name(const void *options)                                       \
	{                                                                                          \
		static const struct gloo_shape shape = {.call = RING_CALL_gloo_##name,             \
			.op = RING_OP_##op_,                                                       \
			__VA_ARGS__};                                                              \
		static struct gloo_function function = {                                           \
			.symbol = symbol_, .ours = (const void *)gloo_op_##name};                  \
                                                                                                   \
		op_call(&function, &shape, options);                                               \
	}

#include "probes/gloo/gloo.def"

#endif
