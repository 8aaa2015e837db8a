/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts_bench.c: logs of others' making about up to 60,000 ranks: torchrun's report, and a kernel's
 * log with five lines of each pid in it; decoded and judged, and by which power the time of each
 * grows with the lines. Files of others may be as long as they like: what is said of who is who,
 * and what was said before, must be found without going through all of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "bench/figure.h"
#include "decode/decode.h"
#include "evidence/format/exhibit.h"
#include "job/job.h"
#include "verdict/verdict.h"

#define SIZES 3
#define MOST  60000
#define LINES 5 /* of the kernel, about each */
#define PID   100000

enum part { DECODED, JUDGED, PARTS };

static const char *const names[PARTS] = {"decoded", "judged"};

static void add(
	struct evidence *evidence, enum exhibit_kind kind, const char *label, struct str *text)
{
	const struct exhibit about = {
		.kind = kind, .rank = -1, .label = (char *)label, .when = 1763939512000000000};

	evidence_add(evidence, &about, (uint8_t *)text->text, text->len);
}

/* Rank 2/3 of the way failed by itself, and its launcher ended the others. */
static void add_report(struct evidence *evidence, int ranks)
{
	struct str text = {0};

	str_printf(&text, "W1123 23:38:52.2 4 api.py:1028] Sending process %d closing signal %s\n",
		PID, "SIGTERM");
	for (int rank = 0; rank < ranks; rank++)
		str_printf(&text,
			"  time      : 2026-11-23_23:38:52\n  host      : m1\n"
			"  rank      : %d (local_rank: %d)\n"
			"  exitcode  : %d (pid: %d)\n  error_file: <N/A>\n",
			rank, rank, rank == ranks * 2 / 3 ? 1 : -15, PID + rank);
	add(evidence, EXHIBIT_JOB_LOG, "slurm.out", &text);
}

/* Each line another's than the one before it. */
static void add_kernels_log(struct evidence *evidence, int ranks)
{
	struct str text = {0};

	for (int line = 0; line < ranks * LINES; line++)
		str_printf(&text,
			"Nov 24 03:11:52 m3 kernel: NVRM: Xid (PCI:0000:%02x:00): %d, pid=%d, "
			"name=python, it failed.\n",
			line % 250, 13 + line % 90, PID + (int)((int64_t)line * 617 % ranks));
	add(evidence, EXHIBIT_KERNEL_LOG, "dmesg", &text);
}

/* Own time of each part, ms. */
static void play(int ranks, double took[PARTS])
{
	struct evidence evidence = {0};
	struct verdicts *verdicts;
	struct job *job;
	double at;

	add_report(&evidence, ranks);
	add_kernels_log(&evidence, ranks);
	at = figure_own_ns();
	job = decode_job(&evidence);
	took[DECODED] = (figure_own_ns() - at) / 1e6;
	if (job->nranks != (size_t)ranks || job->nsayings < (size_t)ranks) {
		fprintf(stderr, "texts_bench: %zu ranks, %zu sayings of %d\n", job->nranks,
			job->nsayings, ranks);
		exit(2);
	}
	at = figure_own_ns();
	verdicts = verdicts_of(job);
	took[JUDGED] = (figure_own_ns() - at) / 1e6;
	verdicts_free(verdicts);
	evidence_release(&evidence);
	job_free(job);
}

int main(void)
{
	double took[SIZES][PARTS];

	puts("== Texts of others");
	for (int size = 0, ranks = MOST >> 2 * (SIZES - 1); size < SIZES; size++, ranks *= 4) {
		play(ranks, took[size]);
		for (int part = 0; part < PARTS; part++) {
			struct figure figure = {.median = took[size][part], .unit = "ms"};
			char name[64];

			snprintf(name, sizeof(name), "%d lines: %s", ranks * LINES, names[part]);
			figure.name = name;
			figure_print(&figure);
		}
	}
	for (int part = 0; part < PARTS; part++) {
		struct figure figure = {.median = log(took[SIZES - 1][part] / took[0][part]) /
						  log(pow(4, SIZES - 1)),
			.unit = "",
			.bar = 1.3,
			.sense = FIGURE_AT_MOST};
		char name[64];

		snprintf(name, sizeof(name), "%s: grows by the power of", names[part]);
		figure.name = name;
		figure_print(&figure);
	}
	return 0;
}
