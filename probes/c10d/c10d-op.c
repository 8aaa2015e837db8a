/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops of gloo. PyTorch reaches a backend by virtual methods, whoever asks for an op: Python, DDP's
 * reducer, a compiled graph. Its vtables hold those methods by name, so ours of the same name stand
 * in them, and call PyTorch's.
 *
 *	allreduce()	CALL_ENTER, the op enters its group
 *	  enqueue()	its Work is bound: from now on it may end at any time
 *	...		CALL_EXIT
 *	Work::wait()	WAIT_ENTER, WAIT_EXIT on the op's number
 *	finishWorkGloo() on a thread of the group: the op has completed
 *
 * Ops are built of ops (a reduce-scatter of all-reduces, an all-gather into one tensor of one into
 * many): the outermost is the program's. An object passed by value that is more than a word comes
 * as a pointer, as does the place of a result: so every argument is a word, and one function fits
 * all methods.
 */
#include "probes/c10d/c10d-abi.h"
#include "probes/c10d/c10d-route.h"
#include "probes/death/unwound.h"
#include "probes/hostop.h"
#include "probes/nccl/nccl.h"
#include "probes/work.h"

#if UNWOUND_HERE

const char *const c10d_cpu[] = {"libtorch_cpu.so", "libtorch.so", NULL};
const char *const c10d_cuda[] = {"libtorch_cuda.so", NULL};

/* How an op's arguments say how much: by the elements of what is at argument `count_at`. */
enum op_count {
	COUNT_ONE,    /* 1: nothing that ranks could be compared by */
	COUNT_ONE_OF, /* 1, too; the data type is that of a tensor */
	COUNT_TENSOR, /* a tensor */
	COUNT_FIRST,  /* the first of a vector of tensors */
	COUNT_SUM,    /* all of a vector of tensors together */
};

/* How the arguments say the root, or the other side, at argument `peer_at`. */
enum op_peer {
	PEER_NONE,
	PEER_OPTIONS, /* the first word of the options */
	PEER_REDUCE,  /* ReduceOptions */
	PEER_NUMBER,  /* the argument itself */
};

struct op_shape {
	const char *symbol;
	uint32_t call; /* enum ring_call */
	unsigned op;   /* enum ring_op */
	enum op_count count;
	enum op_peer peer;
	unsigned count_at, peer_at;
	unsigned redop; /* argument with a reduction in its options; 0 none */
	int p2p;
	int plain; /* it returns nothing, so that the object is the first word, not the second */
};

struct op_frame {
	struct unwound unwound; /* first */
	struct host_op op;
};

/* --- What the arguments say ------------------------------------------------------------------ */

/*
 * Returns a function by which PyTorch answers to C about a tensor; NULL in versions that have none.
 */
static int (*op_question(void **slot, const char *name))(const void *, void *)
{
	static int missing;
	void *fn = __atomic_load_n(&missing, __ATOMIC_RELAXED) ? NULL
							       : hook_borrow(slot, name, c10d_cpu);

	if (!fn)
		__atomic_store_n(&missing, 1, __ATOMIC_RELAXED);
	return (int (*)(const void *, void *))fn;
}

/* Returns the elements of a tensor; 1, as for an op that is not compared, if they are not known. */
static uint64_t op_numel(const void *tensor)
{
	static void *slot;
	int (*ask)(const void *, void *) = op_question(&slot, "aoti_torch_get_numel");
	int64_t numel = 1;

	if (!ask || ask(tensor, &numel) || numel < 0)
		return 1;
	return (uint64_t)numel;
}

static unsigned op_dtype(const void *tensor)
{
	static void *slot;
	int (*ask)(const void *, void *) = op_question(&slot, "aoti_torch_get_dtype");
	int32_t dtype = -1;

	if (!ask || ask(tensor, &dtype))
		return RING_SIG_UNKNOWN;
	return abi_dtype(dtype, RING_SIG_UNKNOWN);
}

static const void *op_argument(const struct op_shape *shape, const uint64_t *args, unsigned at)
{
	return (const void *)(uintptr_t)args[at + (shape->plain ? 1 : 2)];
}

/* Returns the tensor that says how much; NULL none. A vector's tensors are a word each. */
static const char *op_tensor(const struct op_shape *shape, const uint64_t *args)
{
	const void *at = op_argument(shape, args, shape->count_at);

	switch (shape->count) {
	case COUNT_TENSOR:
	case COUNT_ONE_OF:
		return at;
	case COUNT_FIRST:
	case COUNT_SUM:
		return abi_bytes(at) ? abi_begin(at) : NULL;
	default:
		return NULL;
	}
}

static uint64_t op_elements(const struct op_shape *shape, const uint64_t *args)
{
	const char *tensor = op_tensor(shape, args);
	uint64_t sum = 0;

	if (!tensor || shape->count == COUNT_ONE_OF)
		return 1;
	if (shape->count != COUNT_SUM)
		return op_numel(tensor);
	for (size_t at = 0; at < abi_bytes(op_argument(shape, args, shape->count_at)); at += 8)
		sum += op_numel(tensor + at);
	return sum;
}

static uint32_t op_peer(const struct op_shape *shape, const uint64_t *args)
{
	const void *at = op_argument(shape, args, shape->peer_at);

	switch (shape->peer) {
	case PEER_OPTIONS:
		return (uint32_t)abi_word(at, 0);
	case PEER_REDUCE:
		return (uint32_t)abi_word(at, abi_reduce_word(at) + 2);
	case PEER_NUMBER:
		return (uint32_t)(uintptr_t)at;
	default:
		return RING_SIG_NO_PEER;
	}
}

/* Returns the tag of a message, which is the last argument. */
static uint64_t op_tag(const struct op_shape *shape, const uint64_t *args)
{
	unsigned at = shape->peer == PEER_NUMBER ? shape->peer_at + 1 : 1;

	return shape->p2p ? (uint32_t)(uintptr_t)op_argument(shape, args, at) : 0;
}

static unsigned op_redop(const struct op_shape *shape, const uint64_t *args)
{
	const void *options = op_argument(shape, args, shape->redop);
	unsigned word;

	if (!shape->redop)
		return 0;
	word = shape->peer == PEER_REDUCE ? abi_reduce_word(options) : abi_redop_word(options);
	return abi_redop(options, word, RING_SIG_UNKNOWN);
}

static uint64_t op_sig(const struct op_shape *shape, const uint64_t *args)
{
	const char *tensor = op_tensor(shape, args);
	unsigned dtype = tensor ? op_dtype(tensor) : RING_SIG_UNKNOWN;

	return ring_sig(shape->op, dtype, op_redop(shape, args), op_peer(shape, args));
}

/* --- The call -------------------------------------------------------------------------------- */

static void op_begin(struct op_frame *f, const struct op_shape *shape, const uint64_t *args)
{
	const void *self = (const void *)(uintptr_t)args[shape->plain ? 0 : 1];

	host_op_enter(&f->op, shape->call,
		&(const struct host_op_of){.group = group_of(self),
			.flags = shape->p2p ? RING_F_P2P : 0,
			.count = op_elements(shape, args),
			.tag = op_tag(shape, args),
			.sig = op_sig(shape, args)});
}

/* Left by an exception: the op was refused, or (a monitored barrier) has failed. */
static void op_unwound(struct unwound *unwound)
{
	struct op_frame *f = (struct op_frame *)unwound;

	host_op_return(&f->op, RING_F_FAILED);
}

/* True if a Work has ended that was returned without having been seen on its way to a thread. */
static int op_has_ended(const void *work)
{
	static void *slot;
	int (*ask)(const void *) = (int (*)(const void *))hook_borrow(
		&slot, "_ZN4c10d4Work11isCompletedEv", c10d_cpu);

	return ask && (ask(work) & 0xff);
}

/* It returned a Work: one that was bound on its way to a thread, or else this is the one. */
static void op_returned(struct op_frame *f, const struct op_shape *shape, const void *work)
{
	if (work && !work_is_bound(f->op.number)) {
		work_bind(f->op.number, work);
		if (!shape->p2p && op_has_ended(work))
			work_end(work, WORK_DONE);
	}
	host_op_return(&f->op, 0);
}

uint64_t c10d_pass(const void *real, const uint64_t *args)
{
	uint64_t (*fn)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) =
		(uint64_t(*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))
			real;

	return fn(args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
}

static uint64_t op_call(
	const struct op_shape *shape, void **slot, const void *ours, const uint64_t *args)
{
	const void *real = c10d_real(slot, shape->symbol, ours, c10d_cpu);
	struct op_frame f = {.unwound = {.close = op_unwound}};
	uint64_t result;

	if (hook_unlikely(!real)) {
		if (!shape->plain)
			*(uint64_t *)(uintptr_t)args[0] = 0;
		return args[0];
	}
	f.op.me = probe_enter();
	if (!f.op.me)
		return c10d_pass(real, args);
	op_begin(&f, shape, args);
	result = unwound_call(&f.unwound, real, args);
	op_returned(&f, shape,
		shape->plain ? NULL : abi_pointer((const void *)(uintptr_t)args[0]));
	return result;
}

#define C10D_OP(fn, call_, op_, symbol_, ...)                                                      \
	HOOK_EXPORT uint64_t fn(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,        \
		uint64_t f, uint64_t g) __asm__(symbol_);                                          \
	HOOK_EXPORT uint64_t fn(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,        \
		uint64_t f, uint64_t g)                                                            \
	{                                                                                          \
		static const struct op_shape shape = {.symbol = symbol_,                           \
			.call = RING_CALL_c10d_##call_,                                            \
			.op = RING_OP_##op_,                                                       \
			__VA_ARGS__};                                                              \
		static void *slot;                                                                 \
                                                                                                   \
		return op_call(&shape, &slot, (const void *)fn,                                    \
			(const uint64_t[UNWOUND_ARGS]){a, b, c, d, e, f, g});                      \
	}

#include "probes/c10d/c10d.def"

/* --- Works on their way ---------------------------------------------------------------------- */

/* Hands a Work to a thread of the group. It belongs to the op that this thread is in. */
HOOK_EXPORT uint64_t gloo_enqueue(uint64_t self, const void *work) __asm__(
	"_ZN4c10d16ProcessGroupGloo7enqueueEN3c1013intrusive_ptrINS0_9AsyncWorkENS1_6detail34"
	"intrusive_target_default_null_typeIS3_EEEE");
HOOK_EXPORT uint64_t gloo_enqueue(uint64_t self, const void *work)
{
	static void *slot;
	const void *real = c10d_real(&slot,
		"_ZN4c10d16ProcessGroupGloo7enqueueEN3c1013intrusive_ptrINS0_9AsyncWorkENS1_"
		"6detail34intrusive_target_default_null_typeIS3_EEEE",
		(const void *)gloo_enqueue, c10d_cpu);
	const struct unwound *inner = unwound_innermost;

	if (inner && inner->close == op_unwound)
		work_bind(((const struct op_frame *)inner)->op.number, abi_pointer(work));
	return real ? ((uint64_t(*)(uint64_t, const void *))real)(self, work) : 0;
}

#endif
