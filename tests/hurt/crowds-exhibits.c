/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds in exhibits: dumps of the Flight Recorder, and texts of others. */
#include "tests/hurt/crowds.h"

#include <stdio.h>

#include "base/str.h"
#include "tests/unit/flight-emit.h"

#define NOW INT64_C(1763939512000000000)

/* Frees the text. */
static void add(struct evidence *evidence, enum exhibit_kind kind, const char *label, uint32_t pid,
	struct str *text)
{
	const struct exhibit about = {.kind = kind,
		.host = (char *)"h",
		.rank = -1,
		.pid = pid,
		.start_time = pid,
		.label = (char *)label,
		.when = NOW};
	size_t len = text->len;

	str_room(text, 1);
	evidence_add(evidence, &about, (uint8_t *)str_detach(text), len);
}

/* -- dumps of the Flight Recorder -------------------------------------------------------------- */

static void add_dump(struct evidence *evidence, int rank, struct emit_dump *dump)
{
	struct exhibit about = {.kind = EXHIBIT_FLIGHT, .rank = rank, .when = NOW};
	struct str bytes = emit_bytes(dump, EMIT_CPP);
	size_t len = bytes.len;
	char label[32];

	snprintf(label, sizeof(label), "trace_%d", rank);
	about.label = label;
	evidence_add(evidence, &about, (uint8_t *)str_detach(&bytes), len);
	emit_release(dump);
}

/* Ranks 0 and 1, each with n open calls towards the other: `step` apart in launches. */
static void pair_dumps(struct evidence *evidence, size_t n, bool both, bool batched)
{
	for (int rank = 0; rank < 2; rank++) {
		struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};

		emit_group(&dump, "0", "default_pg", "[0, 1]");
		for (size_t i = 0; i < n; i++) {
			bool sends = !both || i % 2 == (size_t)rank;
			struct emit_entry *entry = emit_entry(&dump, 0,
				sends ? (rank ? "nccl:send 1->0" : "nccl:send 0->1")
				      : (rank ? "nccl:recv 1<-0" : "nccl:recv 0<-1"), 0);

			entry->p2p = true;
			entry->p2p_seq = batched ? 1 : (int64_t)i + 1;
		}
		add_dump(evidence, rank, &dump);
	}
}

static void dumps_of_sends(struct evidence *evidence, size_t n)
{
	pair_dumps(evidence, n, false, false);
}

static void dumps_of_both(struct evidence *evidence, size_t n)
{
	pair_dumps(evidence, n, true, false);
}

static void dumps_of_batches(struct evidence *evidence, size_t n)
{
	pair_dumps(evidence, n, true, true);
}

/* Rank 0 sends to all others of a group. */
static void dump_to_all(struct evidence *evidence, size_t n)
{
	struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};
	struct str ranks = {0};

	str_add(&ranks, "[0");
	for (size_t i = 1; i < n; i++)
		str_printf(&ranks, ", %zu", i);
	str_add(&ranks, "]");
	emit_group(&dump, "0", "default_pg", ranks.text);
	for (size_t i = 1; i < n; i++) {
		struct emit_entry *entry = emit_entry(
			&dump, 0, arena_printf(&dump.arena, "nccl:send 0->%zu", i), 0);

		entry->p2p = true;
		entry->p2p_seq = (int64_t)i;
	}
	add_dump(evidence, 0, &dump);
	str_release(&ranks);
}

/* Two ranks in many groups, with one operation in each; one of them has not come. */
static void dumps_of_groups(struct evidence *evidence, size_t n)
{
	for (int rank = 0; rank < 2; rank++) {
		struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};

		for (size_t i = 0; i < n; i++) {
			size_t group = emit_group(&dump, arena_printf(&dump.arena, "%zu", i), "tp",
				"[0, 1]");

			emit_status(&dump, (int64_t)i, i % 2 == (size_t)rank, -1, 0);
			if (i % 2 == (size_t)rank)
				emit_entry(&dump, group, "nccl:all_reduce", 1);
		}
		add_dump(evidence, rank, &dump);
	}
}

/* Two ranks with very many operations, of which the last is open on one. */
static void dumps_of_collectives(struct evidence *evidence, size_t n)
{
	for (int rank = 0; rank < 2; rank++) {
		struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};

		emit_group(&dump, "0", "default_pg", "[0, 1]");
		emit_status(&dump, 0, (int64_t)n - rank, -1, 0);
		for (size_t i = 0; i < n - (size_t)rank; i++)
			emit_entry(&dump, 0, "nccl:all_reduce", (int64_t)i + 1);
		add_dump(evidence, rank, &dump);
	}
}

/* -- texts ------------------------------------------------------------------------------------- */

static void log_of_ranks(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text, "%zu\t[rank%zu]: RuntimeError: it failed %zu\n", i + 1,
			i * 617 % 4096, i);
	add(evidence, EXHIBIT_JOB_LOG, "slurm.out", 0, &text);
}

static void log_of_deaths(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"%zu\t[rank%zu]: Traceback (most recent call last):\n"
			"%zu\t[rank%zu]:   File \"/w/train.py\", line 88, in <module>\n"
			"%zu\t[rank%zu]: ValueError: it failed\n",
			3 * i + 1, i, 3 * i + 2, i, 3 * i + 3, i);
	add(evidence, EXHIBIT_JOB_LOG, "slurm.out", 0, &text);
}

static void log_of_watchdogs(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"%zu\t[rank%zu]:[E1123 23:38:52.2 ProcessGroupNCCL.cpp:629] [Rank %zu] "
			"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%zu, "
			"OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for "
			"600012 milliseconds before timing out.\n",
			i + 1, i % 512, i % 512, i);
	add(evidence, EXHIBIT_JOB_LOG, "slurm.out", 0, &text);
}

static void log_of_launcher(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"W1123 23:38:52.2 4 api.py:1028] Sending process %zu closing signal "
			"SIGTERM\n  time      : 2026-11-23_23:38:52\n  host      : m%zu\n"
			"  rank      : %zu (local_rank: %zu)\n"
			"  exitcode  : %d (pid: %zu)\n  error_file: <N/A>\n",
			100 + i, i / 8, i, i % 8, i % 3 ? -15 : 1, 100 + i);
	add(evidence, EXHIBIT_JOB_LOG, "slurm.out", 0, &text);
}

static void kernel_log(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"Nov 24 03:11:52 m3 kernel: NVRM: Xid (PCI:0000:%02zx:00): %zu, pid=%zu, "
			"name=python, it failed.\n",
			i % 250, i % 90, i);
	add(evidence, EXHIBIT_KERNEL_LOG, "dmesg", 0, &text);
}

static void printed_processes(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 1; i <= n; i++)
		str_printf(&text,
			"Process %zu: python train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
			"Thread %zu (idle): \"MainThread\"\n    all_reduce (c10d.py:%zu)\n"
			"    step%zu (train.py:88)\n    <module> (train.py:120)\n\n",
			i, i, i, i);
	add(evidence, EXHIBIT_STACK_TEXT, "spy.txt", 0, &text);
}

static void printed_threads(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "Process 5: python train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n");
	for (size_t i = 1; i <= n; i++)
		str_printf(&text,
			"Thread %zu (idle): \"MainThread\"\n    all_reduce (c10d.py:%zu)\n"
			"    step%zu (train.py:88)\n    <module> (train.py:120)\n\n",
			i, i, i);
	add(evidence, EXHIBIT_STACK_TEXT, "spy.txt", 0, &text);
}

static void ras(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "{\"nccl_version\": \"2.28.9\", \"communicators\": [");
	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"%s{\"hash\": \"0x%zx\", \"size\": 3, \"ranks\": [{\"rank\": 0, \"pid\": "
			"%zu, \"collective_counts\": {\"AllReduce\": 7}}, {\"rank\": 1, \"pid\": "
			"%zu, \"collective_counts\": {\"AllReduce\": 6}}], \"missing_ranks\": "
			"[{\"rank\": 2, \"pid\": %zu}]}",
			i ? "," : "", i + 1, 3 * i, 3 * i + 1, 3 * i + 2);
	str_add(&text, "]}");
	add(evidence, EXHIBIT_RAS, "ras.json", 0, &text);
}

static void ras_warnings(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "Job summary\n===========\n\n");
	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"#%zu-0 (%zx) MISMATCH\n  2 ranks have launched up to operation %zu\n"
			"  Rank %zu -- GPU 4 managed by process %zu on node 10.1.0.4\n",
			i, i + 1, i, i % 512, i);
	add(evidence, EXHIBIT_RAS, "ras.txt", 0, &text);
}

static void compile_log(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"V1121 10:43:51.191000 2998 torch/_dynamo/convert_frame.py:1002] "
			"{\"dynamo_start\": {\"stack\": []}, \"rank\": %zu, \"frame_id\": %zu, "
			"\"frame_compile_id\": 0, \"attempt\": 0}\n",
			i % 8, i);
	add(evidence, EXHIBIT_COMPILE_LOG, "trace.log", 0, &text);
}

static void slurm(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "JobID|State|ExitCode|NTasks|NodeList\n");
	for (size_t i = 0; i < n; i++)
		str_printf(&text, "8841.%zu|FAILED|1:0|2|m[%zu-%zu]\n", i, i, i + 1);
	add(evidence, EXHIBIT_SLURM_RECORD, "sacct.txt", 0, &text);
}

/* -- what a node's processes leave ------------------------------------------------------------- */

/* Each is the child of the one before, and all have a number. */
static void lineage(struct evidence *evidence, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		struct str text = {0};

		str_printf(&text,
			"{\"role\": \"rank\", \"rank\": %zu, \"here\": %zu, \"world_size\": %zu}",
			i - 1, i, n);
		add(evidence, EXHIBIT_IDENTITY, "", (uint32_t)i, &text);
		str_printf(&text, "%zu (x) S %zu 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 %zu 0 9\n", i,
			i - 1, i);
		add(evidence, EXHIBIT_PROC_STAT, "", (uint32_t)i, &text);
	}
}

/* Each waits for the lock that the next one has. */
static void locks(struct evidence *evidence, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		size_t next = i % n + 1;
		struct str text = {0};

		str_printf(&text,
			"{\"role\": \"rank\", \"rank\": %zu, \"here\": %zu, \"world_size\": %zu}",
			i - 1, i, n);
		add(evidence, EXHIBIT_IDENTITY, "", (uint32_t)i, &text);
		str_printf(&text,
			"wait 4: -> FLOCK  ADVISORY  WRITE %zu 08:02:%zu 0 EOF\n"
			"held 4: FLOCK  ADVISORY  WRITE %zu 08:02:%zu 0 EOF\n"
			"by %zu %zu python\nfor /c/%zu.lock\nfile /c/%zu.lock\nfile /c/%zu.lock\n"
			"lock 4: FLOCK  ADVISORY  WRITE %zu 08:02:%zu 0 EOF\n",
			i, next, next, next, next, next, next, next, i, i, i);
		add(evidence, EXHIBIT_PROC_LOCKS, "", (uint32_t)i, &text);
	}
}

static void files_of_one(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 0; i < n; i++)
		str_printf(&text,
			"file /c/%zu.lock\nlock 4: FLOCK  ADVISORY  WRITE 99 08:02:%zu 0 EOF\n"
			"wait 4: -> FLOCK  ADVISORY  WRITE 77 08:02:%zu 0 EOF\nfor /c/%zu.lock\n"
			"held 4: FLOCK  ADVISORY  WRITE 99 08:02:%zu 0 EOF\nby 78 5 pt\n",
			i, i, i, i, i);
	add(evidence, EXHIBIT_PROC_LOCKS, "", 77, &text);
}

static void samples(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "{\"processes\": [{\"pid\": 77, \"start_time\": 77, \"samples\": [");
	for (size_t i = 0; i < n; i++)
		str_printf(&text, "%s[%lld, %zu, 100, \"S\", 0, %zu, %zu]", i ? "," : "",
			(long long)(NOW - (int64_t)(n - i) * 1000000000), i / 2, i, i);
	str_add(&text, "]}]}");
	add(evidence, EXHIBIT_HISTORY, "", 0, &text);
}

static void sampled(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "{\"processes\": [");
	for (size_t i = 1; i <= n; i++)
		str_printf(&text,
			"%s{\"pid\": %zu, \"start_time\": %zu, \"samples\": [[%lld, 5, 100, \"S\", "
			"0, 5, 5]]}",
			i > 1 ? "," : "", i, i, (long long)(NOW - 1000000000));
	str_add(&text, "]}");
	add(evidence, EXHIBIT_HISTORY, "", 0, &text);
}

static void coverage(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	str_add(&text, "{\"nodes\": [");
	for (size_t i = 0; i < n; i++)
		str_printf(&text, "%s{\"name\": \"m%zu\", \"why\": \"no answer %zu\"}",
			i ? "," : "", i, i);
	str_add(&text, "]}");
	add(evidence, EXHIBIT_COVERAGE, "", 0, &text);
}

/* Looks at one host, at each of which another process was seen. */
static void looks(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 1; i <= n; i++) {
		str_printf(&text, "{\"schema\": \"inquest-gather/1\", \"realtime\": %lld, "
				  "\"boottime\": %zu, \"host\": \"h\"}",
			(long long)NOW - (long long)i, i);
		add(evidence, EXHIBIT_GATHER, "", (uint32_t)i, &text);
		str_printf(&text, "%zu (x) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 %zu 0 9\n", i,
			i);
		add(evidence, EXHIBIT_PROC_STAT, "", (uint32_t)i, &text);
	}
}

static void tasks(struct evidence *evidence, size_t n)
{
	struct str text = {0};

	for (size_t i = 1; i <= n; i++)
		str_printf(&text, "%zu (x) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 %zu 0 9\n", i,
			i);
	add(evidence, EXHIBIT_PROC_TASKS, "", 77, &text);
}

const struct crowd crowds_of_exhibits[] = {
	{"dumps of sends", 1000, NULL, dumps_of_sends, false},
	{"dumps of both", 1000, NULL, dumps_of_both, false},
	{"dumps of batches", 1000, NULL, dumps_of_batches, false},
	{"dump to all", 1000, NULL, dump_to_all, false},
	{"dumps of groups", 500, NULL, dumps_of_groups, true},
	{"dumps of collectives", 1000, NULL, dumps_of_collectives, false},
	{"log of ranks", 8000, NULL, log_of_ranks, false},
	{"log of deaths", 1000, NULL, log_of_deaths, false},
	{"log of watchdogs", 2000, NULL, log_of_watchdogs, false},
	{"log of launcher", 1000, NULL, log_of_launcher, false},
	{"kernel log", 4000, NULL, kernel_log, false},
	{"printed processes", 1000, NULL, printed_processes, false},
	{"printed threads", 1000, NULL, printed_threads, false},
	{"ras", 1000, NULL, ras, false},
	{"ras warnings", 1000, NULL, ras_warnings, false},
	{"compile log", 1000, NULL, compile_log, false},
	{"slurm", 1000, NULL, slurm, false},
	{"lineage", 1000, NULL, lineage, false},
	{"locks", 1000, NULL, locks, false},
	{"files of one", 1000, NULL, files_of_one, false},
	{"samples", 4000, NULL, samples, false},
	{"sampled", 1000, NULL, sampled, false},
	{"coverage", 1000, NULL, coverage, false},
	{"looks", 2000, NULL, looks, false},
	{"tasks", 1000, NULL, tasks, false},
	{0},
};
