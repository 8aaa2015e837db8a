/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole way: parcels of exhibits, decoded and judged, written by every report and drawn by the
 * viewer, with each of its panes open. `make fuzz` says how it is run.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/decode.h"
#include "parcel.h"
#include "report/report.h"
#include "viewer/draw.h"
#include "viewer/state/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* So long a line for a log may be. */
#define LINE 4096

static void write_reports(const struct verdicts *verdicts)
{
	static const struct report *const reports[] = {
		&report_text, &report_json, &report_stacks, &report_stacks_json, &report_folded};
	struct report_options options = {.threads_stopped = -1};
	FILE *file = fopen("/dev/null", "w");
	struct str line = {0};

	if (!file)
		abort();
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (reports[i]->write(file, verdicts, &options) < 0)
			abort();
		options.utf8 = options.color = options.all_threads = i & 1;
		options.live = !options.live;
	}
	fclose(file);
	report_json_line(&line, verdicts, "x.inq", LINE);
	if (line.len > LINE)
		abort();
	str_release(&line);
}

static void draw(const struct job *job, const struct verdicts *verdicts)
{
	static const char *const keys[] = {
		"1", "2", "3", "4", "5", "6", "7", "+", "Right", "Down", "Enter", "-", "End"};
	struct state *state = state_new();
	struct cells cells = {0};

	state_set_utf8(state, true);
	state_resize(state, 120, 40);
	state_load(state, job, verdicts, "x.inq", false, job->gathered);
	draw_screen(state, &cells);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		state_key(state, keys[i]);
		draw_screen(state, &cells);
	}
	state_resize(state, 41, 11);
	draw_screen(state, &cells);
	cells_release(&cells);
	state_free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = bytes + size;
	struct evidence evidence = {0};
	struct verdicts *verdicts;
	struct job *job;

	while (parcel_take(&at, end, &evidence))
		;
	job = decode_job(&evidence);
	evidence_release(&evidence); /* whatever the job needs is its own */
	verdicts = verdicts_of(job);
	write_reports(verdicts);
	draw(job, verdicts);
	verdicts_free(verdicts);
	job_free(job);
	return 0;
}
