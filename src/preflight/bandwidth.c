/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/bandwidth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "preflight/check.h"
#include "preflight/gpus.h"
#include "preflight/nvml.h"
#include "proc/program.h"

#define FROM	   "all_reduce_perf" /* the program, as PATH has it */
#define RUN_S	   60 /* how long it may take */
#define OUTPUT_CAP (1 << 20)

double bandwidth_of(const char *output)
{
	static const char key[] = "# Avg bus bandwidth";
	const char *at = strstr(output, key);
	char *end;
	double value;

	if (!at)
		return -1;
	at += strlen(key);
	at += strspn(at, " \t:");
	value = strtod(at, &end);
	return end == at ? -1 : value;
}

/*
 * Returns how long it may run: a moment less than the check has, so that the check can say what did
 * not end.
 */
static int seconds_of(const struct preflight_wish *wish)
{
	return wish->deadline_s > 1 && wish->deadline_s <= RUN_S ? wish->deadline_s - 1 : RUN_S;
}

/* Says what the run has shown, by program_read()'s status. */
static void judge(const struct preflight_wish *wish, int status, const struct str *output,
	struct check_sink *sink)
{
	double value = bandwidth_of(str_text(output));

	if (status == PROGRAM_NOT_FOUND)
		check_say(sink, PREFLIGHT_NONE, FROM, NULL,
			"bandwidth: all_reduce_perf is not installed: not measured");
	else if (status == -ETIMEDOUT)
		check_say(sink, PREFLIGHT_FAIL, FROM, "run it by hand, with NCCL_DEBUG=INFO",
			"all_reduce_perf of 256 MiB did not end within %d s", seconds_of(wish));
	else if (status != 0 || value < 0)
		check_say(sink, PREFLIGHT_FAIL, FROM, "run it by hand, with NCCL_DEBUG=INFO",
			"all_reduce_perf failed, status %d", status);
	else if (wish->bandwidth > 0 && value < wish->bandwidth)
		check_say(sink, PREFLIGHT_FAIL, FROM, NULL,
			"all_reduce_perf: %.0f GB/s bus bandwidth, and %.0f are asked", value,
			wish->bandwidth);
	else
		check_say(sink, PREFLIGHT_OK, FROM, NULL, "all_reduce_perf: %.0f GB/s%s", value,
			wish->bandwidth > 0 ? "" : " (no bound was told)");
}

void check_bandwidth(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	struct str gpus = {0}, output = {0};
	struct nvml_machine machine;
	struct gpus_of_job job;

	(void)arg;
	if (nvml_read(&machine, NULL) < 0) {
		check_say(sink, PREFLIGHT_NONE, FROM, NULL, "bandwidth: no GPU seen: not measured");
		return;
	}
	gpus_find(wish, &machine, &job, NULL);
	if (job.nr < 2) {
		check_say(sink, PREFLIGHT_NONE, FROM, NULL,
			"bandwidth: fewer than two GPUs: not measured");
		return;
	}
	str_printf(&gpus, "%u", job.nr);
	judge(wish, program_read(&(struct program){(const char *const[]){FROM, "-b", "256M", "-e",
			"256M", "-w", "2", "-n", "10", "-c", "0", "-g", gpus.text, NULL}, NULL},
			1000 * seconds_of(wish), OUTPUT_CAP, &output), &output, sink);
	str_release(&gpus);
	str_release(&output);
}
