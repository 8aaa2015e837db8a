/* SPDX-License-Identifier: Apache-2.0 */
#include "words/coverage.h"

#include <stdlib.h>

#include "base/alloc.h"
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

static void add_command(struct str *into)
{
	str_add(into, ": inquest attach --all -o NODE.inq; then inquest diagnose *.inq");
}

void coverage_add_look(struct str *into, const struct verdicts *verdicts)
{
	struct verdict_ranks ranks = looked_before(verdicts);

	if (!ranks.n)
		return;
	str_add(into, "look again, now that the others wait, on ");
	add_places(into, verdicts->job, ranks);
	add_command(into);
}

void coverage_add_surety(
	struct str *into, const struct verdicts *verdicts, const struct verdict *verdict)
{
	struct str remedy = {0};

	if (verdict->next != VERDICT_NEXT_GET_REST && verdict->next != VERDICT_NEXT_LOOK_AGAIN &&
		verdict->class != VERDICT_TOO_EARLY)
		coverage_add_remedy(&remedy, verdicts);
	if (remedy.len)
		str_printf(into, "to be sure, %s", str_text(&remedy));
	str_release(&remedy);
}

void coverage_add_remedy(struct str *into, const struct verdicts *verdicts)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;

	if (verdicts->lack == VERDICT_LACKS_LOOK)
		coverage_add_look(into, verdicts);
	if (verdicts->lack != VERDICT_LACKS_RANKS)
		return;
	str_printf(into, "on %s",
		*coverage->hosts_missing ? coverage->hosts_missing : "the other nodes");
	add_command(into);
}
