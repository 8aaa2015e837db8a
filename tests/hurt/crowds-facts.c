/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds of facts: what is decoded is not told, only what sealing and judging make of it. */
#include "tests/hurt/crowds.h"

#include <stdio.h>

#include "job/names.h"

#define START INT64_C(1700000000000000000)
#define S     INT64_C(1000000000)
#define KEY   0x1000

static struct job_who who_of(size_t rank)
{
	return (struct job_who){"h", (uint32_t)rank + 100, rank + 1};
}

/* Ranks that live, on one host, of which evidence of those kinds tells. */
static void add_ranks_known_by(struct job_builder *b, size_t n, unsigned knows)
{
	const struct job_host host = {.name = "h", .gathered = START + 900 * S, .cite = "host"};

	job_add_host(b, &host);
	job_add_world_size(b, (int)n, "WORLD_SIZE");
	for (size_t rank = 0; rank < n; rank++) {
		struct job_process process = job_process_unknown;
		struct job_identity identity = {.world_rank = world_rank((int)rank),
			.promoted = true,
			.knows = knows};

		process.role = JOB_ROLE_RANK;
		process.end = JOB_ALIVE;
		process.state = 'S';
		process.born = START;
		process.ppid = 99;
		process.cite = "proc";
		job_add_process(b, who_of(rank), &process, &identity);
	}
}

static void add_ranks(struct job_builder *b, size_t n)
{
	add_ranks_known_by(b, n, JOB_KNOWS_RING | JOB_KNOWS_PROC | JOB_KNOWS_EXIT);
}

/* The seat of a rank in a group, which entered `head` collectives. */
static void sit(struct job_builder *b, size_t rank, uint64_t key, uint32_t size, uint32_t seat,
	uint64_t head)
{
	const struct job_group group = {.key = key,
		.name = "",
		.maker = "nccl",
		.ranks = "",
		.made_name = "",
		.size = size,
		.sized = JOB_SIZE_SAID,
		.cite = "ring:group"};
	struct job_member member = job_member_unknown;

	member.seat = group_rank(seat);
	member.state = JOB_MEMBER_READY;
	member.head_known = true;
	member.head = head;
	member.cite = "ring:group";
	job_add_member(b, who_of(rank), &group, &member);
}

static void call(struct job_builder *b, size_t rank, uint32_t tid, const char *name, uint64_t key)
{
	const struct job_thread thread = {.tid = tid,
		.name = "python",
		.state = JOB_THREAD_IN_CALL,
		.call = name,
		.detail = "",
		.since = START + 100 * S,
		.cite = "ring:lane0"};

	job_add_thread(b, who_of(rank), &thread, key);
}

static struct job_op open_op(uint8_t op, uint64_t index, uint64_t order)
{
	return (struct job_op){.index = index,
		.sig = {.op = op, .dtype = 7, .peer = NO_GROUP_RANK, .count = 4096},
		.entered = START + 100 * S + (int64_t)order,
		.returned = JOB_YES,
		.completed = JOB_NO,
		.stream = 1,
		.order = order,
		.place = "",
		.parts = "",
		.cite = "ring:op"};
}

static struct job_op open_message(uint8_t op, uint32_t peer, uint64_t index, uint64_t order)
{
	struct job_op made = open_op(op, index, order);

	made.sig.peer = group_rank(peer);
	return made;
}

/* -- operations -------------------------------------------------------------------------------- */

/* Two ranks, each of which sends and receives: all is open, and no message lacks its side. */
static void messages_met(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, 0);
		for (size_t i = 0; i < n; i++) {
			uint8_t kind = i % 2 == rank ? JOB_OP_SEND : JOB_OP_RECV;
			struct job_op op =
				open_message(kind, 1 - (uint32_t)rank, i / 2 + 1, i + 1);

			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* Two ranks that only send. */
static void messages_lacking(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, 0);
		for (size_t i = 0; i < n; i++) {
			struct job_op op = open_message(
				JOB_OP_SEND, 1 - (uint32_t)rank, i + 1, i + 1);

			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* Requests of MPI: each of another tag, asked for in the opposite order by the peer. */
static void messages_tagged(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, 0);
		for (size_t i = 0; i < n; i++) {
			struct job_op op = open_message(rank ? JOB_OP_RECV : JOB_OP_SEND,
				1 - (uint32_t)rank, i + 1, i + 1);

			op.tagged = true;
			op.tag = rank ? n - i : i;
			op.turn = 1;
			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* One launch of all of them. */
static void messages_of_one_launch(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, 0);
		for (size_t i = 0; i < n; i++) {
			struct job_op op = open_message(rank ? JOB_OP_RECV : JOB_OP_SEND,
				1 - (uint32_t)rank, i + 1, i + 1);

			op.launch = 1;
			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* Rank 0 receives from each of many, of which none sends. */
static void messages_of_many(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++)
		sit(b, rank, KEY, (uint32_t)n, (uint32_t)rank, 0);
	for (size_t i = 1; i < n; i++) {
		struct job_op op = open_message(JOB_OP_RECV, (uint32_t)i, 1, i);

		job_add_op(b, who_of(0), KEY, group_rank(0), &op, 1);
	}
}

/* Two ranks that wait in a collective, with very many ahead of it. */
static void collectives(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, n - rank);
		for (size_t i = 0; i < n - rank; i++) {
			struct job_op op = open_op(JOB_OP_ALLREDUCE, i + 1, i + 1);

			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* The same, of which nobody knows what is complete, and each of nothing. */
static void collectives_of_nothing(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t rank = 0; rank < 2; rank++) {
		sit(b, rank, KEY, 2, (uint32_t)rank, n - rank);
		for (size_t i = 0; i < n - rank; i++) {
			struct job_op op = open_op(JOB_OP_ALLREDUCE, i + 1, i + 1);

			op.sig.count = 0;
			op.completed = JOB_MAYBE;
			job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		}
	}
}

/* -- groups ------------------------------------------------------------------------------------ */

/* Two ranks in many groups, an operation open in each: only one of them has come. */
static void groups_of_two(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++)
		for (size_t rank = 0; rank < 2; rank++) {
			struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, i + 1);

			sit(b, rank, KEY + i, 2, (uint32_t)rank, i % 2 == rank);
			if (i % 2 == rank)
				job_add_op(b, who_of(rank), KEY + i, group_rank((uint32_t)rank),
					&op, 1);
		}
}

/* The same, but all have come to all. */
static void groups_all_in(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++)
		for (size_t rank = 0; rank < 2; rank++) {
			struct job_op op = open_op(
				JOB_OP_ALLREDUCE, 1, rank ? n - i : i + 1);

			op.completed = JOB_MAYBE;
			op.returned = JOB_NO;
			sit(b, rank, KEY + i, 2, (uint32_t)rank, 1);
			job_add_op(b, who_of(rank), KEY + i, group_rank((uint32_t)rank), &op, 1);
		}
	call(b, 0, 1, "ncclAllReduce", KEY);
	call(b, 1, 1, "ncclAllReduce", KEY);
}

/* The same, but only dumps tell of them, and nobody waits. */
static void groups_by_dump(struct job_builder *b, size_t n)
{
	struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);

	op.completed = JOB_YES;
	add_ranks_known_by(b, 2, JOB_KNOWS_DUMP | JOB_KNOWS_EXIT);
	for (size_t i = 0; i < n; i++)
		for (size_t rank = 0; rank < 2; rank++) {
			sit(b, rank, KEY + i, 2, (uint32_t)rank, 1);
			job_add_op(b, who_of(rank), KEY + i, group_rank((uint32_t)rank), &op, 1);
		}
}

/* One rank alone in many groups, which are all in their making. */
static void groups_in_init(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++) {
		const struct job_group group = {.key = KEY + i,
			.name = "",
			.maker = "nccl",
			.ranks = "",
			.made_name = "",
			.size = 2,
			.sized = JOB_SIZE_SAID,
			.cite = "ring:group"};
		struct job_member member = job_member_unknown;

		member.seat = group_rank(0);
		member.state = JOB_MEMBER_IN_INIT;
		member.init_since = START + 100 * S;
		member.cite = "ring:group";
		job_add_member(b, who_of(0), &group, &member);
	}
}

/* Groups that the two members made anew again and again, each for itself. */
static void creations(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	sit(b, 0, KEY, 2, 0, 1);
	sit(b, 1, KEY, 2, 1, 1);
	for (size_t i = 1; i <= n; i++)
		for (size_t rank = 0; rank < 2; rank++) {
			struct job_group group = {.key = KEY + 2 * i + rank,
				.parent = KEY,
				.made_name = i % 2 ? "tp" : "dp",
				.name = i % 2 ? "tp" : "dp",
				.maker = "nccl",
				.ranks = "0-1",
				.size = 2,
				.sized = JOB_SIZE_SAID,
				.cite = "ring:group"};
			struct job_member member = job_member_unknown;

			member.seat = group_rank((uint32_t)rank);
			member.state = i < n ? JOB_MEMBER_GONE : JOB_MEMBER_IN_INIT;
			member.init_since = START + (int64_t)i;
			member.splits = i;
			member.cite = "ring:group";
			job_add_member(b, who_of(rank), &group, &member);
		}
}

/* -- threads, and what hangs on a process ------------------------------------------------------ */

static void threads(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	sit(b, 0, KEY, 2, 0, 1);
	sit(b, 1, KEY, 2, 1, 0);
	for (size_t i = 0; i < n; i++) {
		struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);

		call(b, 0, (uint32_t)i + 1, i % 2 ? "ncclAllReduce" : "cudaStreamSynchronize", KEY);
		if (!i)
			job_add_op(b, who_of(0), KEY, group_rank(0), &op, 1);
	}
}

/* Threads that wait for a device, and as many messages of which each may be one's. */
static void threads_and_messages(struct job_builder *b, size_t n)
{
	messages_met(b, n);
	for (size_t i = 0; i < n; i++) {
		const struct job_thread thread = {.tid = (uint32_t)i + 1,
			.name = "python",
			.state = JOB_THREAD_IN_WAIT,
			.call = "cudaStreamSynchronize",
			.detail = "",
			.stream = i + 10,
			.since = START + 100 * S,
			.cite = "ring:lane0"};

		job_add_thread(b, who_of(0), &thread, 0);
	}
}

/* Threads of one process that two seats of one group share, so that two ranks are in it. */
static void threads_of_shared(struct job_builder *b, size_t n)
{
	add_ranks(b, 1);
	sit(b, 0, KEY, 2, 0, n);
	sit(b, 0, KEY, 2, 1, n);
	for (size_t i = 0; i < n; i++) {
		struct job_op op = open_op(JOB_OP_ALLREDUCE, i + 1, i + 1);

		call(b, 0, (uint32_t)i + 1, "ncclAllReduce", KEY);
		job_add_op(b, who_of(0), KEY, group_rank(i % 2), &op, (uint32_t)i + 1);
	}
}

static void stacks(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++) {
		char function[32];
		const struct job_frame frames[] = {
			{.kind = JOB_FRAME_NATIVE, .function = "poll", .module = "libc.so.6"},
			{.kind = JOB_FRAME_PYTHON,
				.function = function,
				.file = "/me/train.py",
				.line = (int)i + 1},
			{.kind = JOB_FRAME_PYTHON, .function = "main", .file = "/me/train.py"}};
		const struct job_stack stack = {.tid = i ? (uint32_t)i + 1000 : 100,
			.main = !i,
			.thread = "python",
			.merged = true,
			.cut = "",
			.wchan = "",
			.syscall = "poll",
			.handling = "",
			.state = 'S',
			.samples = 3,
			.moved = JOB_NO,
			.still = 3,
			.cpu_delta = 0,
			.when = START + 800 * S,
			.cite = "stack"};

		snprintf(function, sizeof(function), "f%zu", i);
		job_add_stack(b, who_of(0), &stack, frames, 3);
	}
}

static void spans(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	sit(b, 0, KEY, 2, 0, 1);
	sit(b, 1, KEY, 2, 1, 0);
	for (size_t i = 0; i < n; i++) {
		char graph[32];
		const struct job_span span = {.kind = JOB_SPAN_COMPILE + (int)(i % 2),
			.name = "codegen",
			.detail = graph,
			.begun = START + (int64_t)i,
			.ended = JOB_UNKNOWN,
			.open = true,
			.cpu_at_begin = JOB_UNKNOWN,
			.cpu_at_end = JOB_UNKNOWN,
			.cite = "span"};

		snprintf(graph, sizeof(graph), "%zu/0", i);
		job_add_span(b, who_of(i % 2), &span);
	}
}

/* Of a rank, or of two, many facts of all other kinds. */
static void facts(struct job_builder *b, size_t n)
{
	char text[32];

	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++) {
		const struct job_note note = {.text = text, .exception = i % 2, .cite = "note"};
		const struct job_trait trait = {.key = text, .text = text, .cite = "trait"};
		const struct job_loss loss = {.what = text, .count = 1, .cite = "loss"};
		const struct job_shard shard = {
			.loader = text, .index = i, .rows = 1, .batches = i, .cite = "shard"};
		const struct job_cache cache = {.path = text, .files = 1, .cite = "cache"};
		const struct job_saying saying = {
			.kind = JOB_SAYS_KERNEL, .text = text, .text2 = "", .cite = "saying"};
		const struct job_signal signal = {
			.signo = 15, .sender_role = JOB_NONE, .thread = "", .when = (int64_t)i,
			.cite = "signal"};
		const struct job_log log = {.last_line = text, .error = text, .cite = "log"};

		snprintf(text, sizeof(text), "thing %zu", i);
		job_add_note(b, who_of(i % 2), &note);
		job_add_trait(b, who_of(i % 2), &trait);
		job_add_loss(b, who_of(i % 2), &loss);
		job_add_shard(b, who_of(i % 2), &shard);
		job_add_cache(b, who_of(i % 2), &cache);
		job_add_saying(b, who_of(i % 2), &saying);
		job_add_signal(b, who_of(i % 2), &signal);
		job_add_log(b, who_of(i % 2), &log);
	}
}

/* -- ranks ------------------------------------------------------------------------------------- */

/* Each rank waits for what the next one sends, all round. */
static void circle_of_messages(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++) {
		struct job_op op = open_message(JOB_OP_RECV, (uint32_t)((rank + 1) % n), 1, 1);

		op.returned = JOB_NO;
		sit(b, rank, KEY, (uint32_t)n, (uint32_t)rank, 0);
		job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		call(b, rank, 1, "ncclRecv", KEY);
	}
}

/* Each rank waits in a group of it and the next one. */
static void circle_of_groups(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++) {
		struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);

		op.returned = JOB_NO;
		sit(b, rank, KEY + rank, 2, 0, 1);
		sit(b, (rank + 1) % n, KEY + rank, 2, 1, 0);
		job_add_op(b, who_of(rank), KEY + rank, group_rank(0), &op, 1);
		call(b, rank, 1, "ncclAllReduce", KEY + rank);
	}
}

/* Ranks two by two, each for itself: many small circles. */
static void circles(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++) {
		size_t at = rank / 2 * 2, other = rank ^ 1;

		for (size_t i = 0; i < 2 && other < n; i++) {
			struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);
			bool in = i == rank % 2;

			op.returned = JOB_NO;
			sit(b, rank, KEY + at + i, 2, (uint32_t)(rank % 2), in);
			if (in)
				job_add_op(b, who_of(rank), KEY + at + i,
					group_rank((uint32_t)(rank % 2)), &op, 1);
		}
		call(b, rank, 1, "ncclAllReduce", KEY + at + rank % 2);
	}
}

/* Each waits in the store for a key of its own. */
static void keys(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 1; rank < n; rank++) {
		char key[32];
		const struct job_thread thread = {.tid = 1,
			.name = "python",
			.state = JOB_THREAD_IN_CALL,
			.call = "c10d_store_get",
			.detail = key,
			.since = START + 100 * S,
			.cite = "ring:lane0"};

		snprintf(key, sizeof(key), "key/%zu", rank);
		job_add_thread(b, who_of(rank), &thread, 0);
	}
}

static void sides_of(struct job_builder *b, size_t n, uint64_t unit)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++) {
		struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);

		op.sig.count = unit * (rank + 1);
		op.returned = JOB_NO;
		sit(b, rank, KEY, (uint32_t)n, (uint32_t)rank, 1);
		job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		call(b, rank, 1, "ncclAllReduce", KEY);
	}
}

/* Each operation of a group is another one on another rank: many sides. */
static void sides(struct job_builder *b, size_t n)
{
	sides_of(b, n, 1);
}

/* The same, and all amounts are multiples of one that is as round as the number of ranks. */
static void sides_of_blocks(struct job_builder *b, size_t n)
{
	sides_of(b, n, 1 << 20);
}

/* All came to one operation, which is done at most ranks, and open at nearly as many. */
static void devices_behind(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	for (size_t rank = 0; rank < n; rank++) {
		struct job_op op = open_op(JOB_OP_ALLREDUCE, 1, 1);
		bool behind = rank % 5 < 2;

		op.completed = behind ? JOB_NO : JOB_YES;
		sit(b, rank, KEY, (uint32_t)n, (uint32_t)rank, 1);
		job_add_op(b, who_of(rank), KEY, group_rank((uint32_t)rank), &op, 1);
		if (behind)
			call(b, rank, 1, "cudaStreamSynchronize", 0);
	}
}

/* Each rank died, for a reason of its own, on a host of its own. */
static void deaths(struct job_builder *b, size_t n)
{
	job_add_world_size(b, (int)n, "WORLD_SIZE");
	for (size_t rank = 0; rank < n; rank++) {
		char name[32];
		const struct job_who who = {name, 100, rank + 1};
		const struct job_host host = {
			.name = name, .gathered = START + 900 * S, .cite = "host"};
		struct job_process process = job_process_unknown;
		const struct job_identity identity = {.world_rank = world_rank((int)rank),
			.promoted = true,
			.knows = JOB_KNOWS_RING | JOB_KNOWS_EXIT | JOB_KNOWS_LOG};
		const struct job_log log = {.last_line = name, .error = name, .cite = "log"};

		snprintf(name, sizeof(name), "h%zu", rank);
		process.role = JOB_ROLE_RANK;
		process.end = JOB_SIGNALED;
		process.status = (int)(rank % 30) + 1;
		process.ended = START + (int64_t)rank * S;
		process.cite = process.end_cite = "proc";
		job_add_host(b, &host);
		job_add_expected_host(b, name);
		job_add_process(b, who, &process, &identity);
		job_add_log(b, who, &log);
	}
}

/* Children of one rank, each the child of the one before. */
static void children(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++) {
		const struct job_who who = {"h", (uint32_t)i + 1000, i + 1000};
		const struct job_identity identity = {.world_rank = NO_WORLD_RANK};
		struct job_process process = job_process_unknown;

		process.role = JOB_ROLE_CHILD;
		process.end = JOB_ALIVE;
		process.ppid = i ? (uint32_t)i + 999 : 100;
		process.comm = "python";
		process.cite = "proc";
		job_add_process(b, who, &process, &identity);
	}
}

/* The same, but all are of one parent. */
static void brood(struct job_builder *b, size_t n)
{
	add_ranks(b, 2);
	for (size_t i = 0; i < n; i++) {
		const struct job_who who = {"h", (uint32_t)i + 1000, i + 1000};
		const struct job_identity identity = {
			.world_rank = world_rank((int)(i % 2)), .number = JOB_NUMBER_OF_TASK};
		struct job_process process = job_process_unknown;

		process.end = JOB_ALIVE;
		process.ppid = 100;
		process.comm = "python";
		process.cite = "proc";
		job_add_process(b, who, &process, &identity);
	}
}

/* Two ranks of three live, and each one's number was given to somebody else, too. */
static void twins(struct job_builder *b, size_t n)
{
	add_ranks(b, n);
	job_add_world_size(b, (int)(n + n / 2), "WORLD_SIZE");
	job_add_census_seen(b);
	for (size_t i = 0; i < n / 2; i++) {
		const struct job_who who = {"h", (uint32_t)(i + n) + 100, i + n + 1};
		const struct job_identity identity = {.world_rank = world_rank((int)i)};
		struct job_process process = job_process_unknown;

		process.end = JOB_ALIVE;
		process.ppid = 99;
		process.cite = "proc";
		job_add_process(b, who, &process, &identity);
	}
	for (size_t rank = 0; rank < n; rank++) {
		const struct job_group group = {.key = KEY,
			.name = "",
			.maker = "nccl",
			.ranks = "",
			.made_name = "",
			.size = (uint32_t)(n + n / 2),
			.sized = JOB_SIZE_SAID,
			.cite = "ring:group"};
		struct job_member member = job_member_unknown;

		member.seat = group_rank((uint32_t)rank);
		member.state = JOB_MEMBER_IN_INIT;
		member.init_since = START + 100 * S;
		member.cite = "ring:group";
		job_add_member(b, who_of(rank), &group, &member);
	}
}

const struct crowd crowds_of_facts[] = {
	{"messages met", 4000, messages_met, NULL, false},
	{"messages lacking", 4000, messages_lacking, NULL, false},
	{"messages tagged", 4000, messages_tagged, NULL, false},
	{"messages of one launch", 4000, messages_of_one_launch, NULL, false},
	{"messages of many", 2000, messages_of_many, NULL, false},
	{"collectives", 4000, collectives, NULL, false},
	{"collectives of nothing", 4000, collectives_of_nothing, NULL, false},
	{"groups of two", 2000, groups_of_two, NULL, false},
	{"groups all in", 2000, groups_all_in, NULL, false},
	{"groups by dump", 2000, groups_by_dump, NULL, false},
	{"groups in init", 2000, groups_in_init, NULL, false},
	{"creations", 2000, creations, NULL, false},
	{"threads", 4000, threads, NULL, false},
	{"threads and messages", 2000, threads_and_messages, NULL, true},
	{"threads of shared", 2000, threads_of_shared, NULL, false},
	{"stacks", 4000, stacks, NULL, false},
	{"spans", 4000, spans, NULL, false},
	{"facts", 2000, facts, NULL, false},
	{"circle of messages", 2000, circle_of_messages, NULL, false},
	{"circle of groups", 2000, circle_of_groups, NULL, false},
	{"circles", 2000, circles, NULL, true},
	{"keys", 2000, keys, NULL, false},
	{"sides", 2000, sides, NULL, false},
	{"sides of blocks", 2048, sides_of_blocks, NULL, false},
	{"devices behind", 4000, devices_behind, NULL, false},
	{"deaths", 2000, deaths, NULL, true},
	{"children", 4000, children, NULL, false},
	{"twins", 2000, twins, NULL, false},
	{"brood", 4000, brood, NULL, false},
	{0},
};
