/* SPDX-License-Identifier: Apache-2.0 */
/* Census, /proc, control groups, the agent's files and logs; and that order does not matter. */
#include "decode/decode.h"

#include <signal.h>

#include "base/str.h"
#include "job/job.h"
#include "tests/decode/forge.h"
#include "tests/unit/process_of.h"
#include "tests/unit/unit.h"

#define PID0 FORGE_PID(0)
#define PID1 FORGE_PID(1)

static struct job *decoded(struct evidence *evidence)
{
	struct job *job = decode_job(evidence);

	evidence_release(evidence);
	return job;
}

/* A stat line of rank 0's process. */
static void stat_of(struct evidence *evidence, uint32_t pid, unsigned ticks, double seconds)
{
	char text[400];

	snprintf(text, sizeof(text),
		"%u (trainer) S 42 1 1 0 -1 0 0 0 0 0 %u 0 1000 0 20 0 3 0 %u 1000 256 "
		"1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0\n",
		pid, ticks, FORGE_START(pid - PID0));
	forge_text(evidence, EXHIBIT_PROC_STAT, pid, text)->when = forge_real(seconds);
}

static void no_evidence_is_a_job_too(void **state)
{
	struct evidence evidence = {0};
	struct job *job = decoded(&evidence);

	assert_int_equal(job->nranks, 0);
	assert_false(job->has_census);
	job_free(job);
}

/* Rank 0 built things; of its children one was killed, as its parent saw, and it left at once. */
static void the_census_tells_of_tools_and_of_the_killed(void **state)
{
	const struct census_who worker = {500, FORGE_PID(0), 9000, 1};
	struct evidence evidence = {0};
	const struct job_process *process;
	struct census_slot *slot;
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	slot = census_slot_at(evidence.at[evidence.n - 1].bytes, 0);
	slot->tools = (struct census_tools){.begun = 41,
		.ended = 40,
		.killed = 1,
		.latest = (uint64_t)forge_real(2),
		.name = "cc1plus"};
	slot = census_slot_at(evidence.at[evidence.n - 1].bytes,
		census_claim(evidence.at[evidence.n - 1].bytes, &worker));
	slot->rank = -1;
	slot->exit_status = 9;
	slot->flags = CENSUS_F_KILLED | CENSUS_F_FORKED;
	slot->end_realtime = (uint64_t)forge_real(7);
	strcpy(slot->comm, "pt_data_worker");
	slot->state = CENSUS_EXITED;
	forge_liveness(&evidence, 0, true);
	job = decoded(&evidence);
	process = process_of(job, 500);
	assert_int_equal(process->end, JOB_SIGNALED);
	assert_int_equal(process->status, 9);
	assert_int_equal(process->ended, forge_real(7));
	assert_int_equal(process->role, JOB_ROLE_CHILD);
	assert_int_equal(process->rank.i, 0);
	assert_int_equal(job->ntraits, 2);
	assert_string_equal(job->traits[0].key, "tools");
	assert_string_equal(job->traits[0].text, "cc1plus");
	assert_int_equal(job->traits[0].number, 41);
	assert_int_equal(job->traits[0].when, forge_real(2));
	assert_string_equal(job->traits[1].key, "tools-killed");
	job_free(job);
}

static void a_slot_is_all_that_is_known_only_where_no_ring_was_made(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_CANDIDATE);
	census_slot_at(evidence.at[evidence.n - 1].bytes, 1)->flags |= CENSUS_F_HAS_RING;
	job = decoded(&evidence);
	assert_true(job->ranks[0].knows & JOB_KNOWS_CENSUS);
	assert_false(job->ranks[1].knows & JOB_KNOWS_CENSUS);
	job_free(job);
}

/* Rank 0's entry, and that of what it started, which inherited its number and ended with 1. */
static uint8_t *forge_helper(struct evidence *evidence, struct census_slot **ret_helper)
{
	const struct census_who helper = {500, 480, 9000, 1};
	uint8_t *base;
	int i;

	forge_gather(evidence);
	forge_census(evidence, 2, CENSUS_CANDIDATE);
	base = evidence->at[evidence->n - 1].bytes;
	i = census_claim(base, &helper);
	*ret_helper = census_slot_at(base, i);
	(*ret_helper)->rank = 0;
	(*ret_helper)->world_size = 2;
	census_exit(base, i, 1, 0, 0);
	return base;
}

/* While a rank becomes another program its entry is being written: its helper does not testify. */
static void whose_elder_may_be_unread_is_not_the_word_about_a_rank(void **state)
{
	enum { TOLD, UNREAD, UNKNOWN, YOUNGER, BESIDE, RINGED, CASES };
	static const bool testifies[CASES] = {[YOUNGER] = true, [RINGED] = true};

	for (int i = 0; i < CASES; i++) {
		struct evidence evidence = {0};
		struct census_slot *helper, *elder;
		uint8_t *base = forge_helper(&evidence, &helper);
		struct job *job;

		elder = census_slot_at(base, 0);
		elder->state = i == TOLD ? CENSUS_CANDIDATE : CENSUS_CLAIMING;
		if (i == UNKNOWN)
			elder->pid = 0, elder->start_time = 0;
		if (i == YOUNGER)
			elder->start_time = helper->start_time + 1;
		if (i == BESIDE)
			census_slot_at(base, 1)->rank = 0;
		if (i == RINGED)
			helper->flags |= CENSUS_F_HAS_RING;
		job = decoded(&evidence);
		assert_int_equal(job->world_size, 2);
		assert_int_equal(job->nranks, 2);
		if (i == TOLD)
			assert_int_equal(job->processes[job->ranks[0].process].pid, PID0);
		else if (i == BESIDE)
			assert_int_equal(job->processes[job->ranks[0].process].pid, PID1);
		else if (testifies[i])
			assert_int_equal(job->processes[job->ranks[0].process].pid, 500);
		else
			assert_int_equal(job->ranks[0].process, JOB_NONE);
		job_free(job);
	}
	(void)state;
}

static void the_census_tells_who_is_there(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_CANDIDATE);
	forge_liveness(&evidence, 0, true);
	forge_liveness(&evidence, 1, false);
	job = decoded(&evidence);
	assert_true(job->has_census);
	assert_string_equal(job->id, "job-1");
	assert_int_equal(job->world_size, 2);
	assert_int_equal(job->nranks, 2);
	assert_true(job->ranks[0].candidate_only);
	assert_int_equal(process_of(job, PID0)->end, JOB_ALIVE);
	assert_int_equal(process_of(job, PID1)->end, JOB_GONE);
	assert_string_equal(process_of(job, PID0)->comm, "trainer");
	assert_string_equal(process_of(job, PID0)->cite, "census:0");
	job_free(job);
}

/*
 * closefrom() drops the lock of the living, a zombie keeps its pid: both must count. Who is not
 * shown may live.
 */
static void dead_needs_a_free_lock_and_no_process(void **state)
{
	static const struct {
		const char *liveness;
		enum job_end end;
	} cases[] = {
		{"{\"there\": 1, \"state\": \"R\", \"lock\": \"free\"}", JOB_ALIVE},
		{"{\"there\": 0, \"lock\": \"held\"}", JOB_ALIVE},
		{"{\"there\": 1, \"state\": \"Z\", \"lock\": \"free\"}", JOB_GONE},
		{"{\"there\": 0, \"lock\": \"free\"}", JOB_GONE},
		{"{\"there\": 0, \"lock\": \"unknown\"}", JOB_GONE},
		{"{\"there\": 0, \"lock\": \"held\", \"unseen\": 1}", JOB_ALIVE},
		{"{\"there\": 0, \"lock\": \"free\", \"unseen\": 1}", JOB_END_UNKNOWN},
		{"{\"there\": 0, \"lock\": \"unknown\", \"unseen\": 1}", JOB_END_UNKNOWN},
		{"{}", JOB_END_UNKNOWN},
		{"{\"there\": ", JOB_END_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		struct job *job;

		forge_gather(&evidence);
		forge_census(&evidence, 1, CENSUS_RANK);
		forge_text(&evidence, EXHIBIT_LIVENESS, PID0, cases[i].liveness);
		job = decoded(&evidence);
		assert_int_equal(process_of(job, PID0)->end, cases[i].end);
		job_free(job);
	}
}

static void two_samples_tell_cpu_use(void **state)
{
	struct evidence evidence = {0};
	const struct job_process *process;
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	stat_of(&evidence, PID0, 100, 0);
	stat_of(&evidence, PID0, 150, -1);
	job = decoded(&evidence);
	process = process_of(job, PID0);
	assert_int_equal(process->cpu_delta, CLOCK_NS_PER_S / 2);
	assert_int_equal(process->sample_span, CLOCK_NS_PER_S);
	assert_int_equal(process->idle_for, 0);
	assert_int_equal(process->rss, 256 * 4096);
	assert_int_equal(process->state, 'S');
	assert_true(job->ranks[0].knows & JOB_KNOWS_SAMPLES);
	assert_int_equal(process->born, FORGE_T0_REAL - FORGE_T0_MONO +
						FORGE_START(0) * (CLOCK_NS_PER_S / 100));
	job_free(job);
}

/* Compilers run in children: their time counts once they were waited for. */
static void who_traces_a_process_is_known(void **state)
{
	static const struct {
		const char *text;
		uint32_t tracer;
	} cases[] = {
		{"Name:\tpython\nState:\tt (tracing stop)\nTracerPid:\t4711\nUid:\t0\n", 4711},
		{"Name:\tpython\nTracerPid:\t0\n", 0},
		{"Name:\tpython\nTracerPid:\t99999999999999999999\n", 0},
		{"Name:\tpython\nTracerPid:", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence evidence = {0};
		struct job *job;

		forge_gather(&evidence);
		forge_census(&evidence, 1, CENSUS_RANK);
		stat_of(&evidence, PID0, 100, 0);
		forge_text(&evidence, EXHIBIT_PROC_STATUS, PID0, cases[i].text);
		job = decoded(&evidence);
		assert_int_equal(process_of(job, PID0)->tracer, cases[i].tracer);
		job_free(job);
	}
}

static void time_of_reaped_children_counts(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	for (unsigned i = 0; i < 2; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			"%u (trainer) S 42 1 1 0 -1 0 0 0 0 0 5 5 %u 0 20 0 3 0 %u 1 1 1\n", PID0,
			30 * i, FORGE_START(0));
		forge_text(&evidence, EXHIBIT_PROC_STAT, PID0, text)->when = forge_real(-1.0 * i);
	}
	job = decoded(&evidence);
	assert_int_equal(process_of(job, PID0)->cpu_delta, 300 * CLOCK_NS_PER_MS);
	job_free(job);
}

static void one_sample_is_no_knowledge_of_use(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	stat_of(&evidence, PID0, 100, 0);
	job = decoded(&evidence);
	assert_int_equal(process_of(job, PID0)->cpu_delta, JOB_UNKNOWN);
	assert_int_equal(process_of(job, PID0)->idle_for, JOB_UNKNOWN);
	assert_false(job->ranks[0].knows & JOB_KNOWS_SAMPLES);
	job_free(job);
}

static struct job *job_of_error_file(const char *text)
{
	struct evidence evidence = {0};

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_ERROR_FILE, FORGE_PID(1), text);
	return decoded(&evidence);
}

static void an_error_file_is_an_exception(void **state)
{
	static const char *const wrong[] = {"[]", "{}", "{\"message\": 7}",
		"{\"message\": {\"message\": [1]}}", "{\"message\": {\"message\": \"Value",
		"{\"message\": \"\"}"};
	struct job *job = job_of_error_file(
		"{\"message\": {\"message\": \"ValueError: no rows\\nin it\", \"extraInfo\": "
		"{\"py_callstack\": \"Traceback\", \"timestamp\": \"1790000000\"}}}");

	assert_int_equal(job->nnotes, 1);
	assert_int_equal(job->notes[0].rank.i, 1);
	assert_true(job->notes[0].exception);
	assert_string_equal(job->notes[0].text, "ValueError: no rows");
	assert_int_equal(job->notes[0].when, 1790000000999999999);
	assert_string_equal(job->notes[0].cite, "error-file:1");
	job_free(job);
	job = job_of_error_file("{\"message\": \"it broke\"}");
	assert_int_equal(job->nnotes, 1);
	assert_string_equal(job->notes[0].text, "it broke");
	assert_int_equal(job->notes[0].when, JOB_UNKNOWN);
	job_free(job);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		job = job_of_error_file(wrong[i]);
		assert_int_equal(job->nnotes, 0);
		assert_int_equal(job->nlosses, 1);
		job_free(job);
	}
}

/* Rank 1 was given a cache of its own, which the receipt does not know. */
static void a_ranks_own_caches_come_before_the_launchers(void **state)
{
	struct evidence evidence = {0};
	struct str text = {0};
	struct job *job;

	str_printf(&text,
		"{\"processes\": [{\"pid\": %u, \"start_time\": %u, \"caches\": "
		"[{\"path\": \"/own\", \"files\": 0, \"bytes\": 0}], \"samples\": []}]}",
		FORGE_PID(1), FORGE_START(1));
	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_RECEIPT, 0,
		"{\"caches\": [{\"path\": \"/all\", \"files\": 7, \"bytes\": 9}]}");
	forge_text(&evidence, EXHIBIT_HISTORY, 0, text.text);
	job = decoded(&evidence);
	assert_int_equal(job->ncaches, 2);
	assert_int_equal(job->caches[0].rank.i, 0);
	assert_int_equal(job->caches[0].files, 7);
	assert_int_equal(job->caches[1].rank.i, 1);
	assert_string_equal(job->caches[1].path, "/own");
	assert_int_equal(job->caches[1].files, 0);
	str_release(&text);
	job_free(job);
}

static void kills_for_memory_are_counted_since_launch(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_RECEIPT, 0,
		"{\"job\": \"job-1\", \"launched\": 5, \"cgroup\": "
		"\"path /a\\nmemory.events.oom_kill 2\\n\", "
		"\"env\": {\"SLURM_JOB_END_TIME\": \"1790000100\"}, "
		"\"caches\": [{\"path\": \"/c\", \"files\": 7, \"bytes\": 9}]}");
	forge_text(&evidence, EXHIBIT_CGROUP, 0,
		"processes 100:5000\npath /a\nmemory.events.oom_kill 3\nfrozen 1\n"
		"path /b\nmemory.events.oom_kill 9\n");
	job = decoded(&evidence);
	assert_int_equal(job->hosts[0].oom_kills, 1); /* of /b nobody knows the count before */
	assert_string_equal(job->hosts[0].cgroup_cite, "cgroup:hostA");
	assert_int_equal(process_of(job, PID0)->frozen, JOB_YES);
	assert_int_equal(job->launched, 5);
	assert_int_equal(job->deadline, 1790000100 * CLOCK_NS_PER_S);
	assert_int_equal(job->ncaches, 1);
	assert_int_equal(job->caches[0].files, 7);
	assert_string_equal(job->caches[0].cite, "caches:0");
	job_free(job);
}

static void an_end_is_known_by_its_best_witness(void **state)
{
	struct evidence evidence = {0};
	struct str text = {0};
	struct job *job;

	str_printf(&text,
		"{\"exits\": [{\"pid\": %u, \"start_time\": %u, \"when\": 1000, "
		"\"wait_status\": 9}, {\"pid\": %u, \"start_time\": %u, \"when\": 2000}]}",
		PID0, FORGE_START(0), PID1, FORGE_START(1));
	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_liveness(&evidence, 0, false);
	forge_text(&evidence, EXHIBIT_EXIT, 0, text.text);
	job = decoded(&evidence);
	assert_int_equal(process_of(job, PID0)->end, JOB_SIGNALED);
	assert_int_equal(process_of(job, PID0)->status, SIGKILL);
	assert_int_equal(process_of(job, PID0)->ended, 1000);
	assert_string_equal(process_of(job, PID0)->end_cite, "exit:0");
	assert_int_equal(process_of(job, PID1)->end, JOB_GONE);
	assert_int_equal(process_of(job, PID1)->ended, 2000);
	str_release(&text);
	job_free(job);
}

static void the_manifest_tells_that_the_job_ended(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_text(&evidence, EXHIBIT_MANIFEST, 0,
		"{\"job\": \"job-1\", \"name\": \"sft\", \"status\": \"error\", "
		"\"exit_status\": 137}");
	job = decoded(&evidence);
	assert_int_equal(job->ended, JOB_YES);
	assert_int_equal(job->exit_status, 137);
	assert_string_equal(job->name, "sft");
	job_free(job);
}

static void the_last_words_are_found(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_STDERR, PID0,
		"step 11 done\nTraceback (most recent call last):\n  File \"x.py\", line 3\n"
		"    f()\nValueError: bad \x1b[31mshape\nshutting down\n\n");
	forge_text(&evidence, EXHIBIT_STDERR, PID1,
		"NCCL WARN Cuda failure\nRuntimeError later\n");
	job = decoded(&evidence);
	assert_int_equal(job->nlogs, 2);
	assert_string_equal(job->logs[0].last_line, "shutting down");
	assert_string_equal(job->logs[0].error, "ValueError: bad shape");
	assert_string_equal(job->logs[1].error, "NCCL WARN Cuda failure");
	job_free(job);
}

/* What torch and the libraries below it print: marked lines, aborts with reasons, echoes last. */
static void words_of_torch_are_understood(void **state)
{
	struct evidence evidence = {0};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	forge_text(&evidence, EXHIBIT_STDERR, PID0,
		"[rank0]: Traceback (most recent call last):\n[rank0]:   File \"train.py\", line "
		"3\n"
		"[rank0]:     loss.backward()\n[rank0]: RuntimeError: mat1 and mat2\n"
		"[rank0]:[E1121 04:01:02 ProcessGroupNCCL.cpp:683] [Rank 0] Watchdog caught "
		"collective operation timeout: WorkNCCL(SeqNum=3)\n");
	forge_text(&evidence, EXHIBIT_STDERR, PID1,
		"[E1121 ProcessGroupNCCL.cpp:683] Watchdog caught collective operation timeout\n"
		"terminate called after throwing an instance of 'gloo::IoException'\n"
		"  what():  [pair.cc:547] Connection closed by peer [127.0.0.1]:29500\n");
	job = decoded(&evidence);
	assert_int_equal(job->nlogs, 2);
	assert_string_equal(job->logs[0].error, "RuntimeError: mat1 and mat2");
	assert_string_equal(job->logs[1].error,
		"what():  [pair.cc:547] Connection closed by peer [127.0.0.1]:29500");
	job_free(job);
}

/* One file for all: only lines that a launcher marked are anybody's. */
static void a_shared_log_is_nobodys(void **state)
{
	const char *text = "[rank1]: ValueError: mine\nsomebody's last words\n";
	struct evidence evidence = {0};
	struct exhibit about = {.kind = EXHIBIT_STDERR,
		.host = (char *)FORGE_HOST,
		.rank = -1,
		.label = (char *)"file 1:2"};
	struct job *job;

	forge_gather(&evidence);
	forge_census(&evidence, 2, CENSUS_RANK);
	for (uint32_t r = 0; r < 2; r++) {
		about.pid = FORGE_PID(r);
		about.start_time = FORGE_START(r);
		evidence_add(&evidence, &about, alloc_copy(text, strlen(text)), strlen(text));
	}
	job = decoded(&evidence);
	assert_int_equal(job->nlogs, 1);
	assert_int_equal(job_rank(job, job->logs[0].rank)->world_rank.n, 1);
	assert_string_equal(job->logs[0].last_line, "ValueError: mine");
	job_free(job);
}

/* --- Order ----------------------------------------------------------------------------------- */

static void much_evidence(struct evidence *evidence)
{
	forge_gather(evidence);
	forge_census(evidence, 3, CENSUS_RANK);
	for (uint32_t r = 0; r < 2; r++) {
		struct fixture *f = forge_rank(r);
		int group = forge_seat(f, r);

		ring_lane_claim(&f->w, FORGE_PID(r), "main");
		forge_op(f, group, 5, 9 - r);
		forge_ring(evidence, f);
		forge_liveness(evidence, r, r == 0);
		stat_of(evidence, FORGE_PID(r), 10 * r, 0);
		stat_of(evidence, FORGE_PID(r), 10 * r + 7, -0.5);
		forge_text(evidence, EXHIBIT_STDERR, FORGE_PID(r), "words\n");
	}
	forge_text(evidence, EXHIBIT_RECEIPT, 0, "{\"job\": \"job-1\"}");
	forge_text(evidence, EXHIBIT_MANIFEST, 0, "{\"job\": \"job-1\", \"name\": \"n\"}");
	forge_text(evidence, EXHIBIT_HISTORY, 0, "{broken");
	evidence_add_gap(evidence, FORGE_HOST, PID1, "its stderr");
}

/* Everything that a verdict could stand on, as text. */
static void print_job(const struct job *job, struct str *into)
{
	str_printf(into, "%s %s %d %zu\n", job->id, job->name, job->world_size, job->nhosts);
	job_for_each_rank(job, rank)
		str_printf(into, "rank %d %d %x\n", job_rank(job, rank)->world_rank.n,
			job_rank(job, rank)->process, job_rank(job, rank)->knows);
	for (size_t i = 0; i < job->nprocesses; i++)
		str_printf(into, "process %u %d %d %lld %s %s\n", job->processes[i].pid,
			job->processes[i].rank.i, job->processes[i].end,
			(long long)job->processes[i].cpu_delta, job->processes[i].cite,
			job->processes[i].end_cite);
	for (size_t i = 0; i < job->nthreads; i++)
		str_printf(into, "thread %d %u %s\n", job->threads[i].rank.i, job->threads[i].tid,
			job->threads[i].cite);
	for (size_t i = 0; i < job->nmembers; i++)
		str_printf(into, "member %u %d %llu %zu %s\n", job->members[i].seat.n,
			job->members[i].rank.i, (unsigned long long)job->members[i].head,
			job->members[i].nops, job->members[i].cite);
	for (size_t i = 0; i < job->nlogs; i++)
		str_printf(into, "log %d %s\n", job->logs[i].rank.i, job->logs[i].last_line);
	for (size_t i = 0; i < job->nlosses; i++)
		str_printf(into, "loss %d %s %s\n", job->losses[i].rank.i, job->losses[i].what,
			job->losses[i].cite);
}

static void shuffle(struct evidence *evidence, uint64_t *seed)
{
	for (size_t i = evidence->n; i > 1; i--) {
		struct exhibit kept = evidence->at[i - 1];
		size_t other;

		*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
		other = (size_t)(*seed >> 33) % i;
		evidence->at[i - 1] = evidence->at[other];
		evidence->at[other] = kept;
	}
}

/* Law 2. */
static void the_order_of_exhibits_does_not_matter(void **state)
{
	struct str first = {0}, later = {0};
	uint64_t seed = 1;

	for (int round = 0; round < 30; round++) {
		struct evidence evidence = {0};
		struct job *job;

		much_evidence(&evidence);
		if (round)
			shuffle(&evidence, &seed);
		job = decoded(&evidence);
		str_cut(&later, 0);
		print_job(job, round ? &later : &first);
		if (round)
			assert_string_equal(first.text, later.text);
		job_free(job);
	}
	assert_non_null(strstr(first.text, "loss -1 history: no valid JSON history:hostA"));
	assert_non_null(strstr(first.text, "loss 1 its stderr gap:1"));
	str_release(&first);
	str_release(&later);
}

/* Two bundles of one node: the same evidence twice tells nothing new. */
static void the_same_evidence_twice_is_one(void **state)
{
	struct str once = {0}, twice = {0};

	for (int times = 1; times <= 2; times++) {
		struct evidence evidence = {0};
		struct job *job;

		for (int i = 0; i < times; i++)
			much_evidence(&evidence);
		job = decoded(&evidence);
		print_job(job, times == 1 ? &once : &twice);
		job_free(job);
	}
	assert_string_equal(once.text, twice.text);
	str_release(&once);
	str_release(&twice);
}

/* Law 3, the part of decoding: what is left out leaves no other trace than its absence. */
static void any_exhibit_may_be_missing(void **state)
{
	struct evidence all = {0};
	size_t n;

	much_evidence(&all);
	n = all.n;
	evidence_release(&all);
	for (size_t out = 0; out < n; out++) {
		struct evidence evidence = {0};
		struct job *job;

		much_evidence(&evidence);
		evidence.at[out].kind = EXHIBIT_UNKNOWN_KIND;
		job = decoded(&evidence);
		job_for_each_rank(job, rank)
			assert_true(job_rank(job, rank)->world_rank.n < 3);
		job_free(job);
	}
}

static void a_damaged_exhibit_is_a_loss(void **state)
{
	struct evidence evidence = {0};
	struct job *job;
	bool told = false;

	forge_gather(&evidence);
	forge_census(&evidence, 1, CENSUS_RANK);
	forge_ring(&evidence, forge_rank(0))->damaged = true;
	job = decoded(&evidence);
	for (size_t i = 0; i < job->nlosses; i++)
		told = told || (job->losses[i].of_ops && job->losses[i].rank.i == 0 &&
				       !strcmp(job->losses[i].cite, "ring:0"));
	assert_true(told);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_evidence_is_a_job_too),
		cmocka_unit_test(the_census_tells_of_tools_and_of_the_killed),
		cmocka_unit_test(a_slot_is_all_that_is_known_only_where_no_ring_was_made),
		cmocka_unit_test(whose_elder_may_be_unread_is_not_the_word_about_a_rank),
		cmocka_unit_test(the_census_tells_who_is_there),
		cmocka_unit_test(dead_needs_a_free_lock_and_no_process),
		cmocka_unit_test(two_samples_tell_cpu_use),
		cmocka_unit_test(who_traces_a_process_is_known),
		cmocka_unit_test(time_of_reaped_children_counts),
		cmocka_unit_test(one_sample_is_no_knowledge_of_use),
		cmocka_unit_test(an_error_file_is_an_exception),
		cmocka_unit_test(a_ranks_own_caches_come_before_the_launchers),
		cmocka_unit_test(kills_for_memory_are_counted_since_launch),
		cmocka_unit_test(an_end_is_known_by_its_best_witness),
		cmocka_unit_test(the_manifest_tells_that_the_job_ended),
		cmocka_unit_test(the_last_words_are_found),
		cmocka_unit_test(words_of_torch_are_understood),
		cmocka_unit_test(a_shared_log_is_nobodys),
		cmocka_unit_test(the_order_of_exhibits_does_not_matter),
		cmocka_unit_test(the_same_evidence_twice_is_one),
		cmocka_unit_test(any_exhibit_may_be_missing),
		cmocka_unit_test(a_damaged_exhibit_is_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
