/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts of gloo. Connecting one meets the others in a store, so the group is shown before that.
 * Its members know it by
 *
 *	the store	its prefix, which the program chose alike in all members, or its file
 *	the size	and how many of that kind this process has connected before
 *	the run		torchrun's id and the elastic restart
 *
 * as process groups of PyTorch do (c10d.c). A store of the program's own says nothing: what is
 * connected by one is a group that members know only where all ranks are in it; of two small ones
 * nobody could tell which is which, so such a context is counted as a group that was lost.
 *
 * A context may also be made of another (ContextFactory): a child, by its parent's key and order.
 *
 * Ops are given the Context inside the rendezvous::Context; buffers know the transport that both
 * have. Both handles are bound to the group.
 */
#include <string.h>

#include "probes/c10d/c10d-route.h"
#include "probes/c10d/c10d-store.h"
#include "probes/death/unwound.h"
#include "probes/gloo/gloo-abi.h"
#include "probes/gloo/gloo.h"
#include "probes/nccl/comm.h"
#include "probes/nccl/group.h"
#include "probes/process.h"
#include "probes/work.h"

#if UNWOUND_HERE

/* --- The functions behind ours --------------------------------------------------------------- */

static const char *const gloo_libraries[] = {"libgloo.so.0", "libtorch_cpu.so", NULL};

/* Remembers the real function of a vtable in the first free place, unless another thread has. */
static void remember(struct gloo_function *f, uint64_t vtable, void *fn)
{
	for (int i = 0; i < GLOO_COPIES; i++) {
		uint64_t seen = ring_load(&f->of[i].vtable);

		if (seen == vtable)
			return;
		if (seen || !ring_cas(&f->of[i].vtable, 0, 1))
			continue;
		__atomic_store_n(&f->of[i].fn, fn, __ATOMIC_RELAXED);
		ring_publish_word(&f->of[i].vtable, vtable);
		return;
	}
}

static const void *find(struct gloo_function *f, uint64_t vtable)
{
	void *fn = vtable ? hook_find_for((const void *)(uintptr_t)vtable, f->symbol, f->ours)
			  : NULL;

	if (!fn)
		fn = hook_find(f->symbol, f->ours, gloo_libraries);
	if (!fn) {
		probe_lose(PROBE_LOST_UNRESOLVED);
		return NULL;
	}
	if (vtable)
		remember(f, vtable, fn);
	return fn;
}

const void *gloo_real(struct gloo_function *f, const void *object)
{
	uint64_t vtable = object ? abi_word(object, 0) : 0;

	for (int i = 0; vtable && i < GLOO_COPIES; i++)
		if (__atomic_load_n(&f->of[i].vtable, __ATOMIC_ACQUIRE) == vtable)
			return __atomic_load_n(&f->of[i].fn, __ATOMIC_RELAXED);
	return find(f, vtable);
}

/* --- Which group it is ----------------------------------------------------------------------- */

#define STORES 8 /* stores that may lie one in another */

static uint64_t hash_text(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3ull;
	return (hash ^ '/') * 0x100000001b3ull;
}

/* Returns the name of a C++ object's class, as its vtable has it; "" if it has none. */
static const char *class_of(const void *object)
{
	const void *vtable = abi_pointer(object);
	const void *type =
		vtable ? (const void *)(uintptr_t)abi_word((const char *)vtable - 8, 0) : NULL;
	const char *name = type ? (const char *)(uintptr_t)abi_word(type, 1) : NULL;

	return name ? name + (*name == '*') : "";
}

/* TorchComms hands gloo a store of PyTorch, in a class of its own. */
#define TORCHCOMMS_STORE "N5torch5comms9GlooStoreE"
#define PREFIX_STORE	 "N4gloo10rendezvous11PrefixStoreE"
#define FILE_STORE	 "N4gloo10rendezvous9FileStoreE"

/* Hashes what the store says of the group; 0: nothing that members are known by. */
static uint64_t hash_store(const void *store)
{
	uint64_t hash = RING_HASH_START, inner;
	char prefix[STORE_PREFIX];
	size_t told = 0;

	for (int depth = 0; store && depth < STORES; depth++) {
		const char *class = class_of(store);
		int names = !strcmp(class, PREFIX_STORE), file = !strcmp(class, FILE_STORE);
		struct abi_text text = {0};

		if (!strcmp(class, TORCHCOMMS_STORE)) {
			store_prefix((const void *)(uintptr_t)abi_word(store, 1), prefix, &inner);
			if (*prefix)
				return hash_text(hash, (const char *)&inner, 8);
		}
		if (names || file)
			text = gloo_text(store, GLOO_STORE_TEXT);
		if (!text.bytes)
			break;
		hash = hash_text(hash, text.bytes, text.len);
		told += text.len;
		store = file ? NULL : (const void *)(uintptr_t)abi_word(store, GLOO_STORE_INNER);
	}
	return told ? hash : 0;
}

/*
 * Returns the key of the group that is connected in that store; 0 if members could not agree on
 * one. `world`: the size of the world, as somebody else said it.
 */
static uint64_t key_of(const void *store, const struct ring_member *m, int world)
{
	uint64_t hash = hash_store(store);

	if (!hash && world != (int)m->size)
		return 0;
	return c10d_key(hash, RING_MAKER_GLOO, (uint64_t)m->size | 1ull << 32);
}

/* --- Birth ----------------------------------------------------------------------------------- */

struct birth {
	struct unwound unwound; /* first */
	struct probe_thread *me;
	struct nccl_call call;
	struct ring_member member;
	uint32_t id; /* enum ring_call */
	int group;
};

/* Begins a recorded call of a rank. The first one tells which rank it is, if nobody did before. */
static struct probe_thread *meet(const void *context)
{
	struct probe_thread *me = probe_enter_needing(PROBE_NEED_RANK);
	const struct census_self *self = process_self();
	int size = (int)gloo_size(context);

	/* The number of a task or node is that of several ranks where there are more of these. */
	if (!me || (self->rank >= 0 && (!self->number || size <= self->world_size)))
		return me;
	probe_leave(me); /* it records something, too */
	process_identify((int)gloo_rank(context), size, "gloo");
	return probe_enter();
}

static struct ring_member describe(const void *context)
{
	return (struct ring_member){.maker = RING_MAKER_GLOO,
		.state = RING_G_HOST_DONE,
		.device = -1,
		.rank = gloo_rank(context),
		.size = gloo_size(context),
		.timeout_ns = gloo_timeout(context)};
}

static void birth_begin(struct birth *b, uint32_t call)
{
	struct probe_thread *me = b->me;

	b->id = call;
	b->group = GROUP_NONE;
	if (b->member.key)
		b->group = ring_group_claim(me->ring);
	else
		probe_lose(PROBE_LOST_GROUPS);
	work_new_group(b->group);
	gloo_order_new(b->group);
	if (b->group >= 0)
		ring_group_publish(me->ring, b->group, probe_now(me), &b->member);
	comm_pin(me, comm_meta(call, 0, b->group), &b->member, 0);
	b->call = nccl_call_begin(me, call, b->group,
		(const uint64_t[3]){b->member.size,
			ring_sig(RING_OP_NONE, 0, 0, b->member.rank), b->member.timeout_ns});
}

static void birth_end(struct birth *b, const void *context)
{
	struct probe_thread *me = b->me;

	if (context && b->group >= 0) {
		group_bind(context, b->group);
		group_bind(gloo_transport(context), b->group);
		ring_group_ready(me->ring, b->group, probe_now(me), (uint64_t)(uintptr_t)context);
	} else if (b->group >= 0) {
		ring_group_state(me->ring, b->group, RING_G_ABORTED);
	}
	nccl_call_end(me, &b->call, !context);
	comm_pin(me, comm_meta(b->id, comm_end_flags(!context), b->group), &b->member, !context);
	probe_leave(me);
}

static void birth_unwound(struct unwound *unwound)
{
	birth_end((struct birth *)unwound, NULL);
}

/* Ends the group that a context had: ops that come are of another one, or of none. */
static void leave_group(const void *context)
{
	struct ring_writer *ring = process_ring();
	int group = group_of(context);

	if (group < 0)
		return;
	group_unbind(gloo_transport(context));
	group_unbind(context);
	if (ring && group < (int)ring->ngroups)
		ring_group_state(ring, group, RING_G_DESTROYED);
}

/*
 * Returns the size of the world, as somebody said it before this context says one; -1 if nobody
 * did: how many tasks or nodes there are is not how many ranks.
 */
static int world_size(void)
{
	const struct census_self *self = process_self();

	return self->number ? -1 : self->world_size;
}

/* Does connectFullMesh(); `store` is the store itself. */
static void connect(struct gloo_function *f, void *self, const void *store, const uint64_t *args)
{
	const void *real = gloo_real(f, self), *context = gloo_context_in(self);
	struct birth b = {.unwound = {.close = birth_unwound}};
	int world = world_size();

	if (hook_unlikely(!real))
		return;
	leave_group(context); /* it is connected once more */
	b.me = gloo_size(context) > 1 ? meet(context) : NULL;
	if (!b.me) {
		c10d_pass(real, args);
		return;
	}
	b.member = describe(context);
	b.member.key = key_of(store, &b.member, world);
	birth_begin(&b, RING_CALL_gloo_connect);
	unwound_call(&b.unwound, real, args);
	birth_end(&b, context);
}

#define CONNECT "_ZN4gloo10rendezvous7Context15connectFullMeshE"

/* Connects, with the store by reference: before gloo's commit 08c094b of 2025. */
HOOK_EXPORT void gloo_connect(void *self, const void *store, const void *device) __asm__(
	CONNECT "RNS0_5StoreERSt10shared_ptrINS_9transport6DeviceEE");
HOOK_EXPORT void gloo_connect(void *self, const void *store, const void *device)
{
	static struct gloo_function f = {
		.symbol = CONNECT "RNS0_5StoreERSt10shared_ptrINS_9transport6DeviceEE",
		.ours = (const void *)gloo_connect};

	connect(&f, self, store,
		(const uint64_t[UNWOUND_ARGS]){(uint64_t)(uintptr_t)self,
			(uint64_t)(uintptr_t)store, (uint64_t)(uintptr_t)device});
}

/* Connects, with the store as a shared_ptr, which comes as its address. */
HOOK_EXPORT void gloo_connect_shared(void *self, const void *store, const void *device) __asm__(
	CONNECT "St10shared_ptrINS0_5StoreEERS2_INS_9transport6DeviceEE");
HOOK_EXPORT void gloo_connect_shared(void *self, const void *store, const void *device)
{
	static struct gloo_function f = {
		.symbol = CONNECT "St10shared_ptrINS0_5StoreEERS2_INS_9transport6DeviceEE",
		.ours = (const void *)gloo_connect_shared};

	connect(&f, self, abi_pointer(store),
		(const uint64_t[UNWOUND_ARGS]){(uint64_t)(uintptr_t)self,
			(uint64_t)(uintptr_t)store, (uint64_t)(uintptr_t)device});
}

/* --- Of another ------------------------------------------------------------------------------ */

#define MAKE                                                                                       \
	"_ZN4gloo10rendezvous14ContextFactory11makeContextERSt10shared_ptrINS_9transport6Device"   \
	"EE"

/*
 * Makes a context of another one. A factory's first word is the context that it makes others of;
 * the result comes to `ret`.
 */
HOOK_EXPORT void *gloo_make(void *ret, void *self, const void *device) __asm__(MAKE);
HOOK_EXPORT void *gloo_make(void *ret, void *self, const void *device)
{
	static struct gloo_function f = {.symbol = MAKE, .ours = (const void *)gloo_make};
	const uint64_t args[UNWOUND_ARGS] = {(uint64_t)(uintptr_t)ret, (uint64_t)(uintptr_t)self,
		(uint64_t)(uintptr_t)device};
	const void *parent = gloo_context_at(abi_pointer(self));
	const void *real = gloo_real(&f, gloo_transport(parent));
	struct birth b = {.unwound = {.close = birth_unwound}};
	int group = group_of(parent);
	uint64_t key;

	if (hook_unlikely(!real)) {
		memset(ret, 0, 16);
		return ret;
	}
	b.me = group < 0 ? NULL : probe_enter();
	if (!b.me) {
		c10d_pass(real, args);
		return ret;
	}
	key = b.me->ring->groups[group].key;
	b.member = describe(parent);
	b.member.parent = key;
	b.member.key = group_key_of_kin(key, GROUP_NTH, group_number_child(group, GROUP_SPLIT), 0);
	birth_begin(&b, RING_CALL_gloo_make);
	unwound_call(&b.unwound, real, args);
	birth_end(&b, gloo_context_at(abi_pointer(ret)));
	return ret;
}

/* --- Death ----------------------------------------------------------------------------------- */

/* Frees a context: this member is done with its group. It waits for nobody. */
static void gloo_death(struct gloo_function *f, void *self)
{
	const void *real = gloo_real(f, self);

	leave_group(gloo_context_in(self));
	if (hook_likely(real))
		((void (*)(void *))real)(self);
}

#define GLOO_DEATH(name, symbol_)                                                                  \
	HOOK_EXPORT void name(void *self) __asm__(symbol_);                                        \
	HOOK_EXPORT void name(void *self)                                                          \
	{                                                                                          \
		static struct gloo_function f = {                                                  \
			.symbol = symbol_, .ours = (const void *)name};                            \
                                                                                                   \
		gloo_death(&f, self);                                                              \
	}

GLOO_DEATH(gloo_d0, "_ZN4gloo10rendezvous7ContextD0Ev")
GLOO_DEATH(gloo_d1, "_ZN4gloo10rendezvous7ContextD1Ev")
GLOO_DEATH(gloo_d2, "_ZN4gloo10rendezvous7ContextD2Ev")

#endif
