/* SPDX-License-Identifier: Apache-2.0 */
/* What each rank did, over time, as intervals and events. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "job/spans.h"
#include "tests/unit/facts.h"
#include "tests/unit/report_job.h"
#include "viewer/timeline/track.h"

struct look {
	struct job *job;
	struct verdicts *verdicts;
	struct tracks *tracks;
};

/* A track is sound: it covers all of the time, without holes and overlaps, in order. */
static void expect_sound(const struct tracks *tracks)
{
	assert_true(tracks->from < tracks->to);
	for (size_t i = 0; i < tracks->n; i++) {
		const struct track *track = &tracks->at[i];
		int64_t at = tracks->from, when = INT64_MIN + 1;

		assert_true(track->nspans > 0);
		for (size_t k = 0; k < track->nspans; k++) {
			assert_int_equal(track->spans[k].from, at);
			assert_true(track->spans[k].to >= at);
			assert_non_null(track->spans[k].name);
			assert_non_null(track->spans[k].cite);
			at = track->spans[k].to;
		}
		assert_int_equal(at, tracks->to);
		for (size_t k = 0; k < track->nevents; k++) {
			int64_t next = track->events[k].when;

			assert_non_null(track->events[k].name);
			assert_non_null(track->events[k].cite);
			assert_non_null(track->events[k].fact);
			assert_true(next == JOB_UNKNOWN || (when != JOB_UNKNOWN && next >= when));
			when = next;
		}
	}
}

static struct look look_at(struct facts *f)
{
	struct look look = {.job = facts_job(f)};

	look.verdicts = verdicts_of(look.job);
	look.tracks = tracks_new(look.verdicts);
	expect_sound(look.tracks);
	facts_free(f);
	return look;
}

static void look_away(struct look *look)
{
	tracks_free(look->tracks);
	verdicts_free(look->verdicts);
	job_free(look->job);
}

static double seconds(int64_t when)
{
	return when == JOB_UNKNOWN ? -1 : (double)(when - facts_ns(0)) / 1e9;
}

/* "starting 0-20; collective 20-60 AllReduce #1; waiting 60-100 AllReduce #2 >" */
static void expect_track(const struct look *look, int rank, const char *wanted)
{
	const struct track *track = &look->tracks->at[rank];
	struct str text = {0};

	for (size_t i = 0; i < track->nspans; i++) {
		const struct track_span *span = &track->spans[i];
		const char *state = track_state_name(span->state);
		const char *name = strcmp(span->name, state) ? span->name : "";

		str_printf(&text, "%s%s %g-%g%s%s%s", i ? "; " : "", state,
			seconds(span->from), seconds(span->to), *name ? " " : "", name,
			span->open ? " >" : "");
	}
	assert_string_equal(str_text(&text), wanted);
	str_release(&text);
}

static void expect_now(const struct look *look, int rank, enum track_state now, double since,
	const char *doing)
{
	const struct track *track = &look->tracks->at[rank];

	assert_string_equal(track_state_name(track->now), track_state_name(now));
	assert_string_equal(track->doing, doing);
	assert_int_equal((int)(seconds(track->since) * 10), (int)(since * 10));
}

/* -- what goes on, and what waits ------------------------------------------------------------ */

static void one_compiles_and_the_rest_waits(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	for (int rank = 0; rank < 4; rank++) {
		double ended = rank == 3 ? FACTS_OPEN : 30;

		facts_span(f, rank, JOB_SPAN_COMPILE, "dynamo", "", 10, ended);
		ended = rank == 3 ? FACTS_OPEN : 25;
		facts_span(f, rank, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 15, ended);
	}
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 40);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-10; compile 10-15 dynamo; compile 15-25 codegen 0/0; "
			       "compile 25-30 dynamo; own code 30-40; "
			       "waiting 40-100 AllReduce #1 >");
	expect_track(&look, 3, "starting 0-10; compile 10-15 dynamo; compile 15-100 codegen 0/0 >");
	expect_now(&look, 3, TRACK_COMPILE, 15, "codegen 0/0");
	expect_now(&look, 1, TRACK_WAITING, 40, "AllReduce #1");
	assert_int_equal(look.tracks->nphases, 2);
	assert_string_equal(look.tracks->phases[0], "codegen");
	assert_string_equal(look.tracks->phases[1], "dynamo");
	look_away(&look);
}

static void phases_carry_the_id_of_their_graph(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_span(f, 0, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_span(f, 0, JOB_SPAN_COMPILE, "graph 0/1", "5f3a", 20, FACTS_OPEN);
	facts_span(f, 0, JOB_SPAN_COMPILE, "aot", "", 30, FACTS_OPEN);
	facts_span(f, 1, JOB_SPAN_COMPILE, "graph 7/2", "5f3a", 20, 40);
	facts_span(f, 1, JOB_SPAN_COMPILE, "inductor codegen", "1/0 4f81c2", 50, 60);
	facts_span(f, 1, JOB_SPAN_COMPILE, "inductor codegen", "graph 2/0", 60, 70);
	facts_span(f, 1, JOB_SPAN_COMPILE, "inductor codegen", "12345", 70, 80);
	facts_span(f, 1, JOB_SPAN_COMPILE, "inductor codegen", "/etc", 80, 90);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-10; compile 10-20 dynamo; compile 20-30 graph 0/1; "
			       "compile 30-100 aot 0/1 >");
	expect_track(&look, 1, "starting 0-20; compile 20-40 graph 7/2; own code 40-50; "
			       "compile 50-60 codegen 1/0; compile 60-70 codegen 2/0; "
			       "compile 70-90 codegen; own code 90-100 >");
	assert_int_equal(look.tracks->nphases, 4);
	assert_string_equal(look.tracks->phases[0], "codegen");
	assert_string_equal(look.tracks->phases[1], "graph");
	look_away(&look);
}

static void an_op_lasts_from_its_entry_to_its_return(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_rounds(f, 0, 2, 20, 10);
	facts_span(f, 0, JOB_SPAN_CHECKPOINT, "save", "", 40, 50);
	facts_outside(f, 1, 33);
	facts_outside(f, 0, 55);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-20; in a call 20-21 AllReduce #1; own code 21-30; "
			       "in a call 30-31 AllReduce #2; own code 31-40; "
			       "checkpoint 40-50 save; own code 50-100 >");
	expect_track(&look, 1, "starting 0-20; in a call 20-21 AllReduce #1; own code 21-30; "
			       "in a call 30-31 AllReduce #2; own code 31-100 >");
	look_away(&look);
}

static void the_innermost_is_shown(void **state)
{
	struct facts *f = facts_new(1);
	struct look look;

	facts_span(f, 0, JOB_SPAN_USER, "epoch 1", "", 10, 90);
	facts_round(f, 0, JOB_OP_ALLREDUCE, 64, 20);
	facts_span(f, 0, JOB_SPAN_INPUT, "train loader", "", 30, 40);
	facts_span(f, 0, JOB_SPAN_USER, "too short to see", "", 60, 60);
	facts_outside(f, 0, 25);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-10; span 10-20 epoch 1; "
			       "in a call 20-21 AllReduce #1; span 21-30 epoch 1; "
			       "input 30-40 train loader; span 40-90 epoch 1; own code 90-100 >");
	look_away(&look);
}

static void the_newest_it_is_inside_of_is_what_it_does(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	/* A collective inside an open compile; and a compile that began inside an open call. */
	facts_span(f, 0, JOB_SPAN_COMPILE, "dynamo", "", 10, FACTS_OPEN);
	facts_hold(f, 0, 0, JOB_OP_ALLGATHER, 64, 50);
	facts_hold(f, 0, 1, JOB_OP_ALLGATHER, 64, 50);
	facts_span(f, 1, JOB_SPAN_COMPILE, "dynamo", "", 70, FACTS_OPEN);
	look = look_at(f);
	assert_string_equal(look.tracks->at[0].doing, "AllGather #1");
	assert_string_equal(look.tracks->at[1].doing, "dynamo");
	look_away(&look);
}

static void p2p_names_its_peer(void **state)
{
	struct facts *f = facts_new(3);
	struct look look;

	facts_p2p(f, 0, 0, JOB_OP_RECV, 2, 30, true);
	look = look_at(f);
	assert_string_equal(look.tracks->at[0].doing, "Recv from 2");
	look_away(&look);
}

/* -- whom the verdict blames ------------------------------------------------------------------- */

/* What a verdict concludes is not in the picture: its culprit is drawn as what it does. */
static void a_culprit_is_drawn_as_what_it_does(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
	facts_span(f, 1, JOB_SPAN_INPUT, "train loader", "", 55, FACTS_OPEN);
	look = look_at(f);
	assert_int_equal(look.verdicts->at[0].class, VERDICT_HOST_STALL);
	expect_now(&look, 1, TRACK_INPUT, 55, "train loader");
	expect_now(&look, 0, TRACK_WAITING, 60, "AllReduce #11");
	look_away(&look);
}

static void own_code_is_own_code_whoever_waits_for_it(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 40);
	facts_cpu(f, 3, 0, 1, 30);
	look = look_at(f);
	assert_int_equal(look.verdicts->at[0].class, VERDICT_HOST_STALL);
	expect_now(&look, 3, TRACK_COMPUTE, 25.5, "own code");
	look_away(&look);
}

static void an_idle_phase_is_that_phase(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	for (int rank = 0; rank < 4; rank++)
		facts_span(f, rank, JOB_SPAN_COMPILE, "inductor codegen", "0/0", 10,
			rank == 1 ? FACTS_OPEN : 20);
	facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 25);
	facts_cpu(f, 1, 0, 2, 60);
	look = look_at(f);
	assert_int_equal(look.verdicts->at[0].class, VERDICT_COMPILE_STUCK);
	expect_track(&look, 1, "starting 0-10; compile 10-100 codegen 0/0 >");
	look_away(&look);
}

/* A blamed rank in a collective waits there as all others do. */
static void who_is_blamed_for_its_op_waits_as_others_do(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	for (int rank = 0; rank < 4; rank++)
		facts_hold(f, 0, rank, rank == 2 ? JOB_OP_ALLGATHER : JOB_OP_ALLREDUCE, 64, 40);
	look = look_at(f);
	assert_int_equal(look.verdicts->at[0].class, VERDICT_COLLECTIVE_MISMATCH);
	expect_track(&look, 2, "starting 0-40; waiting 40-100 AllGather #1 >");
	expect_track(&look, 0, "starting 0-40; waiting 40-100 AllReduce #1 >");
	look_away(&look);
}

/* -- what a look at it says -------------------------------------------------------------------- */

/* A stack proves a moment, or as long as samples saw it: before that the records speak. */
static void a_lock_on_the_stack_lasts_as_long_as_it_was_seen(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	facts_rounds(f, 0, 10, 20, 0.5);
	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 40);
	facts_stack(f, 3, "flock@libc.so.6 < read_cache@/me/train.py:131 < main@/me/train.py:9");
	facts_cpu(f, 3, 0, 2, 0);
	look = look_at(f);
	assert_int_equal(look.tracks->at[3].now, TRACK_BLOCKED);
	assert_string_equal(look.tracks->at[3].doing, "lock, read_cache train.py:131");
	assert_true(look.tracks->at[3].since > facts_ns(90));
	assert_int_equal(track_at(&look.tracks->at[3], facts_ns(41))->state, TRACK_COMPUTE);
	look_away(&look);
}

/* The processor's idleness reaches further back than its last record: that it was recorded in. */
static void no_state_is_dated_back_beyond_what_was_recorded(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_rounds(f, 0, 4, 20, 15); /* the last at 65, which all complete */
	f->ranks[1].process.state = 'T';
	f->ranks[1].process.idle_for = INT64_C(60000000000);
	look = look_at(f);
	expect_now(&look, 1, TRACK_BLOCKED, 66, "stopped");
	assert_int_equal(track_at(&look.tracks->at[1], facts_ns(50.5))->state, TRACK_COLLECTIVE);
	look_away(&look);
}

/* What the phase is called says more than the function of the program's that it calls. */
static void a_phase_on_the_stack_has_its_name(void **state)
{
	struct facts *f = facts_new(4);
	struct look look;

	facts_enter_but(f, 0, 3, JOB_OP_ALLREDUCE, 4096, 60);
	facts_outside(f, 3, 40);
	facts_stack(f, 3, "nap@/me/util.py:7 < save_checkpoint@/me/train.py:131 < "
			  "main@/me/train.py:9");
	look = look_at(f);
	assert_string_equal(look.tracks->at[3].doing, "save_checkpoint train.py:131");
	look_away(&look);
}

/* A synchronisation that waits for an op holds the thread since it was called, not since the op. */
static void a_wait_begins_with_its_call(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_enter(f, 0, 0, JOB_OP_ALLREDUCE, 64, 40);
	facts_sync(f, 0, 70);
	facts_outside(f, 1, 45);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-40; in a call 40-41 AllReduce #1; own code 41-70; "
			       "waiting 70-100 AllReduce #1 >");
	look_away(&look);
}

/* Of an op that is not complete while the program goes on: own code, said otherwise. */
static void what_is_launched_is_not_waited_in(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	f->completion = true;
	facts_enter(f, 0, 0, JOB_OP_ALLREDUCE, 64, 40)->completed = JOB_NO;
	facts_outside(f, 0, 41);
	look = look_at(f);
	expect_track(&look, 0, "starting 0-40; in a call 40-41 AllReduce #1; "
			       "not completed 41-100 AllReduce #1 >");
	look_away(&look);
}

/* Who comes last of all, in the last moment that is known of anybody, is there. */
static void the_last_to_enter_is_seen(void **state)
{
	struct facts *f = facts_new(3);
	const struct track_span *last;
	struct look look;

	for (int rank = 0; rank < 3; rank++)
		facts_hold(f, 0, rank, JOB_OP_ALLREDUCE, 64, rank < 2 ? 60 : FACTS_NOW);
	look = look_at(f);
	last = track_last(&look.tracks->at[2]);
	assert_int_equal(last->state, TRACK_WAITING);
	assert_string_equal(last->name, "AllReduce #1");
	assert_true(last->from == last->to && last->to == look.tracks->to);
	look_away(&look);
}

static void a_stopped_process_is_blocked(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	f->ranks[1].process.state = 'T';
	f->ranks[1].process.idle_for = INT64_C(30000000000);
	look = look_at(f);
	expect_now(&look, 1, TRACK_BLOCKED, 70, "stopped");
	look_away(&look);
}

/* -- deaths and gaps --------------------------------------------------------------------------- */

static void the_dead_stay_dead(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;
	const struct track *track;

	facts_rounds(f, 0, 1, 20, 1);
	facts_end(f, 1, JOB_SIGNALED, SIGSEGV, 50);
	facts_signal(f, 1, SIGSEGV, 0, "", 49.5);
	look = look_at(f);
	track = &look.tracks->at[1];
	assert_int_equal(track->now, TRACK_DEAD);
	assert_int_equal(seconds(track->since), 50);
	assert_string_equal(track->doing, "SIGSEGV");
	assert_int_equal(track->spans[track->nspans - 1].state, TRACK_DEAD);
	assert_int_equal(track_at(track, facts_ns(20.5))->state, TRACK_COLLECTIVE);
	assert_int_equal(track_at(track, facts_ns(49))->state, TRACK_COMPUTE);
	assert_int_equal(track->events[track->nevents - 1].kind, TRACK_DEATH);
	look_away(&look);
}

static void a_death_at_the_very_end_is_there(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_end(f, 1, JOB_EXITED, 1, FACTS_NOW);
	look = look_at(f);
	assert_int_equal(look.tracks->at[1].now, TRACK_DEAD);
	assert_string_equal(look.tracks->at[1].doing, "exit 1");
	look_away(&look);
	f = facts_new(1);
	facts_end(f, 0, JOB_EXITED, 1, 60);
	look = look_at(f);
	assert_true(look.tracks->to > facts_ns(60)); /* all are dead: their end has a width */
	assert_true(look.tracks->to < facts_ns(62));
	look_away(&look);
}

static void a_death_of_unknown_time_is_after_the_last_sign(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_rounds(f, 0, 1, 20, 1);
	facts_end(f, 1, JOB_GONE, 0, 50);
	f->ranks[1].process.ended = JOB_UNKNOWN;
	look = look_at(f);
	expect_track(&look, 1, "starting 0-20; in a call 20-21 AllReduce #1; "
			       "dead 21-100 gone >");
	assert_int_equal(look.tracks->at[1].since, JOB_UNKNOWN);
	assert_int_equal(look.tracks->at[1].events[1].when, JOB_UNKNOWN);
	look_away(&look);
}

/* Between two ops that were kept there were others: whatever the rank did then, nobody knows. */
static void ops_not_kept_are_a_hole(void **state)
{
	struct facts *f = facts_new(1);
	const struct track *track;
	struct look look;
	size_t gaps = 0;

	facts_rounds(f, 0, 9, 20, 5);
	f->members[0][0].ops[3] = f->members[0][0].ops[7]; /* #4 to #7 are gone */
	f->members[0][0].ops[4] = f->members[0][0].ops[8];
	f->members[0][0].nops = 5;
	facts_outside(f, 0, 70);
	look = look_at(f);
	track = &look.tracks->at[0];
	expect_track(&look, 0, "starting 0-20; in a call 20-21 AllReduce #1; own code 21-25; "
			       "in a call 25-26 AllReduce #2; own code 26-30; "
			       "in a call 30-31 AllReduce #3; not kept 31-55 #4-#7 not kept; "
			       "in a call 55-56 AllReduce #8; own code 56-60; "
			       "in a call 60-61 AllReduce #9; own code 61-100 >");
	for (size_t i = 0; i < track->nevents; i++)
		if (track->events[i].kind == TRACK_GAP) {
			assert_string_equal(track->events[i].name, "#4-#7 not kept");
			gaps++;
		}
	assert_int_equal(gaps, 1);
	look_away(&look);
}

static void a_loss_is_an_event_without_time(void **state)
{
	struct facts *f = facts_new(2);
	const struct track_event *last;
	struct look look;

	facts_rounds(f, 0, 2, 20, 1);
	facts_loss(f, 1, "12 records torn");
	look = look_at(f);
	last = &look.tracks->at[1].events[look.tracks->at[1].nevents - 1];
	assert_int_equal(last->kind, TRACK_GAP);
	assert_int_equal(last->when, JOB_UNKNOWN);
	assert_string_equal(last->name, "12 records torn");
	look_away(&look);
}

static void without_a_ring_nothing_is_known(void **state)
{
	struct facts *f = facts_new(3);
	struct look look;

	facts_rounds(f, 0, 2, 20, 1);
	facts_lose_ring(f, 1);
	facts_never_seen(f, 2);
	look = look_at(f);
	expect_now(&look, 1, TRACK_NODATA, 0, "no ring");
	expect_track(&look, 2, "no data 0-100 not seen >");
	look_away(&look);
}

static void without_a_ring_its_stack_tells(void **state)
{
	struct facts *f = facts_new(2);
	struct look look;

	facts_no_probe(f);
	facts_lose_ring(f, 0);
	facts_lose_ring(f, 1);
	facts_stack(f, 0, "poll@libc.so.6 < all_reduce@/torch/distributed/distributed_c10d.py:2800 "
			  "< step@/me/train.py:88");
	facts_stack(f, 1, "work@/me/train.py:12 < main@/me/train.py:99");
	look = look_at(f);
	assert_int_equal(look.tracks->at[0].now, TRACK_WAITING);
	assert_string_equal(look.tracks->at[0].doing, "all_reduce");
	assert_non_null(strstr(look.tracks->at[1].doing, "train.py:12"));
	look_away(&look);
}

/* -- looking up -------------------------------------------------------------------------------- */

static void lookups_find_what_covers_a_time(void **state)
{
	struct facts *f = facts_new(1);
	const struct track *track;
	struct look look;

	facts_rounds(f, 0, 3, 20, 10);
	facts_outside(f, 0, 50);
	facts_loss(f, 0, "1 record");
	look = look_at(f);
	track = &look.tracks->at[0];
	assert_null(track_at(track, facts_ns(-1)));
	assert_int_equal(track_at(track, facts_ns(0))->state, TRACK_OTHER);
	assert_string_equal(track_at(track, facts_ns(30.5))->name, "AllReduce #2");
	assert_string_equal(track_at(track, facts_ns(30))->name, "AllReduce #2");
	assert_int_equal(track_at(track, facts_ns(100))->state, TRACK_COMPUTE);
	assert_null(track_at(track, facts_ns(101)));
	assert_int_equal(track_event_before(track, facts_ns(19)), -1);
	assert_int_equal(track_event_before(track, facts_ns(20)), 0);
	assert_int_equal(track_event_before(track, facts_ns(100)), 2);
	look_away(&look);
}

static void cites_lead_to_their_event(void **state)
{
	struct facts *f = facts_new(12);
	struct look look;
	ptrdiff_t event = 0;
	struct rank_index rank = rank_index(0);

	facts_rounds(f, 0, 2, 20, 1);
	f->members[0][11].ops[0].cite = "ring:11:g1:1";
	f->members[0][11].ops[1].cite = "ring:11:g1:2";
	look = look_at(f);
	assert_true(tracks_cited(look.tracks, "ring:11:g1:1", &rank, &event));
	assert_int_equal(rank.i, 11);
	assert_int_equal(event, 0);
	assert_true(tracks_cited(look.tracks, "env ring:11:g1", &rank, &event));
	assert_int_equal(rank.i, 11);
	assert_int_equal(event, 1);
	assert_true(tracks_cited(look.tracks, "stack:3:tid7", &rank, &event));
	assert_int_equal(rank.i, 3);
	assert_int_equal(event, -1);
	assert_false(tracks_cited(look.tracks, "ring:*:g1", &rank, &event));
	assert_false(tracks_cited(look.tracks, "cgroup:hostA", &rank, &event));
	assert_false(tracks_cited(look.tracks, "census:3", &rank, &event));
	assert_false(tracks_cited(look.tracks, "ring:99:g1", &rank, &event));
	assert_false(tracks_cited(look.tracks, "ring:1x", &rank, &event));
	assert_false(tracks_cited(look.tracks, "", &rank, &event));
	assert_false(tracks_cited(look.tracks, ":::", &rank, &event));
	look_away(&look);
}

/* -- the strange ------------------------------------------------------------------------------- */

static void a_job_of_nothing_has_a_time(void **state)
{
	struct job job = {.gathered = JOB_UNKNOWN, .deadline = JOB_UNKNOWN};
	struct verdicts *verdicts = verdicts_of(&job);
	struct tracks *tracks = tracks_new(verdicts);

	assert_true(tracks->from < tracks->to);
	assert_int_equal(tracks->n, 0);
	tracks_free(tracks);
	verdicts_free(verdicts);
	tracks_free(NULL);
}

static void a_job_made_by_hand_is_drawn(void **state)
{
	struct hand_job *hand = calloc(1, sizeof(*hand));
	struct tracks *tracks;

	assert_non_null(hand);
	hand_job_make(hand, 8, 3);
	tracks = tracks_new(&hand->verdicts);
	expect_sound(tracks);
	assert_int_equal(tracks->at[3].now, TRACK_COMPILE);
	assert_string_equal(tracks->at[3].doing, "codegen 0/0");
	assert_int_equal(tracks->at[0].now, TRACK_WAITING);
	assert_string_equal(tracks->at[0].doing, "AllReduce #1");
	assert_true(tracks->at[0].since == hand->threads[0].since);
	tracks_free(tracks);
	free(hand);
}

static void clocks_of_strangers_are_no_trouble(void **state)
{
	static const int64_t times[] = {0, -1, INT64_MIN + 1, INT64_MAX, INT64_MAX / 2, 1,
		JOB_UNKNOWN};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct facts *f = facts_new(2);
		struct look look;

		facts_enter_but(f, 0, 1, JOB_OP_ALLREDUCE, 4096, 60);
		f->members[0][0].ops[0].entered = times[i];
		f->ranks[1].process.born = times[i];
		facts_span(f, 1, JOB_SPAN_COMPILE, "codegen", "0/0", 15, FACTS_OPEN);
		f->extra[f->nextra - 1].is.span.begun = times[i];
		facts_span(f, 1, JOB_SPAN_USER, "x", "", 15, 20);
		f->extra[f->nextra - 1].is.span.ended = times[i];
		facts_end(f, 0, JOB_EXITED, 1, 60);
		f->ranks[0].process.ended = times[i];
		look = look_at(f);
		look_away(&look);
	}
}

static void names_are_there_for_all(void **state)
{
	for (int i = -1; i <= TRACK_STATES; i++)
		assert_true(*track_state_name((enum track_state)i));
	for (int i = -1; i <= TRACK_KINDS; i++)
		assert_true(*track_kind_name((enum track_kind)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_compiles_and_the_rest_waits),
		cmocka_unit_test(phases_carry_the_id_of_their_graph),
		cmocka_unit_test(an_op_lasts_from_its_entry_to_its_return),
		cmocka_unit_test(the_innermost_is_shown),
		cmocka_unit_test(the_newest_it_is_inside_of_is_what_it_does),
		cmocka_unit_test(p2p_names_its_peer),
		cmocka_unit_test(a_culprit_is_drawn_as_what_it_does),
		cmocka_unit_test(own_code_is_own_code_whoever_waits_for_it),
		cmocka_unit_test(an_idle_phase_is_that_phase),
		cmocka_unit_test(who_is_blamed_for_its_op_waits_as_others_do),
		cmocka_unit_test(a_lock_on_the_stack_lasts_as_long_as_it_was_seen),
		cmocka_unit_test(no_state_is_dated_back_beyond_what_was_recorded),
		cmocka_unit_test(a_phase_on_the_stack_has_its_name),
		cmocka_unit_test(a_wait_begins_with_its_call),
		cmocka_unit_test(what_is_launched_is_not_waited_in),
		cmocka_unit_test(the_last_to_enter_is_seen),
		cmocka_unit_test(a_stopped_process_is_blocked),
		cmocka_unit_test(the_dead_stay_dead),
		cmocka_unit_test(a_death_at_the_very_end_is_there),
		cmocka_unit_test(a_death_of_unknown_time_is_after_the_last_sign),
		cmocka_unit_test(ops_not_kept_are_a_hole),
		cmocka_unit_test(a_loss_is_an_event_without_time),
		cmocka_unit_test(without_a_ring_nothing_is_known),
		cmocka_unit_test(without_a_ring_its_stack_tells),
		cmocka_unit_test(lookups_find_what_covers_a_time),
		cmocka_unit_test(cites_lead_to_their_event),
		cmocka_unit_test(a_job_of_nothing_has_a_time),
		cmocka_unit_test(a_job_made_by_hand_is_drawn),
		cmocka_unit_test(clocks_of_strangers_are_no_trouble),
		cmocka_unit_test(names_are_there_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
