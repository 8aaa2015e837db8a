/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch has two NCCL process groups. The older one fetches the id in a function of its own, which
 * does nothing else: that call is the exchange. The newer one does it on the way to the
 * communicator, in one call with ncclCommInitRank, which must be recorded as ever; so there the
 * exchange begins with the call, and is over when the store has first answered, or at once for seat
 * 0, which asks nothing.
 *
 * Members find the same key without exchanging anything: the prefix of the process group's store,
 * and the n-th communicator of it; for a pair of ranks the name of the pair. An exchange that is
 * over has served: its entry may be taken by another group.
 *
 * Where a communicator has several roots (TORCH_NCCL_RANKS_PER_ROOT) there is no seat that all wait
 * for: those waits show as waits in the store, with their keys.
 */
#include "probes/c10d/c10d-nccl.h"

#include "probes/c10d/c10d-abi.h"
#include "probes/c10d/c10d-route.h"
#include "probes/c10d/c10d-store.h"
#include "probes/death/unwound.h"
#include "probes/nccl/comm.h"
#include "probes/process.h"

#if UNWOUND_HERE

#define BOOTSTRAP_PGS 64

/* An NCCL process group of this process. */
struct bootstrap_pg {
	uint64_t self; /* its address; 0 free */
	uint64_t prefix;
	uint64_t timeout_ns;
	uint32_t rank, size;
	uint32_t name, ranks; /* strings of the ring */
};

/* Writers: all threads that make process groups; `self` is taken by compare-and-swap. */
static struct {
	struct bootstrap_pg pgs[BOOTSTRAP_PGS];
	uint64_t next; /* place that a newcomer takes if all are taken */
} bootstraps;

/* 1 + the group of this thread's exchange, while it waits for the store; 0 none. */
static __thread int bootstrap_open;

/* --- Process groups -------------------------------------------------------------------------- */

static struct bootstrap_pg *bootstrap_find(const void *self)
{
	for (unsigned i = 0; i < BOOTSTRAP_PGS; i++)
		if (ring_load(&bootstraps.pgs[i].self) == (uint64_t)(uintptr_t)self)
			return &bootstraps.pgs[i];
	return NULL;
}

static struct bootstrap_pg *bootstrap_place(const void *self)
{
	struct bootstrap_pg *place = bootstrap_find(self);

	for (unsigned i = 0; !place && i < BOOTSTRAP_PGS; i++)
		if (ring_cas(&bootstraps.pgs[i].self, 0, (uint64_t)(uintptr_t)self))
			place = &bootstraps.pgs[i];
	return place ? place : &bootstraps.pgs[ring_add(&bootstraps.next, 1) % BOOTSTRAP_PGS];
}

void bootstrap_forget_all(void)
{
	memset(bootstraps.pgs, 0, sizeof(bootstraps.pgs));
	bootstrap_open = 0;
}

/*
 * Notes that a process group is about to be made: the process is a rank, and knows which if PyTorch
 * says it here.
 */
static void bootstrap_meet(
	const void *self, const void *store, int rank, int size, const void *options)
{
	const struct c10d_scope *scope = c10d_scope();
	char prefix[STORE_PREFIX];
	struct probe_thread *me;
	struct bootstrap_pg *pg;
	uint64_t hash;

	store_prefix(store, prefix, &hash);
	me = c10d_meet(prefix, rank, size, "nccl");
	if (!me)
		return;
	pg = bootstrap_place(self);
	pg->prefix = hash;
	pg->rank = (uint32_t)rank;
	pg->size = (uint32_t)size;
	pg->timeout_ns = scope->timeout_ns ? scope->timeout_ns : abi_backend_timeout(options);
	pg->name = scope->name ? ring_string(me->ring, scope->name, strlen(scope->name)) : 0;
	pg->ranks = scope->ranks ? ring_string(me->ring, scope->ranks, strlen(scope->ranks)) : 0;
	ring_publish_word(&pg->self, (uint64_t)(uintptr_t)self);
	probe_leave(me);
}

/* Makes a process group. It may make communicators at once, so it is no call of ours. */
#define NCCL_BIRTH(fn, symbol)                                                                     \
	HOOK_EXPORT void fn(void *self, const void *store, int rank, int size,                     \
		const void *options) __asm__(symbol);                                              \
	HOOK_EXPORT void fn(                                                                       \
		void *self, const void *store, int rank, int size, const void *options)            \
	{                                                                                          \
		static void *slot;                                                                 \
		const void *real = c10d_real(&slot, symbol, (const void *)fn, c10d_cuda);          \
                                                                                                   \
		bootstrap_meet(self, abi_pointer(store), rank, size, abi_pointer(options));        \
		if (hook_likely(real))                                                             \
			((void (*)(void *, const void *, int, int, const void *))real)(            \
				self, store, rank, size, options);                                 \
	}

#define NULL_TYPE "6detail34intrusive_target_default_null_type"
#define NCCL_NEW                                                                                   \
	"EN3c1013intrusive_ptrINS_5StoreENS1_" NULL_TYPE "IS3_EEEEiiNS2_INS0_7OptionsENS5_IS8_"    \
	"EEEE"
#define NCCL2_NEW                                                                                  \
	"EN3c1013intrusive_ptrINS_5StoreENS2_" NULL_TYPE "IS4_EEEEiiNS3_INS_16ProcessGroupNCCL7"   \
	"OptionsENS6_ISA_EEEE"

NCCL_BIRTH(nccl_c1, "_ZN4c10d16ProcessGroupNCCLC1" NCCL_NEW)
NCCL_BIRTH(nccl_c2, "_ZN4c10d16ProcessGroupNCCLC2" NCCL_NEW)
NCCL_BIRTH(nccl2_c1, "_ZN4c10d5nccl216ProcessGroupNCCLC1" NCCL2_NEW)
NCCL_BIRTH(nccl2_c2, "_ZN4c10d5nccl216ProcessGroupNCCLC2" NCCL2_NEW)

/* --- Exchanges ------------------------------------------------------------------------------- */

struct bootstrap {
	struct unwound unwound; /* first */
	struct probe_thread *me;
	struct nccl_call call;
	int group;
};

/*
 * Shows the exchange of a process group, in which this process is `seat`. Returns its entry, or
 * GROUP_NONE.
 */
static int bootstrap_show(struct probe_thread *me, const struct bootstrap_pg *pg, uint64_t what,
	uint32_t seat, uint32_t size)
{
	struct ring_member member = {
		.key = c10d_key(pg->prefix, RING_MAKER_BOOTSTRAP ^ what << 8, size),
		.maker = RING_MAKER_BOOTSTRAP,
		.rank = seat,
		.size = size,
		.name = pg->name,
		.ranks = what ? 0 : pg->ranks,
		.timeout_ns = pg->timeout_ns,
		.device = -1,
	};
	int group = ring_group_claim(me->ring);

	if (group >= 0)
		ring_group_publish(me->ring, group, probe_now(me), &member);
	return group;
}

/* Ends an exchange: the id has been given or got, and nothing more will ever happen in it. */
static void bootstrap_over(struct ring_writer *ring, int group, uint64_t now)
{
	if (group < 0)
		return;
	ring_group_ready(ring, group, now, 0);
	ring_group_state(ring, group, RING_G_DESTROYED);
}

static void bootstrap_unwound(struct unwound *unwound)
{
	struct bootstrap *b = (struct bootstrap *)unwound;

	if (b->group >= 0)
		ring_group_state(b->me->ring, b->group, RING_G_ABORTED);
	nccl_call_end(b->me, &b->call, 1);
	probe_leave(b->me);
}

/* Leaves the id in the store, or waits for it there. */
static void bootstrap_exchange(
	const void *real, const uint64_t *args, struct abi_text devices)
{
	const struct bootstrap_pg *pg = bootstrap_find((const void *)(uintptr_t)args[0]);
	struct bootstrap b = {.unwound = {.close = bootstrap_unwound}};
	int pair = args[2] & 0xff;
	uint64_t what = 0;

	if (hook_unlikely(!real))
		return;
	b.me = pg ? probe_enter() : NULL;
	if (!b.me) {
		c10d_pass(real, args);
		return;
	}
	for (size_t i = 0; pair && i < devices.len; i++)
		what = (what ^ (unsigned char)devices.bytes[i]) * 0x100000001b3ull + 1;
	b.group = bootstrap_show(b.me, pg, what, pair ? (uint32_t)args[4] : pg->rank,
		pair ? 2 : pg->size);
	b.call = nccl_call_begin(
		b.me, RING_CALL_c10d_unique_id, b.group, (const uint64_t[3]){pg->size});
	unwound_call(&b.unwound, real, args);
	bootstrap_over(b.me->ring, b.group, probe_now(b.me));
	nccl_call_end(b.me, &b.call, 0);
	probe_leave(b.me);
}

#define NCCL_EXCHANGE(fn, symbol, strings)                                                         \
	HOOK_EXPORT void fn(uint64_t self, uint64_t id, uint64_t pair, const void *devices,        \
		uint64_t seat) __asm__(symbol);                                                    \
	HOOK_EXPORT void fn(uint64_t self, uint64_t id, uint64_t pair, const void *devices,        \
		uint64_t seat)                                                                     \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		bootstrap_exchange(c10d_real(&slot, symbol, (const void *)fn, c10d_cuda),          \
			(const uint64_t[UNWOUND_ARGS]){self, id, pair,                             \
				(uint64_t)(uintptr_t)devices, seat},                               \
			abi_string(devices, strings));                                             \
	}

#define EXCHANGE "_ZN4c10d16ProcessGroupNCCL21broadcastUniqueNCCLIDEP12ncclUniqueIdbRK"

NCCL_EXCHANGE(nccl_exchange, EXCHANGE "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi",
	ABI_CXX11)
NCCL_EXCHANGE(nccl_exchange_cow, EXCHANGE "Ssi", ABI_COW)

/* --- The newer process group ----------------------------------------------------------------- */

int bootstrap_waits(void)
{
	return bootstrap_open ? bootstrap_open - 1 : GROUP_NONE;
}

void bootstrap_got(void)
{
	struct ring_writer *ring = bootstrap_open ? process_ring() : NULL;

	if (ring)
		bootstrap_over(ring, bootstrap_open - 1, ring_writer_now(ring));
	bootstrap_open = 0;
}

static void bootstrap_left(struct unwound *unwound)
{
	struct ring_writer *ring = bootstrap_open ? process_ring() : NULL;

	(void)unwound;
	if (ring)
		ring_group_state(ring, bootstrap_open - 1, RING_G_ABORTED);
	bootstrap_open = 0;
}

/* Begins an exchange that ends with the store's first answer. Nothing is recorded meanwhile. */
static void bootstrap_begin(const struct bootstrap_pg *pg)
{
	struct probe_thread *me = pg ? probe_enter() : NULL;
	int group;

	if (!me)
		return;
	group = bootstrap_show(me, pg, 0, pg->rank, pg->size);
	if (group >= 0 && !pg->rank)
		bootstrap_over(me->ring, group, probe_now(me));
	else if (group >= 0)
		bootstrap_open = group + 1;
	probe_leave(me);
}

#define NCCL2_INIT "_ZN4c10d5nccl216ProcessGroupNCCL17initNcclResourcesEv"

/* Fetches the id, and makes the communicator. */
HOOK_EXPORT void nccl2_init(uint64_t self) __asm__(NCCL2_INIT);
HOOK_EXPORT void nccl2_init(uint64_t self)
{
	static void *slot;
	const void *real = c10d_real(&slot, NCCL2_INIT, (const void *)nccl2_init, c10d_cuda);
	struct unwound unwound = {.close = bootstrap_left};

	if (hook_unlikely(!real))
		return;
	bootstrap_begin(bootstrap_find((const void *)(uintptr_t)self));
	unwound_call(&unwound, real, (const uint64_t[UNWOUND_ARGS]){self});
	bootstrap_got();
}

#endif
