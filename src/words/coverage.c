/* SPDX-License-Identifier: Apache-2.0 */
#include "words/coverage.h"

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
}

void coverage_add_surety(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	if (verdicts->lack != VERDICT_LACKS_RANKS || verdict->next == VERDICT_NEXT_GET_REST ||
		verdict->class == VERDICT_TOO_EARLY)
		return;
	str_add(into, "to be sure, ");
	coverage_add_remedy(into, verdicts);
}

void coverage_add_remedy(struct str *into, const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;

	if (verdicts->lack != VERDICT_LACKS_RANKS)
		return;
	str_printf(into, "on %s: inquest attach --all -o NODE.inq; then inquest diagnose *.inq",
		*coverage->hosts_missing ? coverage->hosts_missing : "the other nodes");
}
