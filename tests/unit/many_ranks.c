/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/many_ranks.h"

#include <signal.h>
#include <stdio.h>

#include "job/names.h"
#include "job/seal/build.h"

#define START INT64_C(1700000000000000000)
#define S     INT64_C(1000000000)
#define WORLD 0x1111
#define PER_HOST 8

struct making {
	const struct many_ranks *many;
	struct job_builder *b;
	struct job_who who;
	char host[16];
	int rank;
};

static void add_process(struct making *m)
{
	struct job_process process = job_process_unknown;
	struct job_identity identity = {.world_rank = world_rank(m->rank),
		.local_rank = m->rank % PER_HOST,
		.promoted = true,
		.knows = JOB_KNOWS_RING | JOB_KNOWS_PROC | JOB_KNOWS_EXIT | JOB_KNOWS_COMPLETION};

	process.role = JOB_ROLE_RANK;
	process.end = m->many->dead ? JOB_SIGNALED : JOB_ALIVE;
	process.status = m->many->dead ? SIGABRT : 0;
	process.ended = m->many->dead ? START + 90 * S + m->rank : JOB_UNKNOWN;
	process.state = 'S';
	process.born = START;
	process.cite = "proc";
	job_add_process(m->b, m->who, &process, &identity);
}

static void enter(struct making *m, uint64_t key, uint32_t seat, uint64_t index, bool done)
{
	struct job_op op = {.index = index,
		.sig = {.op = JOB_OP_ALLREDUCE, .dtype = 7, .peer = NO_GROUP_RANK, .count = 4096},
		.entered = START + (int64_t)(10 * index) * S + m->rank,
		.returned = done ? JOB_YES : JOB_NO,
		.completed = done ? JOB_YES : JOB_NO,
		.stream = 1,
		.cite = "ring:op"};

	job_add_op(m->b, m->who, key, group_rank(seat), &op, m->who.pid);
}

static void sit(struct making *m, const struct job_group *group, uint32_t seat, uint64_t head,
	uint64_t done)
{
	struct job_member member = job_member_unknown;

	member.seat = group_rank(seat);
	member.state = JOB_MEMBER_READY;
	member.head_known = member.done_known = true;
	member.head = head;
	member.done = done;
	member.cite = "ring:group";
	job_add_member(m->b, m->who, group, &member);
	for (uint64_t i = 1; i <= head; i++)
		enter(m, group->key, seat, i, i <= done);
}

static void add_groups(struct making *m)
{
	struct job_group world = {.key = WORLD,
		.name = "world",
		.maker = "nccl",
		.ranks = "",
		.size = (uint32_t)m->many->n,
		.cite = "ring:group"};
	struct job_group host = world;

	host.key = WORLD + 1 + (uint64_t)(m->rank / PER_HOST);
	host.name = m->host;
	host.size = PER_HOST;
	sit(m, &world, (uint32_t)m->rank, m->rank == m->many->missing ? 1 : 2, 1);
	sit(m, &host, (uint32_t)(m->rank % PER_HOST), 1, 1);
}

static void add_thread(struct making *m)
{
	bool missing = m->rank == m->many->missing;
	struct job_thread thread = {.tid = m->who.pid,
		.name = "python",
		.state = missing ? JOB_THREAD_OUTSIDE : JOB_THREAD_IN_CALL,
		.call = missing ? "" : "ncclAllReduce",
		.detail = "",
		.op = missing ? 0 : 2,
		.since = START + 20 * S,
		.cite = "ring:lane0"};

	job_add_thread(m->b, m->who, &thread, missing ? 0 : WORLD);
}

static void add_stack(struct making *m)
{
	struct job_frame frames[] = {
		{.kind = JOB_FRAME_NATIVE, .function = "poll", .module = "libc.so.6"},
		{.kind = JOB_FRAME_PYTHON, .function = "step", .file = "/me/train.py", .line = 9},
		{.kind = JOB_FRAME_PYTHON, .function = "main", .file = "/me/train.py", .line = 2}};
	struct job_stack stack = {.tid = m->who.pid,
		.main = true,
		.thread = "python",
		.merged = true,
		.cut = "",
		.wchan = "",
		.syscall = "poll",
		.state = 'S',
		.samples = 3,
		.moved = JOB_NO,
		.still = 3,
		.cpu_delta = 0,
		.when = START + 100 * S,
		.cite = "stack"};

	if (m->many->unalike || m->rank == m->many->missing)
		frames[1].line = 10 + m->rank;
	job_add_stack(m->b, m->who, &stack, frames, 3);
}

static void add_words(struct making *m)
{
	char text[64];
	struct job_log log = {.last_line = text, .error = "", .when = START, .cite = "stderr"};
	struct job_loss loss = {.what = text, .count = 1, .cite = "ring"};

	snprintf(text, sizeof(text), "step of %d", m->many->unalike ? m->rank : 0);
	job_add_log(m->b, m->who, &log);
	job_add_loss(m->b, m->who, &loss);
}

static void add_host(struct making *m)
{
	struct job_host host = job_host_unknown;

	host.name = m->host;
	host.gathered = START + 100 * S;
	host.agent_alive = JOB_YES;
	host.agent_beat = host.gathered - (m->many->unalike ? m->rank : 0);
	host.oom_kills = 0;
	host.cite = "gather";
	job_add_host(m->b, &host);
}

struct job *many_ranks_job(const struct many_ranks *many)
{
	struct making m = {.many = many, .b = job_builder_new()};

	job_add_identity(m.b, "job-1", "many");
	job_add_world_size(m.b, many->n, "WORLD_SIZE");
	job_add_launch(m.b, START);
	job_add_census_seen(m.b);
	for (m.rank = 0; m.rank < many->n; m.rank++) {
		snprintf(m.host, sizeof(m.host), "node%d", m.rank / PER_HOST);
		m.who = (struct job_who){m.host, 1000 + (uint32_t)m.rank, 7};
		if (m.rank % PER_HOST == 0)
			add_host(&m);
		add_process(&m);
		add_groups(&m);
		add_thread(&m);
		add_stack(&m);
		add_words(&m);
	}
	return job_seal(m.b);
}
