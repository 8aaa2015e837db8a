/* SPDX-License-Identifier: Apache-2.0 */
/* Which agents of other hosts live: what a card says of itself holds nobody for long. */
#include "cmd/agent/agent-cards.h"

#include "cmd/agent/agent-rally.h"
#include "tests/unit/unit.h"

static bool lives(bool lived, int64_t pause_ms, int seconds)
{
	const struct rally_other other = {
		.card = {.pause_ms = pause_ms}, .changed = 1, .lived = lived};

	return agent_card_lives(&other, 1 + seconds * CLOCK_NS_PER_S);
}

static void a_card_lives_as_long_as_it_moves(void **state)
{
	const struct rally_other over = {.card = {.over = true}, .changed = 1, .lived = true};

	(void)state;
	assert_true(lives(true, 4000, 11));
	assert_false(lives(true, 4000, 12));
	assert_true(lives(true, 8000, 23));
	assert_false(lives(true, 8000, 24));
	assert_false(agent_card_lives(&over, 1));
}

static void no_card_says_how_long_it_lives(void **state)
{
	(void)state;
	assert_true(lives(true, 59000, 29));
	assert_false(lives(true, 59000, 31));
	assert_false(lives(true, INT64_MAX, 31));
	assert_false(lives(true, 0, 12));
	/* As it was found, and never seen to move. */
	assert_true(lives(false, 59000, 11));
	assert_false(lives(false, 59000, 12));
}

/* Pods have the same pids, and so had the job before this one. */
static void what_was_heard_of_another_agent_was_not_heard_of_us(void **state)
{
	char name[] = "card.b";
	struct rally_heard heard[] = {{name, 7, 3}, {name, 8, 3}};
	const struct rally_card says = {.heard = {heard, 2, 2}};
	const struct rally_card same = {.name = name, .pid = 12, .born = 8, .raised = 3};
	const struct rally_card later = {.name = name, .pid = 12, .born = 9, .raised = 3};

	(void)state;
	assert_true(agent_card_says_heard(&says, &same));
	assert_false(agent_card_says_heard(&says, &later));
}

/* One other host, seen so many seconds ago to write. */
static bool clashes(const struct rally_other *with, struct agent_rally *rally, int64_t now)
{
	struct rally_other other = *with;

	rally->others.items = &other;
	rally->others.nr = rally->others.room = 1;
	return agent_cards_clash(rally, now * CLOCK_NS_PER_S);
}

/* Killed, a job leaves its cards to the next one of its name. */
static void only_who_lives_tells_of_two_jobs(void **state)
{
	struct agent_rally rally = {.first = true};
	struct rally_other other = {.card = {.clash = true, .pause_ms = 4000}, .changed = 1};

	(void)state;
	assert_false(clashes(&other, &rally, 1));
	other.lived = true;
	assert_true(clashes(&other, &rally, 1));
	assert_false(clashes(&other, &rally, 20));
}

/* A node that is gone has its ranks on its card for as long as that seems to live. */
static void a_rank_that_moved_is_no_clash(void **state)
{
	int ranks[] = {0, 1};
	struct agent_rally rally = {.first = true, .own = {.attempt = 1, .ranks = {ranks, 2, 2}}};
	struct rally_other other = {
		.card = {.attempt = 1, .ranks = {ranks + 1, 1, 1}, .pause_ms = 4000},
		.lived = true,
		.changed = 99 * CLOCK_NS_PER_S};

	(void)state;
	assert_false(clashes(&other, &rally, 100));
	assert_false(clashes(&other, &rally, 107));
	other.changed = 103 * CLOCK_NS_PER_S;
	assert_true(clashes(&other, &rally, 107));
	other.card.attempt = 2;
	assert_false(clashes(&other, &rally, 108));
}

/* Of a run id, which people give again: the last job may still be ending. */
static void who_goes_as_we_come_is_not_ours(void **state)
{
	struct agent_rally rally = {.named = true, .own = {.launched = 1000 * CLOCK_NS_PER_S}};
	struct rally_other other = {.card = {.launched = 999 * CLOCK_NS_PER_S, .pause_ms = 4000},
		.lived = true,
		.seen = 1,
		.changed = 5 * CLOCK_NS_PER_S};

	(void)state;
	assert_true(agent_card_is_ours(&rally, &other, 6 * CLOCK_NS_PER_S));
	other.card.launched = 900 * CLOCK_NS_PER_S;
	assert_false(agent_card_is_ours(&rally, &other, 6 * CLOCK_NS_PER_S));
	/* Over for long, or at work for as long. */
	assert_false(agent_card_is_ours(&rally, &other, 90 * CLOCK_NS_PER_S));
	other.changed = 89 * CLOCK_NS_PER_S;
	assert_true(agent_card_is_ours(&rally, &other, 90 * CLOCK_NS_PER_S));
	other.rival = true;
	assert_false(agent_card_is_ours(&rally, &other, 90 * CLOCK_NS_PER_S));
	/* A step of Slurm is never begun again. */
	rally.named = other.rival = false;
	other.changed = 5 * CLOCK_NS_PER_S;
	assert_true(agent_card_is_ours(&rally, &other, 6 * CLOCK_NS_PER_S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_lives_as_long_as_it_moves),
		cmocka_unit_test(no_card_says_how_long_it_lives),
		cmocka_unit_test(what_was_heard_of_another_agent_was_not_heard_of_us),
		cmocka_unit_test(who_goes_as_we_come_is_not_ours),
		cmocka_unit_test(only_who_lives_tells_of_two_jobs),
		cmocka_unit_test(a_rank_that_moved_is_no_clash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
