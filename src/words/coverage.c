/* SPDX-License-Identifier: Apache-2.0 */
#include "words/coverage.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "words/everywhere.h"
#include "words/rank-names.h"

/* Nobody needs to be told how many hosts a job on one host has. */
static void add_nodes(struct str *into, const struct job_coverage *coverage)
{
	if (coverage->hosts.n > 1)
		str_printf(into, ", nodes %zu/%d", coverage->hosts_seen, coverage->hosts.n);
}

/* Whose word lacks: by the names of their hosts where these are known. */
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

/* Of whom another look is missing; n = 0: of nobody. */
static struct verdict_ranks looked_before(const struct verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->nnot_judged; i++)
		if (verdicts->not_judged[i].need == NEED_LOOK)
			return verdicts->not_judged[i].ranks;
	return (struct verdict_ranks){0};
}

/* "m2 (ranks 3-4), m3 (rank 6)" */
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

/* The nodes from which there is nothing, or not all, by name where these are known. */
static const char *unseen_nodes(const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;

	if (verdicts->lack == VERDICT_LACKS_PART)
		return coverage->hosts_part;
	return *coverage->hosts_missing ? coverage->hosts_missing : "the other nodes";
}

/* Behind a preface ("" none): all nodes by one command, or each by one of its own on `nodes`. */
static void add_commands(
	struct str *into, const struct job *job, const char *preface, const char *nodes)
{
	struct str command = {0};

	str_add(into, preface);
	if (everywhere_add_command(&command, job, false))
		str_printf(into, "%s%s; or ", *preface ? ": " : "", str_text(&command));
	else if (*preface)
		str_add(into, ", ");
	str_printf(into, "on %s: inquest attach --all -o NODE.inq; then inquest diagnose *.inq",
		nodes);
	str_release(&command);
}

/* Of a run that is over there is no other look: the next one may hang, too. */
static void add_next_time(struct str *into, const struct job *job)
{
	struct str command = {0};

	str_add(into, "when it hangs again, look at all its nodes at once");
	if (everywhere_add_command(&command, job, true))
		str_printf(into, ": %s", str_text(&command));
	str_release(&command);
}

void coverage_add_look(struct str *into, const struct verdicts *verdicts, enum tense tense)
{
	struct verdict_ranks ranks = looked_before(verdicts);
	struct str nodes = {0};

	if (ranks.n && tense == TENSE_ENDED) {
		add_next_time(into, verdicts->job);
	} else if (ranks.n) {
		add_places(&nodes, verdicts->job, ranks);
		if (*verdicts->job->coverage.hosts_missing)
			str_printf(&nodes, ", %s", verdicts->job->coverage.hosts_missing);
		add_commands(into, verdicts->job,
			tense == TENSE_LIVE ? "look again, now that the others wait"
					    : "if it still hangs, look again",
			str_text(&nodes));
	}
	str_release(&nodes);
}

void coverage_add_surety(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense)
{
	struct str remedy = {0};
	bool whole = verdicts->lack != VERDICT_LACKS_RANKS ||
		     *verdicts->job->coverage.hosts_missing;
	bool told = verdict->next == VERDICT_NEXT_GET_REST ||
		    (verdict->next == VERDICT_NEXT_LOOK_AGAIN && whole);

	if (!told && verdict->class != VERDICT_TOO_EARLY)
		coverage_add_remedy(&remedy, verdicts, tense);
	if (remedy.len)
		str_printf(into, "to be sure, %s", str_text(&remedy));
	str_release(&remedy);
}

void coverage_add_remedy(struct str *into, const struct verdicts *verdicts, enum tense tense)
{
	if (verdicts->lack == VERDICT_LACKS_LOOK)
		coverage_add_look(into, verdicts, tense);
	if (verdicts->lack != VERDICT_LACKS_RANKS && verdicts->lack != VERDICT_LACKS_PART)
		return;
	if (tense == TENSE_ENDED) {
		str_printf(into, "add what %s kept, *.inq or dumps: inquest diagnose FILE...",
			unseen_nodes(verdicts));
		return;
	}
	add_commands(into, verdicts->job, tense == TENSE_RECORDED ? "if it still hangs" : "",
		unseen_nodes(verdicts));
}
