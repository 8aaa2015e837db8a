/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/preflight-page.h"

#include <json.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/outlet.h"
#include "report/json-parts.h"
#include "words/breaks.h"
#include "words/escape.h"

#define WIDTH  80
#define INDENT 7 /* of the texts, which stand behind " FAIL  " */

/* The grades, in the order of the page. */
static const struct {
	enum preflight_grade grade;
	const char *name;
	const char *tone; /* for a terminal with colours */
} grades[] = {
	{PREFLIGHT_FAIL, "FAIL", "\033[1;31m"},
	{PREFLIGHT_WARN, "warn", "\033[33m"},
	{PREFLIGHT_OK, "ok", "\033[32m"},
	{PREFLIGHT_NONE, "none", ""},
};

#define GRADES (sizeof(grades) / sizeof(grades[0]))

bool preflight_page_fails(const struct preflight *preflight, bool strict)
{
	return preflight_count(preflight, PREFLIGHT_FAIL) > 0 ||
	       (strict && preflight_count(preflight, PREFLIGHT_WARN) > 0);
}

/* --- The answer ------------------------------------------------------------------------------- */

/* Appends "1 thing fails, 2 warn, 3 not looked at". */
static void add_counts(const struct preflight *preflight, bool fails, struct str *into)
{
	size_t failed = preflight_count(preflight, PREFLIGHT_FAIL);
	size_t warned = preflight_count(preflight, PREFLIGHT_WARN);
	size_t unseen = preflight_count(preflight, PREFLIGHT_NONE);
	const char *between = "";

	if (failed) {
		str_printf(into, "%zu thing%s", failed, failed == 1 ? " fails" : "s fail");
		between = ", ";
	}
	if (warned || (fails && !failed)) {
		str_printf(into, "%s%zu %s", between, warned, warned == 1 ? "warns" : "warn");
		between = ", ";
	}
	if (unseen)
		str_printf(into, "%s%zu not looked at", between, unseen);
}

/* Appends the answer with the counts. */
static void add_answer(const struct preflight *preflight, bool strict, struct str *into)
{
	bool fails = preflight_page_fails(preflight, strict);
	struct str counts = {0};

	add_counts(preflight, fails, &counts);
	str_add(into, fails ? "NOT READY" : "NOTHING FAILS");
	str_printf(into, "%s%s", counts.len ? ": " : "", str_text(&counts));
	str_release(&counts);
}

void preflight_page_line(
	const struct preflight *preflight, bool strict, size_t width, struct str *into)
{
	const struct preflight_line *line, *worst = NULL;
	struct str text = {0}, safe = {0};

	add_answer(preflight, strict, &text);
	array_for_each (&preflight->lines, line)
		if (line->grade >= PREFLIGHT_WARN && (!worst || line->grade > worst->grade))
			worst = line;
	if (worst)
		str_printf(&text, ": %s", worst->says);
	escape_text(&safe, str_text(&text), outlet_is_utf8());
	breaks_fit(into, str_text(&safe), width);
	str_release(&text);
	str_release(&safe);
}

/* --- The page --------------------------------------------------------------------------------- */

static void add_blanks(struct str *line, size_t column)
{
	while (escape_width(str_text(line)) < column)
		str_add_char(line, ' ');
}

/*
 * Prints a text in as many lines as it takes, the first behind `lead`, and at the end what it was
 * seen in.
 */
static void print_text(FILE *file, const char *lead, const char *tone, const char *text,
	const char *from)
{
	struct str safe = {0}, cite = {0};
	const char *at;

	escape_text(&safe, text, outlet_is_utf8());
	escape_text(&cite, from, outlet_is_utf8());
	for (at = str_text(&safe); *at;) {
		size_t len = breaks_at(at, WIDTH - INDENT);
		struct str line = {0};

		str_add_bytes(&line, at, len);
		at += len + strspn(at + len, " ");
		if (!*at && cite.len &&
			escape_width(line.text) + 2 + escape_width(cite.text) <= WIDTH - INDENT) {
			add_blanks(&line, WIDTH - INDENT - escape_width(cite.text));
			str_add(&line, cite.text);
			str_cut(&cite, 0);
		}
		fprintf(file, "%s%-*s%s%s\n", tone, INDENT, lead, *tone ? "\033[m" : "",
			line.text);
		lead = tone = "";
		str_release(&line);
	}
	if (cite.len) {
		struct str line = {0};
		size_t width = escape_width(cite.text);

		add_blanks(&line, width < WIDTH ? WIDTH - width : 0);
		str_add(&line, cite.text);
		fprintf(file, "%s\n", line.text);
		str_release(&line);
	}
	str_release(&safe);
	str_release(&cite);
}

/* Prints the lines of one grade, each with how to mend it. */
static void print_lines(const struct preflight *preflight, size_t grade,
	const struct preflight_page_options *options, FILE *file)
{
	const struct preflight_line *line;
	char lead[8];

	snprintf(lead, sizeof(lead), " %s", grades[grade].name);
	array_for_each (&preflight->lines, line) {
		if (line->grade != grades[grade].grade || (line->detail && !options->all))
			continue;
		print_text(file, lead, options->color ? grades[grade].tone : "", line->says,
			line->from);
		if (*line->fix) {
			struct str fix = {0};

			str_printf(&fix, "fix: %s", line->fix);
			print_text(file, "", "", fix.text, "");
			str_release(&fix);
		}
	}
}

/* Prints what is well in one paragraph, as that needs no lines of its own. */
static void print_well(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file)
{
	const struct preflight_line *line;
	struct str all = {0};

	array_for_each (&preflight->lines, line)
		if (line->grade == PREFLIGHT_OK && !line->detail)
			str_printf(&all, "%s%s", all.len ? "; " : "", line->says);
	if (all.len)
		print_text(file, " ok", options->color ? "\033[32m" : "", all.text, "");
	str_release(&all);
}

/* Prints the answer, and at the right where and when it was found. */
static void print_head(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file)
{
	char host[256] = "", when[32] = "";
	struct str line = {0}, right = {0};
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	add_answer(preflight, options->strict, &line);
	escape_text(&right, host, outlet_is_utf8());
	str_printf(&right, ", %s", when);
	if (escape_width(line.text) + 2 + escape_width(right.text) <= WIDTH)
		add_blanks(&line, WIDTH - escape_width(right.text));
	else
		str_add(&line, "\n ");
	fprintf(file, "%s%s\n", line.text, right.text);
	str_release(&line);
	str_release(&right);
}

void preflight_page_print(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file)
{
	print_head(preflight, options, file);
	for (size_t i = 0; i < GRADES; i++)
		if (grades[i].grade == PREFLIGHT_OK && !options->all)
			print_well(preflight, options, file);
		else
			print_lines(preflight, i, options, file);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_text(text));
}

static const char *grade_name(enum preflight_grade grade)
{
	for (size_t i = 0; i < GRADES; i++)
		if (grades[i].grade == grade)
			return grades[i].name;
	return "none";
}

static struct json_object *line_object(const struct preflight_line *line)
{
	struct json_object *object = json_object_new_object();

	put(object, "grade", line->grade == PREFLIGHT_FAIL ? "fail" : grade_name(line->grade));
	put(object, "says", line->says);
	if (*line->fix)
		put(object, "fix", line->fix);
	put(object, "from", line->from);
	return object;
}

void preflight_page_json(const struct preflight *preflight,
	const struct preflight_page_options *options, FILE *file)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	const struct preflight_line *line;
	char host[256] = "";
	struct str text = {0};

	gethostname(host, sizeof(host) - 1);
	put(object, "schema", "inquest-preflight/1");
	put(object, "host", host);
	json_object_object_add(object, "when_ns", json_object_new_int64(clock_realtime_ns()));
	json_object_object_add(object, "ready",
		json_object_new_boolean(!preflight_page_fails(preflight, options->strict)));
	array_for_each (&preflight->lines, line)
		json_object_array_add(list, line_object(line));
	json_object_object_add(object, "lines", list);
	escape_json(&text,
		json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	fprintf(file, "%s\n", str_text(&text));
	str_release(&text);
	json_object_put(object);
}
