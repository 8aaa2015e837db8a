/* SPDX-License-Identifier: Apache-2.0 */
#include "words/tense.h"

#include <inttypes.h>
#include <time.h>

#include "base/checked.h"
#include "base/clock.h"
#include "words/wording.h"

enum tense tense_of(const struct verdicts *verdicts, bool live)
{
	if (verdicts->over)
		return TENSE_ENDED;
	return live ? TENSE_LIVE : TENSE_RECORDED;
}

/* ns within which a job that was told to end has ended. */
#define TO_END (60 * CLOCK_NS_PER_S)
/* ns after which nobody knows a place to look at what was last seen then. */
#define LONG_PAST (12 * 3600 * CLOCK_NS_PER_S)

/* True if nobody can look at the recorded job again. */
static bool is_past(const struct verdicts *verdicts, const struct tense_clock *clock)
{
	const struct job *job = verdicts->job;
	int64_t now = clock->now, seen = job->coverage.to;

	if (job->told_to_end != JOB_UNKNOWN && job->gathered != JOB_UNKNOWN &&
		checked_sub(job->gathered, job->told_to_end) < TO_END)
		return true;
	for (size_t i = 0; now && job->gathered != JOB_UNKNOWN && i < verdicts->n; i++)
		if (verdicts->at[i].watchdog_left != JOB_UNKNOWN &&
			checked_sub(now, job->gathered) > verdicts->at[i].watchdog_left)
			return true;
	if (seen == JOB_UNKNOWN && clock->written)
		seen = clock->written;
	return now && seen != JOB_UNKNOWN && checked_sub(now, seen) > LONG_PAST;
}

enum tense tense_to_act(
	const struct verdicts *verdicts, bool live, const struct tense_clock *clock)
{
	enum tense tense = tense_of(verdicts, live);

	return tense == TENSE_RECORDED && is_past(verdicts, clock) ? TENSE_PAST : tense;
}

bool tense_is_over(enum tense tense)
{
	return tense == TENSE_ENDED || tense == TENSE_PAST;
}

/* Splits a time into the calendar's parts. Returns false where it has none. */
static bool split(int64_t realtime, struct tm *parts)
{
	time_t seconds = (time_t)(realtime / CLOCK_NS_PER_S);

	return realtime != JOB_UNKNOWN && realtime >= 0 && gmtime_r(&seconds, parts);
}

/* Appends "2026-11-22 10:25:31 UTC"; nothing for JOB_UNKNOWN or a time that no calendar has. */
static void tense_add_moment(struct str *into, int64_t realtime)
{
	struct tm parts;
	char text[48];

	if (split(realtime, &parts) &&
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts))
		str_add(into, text);
}

void tense_add_stamp(struct str *into, int64_t realtime)
{
	struct tm parts;
	char text[48];

	if (split(realtime, &parts) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts))
		str_printf(into, "%s.%03" PRId64 "Z", text,
			(int64_t)(realtime % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

void tense_add(struct str *into, const struct verdicts *verdicts, bool live)
{
	static const char *const words[] = {
		[TENSE_LIVE] = "LIVE", [TENSE_ENDED] = "ENDED", [TENSE_RECORDED] = "RECORDED"};
	struct str moment = {0};

	str_add(into, words[tense_of(verdicts, live)]);
	tense_add_moment(&moment, verdicts->job->coverage.to);
	if (moment.len)
		str_printf(into, " %s", str_text(&moment));
	str_release(&moment);
}

/* Returns when the last of the job's ranks ended; JOB_UNKNOWN where no such time is known. */
static int64_t last_end(const struct job *job)
{
	int64_t last = JOB_UNKNOWN;

	job_for_each_rank(job, rank) {
		int process = job_rank(job, rank)->process;

		if (process != JOB_NONE && job->processes[process].ended > last)
			last = job->processes[process].ended;
	}
	return last;
}

/* Appends "ended 2026-11-22 10:33:15 UTC, status 1". */
static void add_end(struct str *into, const struct job *job)
{
	int64_t last = last_end(job);

	str_add(into, "ended");
	if (last != JOB_UNKNOWN) {
		str_add_char(into, ' ');
		tense_add_moment(into, last);
	}
	if (job->ended == JOB_YES && job->exit_status >= 0)
		str_printf(into, ", status %d", job->exit_status);
}

/* Appends what will end the job, or would have. */
static void add_limit(struct str *into, const struct verdict *verdict, int64_t left, bool live)
{
	const struct wording_limit *limit = wording_limit(verdict->watchdog);
	char text[CLOCK_TEXT_SIZE];

	if (left <= 0)
		str_printf(into, "; %s", live ? limit->over : limit->was_over);
	else if (live)
		str_printf(into, "; %s %s", limit->ahead, clock_format(left, text));
	else
		str_printf(into, "; %s were left until %s", clock_format(left, text), limit->then);
}

/*
 * Says that the culprit still moves, but takes so long that nobody should wait for it. Returns
 * false where no fact tells that.
 */
static bool add_proportion(struct str *into, const struct verdict *verdict, bool live)
{
	for (size_t i = 0; verdict->outlook == VERDICT_WAIT && i < verdict->nevidence; i++) {
		const struct verdict_fact *fact = &verdict->evidence[i];

		if (fact->kind != FACT_MANY_TIMES)
			continue;
		str_printf(into, "%s moving, but %" PRId64 " x its peers%s",
			live ? "still" : "was still", fact->c, live ? ": treat it as stuck" : "");
		return true;
	}
	return false;
}

/*
 * Says that all ranks passed the fork: whether the job resolves is no question then, and another
 * look shows no more. Returns false where no fact tells that.
 */
static bool add_went_on(struct str *into, const struct verdict *verdict, bool live)
{
	for (size_t i = 0; verdict->outlook == VERDICT_OUTLOOK_UNKNOWN && i < verdict->nevidence;
		i++) {
		if (verdict->evidence[i].kind != FACT_WENT_ON)
			continue;
		str_add(into, live ? "the job goes on; whether its data is right nobody recorded"
				   : "the job went on; whether its data is right nobody recorded");
		return true;
	}
	return false;
}

void tense_add_prospect(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, int64_t left, bool live)
{
	if (verdict->outlook == VERDICT_OVER) {
		add_end(into, verdicts->job);
		return;
	}
	if (add_went_on(into, verdict, live))
		return;
	if (!add_proportion(into, verdict, live))
		str_add(into, live ? wording_outlook(verdict->outlook)->live
				   : wording_outlook(verdict->outlook)->then);
	if (left != JOB_UNKNOWN)
		add_limit(into, verdict, left, live);
	/* If not even the rank is known, the next step says what is to be done. */
	if (live && verdict->outlook == VERDICT_OUTLOOK_UNKNOWN &&
		verdict->class != VERDICT_INCONCLUSIVE)
		str_add(into, "; look again in 30 s");
}
