/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds FOLDER BUNDLE...: what fuzzers begin with, of recorded jobs. Into FOLDER/whole for each
 * bundle the parcels of its first ranks, and each kind that no bundle before it had, alone, to be
 * changed more often, also of what others leave of a job; into FOLDER/bundle bundles again, with a
 * few small exhibits of each kind.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle.h"
#include "parcel.h"

#define RANKS 2	    /* of each job: a larger input is changed less often */
#define SMALL 4096  /* bytes of an exhibit in a bundle */
#define ALIKE 2	    /* exhibits of a kind in a bundle */
#define LARGE 32768 /* bytes of a parcel that is only played alone */

struct seeds {
	const char *folder;
	bool seen[EXHIBIT_UNKNOWN_KIND];
};

static void write_seed(const struct seeds *seeds, const char *target, const char *name,
	const struct str *bytes)
{
	struct complaint why = {0};
	struct str path = {0};

	str_printf(&path, "%s/%s/%s", seeds->folder, target, name);
	if (file_write(path.text, bytes->text, bytes->len, 0644, &why) < 0) {
		fprintf(stderr, "seeds: %s\n", complaint_text(&why));
		exit(1);
	}
	str_release(&path);
}

static void write_alone(struct seeds *seeds, const struct exhibit *exhibit)
{
	struct str bytes = {0};

	if (exhibit->kind == EXHIBIT_UNKNOWN_KIND || seeds->seen[exhibit->kind])
		return;
	seeds->seen[exhibit->kind] = true;
	parcel_put(&bytes, exhibit, 0);
	write_seed(seeds, "whole", exhibit->kind_name, &bytes);
	str_release(&bytes);
}

static void write_small(const struct seeds *seeds, const char *name, const struct evidence *all)
{
	size_t of_kind[EXHIBIT_UNKNOWN_KIND + 1] = {0};
	struct evidence few = {.gaps = all->gaps, .ngaps = all->ngaps};
	struct str bytes = {0};

	few.at = alloc_zeroed(all->n, sizeof(*few.at));
	for (size_t i = 0; i < all->n; i++)
		if (of_kind[all->at[i].kind]++ < ALIKE)
			few.at[few.n++] = all->at[i];
	for (size_t i = 0; i < few.n; i++)
		if (few.at[i].len > SMALL)
			few.at[i].len = SMALL;
	bundle_pack(&few, &bytes);
	write_seed(seeds, "bundle", name, &bytes);
	str_release(&bytes);
	free(few.at);
}

static void write_job(struct seeds *seeds, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct evidence evidence = {0};
	struct complaint why = {0};
	struct str bytes = {0};

	if (bundle_read(path, &evidence, &why) < 0) {
		fprintf(stderr, "seeds: %s\n", complaint_text(&why));
		exit(1);
	}
	for (size_t i = 0; i < evidence.n; i++) {
		const struct exhibit *exhibit = &evidence.at[i];
		size_t before = bytes.len;

		write_alone(seeds, exhibit);
		if (exhibit->kind != EXHIBIT_UNKNOWN_KIND && exhibit->rank < RANKS)
			parcel_put(&bytes, exhibit, 0);
		if (bytes.len - before > LARGE)
			str_cut(&bytes, before);
	}
	write_seed(seeds, "whole", slash ? slash + 1 : path, &bytes);
	write_small(seeds, slash ? slash + 1 : path, &evidence);
	str_release(&bytes);
	evidence_release(&evidence);
}

/* What others leave is in no recorded job: of each kind something small, alone and all together. */
static void write_texts(struct seeds *seeds)
{
	static const struct {
		enum exhibit_kind kind;
		const char *label, *text;
	} texts[] = {
		{EXHIBIT_JOB_LOG, "slurm.out",
			"1\tW1123 23:38:52.2 4 api.py:1028] Sending process 4710 closing signal "
			"SIGTERM\n2\t  rank      : 1 (local_rank: 1)\n3\t  exitcode  : -9 (pid: "
			"4711)"
			"\n4\t[rank0]: Traceback (most recent call last):\n5\t[rank0]: ValueError: "
			"x\n"
			"6\tm1:4710:4712 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 2 - "
			"Init START\n7\t[Rank 0] Watchdog caught collective operation timeout: "
			"WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=4) ran for 600029 "
			"milliseconds\n"},
		{EXHIBIT_ERROR_FILE, "attempt_0/1/error.json",
			"{\"message\": {\"message\": \"ValueError: x\", \"extraInfo\": "
			"{\"py_callstack\": \"T\", \"timestamp\": \"1795235031\"}}}"},
		{EXHIBIT_KERNEL_LOG, "dmesg",
			"1\t[ 8.2] Memory cgroup out of memory: Killed process 4711 (python) x\n"
			"2\t[ 8.3] NVRM: Xid (PCI:0000:4b:00): 79, pid=4710, name=python, it "
			"fell\n"},
		{EXHIBIT_SLURM_RECORD, "sacct.txt",
			"JobID|State|ExitCode|NTasks\n8841|OUT_OF_MEMORY|0:125|\n8841.0|FAILED|1:0|"
			"2\n"},
		{EXHIBIT_STACK_TEXT, "spy-rank1.txt",
			"Process 4711: python train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
			"Thread 4711 (idle): \"MainThread\"\n    step (train.py:88)\n"
			"Thread 0x00007f (most recent call first):\n  File \"/x.py\", line 3 in "
			"wait\n"},
		{EXHIBIT_RAS, "ras.json",
			"{\"communicators\": [{\"size\": 2, \"ranks\": [{\"rank\": 0, \"pid\": "
			"4710, "
			"\"collective_counts\": {\"AllReduce\": 7}}], \"missing_ranks\": "
			"[{\"rank\": 1 \"status\": {\"considered_dead\": true}}]}]}"},
		{EXHIBIT_COMPILE_LOG, "trace_rank_1.log",
			"1\tV1121 10:43:51.1 2998 torch/_dynamo/convert_frame.py:1002] "
			"{\"dynamo_start\": {}, \"rank\": 1, \"frame_id\": 0, "
			"\"frame_compile_id\": 0}\n"},
	};
	struct str bytes = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct exhibit exhibit = {.kind = texts[i].kind,
			.kind_name = (char *)exhibit_kind_name(texts[i].kind),
			.label = (char *)texts[i].label,
			.rank = -1,
			.when = 1795235031000000000,
			.bytes = (uint8_t *)texts[i].text,
			.len = strlen(texts[i].text)};

		write_alone(seeds, &exhibit);
		parcel_put(&bytes, &exhibit, 0);
	}
	write_seed(seeds, "whole", "texts", &bytes);
	str_release(&bytes);
}

int main(int argc, char **argv)
{
	struct seeds seeds = {.folder = argc > 1 ? argv[1] : "."};

	for (int i = 2; i < argc; i++)
		write_job(&seeds, argv[i]);
	write_texts(&seeds);
	return 0;
}
