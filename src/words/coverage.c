/* SPDX-License-Identifier: Apache-2.0 */
#include "words/coverage.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "words/everywhere.h"
#include "words/rank-names.h"

/* Appends how many nodes were seen, unless the job has just one. */
static void add_nodes(struct str *into, const struct job_coverage *coverage)
{
	if (coverage->hosts.n > 1)
		str_printf(into, ", nodes %zu/%d", coverage->hosts_seen, coverage->hosts.n);
}

/*
 * Appends the ranks without a word of their own, by the names of their hosts where these are known.
 */
static void add_missing(struct str *into, const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;
	bool hosts = *coverage->hosts_missing, ranks = verdicts->lacking.n;

	str_add(into, ": no word from ");
	str_add(into, coverage->hosts_missing);
	if (ranks) {
		str_add(into, hosts ? " (" : "");
		ranks_name(into, verdicts->job, verdicts->lacking);
		str_add(into, hosts ? ")" : "");
	} else if (!hosts) {
		str_printf(into, "%zu of them", (size_t)coverage->ranks.n - coverage->ranks_seen);
	}
}

void coverage_add(struct str *into, const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;

	if (verdicts->lack == VERDICT_LACKS_SIZE && !ranks_were_seen(verdicts->job)) {
		str_add(into, "no rank seen, of how many nobody says");
		return;
	}
	if (verdicts->lack == VERDICT_LACKS_SIZE) {
		str_printf(into, "%zu rank%s seen, of how many nobody says", coverage->ranks_seen,
			coverage->ranks_seen == 1 ? "" : "s");
		return;
	}
	str_printf(into, "%zu/%d ranks", coverage->ranks_seen, coverage->ranks.n);
	add_nodes(into, coverage);
	if (verdicts->lack == VERDICT_LACKS_RANKS)
		add_missing(into, verdicts);
	if (*coverage->hosts_part)
		str_printf(into, "%s only a part from %s",
			verdicts->lack == VERDICT_LACKS_RANKS ? "," : ":", coverage->hosts_part);
}

/* Returns the ranks that need another look; n = 0: none. */
static struct verdict_ranks looked_before(const struct verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->nnot_judged; i++)
		if (verdicts->not_judged[i].need == NEED_LOOK)
			return verdicts->not_judged[i].ranks;
	return (struct verdict_ranks){0};
}

/* Appends "m2 (ranks 3-4), m3 (rank 6)". */
static void add_places(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	struct rank_index *here = alloc_zeroed(ranks.n + 1, sizeof(*here));
	size_t places = 0;

	for (int host = 0; host < (int)job->nhosts; host++) {
		size_t n = 0;

		for (size_t i = 0; i < ranks.n; i++)
			if (job_rank(job, ranks.at[i])->host == host)
				here[n++] = ranks.at[i];
		if (!n)
			continue;
		str_printf(into, "%s%s (", places++ ? ", " : "", job->hosts[host].name);
		ranks_name(into, job, (struct verdict_ranks){here, n});
		str_add(into, ")");
	}
	free(here);
}

/* Returns the nodes from which there is nothing, or not all, by name where the names are known. */
static const char *unseen_nodes(const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;

	if (verdicts->lack == VERDICT_LACKS_PART)
		return coverage->hosts_part;
	return *coverage->hosts_missing ? coverage->hosts_missing : "the other nodes";
}

/*
 * Appends what stands in front of a step, of up to three parts: "to be sure", "if it still hangs",
 * "on m4". Any may be "".
 */
static void say_lead(struct str *into, const char *first, const char *second, const char *third)
{
	const char *const all[] = {first, second, third};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i])
			str_printf(into, "%s%s", into->len ? ", " : "", all[i]);
}

/*
 * Adds the command that looks on all nodes, if there is one, and the commands to type on each of
 * `nodes` and behind that.
 */
static void add_commands(struct steps *into, const struct job *job, const char *lead,
	const char *when, const char *nodes)
{
	struct str command = {0}, words = {0}, where = {0};

	str_printf(&where, "on %s", nodes);
	if (everywhere_add_command(&command, job, false)) {
		say_lead(&words, lead, when, "");
		steps_add(into, &words, &command);
		str_printf(&words, "or %s", str_text(&where));
	} else {
		say_lead(&words, lead, when, str_text(&where));
	}
	str_add(&command, "inquest attach ");
	everywhere_add_key(&command, job);
	str_add(&command, " -o $(hostname).inq");
	steps_add(into, &words, &command);
	str_add(&words, "then, where these files are");
	str_add(&command, "inquest diagnose *.inq");
	steps_add(into, &words, &command);
	str_release(&where);
}

/*
 * Adds to look at the next run: a run that is over cannot be looked at again, and the next one may
 * hang, too.
 */
static void add_next_time(struct steps *into, const char *lead)
{
	struct str words = {0}, command = {0};

	say_lead(&words, lead,
		"run it again under `inquest run` on each node: that looks when the others wait",
		"");
	steps_add(into, &words, &command);
}

/* Adds to fetch what the nodes kept that were not seen, of a run that is over. */
static void add_kept(struct steps *into, const char *lead, const char *nodes)
{
	struct str words = {0}, command = {0}, copy = {0};

	str_printf(&copy, "copy what %s kept, *.inq or dumps, to what was read here, and there",
		nodes);
	say_lead(&words, lead, str_text(&copy), "");
	str_add(&command, "inquest diagnose .");
	steps_add(into, &words, &command);
	str_release(&copy);
}

/* Adds to look again at ranks that were looked at too early. `lead` stands in front of the step. */
static void add_look(
	struct steps *into, const struct verdicts *verdicts, const char *lead, enum tense tense)
{
	struct verdict_ranks ranks = looked_before(verdicts);
	struct str nodes = {0};

	if (ranks.n && tense_is_over(tense)) {
		add_next_time(into, lead);
	} else if (ranks.n) {
		add_places(&nodes, verdicts->job, ranks);
		if (*verdicts->job->coverage.hosts_missing)
			str_printf(&nodes, ", %s", verdicts->job->coverage.hosts_missing);
		add_commands(into, verdicts->job, lead,
			tense == TENSE_LIVE ? "look again, now that the others wait"
					    : "if it still hangs, look again",
			str_text(&nodes));
	}
	str_release(&nodes);
}

void coverage_add_look(struct steps *into, const struct verdicts *verdicts, enum tense tense)
{
	add_look(into, verdicts, "", tense);
}

/*
 * True if those of whom there is no word may all be here: as many processes were started beside the
 * ranks, and never had a number. No other node has more of them then, as far as is known.
 */
static bool may_all_be_here(const struct verdicts *verdicts)
{
	return verdicts->lack == VERDICT_LACKS_RANKS && verdicts->lacking.n &&
	       verdicts->unnumbered >= verdicts->lacking.n &&
	       !*verdicts->job->coverage.hosts_missing;
}

/* Adds how to get what was not seen. `lead` stands in front of the first step. */
static void add_remedy(
	struct steps *into, const struct verdicts *verdicts, const char *lead, enum tense tense)
{
	if (verdicts->lack == VERDICT_LACKS_LOOK)
		add_look(into, verdicts, lead, tense);
	if (verdicts->lack != VERDICT_LACKS_RANKS && verdicts->lack != VERDICT_LACKS_PART)
		return;
	if (tense_is_over(tense) && may_all_be_here(verdicts))
		return;
	if (tense_is_over(tense))
		add_kept(into, lead, unseen_nodes(verdicts));
	else
		add_commands(into, verdicts->job, lead,
			tense == TENSE_RECORDED ? "if it still hangs" : "",
			unseen_nodes(verdicts));
}

void coverage_add_remedy(struct steps *into, const struct verdicts *verdicts, enum tense tense)
{
	add_remedy(into, verdicts, "", tense);
}

void coverage_add_surety(struct steps *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense)
{
	bool whole = verdicts->lack != VERDICT_LACKS_RANKS ||
		     *verdicts->job->coverage.hosts_missing;
	bool told = verdict->next == VERDICT_NEXT_GET_REST ||
		    (verdict->next == VERDICT_NEXT_LOOK_AGAIN && whole);

	if (!told && verdict->class != VERDICT_TOO_EARLY)
		add_remedy(into, verdicts, "to be sure", tense);
}
