/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of the whole timeline: what the formats promise, whatever a job calls its things. That
 * both say what the rows say is for tests/viewer/documents.test, on recorded jobs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/facts.h"
#include "tests/unit/unit.h"
#include "viewer/export/html-data.h"
#include "viewer/export/html.h"
#include "viewer/export/intern.h"
#include "viewer/export/perfetto.h"
#include "viewer/export/proto.h"
#include "viewer/state/state.h"

/* A state that looks at the job: its scene is what documents are made of. */
struct shown {
	struct job *job;
	struct verdicts *verdicts;
	struct state *state;
	const struct scene *scene;
	int64_t forked;
	struct str text;
};

static struct shown show_job(struct job *job)
{
	struct shown shown = {.job = job, .verdicts = verdicts_of(job), .state = state_new()};

	state_resize(shown.state, 80, 24);
	state_load(shown.state, job, shown.verdicts, "test.inq", false, job->gathered);
	shown.scene = state_scene(shown.state, &shown.forked);
	return shown;
}

static struct shown show(struct facts *facts)
{
	struct shown shown = show_job(facts_job(facts));

	facts_free(facts);
	return shown;
}

static void hide(struct shown *shown)
{
	state_free(shown->state);
	verdicts_free(shown->verdicts);
	job_free(shown->job);
	str_release(&shown->text);
}

static size_t count(const struct str *text, const char *what)
{
	size_t n = 0;

	for (const char *at = str_text(text); (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* -- Protocol Buffers ------------------------------------------------------------------------- */

/* The examples of protobuf.dev, "Encoding", and a number of ten bytes. */
static void fields_are_written_as_the_encoding_has_them(void **state)
{
	struct str text = {0}, inner = {0};

	proto_uint(&text, 1, 150);
	assert_memory_equal(text.text, "\x08\x96\x01", 3);
	str_cut(&text, 0);
	proto_text(&text, 2, "testing");
	assert_memory_equal(text.text, "\x12\x07testing", 9);
	str_cut(&text, 0);
	proto_uint(&inner, 1, 150);
	proto_message(&text, 3, &inner);
	assert_memory_equal(text.text, "\x1a\x03\x08\x96\x01", 5);
	str_cut(&text, 0);
	proto_fixed64(&text, 47, 0x0102030405060708);
	assert_memory_equal(text.text, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	str_cut(&text, 0);
	proto_uint(&text, 1, UINT64_MAX);
	assert_int_equal(text.len, 11);
	str_cut(&text, 0);
	proto_text(&text, 1, "a\xff");
	assert_memory_equal(text.text,
		"\x0a\x04"
		"a\xef\xbf\xbd",
		6);
	str_release(&text);
	str_release(&inner);
}

static void a_text_has_one_number_however_often_it_comes(void **state)
{
	enum { MANY = 5000 };
	static char texts[2][MANY][8]; /* each twice, as two workers make it */
	struct intern intern = {0};

	for (int copy = 0; copy < 2; copy++)
		for (int i = 0; i < MANY; i++) {
			snprintf(texts[copy][i], sizeof(texts[copy][i]), "#%d", i);
			assert_int_equal(intern_text(&intern, texts[copy][i]), i);
		}
	assert_int_equal(intern.n, MANY);
	intern_release(&intern);
}

/* -- The page --------------------------------------------------------------------------------- */

/* Names come from the job: none ends the element that it stands in, or begins another. */
static void no_name_is_markup(void **state)
{
	struct facts *facts = facts_missing(4, 2, 44);
	struct shown shown;

	facts_span(facts, 2, JOB_SPAN_COMPILE, "</script><script>alert(1)</script>", "<!--<script>",
		45, -1);
	facts_note(facts, 1, "\"},]]]<img src=x onerror=alert(1)>&amp;\\", 46);
	facts_note(facts, 3, "turned \xe2\x80\xae round, \x1b[2J, \xff", 46);
	shown = show(facts);
	html_write(shown.scene, shown.forked, &shown.text);
	assert_int_equal(count(&shown.text, "</script"), 2);
	assert_int_equal(count(&shown.text, "<script"), 2);
	assert_int_equal(count(&shown.text, "<img"), 0);
	assert_int_equal(count(&shown.text, "<!--"), 0);
	assert_int_equal(count(&shown.text, "\xe2\x80\xae"), 0);
	assert_int_equal(count(&shown.text, "\x1b"), 0);
	assert_in_range(count(&shown.text, "\\u003c/script\\u003e"), 2, 100);
	hide(&shown);
}

/* Nothing is asked of anybody else, and the page itself forbids it. */
static void the_page_needs_nothing_but_itself(void **state)
{
	struct shown shown = show(facts_missing(4, 2, 44));

	html_write(shown.scene, shown.forked, &shown.text);
	assert_non_null(strstr(str_text(&shown.text), "default-src 'none'"));
	assert_int_equal(count(&shown.text, "http:"), 0);
	assert_int_equal(count(&shown.text, "https:"), 0);
	assert_int_equal(count(&shown.text, " src="), 0);
	assert_int_equal(count(&shown.text, "href="), 0);
	assert_int_equal(count(&shown.text, "url("), 0);
	assert_int_equal(count(&shown.text, "innerHTML"), 0);
	hide(&shown);
}

/* A rank with so many spans of 1 us, 1 us apart; one of them is an exception's: a compile span. */
static struct job *job_of_spans(size_t n)
{
	struct job_builder *b = job_builder_new();
	struct job_who who = {"node0", 1000, 7};
	struct job_process process = job_process_unknown;
	struct job_identity identity = {
		.world_rank = world_rank(0), .promoted = true, .knows = JOB_KNOWS_RING};

	process.role = JOB_ROLE_RANK;
	process.end = JOB_ALIVE;
	process.cite = "proc";
	job_add_identity(b, "job-1", "many");
	job_add_process(b, who, &process, &identity);
	for (size_t i = 0; i < n; i++) {
		int64_t at = facts_ns(1) + (int64_t)i * 2000;
		struct job_span span = {.kind = i == n / 2 ? JOB_SPAN_COMPILE : JOB_SPAN_USER,
			.name = "x",
			.detail = "",
			.begun = at,
			.ended = at + 1000,
			.cpu_at_begin = JOB_UNKNOWN,
			.cpu_at_end = JOB_UNKNOWN,
			.cite = "ring:0:span"};

		job_add_span(b, who, &span);
	}
	return job_seal(b);
}

/* Of too many the neighbours are drawn as one, the page says so, and what says most stays seen. */
static void very_many_intervals_are_joined_and_it_is_said(void **state)
{
	struct shown shown = show_job(job_of_spans(HTML_SPANS / 2 + 1000));
	char compile[64];
	const char *spans, *end;
	size_t numbers = 0;

	html_data_write(shown.scene, shown.forked, &shown.text);
	assert_null(strstr(str_text(&shown.text), "\"short\":0,"));
	spans = strstr(str_text(&shown.text), "\"spans\":[");
	assert_non_null(spans);
	end = strchr(spans, ']');
	for (const char *at = spans; at < end; at++)
		numbers += *at == ',';
	assert_in_range((numbers + 1) / 5, HTML_SPANS / 8, HTML_SPANS);
	snprintf(compile, sizeof(compile), ",%d,", TRACK_COMPILE);
	assert_true(strstr(spans, compile) && strstr(spans, compile) < end);
	hide(&shown);
}

static void few_intervals_are_all_there(void **state)
{
	struct shown shown = show_job(job_of_spans(1000));

	html_data_write(shown.scene, shown.forked, &shown.text);
	assert_non_null(strstr(str_text(&shown.text), "\"short\":0,"));
	hide(&shown);
}

/* -- The trace -------------------------------------------------------------------------------- */

/* Flows go from each who waits to who is awaited, and say no more than the verdict does. */
static void flows_lead_to_the_culprit(void **state)
{
	struct shown shown = show(facts_missing(4, 2, 44));

	perfetto_write(shown.scene, &shown.text);
	/* Packets hold NULs: what is looked for stands behind them. */
	for (size_t i = 0; i < shown.text.len; i++)
		if (!shown.text.text[i])
			shown.text.text[i] = ' ';
	assert_int_equal(count(&shown.text, "waits for rank 2"), 3);
	assert_int_equal(count(&shown.text, "is awaited by rank"), 3);
	hide(&shown);
}

static void the_same_job_gives_the_same_bytes(void **state)
{
	struct str first = {0};

	for (int i = 0; i < 2; i++) {
		struct shown shown = show(facts_missing(8, 5, 44));

		html_write(shown.scene, shown.forked, &shown.text);
		perfetto_write(shown.scene, &shown.text);
		if (i) {
			assert_int_equal(shown.text.len, first.len);
			assert_memory_equal(shown.text.text, first.text, first.len);
		} else {
			str_add_bytes(&first, shown.text.text, shown.text.len);
		}
		hide(&shown);
	}
	str_release(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_written_as_the_encoding_has_them),
		cmocka_unit_test(a_text_has_one_number_however_often_it_comes),
		cmocka_unit_test(no_name_is_markup),
		cmocka_unit_test(the_page_needs_nothing_but_itself),
		cmocka_unit_test(very_many_intervals_are_joined_and_it_is_said),
		cmocka_unit_test(few_intervals_are_all_there),
		cmocka_unit_test(flows_lead_to_the_culprit),
		cmocka_unit_test(the_same_job_gives_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
