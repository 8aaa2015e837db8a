/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-write.h"

#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

static const struct ring_member world = {.key = 0xabc, .size = 8, .rank = 3, .comm = 0x1000};

static struct ring_record collective(uint64_t count, unsigned op)
{
	return (struct ring_record){
		.count = count,
		.sig = ring_sig(op, 7, 0, RING_SIG_NO_PEER),
		.aux = 0x51,
	};
}

static struct ring_record p2p(unsigned op, uint32_t peer)
{
	return (struct ring_record){
		.meta = ring_meta(0, RING_F_P2P, 0, 0),
		.count = 1,
		.sig = ring_sig(op, 7, 0, peer),
	};
}

static int world_group(struct fixture *f)
{
	int g = ring_group_claim(&f->w);

	ring_group_publish(&f->w, g, 50, &world);
	return g;
}

static void a_member_is_seen_when_it_is_published(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_group got;
	struct ring_view view = fixture_view(f);
	int g;

	assert_int_equal(ring_view_group(&view, 0, &got), 0);
	g = ring_group_claim(&f->w);
	assert_int_equal(ring_view_group(&view, 0, &got), -1);
	ring_group_publish(&f->w, g, 50, &world);
	assert_int_equal(ring_view_group(&view, 0, &got), 1);
	assert_int_equal(got.key, 0xabc);
	assert_int_equal(got.ready_tsc, 0);
	ring_group_ready(&f->w, g, 60, 0x2000);
	assert_int_equal(ring_view_group(&view, 0, &got), 1);
	assert_int_equal(got.ready_tsc, 60);
	assert_int_equal(got.comm, 0x2000);
	assert_int_equal(got.state, RING_G_READY);
	assert_int_equal(ring_group_split(&f->w, g), 1);
	assert_int_equal(ring_group_split(&f->w, g), 2);
	fixture_free(f);
}

static void ended_groups_give_their_place_only_when_all_are_taken(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_record op = collective(8, RING_OP_ALLREDUCE);
	struct ring_group got;
	struct ring_view view = fixture_view(f);
	uint32_t n = f->layout.groups;

	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(world_group(f), i);
		ring_group_enqueue(&f->w, (int)i, 0, 100, &op);
		if (i == 2)
			ring_group_state(&f->w, 2, RING_G_DESTROYED);
	}
	assert_int_equal(world_group(f), 2);
	assert_int_equal(ring_view_group(&view, 2, &got), 1);
	assert_int_equal(got.op_index, 0);
	assert_int_equal(got.seq, 4);
	assert_int_equal(ring_group_claim(&f->w), -1);
	assert_int_equal(f->w.header->losses.groups, 1);
	fixture_free(f);
}

/* A copy of a living ring may have a group and not the one before, which was written meanwhile. */
static void what_was_never_used_is_not_read_and_a_gap_is(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_view view = fixture_view(f);
	uint32_t n = f->layout.groups;

	assert_int_equal(ring_view_groups(&view), 0);
	for (int i = 0; i < 3; i++)
		world_group(f);
	assert_int_equal(ring_view_groups(&view), 3);
	f->w.groups[1].seq = 0;
	assert_int_equal(ring_view_groups(&view), 3);
	f->w.groups[0].seq = f->w.groups[2].seq = 0;
	assert_int_equal(ring_view_groups(&view), 0);
	for (uint32_t i = 0; i < n; i++)
		world_group(f);
	assert_int_equal(ring_view_groups(&view), n);
	fixture_free(f);
}

/* The first fork must be found long after the ring wrapped: the hash at every power of two stays.
 */
static void history_keeps_first_powers_and_last(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	uint64_t hash = RING_HASH_START, at[5001];
	struct ring_view view = fixture_view(f);
	int g = world_group(f);
	struct ring_group got;
	struct ring_slot s;

	for (uint64_t i = 1; i <= 5000; i++) {
		struct ring_record op = collective(i, RING_OP_ALLGATHER);
		struct ring_entered e = ring_group_enqueue(&f->w, g, 4, 1000 + i, &op);

		at[i] = hash = ring_hash_op(hash, op.sig, op.count);
		assert_int_equal(e.index, i);
		assert_int_equal(e.hash, hash);
	}
	ring_view_group(&view, 0, &got);
	for (uint64_t i = 1; i <= 5000; i++) {
		int kept = i <= RING_FIRST || !(i & (i - 1)) || i > 5000 - RING_LAST;

		assert_int_equal(ring_group_op(&got, i, &s), kept ? 0 : -1);
		if (!kept)
			continue;
		assert_int_equal(s.index, i);
		assert_int_equal(s.count, i);
		assert_int_equal(s.more, at[i]);
		assert_int_equal(s.tsc, 1000 + i);
	}
	assert_int_equal(ring_group_op(&got, 5001, &s), -1);
	assert_int_equal(ring_group_op(&got, 0, &s), -1);
	assert_int_equal(ring_board_read(got.enqueue, &s), 1);
	assert_int_equal(s.index, 5000);
	assert_int_equal(ring_meta_group(s.meta), 4);
	fixture_free(f);
}

static void empty_collectives_count_in_our_order_and_not_in_nccls(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	int g = world_group(f);
	struct ring_slot s;

	for (uint64_t i = 1; i <= 6; i++) {
		struct ring_record op = collective(i % 3 ? 16 : 0, RING_OP_ALLREDUCE);

		assert_int_equal(ring_group_enqueue(&f->w, g, 0, i, &op).index, i);
	}
	ring_board_read(f->w.groups[g].enqueue, &s);
	assert_int_equal(ring_meta_arg(s.meta), 2);
	assert_int_equal(s.index, 6);
	fixture_free(f);
}

static void p2p_counts_by_peer_and_direction_and_leaves_the_order_alone(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_record op = collective(8, RING_OP_ALLREDUCE);
	struct ring_record send1 = p2p(RING_OP_SEND, 1), recv1 = p2p(RING_OP_RECV, 1);
	struct ring_record send2 = p2p(RING_OP_SEND, 2);
	int g = world_group(f), other = world_group(f);
	struct ring_slot s;

	ring_group_enqueue(&f->w, g, 0, 1, &op);
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 2, &send1).index, 1);
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 3, &send1).index, 2);
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 4, &recv1).index, 1);
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 5, &send2).index, 1);
	assert_int_equal(ring_group_enqueue(&f->w, other, 0, 5, &send1).index, 1);
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 6, &op).index, 2);
	assert_int_equal(f->w.groups[g].p2p_count, 4);
	assert_int_equal(ring_group_p2p(&f->w.groups[g], 2, &s), 0);
	assert_int_equal(s.index, 2);
	assert_int_equal(ring_sig_peer(s.sig), 1);
	assert_int_equal(ring_group_p2p(&f->w.groups[g], 5, &s), -1);
	fixture_free(f);
}

/* The tag of a message, and the k-th of it towards that peer: in the history, not in the board. */
static void a_tagged_message_has_its_turn(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	static const struct {
		unsigned op;
		uint32_t peer;
		uint64_t tag;
		uint32_t turn;
	} calls[] = {
		{RING_OP_SEND, 1, 5, 1},
		{RING_OP_SEND, 1, 6, 1},
		{RING_OP_SEND, 1, 5, 2},
		{RING_OP_RECV, 1, 5, 1},
		{RING_OP_SEND, 2, 5, 1},
		{RING_OP_RECV, 1, RING_TAG_ANY, 0},
		{RING_OP_SEND, 1, 0, 1},
	};
	int g = world_group(f);
	struct ring_slot s;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct ring_record r = p2p(calls[i].op, calls[i].peer);
		struct ring_entered e;

		ring_record_tag(&r, calls[i].tag);
		e = ring_group_enqueue(&f->w, g, 0, i, &r);
		ring_group_returned(&f->w, &e, RING_F_RETURNED);
		assert_int_equal(ring_group_p2p(&f->w.groups[g], i + 1, &s), 0);
		assert_true(ring_meta_flags(s.meta) & RING_F_TAGGED);
		assert_true(ring_meta_flags(s.meta) & RING_F_RETURNED);
		assert_int_equal(s.more, calls[i].tag);
		assert_int_equal(ring_meta_arg(s.meta), calls[i].turn);
	}
	fixture_free(f);
}

static void a_returned_op_says_so_where_it_still_shows(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_record op = collective(8, RING_OP_ALLREDUCE);
	int g = world_group(f);
	struct ring_entered first = ring_group_enqueue(&f->w, g, 0, 10, &op);
	struct ring_entered second = ring_group_enqueue(&f->w, g, 0, 20, &op);
	struct ring_slot s;

	ring_group_returned(&f->w, &first, RING_F_RETURNED);
	ring_board_read(f->w.groups[g].enqueue, &s);
	assert_int_equal(s.index, 2);
	assert_int_equal(ring_meta_flags(s.meta), 0);
	assert_int_equal(ring_group_op(&f->w.groups[g], 1, &s), 0);
	assert_int_equal(ring_meta_flags(s.meta), RING_F_RETURNED);
	assert_int_equal(s.tsc, 10);
	ring_group_returned(&f->w, &second, RING_F_RETURNED | RING_F_FAILED);
	ring_board_read(f->w.groups[g].enqueue, &s);
	assert_int_equal(s.index, 2);
	assert_int_equal(s.tsc, 20);
	assert_int_equal(ring_meta_flags(s.meta), RING_F_RETURNED | RING_F_FAILED);
	for (int i = 0; i < RING_LAST; i++)
		ring_group_enqueue(&f->w, g, 0, 30, &op);
	ring_group_returned(&f->w, &second, RING_F_RETURNED);
	assert_int_equal(ring_group_op(&f->w.groups[g], 2 + RING_LAST, &s), 0);
	assert_int_equal(ring_meta_flags(s.meta), 0);
	assert_int_equal(f->w.groups[g].enqueue_version % 2, 0);
	fixture_free(f);
}

static void completion_only_moves_forward(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	int g = world_group(f);
	struct ring_slot s;

	assert_int_equal(ring_board_read(f->w.groups[g].complete, &s), 0);
	ring_group_complete(&f->w, g, 5, 100, 0x51);
	ring_group_complete(&f->w, g, 4, 110, 0x52);
	ring_group_complete(&f->w, g, 5, 120, 0x52);
	ring_board_read(f->w.groups[g].complete, &s);
	assert_int_equal(s.index, 5);
	assert_int_equal(s.tsc, 100);
	ring_group_complete(&f->w, g, 6, 130, 0x51);
	ring_board_read(f->w.groups[g].complete, &s);
	assert_int_equal(s.index, 6);
	fixture_free(f);
}

/* A thread stalls for ever inside the claim: the others lose records, but never the count. */
static void a_stuck_claim_loses_records_and_never_the_count(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_record op = collective(8, RING_OP_ALLREDUCE);
	int g = world_group(f);
	struct ring_entered e;
	struct ring_slot s;

	ring_group_enqueue(&f->w, g, 0, 10, &op);
	f->w.groups[g].enqueue_version++;
	e = ring_group_enqueue(&f->w, g, 0, 20, &op);
	assert_int_equal(e.index, 2);
	ring_group_returned(&f->w, &e, RING_F_RETURNED);
	assert_int_equal(f->w.groups[g].missed, 1);
	assert_true(f->w.groups[g].contended > 0);
	assert_int_equal(f->w.header->losses.records, 1);
	ring_board_read(f->w.groups[g].enqueue, &s);
	assert_int_equal(s.index, 1);
	f->w.groups[g].enqueue_version--;
	assert_int_equal(ring_group_enqueue(&f->w, g, 0, 30, &op).index, 3);
	fixture_free(f);
}

/* --- Spans and marks -------------------------------------------------------------------------- */

static struct ring_span span(unsigned kind, uint32_t name, uint32_t tid)
{
	return (struct ring_span){.kind = kind, .name = name, .tid = tid, .cpu_ns = 77};
}

static void a_span_is_open_until_it_ends(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_span compile = span(RING_SPAN_COMPILE, 8, 7);
	struct ring_view view = fixture_view(f);
	struct ring_slot s;

	assert_int_equal(ring_span_end(&f->w, NULL, 5, &compile), 0);
	assert_int_equal(ring_span_begin(&f->w, NULL, 10, &compile), 1);
	assert_int_equal(ring_view_span(&view, 0, &s), RING_SLOT_WHOLE);
	assert_int_equal(ring_meta_flags(s.meta), 0);
	assert_int_equal(s.sig, 7);
	assert_int_equal(ring_span_end(&f->w, NULL, 30, &compile), 1);
	assert_int_equal(ring_view_span(&view, 0, &s), RING_SLOT_WHOLE);
	assert_int_equal(ring_meta_flags(s.meta), RING_F_CLOSED);
	assert_int_equal(s.tsc, 10);
	assert_int_equal(s.count, 30);
	assert_int_equal(f->w.pinned[RING_PIN_COMPILE].next, 2);
	assert_int_equal(f->w.overflow->head, 2);
	assert_int_equal(ring_span_end(&f->w, NULL, 40, &compile), 0);
	fixture_free(f);
}

static void spans_of_one_name_end_inside_out_and_on_their_own_thread_first(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_span a = span(RING_SPAN_USER, 8, 1), b = span(RING_SPAN_USER, 8, 2);
	struct ring_span c = span(RING_SPAN_USER, 8, 3);
	struct ring_slot s;

	assert_int_equal(ring_span_begin(&f->w, NULL, 10, &a), 1);
	assert_int_equal(ring_span_begin(&f->w, NULL, 11, &a), 2);
	assert_int_equal(ring_span_begin(&f->w, NULL, 12, &b), 3);
	assert_int_equal(ring_span_end(&f->w, NULL, 20, &a), 2);
	assert_int_equal(ring_span_end(&f->w, NULL, 21, &c), 3);
	assert_int_equal(ring_slot_read(&f->w.spans[2], &s), RING_SLOT_WHOLE);
	assert_int_equal(ring_meta_flags(s.meta), RING_F_CLOSED | RING_F_RESUMED);
	assert_int_equal(ring_span_end(&f->w, NULL, 22, &a), 1);
	fixture_free(f);
}

static void open_spans_are_never_evicted(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	uint32_t n = f->layout.spans, open = 0;
	struct ring_slot s;

	for (uint32_t i = 0; i < 5 * n; i++) {
		struct ring_span passing = span(RING_SPAN_INPUT, 16, 1);

		ring_span_begin(&f->w, NULL, 100 + 2 * i, &passing);
		assert_int_not_equal(ring_span_end(&f->w, NULL, 101 + 2 * i, &passing), 0);
		if (i < n - 1) {
			struct ring_span stays = span(RING_SPAN_USER, 100 + 8 * i, 1);

			ring_span_begin(&f->w, NULL, 1, &stays);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (ring_slot_read(&f->w.spans[i], &s) == RING_SLOT_WHOLE)
			open += !(ring_meta_flags(s.meta) & RING_F_CLOSED);
	assert_int_equal(open, n - 1);
	assert_int_equal(f->w.header->losses.spans, 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct ring_span more = span(RING_SPAN_USER, 8, 9);

		assert_int_not_equal(ring_span_begin(&f->w, NULL, 9, &more), 0);
	}
	assert_int_equal(f->w.header->losses.spans, 2);
	fixture_free(f);
}

static void marks_keep_totals_the_first_and_the_latest(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	const uint64_t dims[] = {4, 4096, 2, 9, 8};
	struct ring_shape shape = {24, 5, 11, dims};
	struct ring_view view = fixture_view(f);
	struct ring_mark got;
	struct ring_slot s;

	for (uint64_t i = 1; i <= 10; i++) {
		struct ring_shard train = {24, i, 4, 4 * 4096}, eval = {32, i, 1, 0};

		ring_mark_step(&f->w, NULL, i, i);
		ring_mark_shard(&f->w, NULL, 100 + i, &train);
		if (i < 4)
			ring_mark_shard(&f->w, NULL, 200 + i, &eval);
	}
	ring_mark_shape(&f->w, NULL, 300, &shape);
	assert_int_equal(ring_view_mark(&view, 0, &got), 1);
	assert_int_equal(got.claim, RING_MARK_STEP);
	ring_board_read(got.latest, &s);
	assert_int_equal(s.index, 10);
	assert_int_equal(ring_view_mark(&view, 1, &got), 1);
	assert_int_equal(got.events, 10);
	assert_int_equal(got.total, 40);
	assert_int_equal(got.first.index, 1);
	assert_int_equal(ring_board_read(got.shape, &s), 1);
	assert_int_equal(s.aux, 2);
	assert_int_equal(s.more, 5);
	assert_int_equal(ring_view_mark(&view, 2, &got), 1);
	assert_int_equal(got.events, 3);
	assert_int_equal(f->w.pinned[RING_PIN_SHARD].next, 3);
	assert_int_equal(ring_view_mark(&view, 3, &got), 0);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_is_seen_when_it_is_published),
		cmocka_unit_test(ended_groups_give_their_place_only_when_all_are_taken),
		cmocka_unit_test(what_was_never_used_is_not_read_and_a_gap_is),
		cmocka_unit_test(history_keeps_first_powers_and_last),
		cmocka_unit_test(empty_collectives_count_in_our_order_and_not_in_nccls),
		cmocka_unit_test(p2p_counts_by_peer_and_direction_and_leaves_the_order_alone),
		cmocka_unit_test(a_tagged_message_has_its_turn),
		cmocka_unit_test(a_returned_op_says_so_where_it_still_shows),
		cmocka_unit_test(completion_only_moves_forward),
		cmocka_unit_test(a_stuck_claim_loses_records_and_never_the_count),
		cmocka_unit_test(a_span_is_open_until_it_ends),
		cmocka_unit_test(spans_of_one_name_end_inside_out_and_on_their_own_thread_first),
		cmocka_unit_test(open_spans_are_never_evicted),
		cmocka_unit_test(marks_keep_totals_the_first_and_the_latest),
	};

	return cmocka_run_group_tests_name("ring_group", tests, NULL, NULL);
}
