/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make-ring FILE: a ring as a rank leaves it that was killed inside its 12th AllReduce: it opened
 * a compile span, got an empty shard, counted a loss and said something nasty on stderr.
 */
#include <stdio.h>

#include "ring/calls.h"
#include "tests/ring/fixture.h"

#define S 1000000000ull /* ticks and nanoseconds alike */

static void tell_who(struct ring_header *h)
{
	h->rank = h->local_rank = 3;
	h->world_size = 8;
	h->pid = 4711;
	h->birth_tsc = 10 * S;
	h->losses.completions = 2;
	strcpy(h->job, "sft-41");
	strcpy(h->host, "node\033[31m7");
	strcpy(h->comm, "python3");
}

static void tell_ops(struct ring_writer *w, struct ring_lane *lane)
{
	const struct ring_member world = {.key = 0xfeed, .size = 8, .rank = 3, .device = 3};
	int g = ring_group_claim(w);

	ring_group_publish(w, g, 11 * S, &world);
	ring_group_ready(w, g, 12 * S, 0x1000);
	for (uint64_t i = 1; i <= 12; i++) {
		struct ring_record r = {
			.meta = ring_meta(RING_CALL_ENTER, 0, 0, RING_CALL_ncclAllReduce),
			.count = 1024,
			.sig = ring_sig(RING_OP_ALLREDUCE, 7, 0, RING_SIG_NO_PEER),
		};
		struct ring_entered e = ring_group_enqueue(w, g, 0, (20 + i) * S, &r);

		r.index = e.index;
		ring_put(w, lane, (20 + i) * S, &r);
		ring_lane_board(lane, (20 + i) * S, &r);
		if (i == 12)
			return;
		r.meta = ring_meta(RING_CALL_EXIT, 0, 0, RING_CALL_ncclAllReduce);
		r.aux = 0;
		ring_put(w, lane, (20 + i) * S + 5, &r);
		ring_lane_idle(lane, (20 + i) * S + 5);
		ring_group_returned(w, &e, RING_F_RETURNED);
	}
}

static void tell_rest(struct ring_writer *w, struct ring_lane *lane)
{
	static const char words[] = "CUDA error\033[2J\nbye\n";
	struct ring_span compile = {RING_SPAN_COMPILE, ring_string(w, "inductor codegen", 16),
		ring_string(w, "graph 0/0", 9), 4711, 5};
	struct ring_shard empty = {ring_string(w, "train", 5), 2, 0, 0};
	struct ring_anchor anchor = {10 * S, 10 * S, 1700000000 * S, 20, 1, 1};

	ring_anchor_put(w, &anchor);
	anchor = (struct ring_anchor){30 * S, 30 * S, 1700000020 * S, 20, 1, 1};
	ring_anchor_put(w, &anchor);
	ring_span_begin(w, lane, 13 * S, &compile);
	ring_mark_shard(w, lane, 14 * S, &empty);
	ring_text_append(w, words, sizeof(words) - 1);
}

int main(int argc, char **argv)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_lane *lane = ring_lane_claim(&f->w, 4711, "MainThread");
	FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
	int failed;

	if (!file)
		return 2;
	f->w.header->clock = RING_CLOCK_TSC;
	tell_who(f->w.header);
	tell_rest(&f->w, lane);
	tell_ops(&f->w, lane);
	fixture_furnish_death(&f->w);
	failed = fwrite(f->base, f->layout.size, 1, file) != 1;
	failed |= fclose(file) != 0;
	fixture_free(f);
	return failed;
}
