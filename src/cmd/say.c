/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/say.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "cmd/outlet.h"
#include "evidence/agent/own-words.h"
#include "report/report.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/next.h"

/* Bytes of the line for log collectors, its ends among them: a pipe takes 4096 in one piece. */
#define LINE_MOST 3500
/* Columns of the answer that the last line repeats. */
#define ANSWER_MOST 600

/* Begins with an empty line: the job may have left one open. */
void say_page(const struct look *look, const char *saved)
{
	struct report_options reader = outlet_options(stderr);
	struct str page = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	reader.gathered = true;
	reader.live = true;
	reader.saved = saved;
	if (file) {
		report_text.write(file, look->verdicts, &reader);
		fclose(file);
		str_add_char(&page, '\n');
		own_words_add_page(&page, text);
		outlet_say(&page);
	}
	free(text);
	str_release(&page);
}

/* Writes the line at once: others write to the same pipe. */
void say_line(const struct look *look, const char *saved)
{
	struct str line = {0};

	str_add(&line, "\n" OWN_WORDS_VERDICT);
	report_json_line(&line, look->verdicts, saved, LINE_MOST - line.len - 1);
	str_add_char(&line, '\n');
	outlet_say(&line);
	str_release(&line);
}

char *say_answer(const struct look *look)
{
	const struct verdict *verdict = &look->verdicts->at[0];
	struct str plain = {0}, safe = {0}, cut = {0};

	headline_sentence(&plain, look->verdicts, verdict);
	str_add(&plain, " (");
	headline_tag(&plain, look->verdicts, verdict);
	str_add(&plain, "); next: ");
	next_add_text(&plain, look->verdicts, verdict, tense_of(look->verdicts, true));
	escape_text(&safe, str_text(&plain), outlet_is_utf8());
	escape_fit(&cut, str_text(&safe), ANSWER_MOST);
	str_release(&plain);
	str_release(&safe);
	return str_detach(&cut);
}
