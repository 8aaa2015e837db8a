/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/report_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/names.h"
#include "tests/unit/unit.h"
#include "words/escape.h"

#define T0 (1800000000LL * CLOCK_NS_PER_S)

static int64_t ago(int seconds)
{
	return T0 - seconds * CLOCK_NS_PER_S;
}

static void make_rank(struct hand_job *hand, int rank, int odd)
{
	hand->ranks[rank] = (struct job_rank){.world_rank = world_rank(rank),
		.named_by_env = true,
		.process = rank,
		.knows = JOB_KNOWS_RING | JOB_KNOWS_PROC};
	hand->processes[rank] = (struct job_process){.pid = 100 + (uint32_t)rank,
		.born = ago(675),
		.rank = rank_index(rank),
		.role = JOB_ROLE_RANK,
		.comm = "python",
		.end = JOB_ALIVE,
		.ended = JOB_UNKNOWN,
		.looked = JOB_UNKNOWN,
		.state = 'S',
		.wchan = "",
		.cite = "proc"};
	hand->threads[rank] = (struct job_thread){.rank = rank_index(rank),
		.name = "python",
		.state = rank == odd ? JOB_THREAD_OUTSIDE : JOB_THREAD_IN_CALL,
		.call = rank == odd ? "" : "ncclAllReduce",
		.op = rank != odd,
		.since = rank == odd ? ago(669) : ago(624),
		.cite = "ring"};
	hand->members[rank] = (struct job_member){.seat = group_rank((uint32_t)rank),
		.rank = rank_index(rank),
		.state = JOB_MEMBER_READY,
		.init_since = ago(670),
		.ready_at = ago(669),
		.head_known = true,
		.head = rank != odd,
		.timeout = JOB_UNKNOWN,
		.cite = "ring:*:g1"};
	hand->caches[rank] = (struct job_cache){.rank = rank_index(rank),
		.path = "/tmp/torchinductor_u",
		.files = rank == odd ? 0 : 412 + rank % 4,
		.cite = "caches"};
	hand->all[rank] = rank_index(rank);
	if (rank != odd)
		hand->victims[rank < odd ? rank : rank - 1] = rank_index(rank);
}

static void make_facts(struct hand_job *hand, int nranks)
{
	struct verdict_ranks culprit = {hand->culprit, 1};
	struct verdict_ranks victims = {hand->victims, (size_t)nranks - 1};
	struct verdict_fact facts[] = {
		{FACT_SPAN_OPEN, culprit, 668 * CLOCK_NS_PER_S, JOB_SPAN_COMPILE, 0,
			"inductor codegen", "0/0", "ring:3:lane0:118"},
		{FACT_CACHE, culprit, 0, 412, 415, "", "", "caches:3"},
		{FACT_WAITS_IN_OP, victims, 1, 624 * CLOCK_NS_PER_S, 0, "AllReduce", "world",
			"ring:*:g1"},
	};

	memcpy(hand->facts, facts, sizeof(facts));
	hand->ruled_out[0] = (struct verdict_ruled_out){VERDICT_RANK_DEATH,
		{FACT_ALIVE, {hand->all, (size_t)nranks}, nranks, 0, 0, "", "", "procs cgroup"}};
	hand->ruled_out[1] = (struct verdict_ruled_out){VERDICT_UNEVEN_SHARD,
		{FACT_NO_SHARD_CAUSE, {NULL, 0}, 4, 16384, 0, "", "", "ring:*:shard0"}};
	hand->not_judged = (struct verdict_not_judged){
		VERDICT_GRAPH_DIVERGENCE, NEED_RING, {hand->culprit, 1}, "", 0};
}

static void make_verdict(struct hand_job *hand, int nranks, int odd)
{
	hand->culprit[0] = rank_index(odd);
	make_facts(hand, nranks);
	hand->verdict[0] = (struct verdict){.class = VERDICT_COMPILE_SKEW,
		.confidence = VERDICT_ESTABLISHED,
		.outlook = VERDICT_WAIT,
		.next = VERDICT_NEXT_SEED_CACHE,
		.culprits = {hand->culprit, 1},
		.victims = {hand->victims, (size_t)nranks - 1},
		.group = 0,
		.op_index = 1,
		.op = {.op = JOB_OP_ALLREDUCE},
		.waiting = 624300 * CLOCK_NS_PER_MS,
		.watchdog_left = 1176 * CLOCK_NS_PER_S,
		.watchdog = VERDICT_LIMIT_WATCHDOG,
		.watchdog_cite = "env",
		.headline = hand->facts[0],
		.evidence = hand->facts,
		.nevidence = 3,
		.ruled_out = hand->ruled_out,
		.nruled_out = 2};
	hand->verdicts = (struct verdicts){.job = &hand->job,
		.stage = VERDICT_FIRST_FORWARD,
		.at = hand->verdict,
		.n = 1,
		.not_judged = &hand->not_judged,
		.nnot_judged = 1};
}

void hand_job_make(struct hand_job *hand, int nranks, int odd)
{
	memset(hand, 0, sizeof(*hand));
	for (int rank = 0; rank < nranks; rank++)
		make_rank(hand, rank, odd);
	hand->host = (struct job_host){
		.name = "hostA", .gathered = T0, .agent_beat = T0, .cite = "gather:hostA"};
	hand->group = (struct job_group){.key = 0xabc,
		.name = "world",
		.maker = "nccl",
		.size = (uint32_t)nranks,
		.cite = "ring:*:g1"};
	hand->span = (struct job_span){.rank = rank_index(odd),
		.process = odd,
		.kind = JOB_SPAN_COMPILE,
		.name = "inductor codegen",
		.detail = "0/0",
		.begun = ago(668),
		.ended = JOB_UNKNOWN,
		.open = true,
		.cite = "ring:3:lane0:118"};
	hand->log = (struct job_log){.rank = rank_index(odd),
		.last_line = "compiling model",
		.error = "",
		.cite = "stderr:3"};
	hand->job = (struct job){.id = "20261121-1",
		.name = "sft-41",
		.attempt = 1,
		.world_size = nranks,
		.gathered = T0,
		.coverage = {.ranks = {nranks, "WORLD_SIZE"},
			.hosts = {JOB_NONE, ""},
			.ranks_seen = (size_t)nranks,
			.hosts_seen = 1,
			.hosts_missing = "",
			.hosts_part = "",
			.kinds = JOB_KNOWS_RING,
			.from = ago(700),
			.to = T0},
		.deadline = ago(-1176),
		.deadline_cite = "env",
		.ended = JOB_NO,
		.has_census = true,
		.hosts = &hand->host,
		.nhosts = 1,
		.ranks = hand->ranks,
		.nranks = (size_t)nranks,
		.processes = hand->processes,
		.nprocesses = (size_t)nranks,
		.threads = hand->threads,
		.nthreads = (size_t)nranks,
		.groups = &hand->group,
		.ngroups = 1,
		.members = hand->members,
		.nmembers = (size_t)nranks,
		.spans = &hand->span,
		.nspans = 1,
		.caches = hand->caches,
		.ncaches = (size_t)nranks,
		.logs = &hand->log,
		.nlogs = 1,
		.losses = hand->losses};
	make_verdict(hand, nranks, odd);
}

char *hand_job_written(const struct report *report, const struct verdicts *verdicts,
	const struct report_options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file || report->write(file, verdicts, options) != 0)
		abort();
	fclose(file);
	return text;
}

void hand_job_hostile(struct hand_job *hand)
{
	static const char evil[] =
		"\033]0;pwned\a\033[2J\xff\xc0\xaf\xe2\x80\xaella si\nKILLED\r\x9b"
		"31m";

	hand_job_make(hand, 8, 3);
	hand->job.name = hand->job.id = evil;
	hand->log.last_line = hand->span.name = evil;
	hand->facts[0].text = hand->facts[0].cite = evil;
	hand->verdict[0].headline = hand->facts[0];
	hand->group.name = evil;
	hand->host.name = evil;
	hand->not_judged.need = NEED_MEMBERS;
	hand->not_judged.name = evil;
}

void hand_job_harmless(const char *text)
{
	for (size_t size; *text; text += size) {
		int32_t code = escape_decode(text, &size);

		if (code != '\n' && !escape_is_plain(code))
			fail_msg("character %x goes out as it came", (unsigned)code);
	}
}
