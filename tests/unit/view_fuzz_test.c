/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random keys, on screens of random sizes, over random jobs: of 1 to 10,000 ranks, with names from
 * hostile programs and times from broken clocks. Under the sanitizers nothing may be read that is
 * not there; always, all that is drawn may be shown on a terminal, and the cursor is where there is
 * something. INQUEST_SEED draws others, INQUEST_ROUNDS more.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/build.h"
#include "job/names.h"
#include "verdict/verdict.h"
#include "viewer/draw.h"
#include "viewer/state-private.h"
#include "words/escape.h"

#define T0 (1800000000LL * 1000000000)
#define S  1000000000LL

static uint64_t seed;

static unsigned draw(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return below ? (unsigned)(seed >> 33) % below : 0;
}

static const char *const names[] = {"codegen", "dynamo", "inductor codegen", "", "\x1b[2J\x1b[H",
	"\xff\xfe", "\xe6\xbc\xa2\xe5\xad\x97", "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81", "\xe2\x80\xae",
	"line\nbreak", "an extraordinarily long name that goes on and on and on and on and on"};

static const char *any_name(void)
{
	return names[draw(sizeof(names) / sizeof(*names))];
}

/* Mostly of the last hundred seconds; else of a clock that lies, by centuries. */
static int64_t any_time(void)
{
	static const int64_t odd[] = {-2 * T0, 2 * T0, 0, -1, T0 + 1, JOB_UNKNOWN};

	return draw(40) ? T0 - (int64_t)draw(100000) * (S / 1000) : odd[draw(6)];
}

static struct job_who who_of(unsigned rank)
{
	static char hosts[128][16];
	char *host = hosts[rank / 8 % 128];

	snprintf(host, sizeof(hosts[0]), "node%u", rank / 8 % 128);
	return (struct job_who){host, 1000 + rank, 5};
}

static void add_rank(struct job_builder *b, unsigned rank)
{
	struct job_process process = job_process_unknown;
	struct job_identity identity = {(int)rank, (int)rank % 8, true,
		JOB_KNOWS_RING | JOB_KNOWS_PROC | JOB_KNOWS_EXIT, 0};

	process.role = JOB_ROLE_RANK;
	process.comm = any_name();
	process.born = T0 - 200 * S;
	process.end = draw(30) ? JOB_ALIVE : JOB_SIGNALED;
	process.status = 9;
	process.ended = process.end == JOB_ALIVE ? JOB_UNKNOWN : any_time();
	process.cite = process.end_cite = process.sample_cite = "proc";
	if (!draw(20))
		identity.knows = JOB_KNOWS_PROC;
	job_add_process(b, who_of(rank), &process, &identity);
}

static void add_ops(struct job_builder *b, unsigned rank, unsigned n, const struct job_group *group)
{
	struct job_member member = job_member_unknown;
	unsigned nops = draw(6);

	member.seat = rank;
	member.state = JOB_MEMBER_READY;
	member.head = nops;
	member.head_known = true;
	member.cite = "ring:*:g1";
	job_add_member(b, who_of(rank), group, &member);
	for (unsigned i = 1; i <= nops; i++) {
		struct job_op op = {.index = i,
			.sig = {.op = (uint8_t)draw(JOB_OP_RECV + 1),
				.peer = draw(n),
				.count = draw(2) * 4096},
			.entered = any_time(),
			.returned = (enum job_known)draw(3),
			.completed = (enum job_known)draw(3),
			.thread = JOB_NONE,
			.cite = "ring:*:g1"};

		job_add_op(b, who_of(rank), group->key, rank, &op, 0);
	}
}

static void add_extras(struct job_builder *b, unsigned rank)
{
	struct job_span span = {.kind = (enum job_span_kind)(1 + draw(5)),
		.name = any_name(),
		.detail = any_name(),
		.begun = any_time(),
		.ended = any_time(),
		.cite = "ring:0:lane0:1"};

	span.open = span.ended == JOB_UNKNOWN;
	for (unsigned i = draw(4); i--; span.begun = any_time(), span.name = any_name())
		job_add_span(b, who_of(rank), &span);
	if (!draw(4))
		job_add_note(b, who_of(rank),
			&(struct job_note){.text = any_name(),
				.exception = draw(2),
				.when = any_time(),
				.cite = "ring:0"});
	if (!draw(10))
		job_add_loss(b, who_of(rank),
			&(struct job_loss){.what = any_name(), .count = 3, .cite = "ring:0"});
	if (!draw(3)) {
		struct job_frame frames[] = {{.function = any_name(), .module = "libc.so.6"},
			{.kind = JOB_FRAME_PYTHON, .function = any_name(), .file = any_name()}};

		job_add_stack(b, who_of(rank),
			&(struct job_stack){.tid = 1000 + rank,
				.main = true,
				.when = T0,
				.cite = "stack:0"},
			frames, draw(3));
	}
}

static struct job *any_job(unsigned n)
{
	struct job_builder *b = job_builder_new();
	struct job_group group = {
		.key = 7, .name = any_name(), .maker = "nccl", .size = n, .cite = "ring:*:g1"};

	job_add_identity(b, "id", any_name());
	job_add_world_size(b, (int)n + (draw(8) ? 0 : 3));
	job_add_launch(b, any_time());
	for (unsigned rank = 0; rank < n; rank++) {
		struct job_host host = job_host_unknown;

		host.name = who_of(rank).host;
		host.gathered = T0;
		host.cite = host.cgroup_cite = "gather";
		if (rank % 8 == 0)
			job_add_host(b, &host);
		if (!draw(50))
			continue;
		add_rank(b, rank);
		if (draw(20))
			add_ops(b, rank, n, &group);
		add_extras(b, rank);
	}
	return job_seal(b);
}

/* -- Keys ------------------------------------------------------------------------------------- */

/* One of the request's keys. */
static void any_key_of(enum request request, struct key *key)
{
	const char *at = keys_of(request);

	for (unsigned skip = draw(3); skip-- && strchr(at, ' ');)
		at = strchr(at, ' ') + 1;
	snprintf(key->name, sizeof(key->name), "%.*s", (int)strcspn(at, " "), at);
}

static void any_key(struct key *key)
{
	static const char *const typed[] = {"rank 3", ":t +12.5s", "node1", "!state:hung",
		"codegen", "7", "-30", "host:node0", "by host", "\xe6\xbc\xa2", "Backspace", "Up",
		"Left", "Delete", "no such key", "", "x", "a", "Enter", "Esc", "Ctrl-W", "Home",
		"F12"};

	if (draw(4)) {
		any_key_of((enum request)(1 + draw(REQUESTS - 1)), key);
		return;
	}
	snprintf(key->name, sizeof(key->name), "%s",
		typed[draw(sizeof(typed) / sizeof(*typed))]);
}

/* Types a line, so that commands, filters and searches come whole now and then. */
static void any_line(struct state *state)
{
	static const char *const lines[] = {":rank 5", ":t +3s", ":t 03:11:52", ":t 99999999999h",
		":by host", ":by flat", ":filter state:waiting", ":filter", ":search codegen",
		":pane events", ":theme light", ":utf8", ":export /dev/null", ":mouse", ":zzz",
		"/reduce", "/node1", "/\xff", "&rank:0-7", "&!host:node0", "&((", "&"};
	const char *line = lines[draw(sizeof(lines) / sizeof(*lines))];

	state_key(state, "Esc");
	for (; *line; line++)
		state_key(state, (char[2]){*line});
	state_key(state, "Enter");
}

/* -- What always holds ------------------------------------------------------------------------ */

static void check_cells(const struct cells *cells, int w, int h)
{
	assert_int_equal(cells->w, w);
	assert_int_equal(cells->h, h);
	for (int i = 0; i < w * h; i++) {
		const char *text = cells->at[i].text;

		assert_true(cells->at[i].style < STYLES);
		for (size_t size; *text; text += size) {
			int32_t code = escape_decode(text, &size);

			assert_true(escape_is_plain(code));
			assert_true(cells->utf8 || code < 0x80);
		}
	}
}

static void check_state(const struct state *state)
{
	assert_true(state->window.from < state->window.to);
	assert_true(state->window.from >= state->bounds.from);
	assert_true(state->window.to <= state->bounds.to);
	assert_true(state->when >= state->window.from && state->when <= state->window.to);
	assert_true(state->row < (ptrdiff_t)state->rows->n);
	assert_true(state->rows->n == 0 || (state->row >= 0 && state->rank >= 0));
	assert_true(!state_shows_pane(state) || state->line[state->pane] == 0 ||
		    state->line[state->pane] < state->lines.lines.all.nr);
}

struct looked {
	struct job *job;
	struct verdicts *verdicts;
};

static struct looked look(unsigned n)
{
	struct looked looked = {.job = any_job(n)};

	looked.verdicts = verdicts_of(looked.job);
	return looked;
}

static void look_release(struct looked *looked)
{
	verdicts_free(looked->verdicts);
	job_free(looked->job);
}

static void any_step(struct state *state)
{
	const char *argument;
	struct key key;

	switch (draw(12)) {
	case 0:
		state_resize(state, 1 + (int)draw(400), 1 + (int)draw(120));
		break;
	case 1:
		state_mouse(state, (int)draw(400), (int)draw(120), (int)draw(5) - 2, draw(2));
		break;
	case 2:
		any_line(state);
		break;
	default:
		any_key(&key);
		state_key(state, key.name);
	}
	if (!draw(4))
		state_effect(state, &argument);
}

static void play(unsigned n, unsigned steps)
{
	struct state *state = state_new();
	struct cells cells = {0};
	struct looked looked = look(n);

	state_key(state, "j"); /* nothing is loaded */
	draw_screen(state, &cells);
	state_resize(state, 1 + (int)draw(400), 1 + (int)draw(120));
	state_load(state, looked.job, looked.verdicts, any_name(), draw(2), T0 + S);
	while (steps--) {
		any_step(state);
		draw_screen(state, &cells);
		check_cells(&cells, state->w, state->h);
		check_state(state);
		if (!draw(40)) {
			struct looked next = look(draw(3) ? n : 1 + draw(n));

			state_load(state, next.job, next.verdicts, any_name(), true, T0 + S);
			look_release(&looked);
			looked = next;
			check_state(state);
		}
	}
	cells_release(&cells);
	state_free(state);
	look_release(&looked);
}

static unsigned number_of(const char *variable, unsigned otherwise)
{
	const char *text = getenv(variable);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void whatever_is_pressed(void **unused)
{
	unsigned rounds = number_of("INQUEST_ROUNDS", 40);

	(void)unused;
	seed = number_of("INQUEST_SEED", 20261121);
	for (unsigned i = 0; i < rounds; i++)
		play(1 + draw(i % 4 ? 16 : 200), 100);
}

static void whatever_is_pressed_of_many(void **unused)
{
	(void)unused;
	seed = number_of("INQUEST_SEED", 20261121);
	play(1000 + draw(1000), 60);
	play(10000, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_pressed),
		cmocka_unit_test(whatever_is_pressed_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
