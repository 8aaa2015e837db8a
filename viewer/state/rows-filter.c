/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/state/rows-filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "viewer/state/rows.h"

/* What a word of a filter asks for. */
enum term_kind { TERM_WORD, TERM_RANK, TERM_HOST, TERM_STATE, TERM_GROUP, TERM_OP, TERM_FRAME,
	TERM_DOING };

/* A word of a filter. */
struct term {
	enum term_kind kind;
	bool inverted;
	const char *text; /* behind the prefix */
	enum track_state state;
};

static const struct {
	const char *prefix;
	enum term_kind kind;
} prefixes[] = {
	{"rank:", TERM_RANK},
	{"host:", TERM_HOST},
	{"@", TERM_HOST},
	{"state:", TERM_STATE},
	{"group:", TERM_GROUP},
	{"op:", TERM_OP},
	{"frame:", TERM_FRAME},
	{"doing:", TERM_DOING},
};

/* -- reading it -------------------------------------------------------------------------------- */

/* True if the text names that state: "nodata" is "no data", also in part: "own". */
static bool names_state(const char *text, enum track_state state)
{
	const char *name = track_state_name(state);

	for (; *text; text++, name++) {
		name += *name == ' ';
		if (tolower((unsigned char)*text) != *name)
			return false;
	}
	return true;
}

/* Finds the first state that the text names; false where none is called so. */
static bool find_state(const char *text, enum track_state *ret)
{
	for (unsigned state = 0; *text && state < TRACK_STATES; state++)
		if (names_state(text, (enum track_state)state)) {
			*ret = (enum track_state)state;
			return true;
		}
	return false;
}

/* Reads a number; false where there is none, or none that a rank has. */
static bool read_number(const char **text, int *ret)
{
	char *end;
	long number;

	if (!isdigit((unsigned char)**text))
		return false;
	number = strtol(*text, &end, 10);
	*text = end;
	*ret = (int)number;
	return number <= INT_MAX;
}

/* Reads the next "0-7" of a list; *text is behind it. False at its end, and where it is no list. */
static bool next_range(const char **text, int *from, int *to)
{
	if (!read_number(text, from))
		return false;
	*to = *from;
	if (**text == '-') {
		++*text;
		if (!read_number(text, to) || *to < *from)
			return false;
	}
	if (**text == ',')
		return *++*text != '\0';
	return **text == '\0';
}

/* True if the text is a list of numbers and ranges. */
static bool is_list(const char *text)
{
	int from, to;

	do {
		if (!next_range(&text, &from, &to))
			return false;
	} while (*text);
	return true;
}

/* True if a word is meant to have a key: "stat:hung"; not "train.py:88" and "std::sort". */
static bool has_key(const char *word)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return length && word[length] == ':' && word[length + 1] != ':';
}

/*
 * Reads one word of a filter, NUL-terminated, to be kept while the term is used. False with words.
 */
static bool read_term(const char *word, struct term *term, struct str *why)
{
	const char *whole = word;

	*term = (struct term){.kind = TERM_WORD};
	if (*word == '!') {
		term->inverted = true;
		word++;
	}
	term->text = word;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (strncmp(word, prefixes[i].prefix, length) != 0)
			continue;
		term->kind = prefixes[i].kind;
		term->text = word + length;
		break;
	}
	if (!*term->text)
		str_printf(why, "\"%s\": something must follow", whole);
	else if (term->kind == TERM_WORD && has_key(word))
		str_printf(why, "\"%s\": keys are rank: host: state: group: op: frame: doing:",
			whole);
	else if (term->kind == TERM_RANK && !is_list(term->text))
		str_printf(why, "\"%s\": ranks are written 0-7,512", whole);
	else if (term->kind == TERM_STATE && !find_state(term->text, &term->state))
		str_printf(why, "\"%s\": no state is called so", whole);
	else
		return true;
	return false;
}

/* Returns the word at *filter, a copy that the caller frees; NULL at its end. */
static char *next_word(const char **filter)
{
	const char *from = *filter + strspn(*filter, " \t");
	size_t length = strcspn(from, " \t");

	*filter = from + length;
	return length ? alloc_copy(from, length) : NULL;
}

bool rows_filter_is_valid(const char *filter, struct str *why)
{
	bool valid = true;
	struct term term;
	char *word;

	while (valid && (word = next_word(&filter))) {
		valid = read_term(word, &term, why);
		free(word);
	}
	return valid;
}

/* -- applying it ------------------------------------------------------------------------------- */

/* Returns the text, or "" for none. */
static const char *text_of(const char *text)
{
	return text ? text : "";
}

/*
 * True if a name matches, with '*' and '?' where the user gave them; "node7" is also
 * "node7.cluster".
 */
static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	return fnmatch(pattern, name, FNM_CASEFOLD) == 0 ||
	       (!strncasecmp(pattern, name, length) && name[length] == '.');
}

/* Finds the ranks of a list. */
static void find_ranks(const struct job *job, const char *list, bool *found)
{
	bool more = true;
	int from, to;

	while (more && *list) {
		more = next_range(&list, &from, &to);
		job_for_each_rank(job, rank)
			found[rank.i] |= !job_rank(job, rank)->numberless &&
				    job_rank(job, rank)->world_rank.n >= from &&
				    job_rank(job, rank)->world_rank.n <= to;
	}
}

/* Finds all with a seat in a group whose name is, or only contains, the text. */
static void find_groups(const struct job *job, const char *text, bool whole, bool *found)
{
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *member = &job->members[i];
		const char *name = text_of(job->groups[member->group].name);

		if (is_rank(member->rank) && !found[member->rank.i])
			found[member->rank.i] = whole ? matches(text, name)
						    : strcasestr(name, text) != NULL;
	}
}

void rows_filter_frames(const struct job *job, const char *text, bool *found)
{
	bool *frames = alloc_zeroed(job->nframes + 1, sizeof(*frames));

	for (size_t i = 0; i < job->nframes; i++)
		frames[i] = strcasestr(job->frames[i].function, text) ||
			    strcasestr(job->frames[i].file, text) ||
			    strcasestr(job->frames[i].module, text);
	for (size_t i = 0; i < job->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[i];

		for (size_t j = 0; is_rank(stack->rank) && j < stack->nframes; j++)
			if (frames[stack->frames[j]])
				found[stack->rank.i] = true;
	}
	free(frames);
}

/* Returns the name of a rank's host; "" not known. */
static const char *host_of(const struct job *job, struct rank_index rank)
{
	int host = job_rank(job, rank)->host;

	return host >= 0 && (size_t)host < job->nhosts ? text_of(job->hosts[host].name) : "";
}

/* True if an event is called so; of ops only, the entries into them. Equal names often follow. */
static bool has_event(const struct track *track, const char *word, bool ops)
{
	const char *last = NULL;

	for (size_t i = 0; i < track->nevents; i++) {
		const struct track_event *event = &track->events[i];

		if ((ops && event->kind != TRACK_ENTER) || event->name == last)
			continue;
		last = event->name;
		if (strcasestr(last, word))
			return true;
	}
	return false;
}

/* Finds who has a word anywhere. */
static void find_word(const struct tracks *tracks, const char *word, bool *found)
{
	bool any = false;

	find_groups(tracks->job, word, false, found);
	rows_filter_frames(tracks->job, word, found);
	job_for_each_rank(tracks->job, rank) {
		const struct track *track = &tracks->at[rank.i];

		found[rank.i] = found[rank.i] || strcasestr(track->doing, word) ||
			   strcasestr(track_state_name(track->now), word) ||
			   strcasestr(host_of(tracks->job, rank), word);
		any |= found[rank.i];
	}
	/* What nobody has now, somebody may have had. */
	for (size_t i = 0; !any && i < tracks->n; i++)
		found[i] = has_event(&tracks->at[i], word, false);
}

/* Finds the ranks that a word of a filter asks for. */
static void find_term(const struct tracks *tracks, const struct term *term, bool *found)
{
	switch (term->kind) {
	case TERM_RANK:
		find_ranks(tracks->job, term->text, found);
		break;
	case TERM_GROUP:
		find_groups(tracks->job, term->text, true, found);
		break;
	case TERM_WORD:
		find_word(tracks, term->text, found);
		break;
	case TERM_HOST:
		job_for_each_rank(tracks->job, rank)
			found[rank.i] = matches(term->text, host_of(tracks->job, rank));
		break;
	case TERM_OP:
		for (size_t i = 0; i < tracks->n; i++)
			found[i] = has_event(&tracks->at[i], term->text, true);
		break;
	case TERM_FRAME:
		rows_filter_frames(tracks->job, term->text, found);
		break;
	case TERM_DOING:
		for (size_t i = 0; i < tracks->n; i++)
			found[i] = strcasestr(tracks->at[i].doing, term->text) != NULL;
		break;
	case TERM_STATE:
		for (size_t i = 0; i < tracks->n; i++)
			found[i] = tracks->at[i].now == term->state;
		break;
	}
}

void rows_filter_apply(const struct tracks *tracks, const char *filter, bool *keep)
{
	bool *found = alloc_zeroed(tracks->n + 1, sizeof(*found));
	struct str why = {0};
	char *word;

	while ((word = next_word(&filter))) {
		struct term term;

		if (read_term(word, &term, &why)) {
			memset(found, 0, tracks->n * sizeof(*found));
			find_term(tracks, &term, found);
			for (size_t i = 0; i < tracks->n; i++)
				keep[i] &= found[i] != term.inverted;
		}
		free(word);
	}
	str_release(&why);
	free(found);
}
