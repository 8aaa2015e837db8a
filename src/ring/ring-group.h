/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-group.h: the order of operations, written. Part of ring-write.h; include that.
 *
 * A group entry is this process's seat in one communicator. Per collective, in API order:
 * ring_group_enqueue() takes the next index, extends the running hash and writes the enqueue board
 * and the history; ring_group_returned() says that the launching call came back;
 * ring_group_complete() that the device did. P2P calls have their own history and per-peer indices
 * and never advance the collective order.
 *
 * One thread at a time is the rule for a communicator, so all this is guarded by a claim that
 * nobody ever waits long for: ring_claim(). Where two threads meet, both are counted as
 * `contended`: the order is then doubtful, which is evidence in itself. An op that cannot get the
 * claim still takes its index (the count stays exact) and is counted as missed.
 */
#ifndef RING_GROUP_H
#define RING_GROUP_H

#ifndef RING_WRITE_H
#error "include ring/ring-write.h"
#endif

/* What a member is made of, as ring_group_publish() takes it. Fields that are not known are 0. */
struct ring_member {
	uint64_t key;
	uint64_t alias;
	uint64_t parent;
	uint64_t comm;
	uint32_t size;
	uint32_t rank;
	uint32_t name;
	uint32_t maker;
	int32_t device;
	int32_t color;
	uint32_t state; /* RING_G_NONBLOCKING, RING_G_HOST_DONE or 0 */
	uint64_t timeout_ns; /* 0 unknown */
	uint32_t ranks;      /* string id, 0 unknown */
};

/*
 * What ring_group_enqueue() returns of an op that was entered, for ring_group_returned() and
 * ring_group_complete() to find it again.
 */
struct ring_entered {
	uint64_t index; /* of the collective, or of the P2P call towards its peer; 0 unknown */
	uint64_t hash;  /* running hash, this op included */
	uint64_t nth;   /* place in its history: the index, or the count of all P2P calls */
	uint64_t board; /* version of the enqueue board that shows it; RING_NO_TICKET: missed */
	int group;
	unsigned flags;
};

/* --- Identity --------------------------------------------------------------------------------- */

/*
 * Claims one entry for writing (its seq becomes odd). A free one always qualifies; with `ended`, a
 * destroyed or aborted group's does too. Returns 0, or -1 if the entry is in use or somebody else
 * took it first.
 */
static inline int ring_group_take(struct ring_group *g, int ended)
{
	uint64_t seq = ring_load(&g->seq);
	uint32_t state = __atomic_load_n(&g->state, __ATOMIC_RELAXED);

	if (seq & 1)
		return -1;
	if (seq && !(ended && (state & (RING_G_DESTROYED | RING_G_ABORTED))))
		return -1;
	return ring_cas(&g->seq, seq, seq + 1) ? 0 : -1;
}

/*
 * Claims an entry for a new member: a fresh one if there is any, else that of a destroyed group.
 * The entry is cleared, and invisible until ring_group_publish(). Returns its number, or -1 if the
 * table is full (counted).
 */
static inline int ring_group_claim(struct ring_writer *w)
{
	for (int ended = 0; ended < 2; ended++) {
		for (uint32_t i = 0; i < w->ngroups; i++) {
			struct ring_group *g = w->groups + i;

			if (ring_group_take(g, ended))
				continue;
			ring_fence_release();
			for (uint64_t *word = &g->key; word < (uint64_t *)(g + 1); word++)
				ring_store(word, 0);
			g->hash = RING_HASH_START;
			return (int)i;
		}
	}
	ring_lose(&w->header->losses.groups);
	return -1;
}

/* Fills a claimed entry and makes it visible: the member entered its group's init at `tsc`. */
static inline void ring_group_publish(
	struct ring_writer *w, int group, uint64_t tsc, const struct ring_member *m)
{
	struct ring_group *g = w->groups + group;

	g->key = m->key;
	g->alias = m->alias;
	g->parent = m->parent;
	g->comm = m->comm;
	g->size = m->size;
	g->rank = m->rank;
	g->name = m->name;
	g->maker = m->maker;
	g->device = m->device;
	g->color = m->color;
	__atomic_store_n(&g->state, m->state, __ATOMIC_RELAXED);
	g->timeout_ns = m->timeout_ns;
	g->ranks = m->ranks;
	g->init_tsc = tsc;
	ring_publish_word(&g->seq, ring_load(&g->seq) + 1); /* others try to take it meanwhile */
}

/* Adds RING_G_* bits (destroyed, aborted, ...) to a group's state. */
static inline void ring_group_state(struct ring_writer *w, int group, uint32_t bits)
{
	__atomic_fetch_or(&w->groups[group].state, bits, __ATOMIC_RELEASE);
}

/*
 * Notes that the init returned, so that all members have met. The communicator's handle is known
 * only now.
 */
static inline void ring_group_ready(struct ring_writer *w, int group, uint64_t tsc, uint64_t comm)
{
	ring_store(&w->groups[group].comm, comm);
	ring_store(&w->groups[group].ready_tsc, tsc);
	ring_group_state(w, group, RING_G_READY);
}

/* Counts one more child that was split off the group. Returns its number, from 1. */
static inline uint32_t ring_group_split(struct ring_writer *w, int group)
{
	return __atomic_add_fetch(&w->groups[group].splits, 1, __ATOMIC_RELAXED);
}

/* --- Ops -------------------------------------------------------------------------------------- */

/*
 * Returns the key under which P2P calls are counted: the group's entry and which use of it, the
 * direction, and the peer.
 */
static inline uint64_t ring_peer_key(const struct ring_writer *w, int group, uint64_t sig)
{
	unsigned op = ring_sig_op(sig);
	uint64_t receives = op == RING_OP_RECV || op == RING_OP_WAITSIGNAL;
	uint64_t use = ring_load(&w->groups[group].seq) / 2;

	return (uint64_t)(group + 1) | receives << 16 | (use & 0x7fff) << 17 |
	       (uint64_t)ring_sig_peer(sig) << 32;
}

/*
 * Counts one more call under that key in a table. Returns its number, from 1; or 0 if there are too
 * many keys.
 */
static inline uint64_t ring_peer_count(struct ring_peer *table, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull >> 32;

	for (unsigned probe = 0; probe < RING_PROBES; probe++) {
		struct ring_peer *p = table + (hash + probe) % RING_PEERS;
		uint64_t seen = ring_load(&p->key);

		if (!seen && ring_cas(&p->key, 0, key))
			seen = key;
		if (seen == key || (!seen && ring_load(&p->key) == key))
			return ring_add(&p->calls, 1) + 1;
	}
	return 0;
}

/* Counts a P2P call towards its peer. Returns its number, from 1; 0 if it could not be counted. */
static inline uint64_t ring_peer_next(struct ring_writer *w, int group, uint64_t sig)
{
	return ring_peer_count(w->peers, ring_peer_key(w, group, sig));
}

/*
 * Counts a P2P call among those to the same peer with the same tag. The keys of (peer, tag) are
 * hashes; two meet only by an accident of 2^-64. Returns the call's number, from 1; 0 if it could
 * not be counted, and for a receive that takes any tag. Whatever message that one meets, it was the
 * turn of another receive; from then on no turn here is sure, so the group gets RING_G_ANY_TAG.
 */
static inline uint32_t ring_tag_next(struct ring_writer *w, int group, uint64_t sig, uint64_t tag)
{
	uint64_t key = ring_hash_op(RING_HASH_START, ring_peer_key(w, group, sig), tag);

	if (tag == RING_TAG_ANY)
		ring_group_state(w, group, RING_G_ANY_TAG);
	return tag == RING_TAG_ANY ? 0 : (uint32_t)ring_peer_count(w->tags, key ? key : 1);
}

/* Returns the slot of the group's rotating history that belongs to this op. */
static inline struct ring_slot *ring_group_history(
	struct ring_group *g, const struct ring_entered *e)
{
	return (e->flags & RING_F_P2P) ? g->p2p + e->nth % RING_P2P : g->last + e->nth % RING_LAST;
}

/* Keeps a collective for ever, if it is one of the first or its index is a power of two. */
static inline void ring_group_keep(
	struct ring_group *g, uint64_t index, uint64_t tsc, const struct ring_record *r)
{
	unsigned log2 = 63 - (unsigned)__builtin_clzll(index);

	if (index <= RING_FIRST)
		ring_slot_publish(g->first + index - 1, 2 * index, tsc, r);
	if (!(index & (index - 1)) && log2 < RING_POW2)
		ring_slot_publish(g->pow2 + log2, 2 * index, tsc, r);
}

/*
 * Numbers a P2P call: its place among all of the group's (nth), and among those to its peer
 * (index).
 */
static inline void ring_p2p_number(
	struct ring_writer *w, struct ring_group *g, struct ring_entered *e, uint64_t sig)
{
	e->nth = ring_add(&g->p2p_count, 1) + 1;
	e->index = ring_peer_next(w, e->group, sig);
}

/*
 * Numbers the op, takes it into the running hash, and completes its record. Call it under the
 * group's claim.
 */
static inline void ring_group_number(struct ring_writer *w, struct ring_group *g, uint32_t lane,
	struct ring_entered *e, struct ring_record *r)
{
	uint32_t arg;

	if (e->flags & RING_F_P2P) {
		ring_p2p_number(w, g, e, r->sig);
	} else {
		e->index = e->nth = ring_add(&g->op_index, 1) + 1;
		if (!r->count)
			ring_store(&g->zero_counts, ring_load(&g->zero_counts) + 1);
		ring_store(&g->hash, ring_hash_op(ring_load(&g->hash), r->sig, r->count));
	}
	e->hash = ring_load(&g->hash);
	r->index = e->index;
	arg = (uint32_t)ring_load(&g->zero_counts);
	if (e->flags & RING_F_TAGGED)
		arg = ring_tag_next(w, e->group, r->sig, r->more);
	else
		r->more = e->hash;
	r->meta = ring_meta(RING_OP_ENTERED, e->flags, lane, arg);
}

/* Gives the record of a send or receive its tag, before the op is enqueued. */
static inline void ring_record_tag(struct ring_record *r, uint64_t tag)
{
	r->meta |= (uint64_t)RING_F_TAGGED << 8;
	r->more = tag;
}

/*
 * Records that an op enters its group, and numbers it. `op` gives the flags (RING_F_GROUPED,
 * _CAPTURED, _P2P, _TAGGED), count, sig, aux (the stream), and for a tagged one `more` (the tag);
 * its other words are not used. `lane` is the caller's ring_lane_index(). Not for signal handlers.
 */
static inline struct ring_entered ring_group_enqueue(
	struct ring_writer *w, int group, uint32_t lane, uint64_t tsc, const struct ring_record *op)
{
	struct ring_group *g = w->groups + group;
	struct ring_entered e = {.group = group, .flags = ring_meta_flags(op->meta)};
	struct ring_record r = *op;
	int met = ring_claim(w, &g->enqueue_version, &e.board);

	if (met)
		ring_lose(&g->contended);
	if (e.flags & RING_F_CAPTURED)
		ring_group_state(w, group, RING_G_SAW_CAPTURE);
	if (met < 0) {
		ring_lose(&g->missed);
		ring_lose(&w->header->losses.records);
		e.board = RING_NO_TICKET;
		if (e.flags & RING_F_P2P)
			ring_p2p_number(w, g, &e, r.sig);
		else
			e.index = e.nth = ring_add(&g->op_index, 1) + 1;
		if (e.flags & RING_F_TAGGED)
			ring_tag_next(w, group, r.sig, r.more);
		return e;
	}
	ring_group_number(w, g, lane, &e, &r);
	ring_slot_publish(g->enqueue + (e.board & 1), e.board, tsc, &r);
	ring_slot_publish(ring_group_history(g, &e), 2 * e.nth, tsc, &r);
	if (!(e.flags & RING_F_P2P))
		ring_group_keep(g, e.index, tsc, &r);
	ring_unclaim(&g->enqueue_version, e.board);
	return e;
}

/*
 * Copies what a slot says, but for its seq and time. Call it only under the claim that guards the
 * slot's writing.
 */
static inline void ring_slot_record(const struct ring_slot *s, struct ring_record *ret)
{
	ret->meta = ring_load(&s->meta);
	ret->index = ring_load(&s->index);
	ret->count = ring_load(&s->count);
	ret->sig = ring_load(&s->sig);
	ret->aux = ring_load(&s->aux);
	ret->more = ring_load(&s->more);
}

/*
 * Notes that the call that launched the op returned. `flags` is RING_F_RETURNED, with RING_F_FAILED
 * if it returned an error. The times stay those of the entry. Nothing happens if the history has
 * moved on past the op; the board changes only while it still shows this op.
 */
static inline void ring_group_returned(
	struct ring_writer *w, const struct ring_entered *e, unsigned flags)
{
	struct ring_group *g = w->groups + e->group;
	struct ring_slot *at = ring_group_history(g, e);
	struct ring_record r;
	uint64_t version, tsc;

	if (e->board == RING_NO_TICKET || ring_claim(w, &g->enqueue_version, &version) < 0)
		return;
	if (ring_load(&at->seq) == 4 * e->nth + 2) {
		ring_slot_record(at, &r);
		r.meta |= (uint64_t)(flags & 0xff) << 8;
		tsc = ring_load(&at->tsc);
		ring_slot_publish(at, 2 * e->nth + 1, tsc, &r);
		if (version == e->board + 1)
			ring_slot_publish(g->enqueue + (version & 1), version, tsc, &r);
		else
			version--;
	} else {
		version--;
	}
	ring_unclaim(&g->enqueue_version, version);
}

/*
 * Notes that the device finished op `index` of the group. A completion older than the latest is
 * ignored.
 */
static inline void ring_group_complete(
	struct ring_writer *w, int group, uint64_t index, uint64_t tsc, uint64_t stream)
{
	struct ring_group *g = w->groups + group;
	const struct ring_record r = {
		.meta = ring_meta(RING_OP_DONE, 0, (unsigned)group, 0),
		.index = index,
		.aux = stream,
	};
	uint64_t version;

	if (ring_claim(w, &g->complete_version, &version) < 0) {
		ring_lose(&w->header->losses.completions);
		return;
	}
	if (version && ring_load(&g->complete[(version - 1) & 1].index) >= index)
		version--;
	else
		ring_slot_publish(g->complete + (version & 1), version, tsc, &r);
	ring_unclaim(&g->complete_version, version);
}

#endif
