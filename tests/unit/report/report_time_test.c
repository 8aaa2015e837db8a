/* SPDX-License-Identifier: Apache-2.0 */
/* Laws 9 and 10 on the page: as of when it holds, in which tense, and of how much of the job. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tests/unit/report_job.h"
#include "words/tense.h"

static const struct report_options plain = {.utf8 = true, .gathered = true};
static const struct report_options live = {.utf8 = true, .gathered = true, .live = true};

/* Asserts the lines of a page from the second on, as many as are given. */
static void assert_second_lines(const struct hand_job *hand, bool is_live, const char *expected)
{
	struct report_options options = plain;
	char *text, *second;

	options.live = is_live;
	text = hand_job_written(&report_text, &hand->verdicts, &options);
	second = strchr(text, '\n') + 1;
	if (strncmp(second, expected, strlen(expected)) != 0)
		fail_msg("%s", second);
	free(text);
}

/* Law 10: nothing counts down in a record, and what is over is over. */
static void a_verdict_has_a_time(void **state)
{
	struct hand_job hand;

	(void)state;
	hand_job_make(&hand, 8, 3);
	assert_second_lines(&hand, true,
		"sft-41: 8/8 ranks, attempt 1, stage FIRST FORWARD   LIVE 2027-01-15 08:00:00 UTC\n"
		" WAIT     still moving, may resolve; watchdog kills in 19:36 env\n");
	assert_second_lines(&hand, false,
		"sft-41: 8/8 ranks, stage FIRST FORWARD          RECORDED 2027-01-15 08:00:00 UTC\n"
		" WAIT     was still moving, might have resolved;             env\n"
		"            19:36 were left until the watchdog kills\n");
	hand.verdicts.over = true;
	hand.verdict[0].outlook = VERDICT_OVER;
	hand.verdict[0].watchdog_left = JOB_UNKNOWN;
	hand.processes[5].ended = hand.job.gathered - 2000000000;
	assert_second_lines(&hand, true,
		"sft-41: 8/8 ranks, attempt 1, stage FIRST FORWARD  ENDED 2027-01-15 08:00:00 UTC\n"
		" OVER     ended 2027-01-15 07:59:58 UTC\n");
}

static enum tense tense_at(const struct verdicts *of, bool is_live, int64_t now)
{
	return tense_to_act(of, is_live, &(const struct tense_clock){.now = now});
}

/* A record of a job that is over by now asks nobody to look at it. */
static void a_record_may_be_of_the_past(void **state)
{
	const int64_t hour = 3600 * INT64_C(1000000000);
	struct hand_job hand;
	struct verdicts *of = &hand.verdicts;
	struct tense_clock clock;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.job.told_to_end = JOB_UNKNOWN;
	hand.verdict[0].watchdog_left = JOB_UNKNOWN;
	assert_int_equal(tense_at(of, true, hand.job.coverage.to + 100 * hour), TENSE_LIVE);
	assert_int_equal(tense_at(of, false, 0), TENSE_RECORDED);
	assert_int_equal(tense_at(of, false, hand.job.coverage.to + hour), TENSE_RECORDED);
	assert_int_equal(tense_at(of, false, hand.job.coverage.to + 13 * hour), TENSE_PAST);
	hand.verdict[0].watchdog_left = hour / 2;
	assert_int_equal(tense_at(of, false, hand.job.gathered + hour / 3), TENSE_RECORDED);
	assert_int_equal(tense_at(of, false, hand.job.gathered + hour), TENSE_PAST);
	/* It was told to end when it was looked at; or long before, and did not. */
	hand.job.told_to_end = hand.job.gathered - hour / 3600;
	assert_int_equal(tense_at(of, false, 0), TENSE_PAST);
	hand.job.told_to_end = hand.job.gathered - hour;
	assert_int_equal(tense_at(of, false, 0), TENSE_RECORDED);
	/* Where nothing tells a time, that of the files does. */
	clock = (struct tense_clock){hand.job.gathered + 20 * hour, hand.job.gathered};
	hand.job.coverage.to = JOB_UNKNOWN;
	hand.verdict[0].watchdog_left = JOB_UNKNOWN;
	assert_int_equal(tense_to_act(of, false, &clock), TENSE_PAST);
	clock.written += 19 * hour;
	assert_int_equal(tense_to_act(of, false, &clock), TENSE_RECORDED);
	hand.verdicts.over = true;
	assert_int_equal(tense_at(of, false, 0), TENSE_ENDED);
}

/* Law 9: what was not seen is named, with the command that gets it. */
static void a_view_of_a_part_says_so(void **state)
{
	struct hand_job hand;
	char *text;

	(void)state;
	hand_job_make(&hand, 8, 3);
	hand.job.coverage.hosts = (struct job_expected){4, "Slurm step"};
	hand.job.coverage.hosts_seen = 3;
	hand.job.coverage.hosts_missing = "m4";
	hand.job.coverage.ranks_seen = 6;
	hand.verdicts.lack = VERDICT_LACKS_RANKS;
	hand.verdicts.lacking = (struct verdict_ranks){hand.all + 6, 2};
	hand.verdict[0].next = VERDICT_NEXT_GET_REST;
	assert_second_lines(&hand, true,
		"sft-41: 6/8 ranks, nodes 3/4: no word from m4 (ranks 6-7), stage FIRST FORWARD\n"
		"                                                    LIVE 2027-01-15 08:00:00 "
		"UTC\n");
	text = hand_job_written(&report_text, &hand.verdicts, &live);
	assert_non_null(strstr(text, "next  inquest attach --hosts "));
	assert_non_null(strstr(text, "or on m4: inquest attach --all"));
	free(text);
	text = hand_job_written(&report_text, &hand.verdicts, &plain);
	assert_non_null(strstr(text, "next  if it still hangs: inquest attach --hosts "));
	free(text);
	/* A name is a stranger's: what is pasted into a shell has none that is no plain one. */
	hand.job.coverage.hosts_missing = "m4;reboot";
	text = hand_job_written(&report_text, &hand.verdicts, &live);
	assert_null(strstr(text, "--hosts"));
	free(text);
	hand.job.coverage.hosts_missing = "-oProxyCommand=x";
	text = hand_job_written(&report_text, &hand.verdicts, &live);
	assert_null(strstr(text, "--hosts"));
	free(text);
	hand.job.coverage.hosts_missing = "m4";
	hand.verdict[0].next = VERDICT_NEXT_SEED_CACHE;
	text = hand_job_written(&report_text, &hand.verdicts, &live);
	assert_non_null(strstr(text, "next  seed the cache"));
	assert_non_null(strstr(text, "\n      to be sure: inquest attach --hosts "));
	free(text);
	hand.job.coverage.ranks = (struct job_expected){JOB_NONE, ""};
	hand.verdicts.lack = VERDICT_LACKS_SIZE;
	assert_second_lines(
		&hand, true, "sft-41: 6 ranks seen, of how many nobody says, attempt 1,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_has_a_time),
		cmocka_unit_test(a_record_may_be_of_the_past),
		cmocka_unit_test(a_view_of_a_part_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
