/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/collect-words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/outlet.h"
#include "words/escape.h"

/* -- A template ------------------------------------------------------------------------------- */

/* A template while it is taken apart. */
struct splitting {
	struct via_words *words;
	struct str word; /* the word that has begun */
	size_t n; /* words in argv */
	bool open, has_node; /* a word has begun, though it may be ""; there was a %h */
};

/* Ends the word that has begun, if one has, and appends it to argv. */
static void put_word(struct splitting *s)
{
	char **argv = s->words->argv;

	if (!s->open)
		return;
	argv = realloc(argv, (s->n + 3) * sizeof(*argv));
	if (!argv)
		abort();
	argv[s->n++] = alloc_text(str_text(&s->word));
	argv[s->n] = NULL;
	s->words->argv = argv;
	str_cut(&s->word, 0);
	s->open = false;
}

/* Adds what a percent sign and that character stand for. 0, or -1 with words. */
static int put_sign(struct splitting *s, char sign, struct complaint *why)
{
	switch (sign) {
	case 'h':
		str_add(&s->word, s->words->node);
		s->has_node = true;
		return 0;
	case 'c':
		str_add(&s->word, s->words->command);
		s->words->has_command = true;
		return 0;
	case '%':
		str_add_char(&s->word, '%');
		return 0;
	default:
		return complaint_set(why,
			"%%%c in --via is nothing: %%h is the node, %%c the command",
			sign ? sign : ' ');
	}
}

/* Splits the template at blanks outside quotes. 0, or -1 with words. */
static int split(struct splitting *s, const char *via, struct complaint *why)
{
	char quote = '\0';
	int error = 0;

	for (; *via && !error; via++) {
		if (*via == '%' && via[1] != '\0') {
			s->open = true;
			error = put_sign(s, *++via, why);
		} else if (*via == quote) {
			quote = '\0';
		} else if (!quote && (*via == '\'' || *via == '"')) {
			quote = *via;
			s->open = true;
		} else if (*via == '\\' && via[1] && quote != '\'') {
			str_add_char(&s->word, *++via);
			s->open = true;
		} else if (!quote && strchr(" \t\n", *via)) {
			put_word(s);
		} else {
			str_add_char(&s->word, *via);
			s->open = true;
		}
	}
	put_word(s);
	if (!error && quote)
		error = complaint_set(why, "a quote in --via does not end: %c", quote);
	if (!error && !s->n)
		error = complaint_set(why,
			"--via has no words: say how to run something on a node, "
			"as 'ssh %%h'");
	return error;
}

/* Appends a word as it stands. */
static void append(struct splitting *s, const char *word)
{
	str_add(&s->word, word);
	s->open = true;
	put_word(s);
}

int via_split(const char *via, struct via_words *words, struct complaint *why)
{
	struct splitting s = {.words = words};
	int error = split(&s, via, why);

	if (!error && !s.has_node)
		append(&s, words->node);
	if (!error && !words->has_command)
		append(&s, "sh");
	str_release(&s.word);
	return error;
}

/* -- Whom one waits for ----------------------------------------------------------------------- */

#define PROGRESS_PAUSE (100 * CLOCK_NS_PER_MS) /* between two lines, in ns */
#define PROGRESS_NAMED 3 /* so many nodes are named */

void progress_show(struct progress *progress, const struct collect *collect)
{
	int64_t now = clock_monotonic_ns();
	struct str line = {0}, safe = {0};
	const struct collect_node *node;
	size_t done = 0, named = 0;

	if (!progress->begun)
		progress->begun = now;
	if (collect->quiet || now - progress->begun < 5 * PROGRESS_PAUSE ||
		now - progress->shown < PROGRESS_PAUSE || !isatty(2))
		return;
	array_for_each (&collect->nodes, node)
		done += node->state != COLLECT_WAITING;
	str_printf(&line, "%zu of %zu nodes; waiting %lld s for", done, collect->nodes.nr,
		(long long)((now - progress->begun) / CLOCK_NS_PER_S));
	array_for_each (&collect->nodes, node)
		if (node->state == COLLECT_WAITING && named++ < PROGRESS_NAMED)
			str_printf(&line, " %s", node->name);
	if (named > PROGRESS_NAMED)
		str_printf(&line, " and %zu more", named - PROGRESS_NAMED);
	str_add(&safe, "\r\033[K");
	escape_text(&safe, str_text(&line), outlet_is_utf8());
	outlet_say(&safe);
	progress->shown = now;
	str_release(&line);
	str_release(&safe);
}

void progress_end(struct progress *progress)
{
	struct str line = {0};

	if (!progress->shown)
		return;
	str_add(&line, "\r\033[K");
	outlet_say(&line);
	str_release(&line);
}
