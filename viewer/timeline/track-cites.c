/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a cite names. A cite is kind, ':', whose, and a place: "ring:3:g1:118". Whose is a world
 * rank, or 'p' and a pid where nobody knows the number; merged facts have '*' and name nobody.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "words/rank-names.h"
#include "viewer/timeline/track.h"

/* Kinds whose second word is a host, or a number of something else. */
static const char *const not_of_ranks[] = {"census", "cgroup", "gather", "agent", "history"};

/* True for kinds whose second word is a rank. */
static bool is_of_ranks(const char *kind, size_t length)
{
	for (size_t i = 0; i < sizeof(not_of_ranks) / sizeof(*not_of_ranks); i++)
		if (strlen(not_of_ranks[i]) == length && !strncmp(kind, not_of_ranks[i], length))
			return false;
	return length > 0;
}

/* Returns the rank that a cite's second word names; NO_RANK. */
static struct rank_index rank_of(const struct job *job, const char *whose, size_t length)
{
	bool pid = *whose == 'p';
	size_t digits = strspn(whose + pid, "0123456789");
	unsigned long number = strtoul(whose + pid, NULL, 10);

	if (!digits || digits > 9 || digits + pid != length)
		return NO_RANK;
	job_for_each_rank(job, at) {
		const struct job_rank *rank = job_rank(job, at);
		bool numberless = rank->numberless && rank->process != JOB_NONE;

		if (pid != numberless)
			continue;
		if (pid ? job->processes[rank->process].pid == number
			: rank->world_rank.n == (int)number)
			return at;
	}
	return NO_RANK;
}

/*
 * Returns the event of exactly this cite, of steps the latest; else the last of a place inside of
 * it; -1 none.
 */
static ptrdiff_t event_of(const struct track *track, const char *cite, size_t length)
{
	ptrdiff_t inside = -1;

	for (size_t i = 0; i < track->nevents; i++) {
		const char *other = track->events[i].cite;

		/* Of a process and of a log other panes have more. */
		if (strncmp(other, cite, length) != 0 || track->events[i].kind == TRACK_FORK ||
			track->events[i].kind == TRACK_LOG)
			continue;
		if (!other[length] && track->events[i].kind != TRACK_STEP)
			return (ptrdiff_t)i;
		if ((!other[length] || other[length] == ':') &&
			track->events[i].when != JOB_UNKNOWN)
			inside = (ptrdiff_t)i;
	}
	return inside;
}

/* Finds what one cite names. */
static bool cited(const struct tracks *tracks, const char *word, size_t length,
	struct rank_index *ret_rank, ptrdiff_t *ret_event)
{
	const char *colon = memchr(word, ':', length);
	size_t rest = colon ? length - (size_t)(colon + 1 - word) : 0;
	const char *end = rest ? memchr(colon + 1, ':', rest) : NULL;
	struct rank_index rank;

	if (!colon || !is_of_ranks(word, (size_t)(colon - word)))
		return false;
	rank = rank_of(tracks->job, colon + 1, end ? (size_t)(end - colon - 1) : rest);
	if (!is_rank(rank))
		return false;
	*ret_rank = rank;
	/* "proc:3" is in no event's place: what else is known of rank 3 would be no answer. */
	*ret_event = event_of(&tracks->at[rank.i], word, length);
	return true;
}

bool tracks_cited(const struct tracks *tracks, const char *cite, struct rank_index *ret_rank,
	ptrdiff_t *ret_event)
{
	/* Several stand beside each other: "ring:3 env". */
	while (*cite) {
		size_t length = strcspn(cite, " ,");

		if (cited(tracks, cite, length, ret_rank, ret_event))
			return true;
		cite += length;
		cite += strspn(cite, " ,");
	}
	return false;
}
