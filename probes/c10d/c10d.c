/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process groups of gloo. The constructor meets the others in the store, so the group is shown
 * before it runs. Its key is the prefix of its store, which the program chose alike in all members,
 * its size, how many of that kind came before in this process (a program may destroy a group and
 * make it again), the elastic restart, and the id of torchrun's run. Two runs may have equal ones
 * all the same: such a key joins members, and never tells that two bundles are one job.
 *
 * What Python knows better (c10d_scope_set) is taken: the name, the timeout. The default group
 * tells a process that has no RANK which rank it is.
 */
#include "probes/c10d/c10d-abi.h"
#include "probes/c10d/c10d-route.h"
#include "probes/c10d/c10d-nccl.h"
#include "probes/c10d/c10d-store.h"
#include "probes/death/unwound.h"
#include "probes/nccl/comm.h"
#include "probes/process.h"
#include "probes/text.h"
#include "probes/work.h"

#include <string.h>

/* --- What Python says beforehand ------------------------------------------------------------- */

#define SCOPES 8 /* threads that may make groups at the same time */

/* A description's own copy of its texts: Python's are gone once it has told us. */
struct scope_copy {
	uint64_t taken;
	struct c10d_scope scope;
	char name[RING_STRING_MAX + 1];
	char ranks[RING_STRING_MAX + 1];
};

/* Writers: the thread that has taken one. */
static struct scope_copy scope_copies[SCOPES];
static __thread struct scope_copy *scope_here; /* this thread's; NULL none */

static struct scope_copy *scope_take(void)
{
	for (unsigned i = 0; i < SCOPES; i++)
		if (!ring_load(&scope_copies[i].taken) && ring_cas(&scope_copies[i].taken, 0, 1))
			return &scope_copies[i];
	return NULL;
}

/*
 * Copies a list. One that does not fit loses the entry that is cut in two: "1,12" of "1,128" would
 * lie.
 */
static const char *scope_list(char *to, size_t size, const char *list)
{
	struct text t = text_into(to, size);

	if (!list)
		return NULL;
	text_put(&t, list);
	if (!t.cut)
		return to;
	while (t.used && to[t.used - 1] != ',')
		t.used--;
	to[t.used ? t.used - 1 : 0] = '\0';
	return to;
}

void c10d_scope_set(const struct c10d_scope *scope)
{
	struct scope_copy *here = scope_here;

	if (!scope) {
		scope_here = NULL;
		if (here)
			ring_publish_word(&here->taken, 0);
		return;
	}
	if (!here)
		here = scope_here = scope_take();
	if (!here)
		return;
	text_copy(here->name, sizeof(here->name), scope->name);
	here->scope = (struct c10d_scope){.name = here->name,
		.ranks = scope_list(here->ranks, sizeof(here->ranks), scope->ranks),
		.timeout_ns = scope->timeout_ns};
}

const struct c10d_scope *c10d_scope(void)
{
	static const struct c10d_scope none;

	return scope_here ? &scope_here->scope : &none;
}

static void scope_forget_all(void)
{
	memset(scope_copies, 0, sizeof(scope_copies));
	scope_here = NULL;
}

#if UNWOUND_HERE

#define GLOO_NAMES 256	/* groups whose name is kept */
#define C10D_KINDS 1024 /* a power of two */
#define C10D_TRIES 32

/* Writers: all threads that make groups or begin operations, word by word with atomics. */
static struct {
	/* hashed names in torch.distributed, by entry of the ring; 0: unknown */
	uint64_t names[GLOO_NAMES];
	struct {
		uint64_t identity; /* 0 free */
		uint64_t count;
	} kinds[C10D_KINDS];
} c10d_told;

static uint64_t name_hash(const char *name)
{
	uint64_t hash = ring_hash_op(1, strlen(name), 0);

	for (; *name; name++)
		hash = ring_hash_op(hash, (unsigned char)*name, 0);
	return hash ? hash : 1;
}

static void name_set(int group, const char *name)
{
	if (group >= 0 && group < GLOO_NAMES)
		ring_store(&c10d_told.names[group], name ? name_hash(name) : 0);
}

uint32_t c10d_nth(uint64_t identity)
{
	identity += !identity;
	for (unsigned probe = 0; probe < C10D_TRIES; probe++) {
		unsigned at = (unsigned)(identity * 0x9e3779b97f4a7c15ull >> 40) + probe;
		uint64_t *word = &c10d_told.kinds[at % C10D_KINDS].identity;
		uint64_t seen = ring_load(word);

		if (seen == identity || (!seen && ring_cas(word, 0, identity)) ||
			ring_load(word) == identity)
			return (uint32_t)ring_add(&c10d_told.kinds[at % C10D_KINDS].count, 1) + 1;
	}
	return 1;
}

void c10d_forget_all(void)
{
	scope_forget_all();
	memset(&c10d_told, 0, sizeof(c10d_told));
	bootstrap_forget_all();
	work_forget_all();
}

/* --- Birth ----------------------------------------------------------------------------------- */

struct gloo_birth {
	struct unwound unwound; /* first */
	struct probe_thread *me;
	struct nccl_call call;
	struct ring_member member;
	int group;
};

/* True for a prefix of the store in which PyTorch makes its default group. */
static int c10d_is_default(const char *prefix)
{
	return !*prefix || strstr(prefix, "default_pg/");
}

struct probe_thread *c10d_meet(const char *prefix, int rank, int size, const char *source)
{
	struct probe_thread *me = probe_enter_needing(PROBE_NEED_RANK);
	const struct census_self *self = process_self();

	if (!me || !c10d_is_default(prefix) ||
		(self->rank == rank && self->world_size == size && !self->number))
		return me;
	probe_leave(me); /* it records something, too */
	process_identify(rank, size, source);
	return probe_enter();
}

uint64_t c10d_key(uint64_t prefix, uint64_t what, uint64_t size)
{
	uint64_t key = ring_hash_op(ring_hash_op(prefix, what, size),
		(uint64_t)process_self()->restart, 0x6331306431303063ull ^ process_self()->run);

	key = ring_hash_op(key, c10d_nth(key), 0);
	return key ? key : 1;
}

static void gloo_describe(struct gloo_birth *b, uint64_t prefix, const void *options)
{
	struct ring_writer *ring = b->me->ring;
	const struct c10d_scope *scope = c10d_scope();

	b->member.key = c10d_key(prefix, RING_MAKER_GLOO, b->member.size);
	b->member.maker = RING_MAKER_GLOO;
	b->member.state = RING_G_HOST_DONE;
	b->member.device = -1;
	b->member.timeout_ns =
		scope->timeout_ns ? scope->timeout_ns : abi_backend_timeout(options);
	if (scope->name)
		b->member.name = ring_string(ring, scope->name, strlen(scope->name));
	if (scope->ranks)
		b->member.ranks = ring_string(ring, scope->ranks, strlen(scope->ranks));
}

static void gloo_begin(struct gloo_birth *b)
{
	struct probe_thread *me = b->me;

	b->group = ring_group_claim(me->ring);
	work_new_group(b->group);
	name_set(b->group, c10d_scope()->name);
	if (b->group >= 0)
		ring_group_publish(me->ring, b->group, probe_now(me), &b->member);
	comm_pin(me, comm_meta(RING_CALL_c10d_init, 0, b->group), &b->member, 0);
	b->call = nccl_call_begin(me, RING_CALL_c10d_init, b->group,
		(const uint64_t[3]){b->member.size,
			ring_sig(RING_OP_NONE, 0, 0, b->member.rank), b->member.timeout_ns});
}

static void gloo_end(struct gloo_birth *b, int failed)
{
	struct probe_thread *me = b->me;

	nccl_call_end(me, &b->call, failed);
	comm_pin(me, comm_meta(RING_CALL_c10d_init, comm_end_flags(failed), b->group), &b->member,
		failed);
	probe_leave(me);
}

static void gloo_unwound(struct unwound *unwound)
{
	struct gloo_birth *b = (struct gloo_birth *)unwound;

	if (b->group >= 0)
		ring_group_state(b->me->ring, b->group, RING_G_ABORTED);
	gloo_end(b, 1);
}

static void gloo_birth(const void *real, void *self, const void *store, int rank, int size,
	const void *options)
{
	const uint64_t args[UNWOUND_ARGS] = {(uint64_t)(uintptr_t)self, (uint64_t)(uintptr_t)store,
		(uint64_t)rank, (uint64_t)size, (uint64_t)(uintptr_t)options};
	struct gloo_birth b = {.unwound = {.close = gloo_unwound},
		.member = {.rank = (uint32_t)rank, .size = (uint32_t)size}};
	char prefix[STORE_PREFIX];
	uint64_t hash;

	if (hook_unlikely(!real))
		return;
	store_prefix(abi_pointer(store), prefix, &hash);
	b.me = c10d_meet(prefix, rank, size, "gloo");
	if (!b.me) {
		c10d_pass(real, args);
		return;
	}
	gloo_describe(&b, hash, abi_pointer(options));
	gloo_begin(&b);
	unwound_call(&b.unwound, real, args);
	if (b.group >= 0) {
		group_bind(self, b.group);
		ring_group_ready(b.me->ring, b.group, probe_now(b.me), (uint64_t)(uintptr_t)self);
	}
	gloo_end(&b, 0);
}

#define GLOO	  "_ZN4c10d16ProcessGroupGloo"
#define NULL_TYPE "6detail34intrusive_target_default_null_type"
#define GLOO_NEW                                                                                   \
	"ERKN3c1013intrusive_ptrINS_5StoreENS1_" NULL_TYPE "IS3_EEEEiiNS2_INS0_7OptionsENS5_"      \
	"ISA_EEEE"

/* Makes a process group. */
#define GLOO_BIRTH(fn, symbol)                                                                     \
	HOOK_EXPORT void fn(void *self, const void *store, int rank, int size,                     \
		const void *options) __asm__(symbol);                                              \
	HOOK_EXPORT void fn(                                                                       \
		void *self, const void *store, int rank, int size, const void *options)            \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		gloo_birth(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu), self, store,      \
			rank, size, options);                                                      \
	}

GLOO_BIRTH(gloo_c1, GLOO "C1" GLOO_NEW)
GLOO_BIRTH(gloo_c2, GLOO "C2" GLOO_NEW)

/* --- Death ----------------------------------------------------------------------------------- */

static void gloo_state(int group, uint32_t bits)
{
	struct ring_writer *ring = process_ring();

	if (group >= 0 && ring && group < (int)ring->ngroups)
		ring_group_state(ring, group, bits);
}

void c10d_left(const char *name)
{
	uint64_t hash = name ? name_hash(name) : 0;

	for (int group = 0; group < GLOO_NAMES; group++) {
		uint64_t known = ring_load(&c10d_told.names[group]);

		if (known && (!name || known == hash))
			gloo_state(group, RING_G_FINALIZED);
	}
}

/*
 * Ends a process group: waits until its ops have been begun, and joins its threads, which may be
 * for ever. It may come inside another call of ours; the group's state is noted all the same.
 */
static void gloo_death(const void *real, const void *self)
{
	int group = group_of(self);
	struct probe_thread *me = group < 0 ? NULL : probe_enter();
	struct nccl_call call;

	gloo_state(group, RING_G_FINALIZED);
	name_set(group, NULL);
	group_unbind(self);
	if (me)
		call = nccl_call_begin(me, RING_CALL_c10d_destroy, group, (const uint64_t[3]){0});
	if (hook_likely(real))
		((void (*)(const void *))real)(self);
	if (me) {
		nccl_call_end(me, &call, 0);
		probe_leave(me);
	}
	gloo_state(group, RING_G_DESTROYED);
}

#define GLOO_DEATH(fn, symbol)                                                                     \
	HOOK_EXPORT void fn(const void *self) __asm__(symbol);                                     \
	HOOK_EXPORT void fn(const void *self)                                                      \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		gloo_death(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu), self);            \
	}

GLOO_DEATH(gloo_d0, GLOO "D0Ev")
GLOO_DEATH(gloo_d1, GLOO "D1Ev")
GLOO_DEATH(gloo_d2, GLOO "D2Ev")

#else

void c10d_forget_all(void)
{
	scope_forget_all();
}

void c10d_left(const char *name)
{
	(void)name;
}

#endif
