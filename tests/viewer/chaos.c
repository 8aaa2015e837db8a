/* SPDX-License-Identifier: Apache-2.0 */
#include "chaos.h"

#include "job/names.h"
#include "job/seal/build.h"

#define S 1000000000LL
#define T (1700000000 * S) /* where its time begins */

struct chaos {
	struct job_builder *b;
	uint64_t *draw;
	int nranks, nevents;
	int64_t length; /* of the job, ns */
};

uint64_t chaos_draw(uint64_t *draw, uint64_t n)
{
	*draw ^= *draw << 13;
	*draw ^= *draw >> 7;
	*draw ^= *draw << 17;
	return *draw % n;
}

const char *chaos_name(uint64_t *draw)
{
	static const char *const names[] = {
		"", "world", "dp", "AllReduce", "codegen", "train.py", "\033[31mred\033[0m",
		"\033]52;c;Zm9v\007", "a\nb\tc\rd", "\x9b" "31m", "\xff\xfe\xc0\x80",
		"\xe2\x80\xae" "rtl", "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
		"\xcc\x81", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\xf0\x9f\x94\xa5",
		"\xe2\x80\x8b", "%s%n%d",
		"\x1b[2J\x1b[H", "\xe2\x81\xa6isolate", "\xf4\x90\x80\x80", "\xed\xa0\x80",
		"a very long name that goes on and on and on and on and on and on and on and on "
		"and on and on and on and on and on and on and on and on and on and on and on",
	};

	return names[chaos_draw(draw, sizeof(names) / sizeof(names[0]))];
}

/* Mostly within the job's time; now and then of a clock that lies, by centuries. */
static int64_t when(struct chaos *c)
{
	static const int64_t odd[] = {
		-2 * T, 2 * T, 0, -1, S, 2 * S, T + 1, INT64_MAX, INT64_MIN + 1};

	if (chaos_draw(c->draw, 50) == 0)
		return JOB_UNKNOWN;
	if (chaos_draw(c->draw, 50) == 0)
		return odd[chaos_draw(c->draw, sizeof(odd) / sizeof(*odd))];
	return T + (int64_t)chaos_draw(c->draw, (uint64_t)c->length);
}

static struct job_who who_of(int rank)
{
	static const char *const hosts[8] = {
		"node0", "node1", "h\033[1m", "\xe6\x97\xa5", "", "node5", "node6", "\xff"};

	return (struct job_who){hosts[rank / 8 % 8], 100 + (uint32_t)rank, 7};
}

static void add_process(struct chaos *c, int rank)
{
	struct job_process process = job_process_unknown;
	struct job_identity identity = {.world_rank = world_rank(rank), .local_rank = rank % 8};

	identity.promoted = chaos_draw(c->draw, 20) != 0;
	identity.knows = chaos_draw(c->draw, 20)
				 ? (unsigned)chaos_draw(c->draw, 256) | JOB_KNOWS_RING
				 : JOB_KNOWS_PROC;
	identity.lost_records = chaos_draw(c->draw, 20) ? 0 : 5;
	process.role = JOB_ROLE_RANK;
	process.comm = chaos_name(c->draw);
	process.end = chaos_draw(c->draw, 10) ? JOB_ALIVE : JOB_SIGNALED;
	process.status = process.end == JOB_ALIVE ? 0 : 11;
	process.ended = process.end == JOB_ALIVE ? JOB_UNKNOWN : when(c);
	process.end_cite = "exit";
	process.sample_cite = process.cite = "proc";
	process.wchan = "";
	process.born = T;
	job_add_process(c->b, who_of(rank), &process, &identity);
}

static void add_thread(struct chaos *c, int rank, uint64_t key, uint64_t op)
{
	struct job_thread thread = {.tid = 100 + (uint32_t)rank, .name = chaos_name(c->draw),
		.state = (enum job_thread_state)chaos_draw(c->draw, 5), .call = "ncclAllReduce",
		.detail = "", .op = op, .since = when(c), .cite = "ring"};

	job_add_thread(c->b, who_of(rank), &thread, key);
}

/* Some ops of one seat, the last of them maybe held. */
static void add_member(struct chaos *c, int rank, uint64_t key, uint32_t size, const char *name)
{
	struct job_group group = {.key = key, .name = name, .maker = "nccl", .ranks = "",
		.size = size, .cite = "ring"};
	struct job_member member = job_member_unknown;
	uint64_t n = chaos_draw(c->draw, (uint64_t)c->nevents + 1);

	member.seat = group_rank((uint32_t)rank % size);
	member.state = JOB_MEMBER_READY;
	member.head_known = true;
	member.head = n;
	member.cite = "ring";
	job_add_member(c->b, who_of(rank), &group, &member);
	for (uint64_t i = 1; i <= n; i++) {
		struct job_op op = {.index = i, .entered = T + (int64_t)i * c->length / 50,
			.thread = JOB_NONE, .cite = "ring"};

		op.sig.op = (uint8_t)chaos_draw(c->draw, JOB_OP_RECV + 1);
		op.sig.count = chaos_draw(c->draw, 5000);
		op.sig.peer = chaos_draw(c->draw, 4)
				      ? NO_GROUP_RANK
				      : group_rank((uint32_t)chaos_draw(c->draw, size));
		op.returned = (enum job_known)chaos_draw(c->draw, 3);
		op.completed = (enum job_known)chaos_draw(c->draw, 3);
		job_add_op(c->b, who_of(rank), key, member.seat, &op, 100 + (uint32_t)rank);
	}
	add_thread(c, rank, key, n);
}

static void add_spans(struct chaos *c, int rank)
{
	for (uint64_t n = chaos_draw(c->draw, (uint64_t)c->nevents + 1); n; n--) {
		struct job_span span = {.kind = (enum job_span_kind)(1 + chaos_draw(c->draw, 5)),
			.name = chaos_name(c->draw), .detail = chaos_name(c->draw),
			.begun = when(c), .ended = when(c), .cite = "ring"};

		span.open = span.ended == JOB_UNKNOWN;
		job_add_span(c->b, who_of(rank), &span);
	}
}

static void add_marks(struct chaos *c, int rank)
{
	struct job_note note = {.text = chaos_name(c->draw), .when = when(c), .cite = "ring"};
	struct job_step step = {.n = 3, .events = 3, .first = T, .when = when(c), .cite = "ring"};
	struct job_shard shard = {.loader = chaos_name(c->draw), .rows = chaos_draw(c->draw, 3),
		.batches = 1, .when = when(c), .cite = "ring"};
	struct job_signal signal = {.signo = 11, .fatal = true, .thread = chaos_name(c->draw),
		.when = when(c), .cite = "ring"};
	struct job_loss loss = {.what = chaos_name(c->draw), .count = 7, .of_ops = true,
		.cite = "ring"};
	struct job_log log = {.last_line = chaos_name(c->draw), .error = chaos_name(c->draw),
		.when = when(c), .cite = "log"};

	note.exception = chaos_draw(c->draw, 2);
	job_add_log(c->b, who_of(rank), &log);
	job_add_shard(c->b, who_of(rank), &shard);
	job_add_step(c->b, who_of(rank), &step);
	if (chaos_draw(c->draw, 4) == 0)
		job_add_note(c->b, who_of(rank), &note);
	if (chaos_draw(c->draw, 8) == 0)
		job_add_signal(c->b, who_of(rank), &signal);
	if (chaos_draw(c->draw, 8) == 0)
		job_add_loss(c->b, who_of(rank), &loss);
}

static void add_stack(struct chaos *c, int rank)
{
	struct job_frame frames[6] = {{0}};
	size_t n = chaos_draw(c->draw, 7);
	struct job_stack stack = {.tid = 100 + (uint32_t)rank, .main = true,
		.thread = chaos_name(c->draw), .merged = true, .cut = "", .state = 'S',
		.wchan = "", .syscall = "futex", .cpu_delta = 0, .samples = 3,
		.moved = (enum job_known)chaos_draw(c->draw, 3), .when = T + c->length,
		.cite = "stack"};

	for (size_t i = 0; i < n; i++)
		frames[i] = (struct job_frame){.kind = (enum job_frame_kind)chaos_draw(c->draw, 2),
			.function = chaos_name(c->draw), .module = chaos_name(c->draw),
			.file = chaos_name(c->draw), .line = (int)chaos_draw(c->draw, 100)};
	job_add_stack(c->b, who_of(rank), &stack, frames, n);
}

static void add_rank(struct chaos *c, int rank)
{
	struct job_host host = job_host_unknown;

	host.name = who_of(rank).host;
	host.gathered = T + c->length;
	host.cite = host.cgroup_cite = "gather";
	job_add_host(c->b, &host);
	if (chaos_draw(c->draw, 30) == 0)
		return; /* never seen */
	add_process(c, rank);
	add_member(c, rank, 1, (uint32_t)c->nranks, "world");
	if (chaos_draw(c->draw, 2))
		add_member(c, rank, 2 + (uint64_t)rank / 4, 4, chaos_name(c->draw));
	add_spans(c, rank);
	add_marks(c, rank);
	if (chaos_draw(c->draw, 2))
		add_stack(c, rank);
}

struct job *chaos_job(uint64_t *draw, int nranks, int nevents)
{
	struct chaos c = {.b = job_builder_new(), .draw = draw, .nranks = nranks,
		.nevents = nevents};

	c.length = 1 + (int64_t)chaos_draw(draw, chaos_draw(draw, 2) ? 100 * S : 1000);
	job_add_identity(c.b, chaos_name(draw), chaos_name(draw));
	job_add_world_size(c.b, nranks + (chaos_draw(draw, 8) ? 0 : 3), "WORLD_SIZE");
	if (chaos_draw(draw, 2))
		job_add_launch(c.b, chaos_draw(draw, 4) ? T : when(&c));
	if (chaos_draw(draw, 4) == 0)
		job_add_deadline(c.b, T + 2 * c.length, "env");
	for (int rank = 0; rank < nranks; rank++)
		add_rank(&c, rank);
	return job_seal(c.b);
}
