/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole way: parcels of exhibits, decoded and judged, written by one report and drawn by the
 * viewer with one of its panes open: which, the input's own bytes say.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "change.h"
#include "decode/decode.h"
#include "parcel.h"
#include "report/report.h"
#include "viewer/draw.h"
#include "viewer/state/state.h"

/* So long a line for a log may be. */
#define LINE 4096
#define KEYS 3

static void write_report(const struct verdicts *verdicts, uint32_t *chance)
{
	static const struct report *const reports[] = {
		&report_text, &report_json, &report_stacks, &report_stacks_json, &report_folded};
	const struct report_options options = {
		.utf8 = draw_below(chance, 2),
		.color = draw_below(chance, 2),
		.all_threads = draw_below(chance, 2),
		.live = draw_below(chance, 2),
	};
	size_t which = draw_below(chance, sizeof(reports) / sizeof(*reports));
	FILE *file = fopen("/dev/null", "w");
	struct str line = {0};

	if (!file || reports[which]->write(file, verdicts, &options) < 0)
		abort();
	fclose(file);
	report_json_line(&line, verdicts, "x.inq", LINE);
	if (line.len > LINE)
		abort();
	str_release(&line);
}

/* One of the panes, drawn behind some keys, on a screen that is large or hardly one. */
static void draw(const struct job *job, const struct verdicts *verdicts, uint32_t *chance)
{
	static const char *const keys[] = {"+", "Right", "Down", "Enter", "-", "End"};
	const char pane[] = {(char)('1' + draw_below(chance, 7)), '\0'};
	struct state *state = state_new();
	struct cells cells = {0};

	state_set_utf8(state, draw_below(chance, 2));
	if (draw_below(chance, 4))
		state_resize(state, 120, 40);
	else
		state_resize(state, 41, 11);
	state_load(state, job, verdicts, "x.inq", false, job->gathered);
	state_key(state, pane);
	for (size_t i = 0; i < KEYS; i++)
		state_key(state, keys[draw_below(chance, sizeof(keys) / sizeof(*keys))]);
	draw_screen(state, &cells);
	cells_release(&cells);
	state_free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = bytes + size;
	uint32_t chance = input_hash(bytes, size);
	struct evidence evidence = {0};
	struct verdicts *verdicts;
	struct job *job;

	while (parcel_take(&at, end, &evidence))
		;
	job = decode_job(&evidence);
	evidence_release(&evidence); /* whatever the job needs is its own */
	verdicts = verdicts_of(job);
	write_report(verdicts, &chance);
	draw(job, verdicts, &chance);
	verdicts_free(verdicts);
	job_free(job);
	return 0;
}
