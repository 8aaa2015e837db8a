/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template is text with values in braces. {t} and {T} are the fact's texts, {a} {b} {c} its
 * numbers, each with the way to write it behind it: {a ns} is a duration, {a op} an op index "#7",
 * {b..c} a range, and so on (see `ways`; for texts `text_ways`). Text in brackets is left out if a
 * value in it is not known; outside of brackets an unknown value reads "unknown".
 */
#include "words/wording.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "job/names.h"
#include "words/rank-names.h"
#include "words/things.h"

/* The templates, from lists/fact.def. */
static const char *const templates[VERDICT_FACT_KINDS] = {
#define FACT(name, words) words,
#include "lists/fact.def"
#undef FACT
};

/* The words for each outlook. */
static const struct wording_outlook outlooks[] = {
	[VERDICT_OUTLOOK_UNKNOWN] = {"UNKNOWN", "not known whether it resolves",
		"it was not known whether it would resolve"},
	[VERDICT_WAIT] = {"WAIT", "still moving, may resolve",
		"was still moving, might have resolved"},
	[VERDICT_KILL] = {"KILL", "cannot resolve by itself", "could not resolve by itself"},
	[VERDICT_OVER] = {"OVER", "it is over", "it is over"},
};

/* The words for each limit. */
static const struct wording_limit limits[VERDICT_LIMITS] = {
	[VERDICT_NO_LIMIT] = {"it ends in", "its time is over", "its time was over", "its end"},
	[VERDICT_LIMIT_DEADLINE] = {"the job's time ends in", "the job's time is over",
		"the job's time was over", "the end of the job's time"},
	[VERDICT_LIMIT_WATCHDOG] = {"watchdog kills in", "the watchdog's time is over",
		"the watchdog's time was over", "the watchdog kills"},
	[VERDICT_LIMIT_TIMEOUT] = {"the wait times out in", "the wait's timeout is over",
		"the wait's timeout was over", "the wait times out"},
	[VERDICT_LIMIT_STORE] = {"the store times out in", "the store's timeout is over",
		"the store's timeout was over", "the store times out"},
};

const struct wording_limit *wording_limit(enum verdict_limit limit)
{
	return &limits[limit < VERDICT_LIMITS ? limit : VERDICT_NO_LIMIT];
}

const struct wording_outlook *wording_outlook(enum verdict_outlook outlook)
{
	return &outlooks[(unsigned)outlook <= VERDICT_OVER ? outlook : VERDICT_OUTLOOK_UNKNOWN];
}

const char *wording_limit_cite(const struct verdict *verdict)
{
	bool assumed = verdict->watchdog > VERDICT_LIMIT_DEADLINE && !*verdict->watchdog_cite;

	return assumed ? "torch's default" : verdict->watchdog_cite;
}

/* Which question each class answers, from lists/class.def. */
static const char *const questions[VERDICT_CLASSES] = {
#define CLASS(upper, name, family, question, ...) question,
#include "lists/class.def"
};

const char *wording_question(enum verdict_class class)
{
	return questions[class];
}

/* The names of Linux' numbers, which the evidence has, whatever this machine calls them. */
static const char *const signals[] = {NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP",
	"SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE",
	"SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN",
	"SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",
	"SIGPWR", "SIGSYS"};

void wording_signal(struct str *into, int64_t signo)
{
	if (signo > 0 && signo < (int64_t)(sizeof(signals) / sizeof(signals[0])))
		str_add(into, signals[signo]);
	else
		str_printf(into, "signal %" PRId64, signo);
}

void wording_bytes(struct str *into, int64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t whole = bytes < 0 ? 0 : (uint64_t)bytes;
	uint64_t tenths = 0;
	unsigned unit = 0;

	for (; whole >= 1024; unit++) {
		tenths = whole % 1024 * 10 / 1024;
		whole /= 1024;
	}
	if (unit && whole < 10)
		str_printf(into, "%" PRIu64 ".%" PRIu64 " %s", whole, tenths, units[unit]);
	else
		str_printf(into, "%" PRIu64 " %s", whole, units[unit]);
}

/* Ways to write one number. Each returns false where the number means "not known". */
static bool say_number(struct str *into, int64_t value)
{
	if (value != JOB_UNKNOWN)
		str_printf(into, "%" PRId64, value);
	return value != JOB_UNKNOWN;
}

/* Writes a duration. */
static bool say_ns(struct str *into, int64_t value)
{
	char text[CLOCK_TEXT_SIZE];

	if (value != JOB_UNKNOWN)
		str_add(into, clock_format(value, text));
	return value != JOB_UNKNOWN;
}

/* Writes an amount of processor time. */
static bool say_cpu(struct str *into, int64_t value)
{
	if (value && !say_ns(into, value))
		return false;
	str_add(into, value ? " of CPU" : "no CPU");
	return true;
}

/* Writes the index of an operation; 0 is not known. */
static bool say_op(struct str *into, int64_t value)
{
	if (value > 0)
		str_printf(into, "#%" PRId64, value);
	return value > 0;
}

/* Writes a pid; 0 is not known. */
static bool say_pid(struct str *into, int64_t value)
{
	return value > 0 && say_number(into, value);
}

/* Writes a rank's number; below 0 is not known. */
static bool say_rank(struct str *into, int64_t value)
{
	return value >= 0 && say_number(into, value);
}

/* Writes how many processes. */
static bool say_processes(struct str *into, int64_t value)
{
	if (value != JOB_UNKNOWN)
		str_printf(into, "%" PRId64 " process%s", value, value == 1 ? "" : "es");
	return value != JOB_UNKNOWN;
}

/* Writes whether peers did so, too. */
static bool say_peers(struct str *into, int64_t value)
{
	if (value > 0)
		str_printf(into, "%" PRId64 " peers did, too", value);
	else if (!value)
		str_add(into, "peers did not");
	return value != JOB_UNKNOWN;
}

/* Writes an amount of memory. */
static bool say_bytes(struct str *into, int64_t value)
{
	if (value != JOB_UNKNOWN)
		wording_bytes(into, value);
	return value != JOB_UNKNOWN;
}

/* Writes a signal's name. */
static bool say_signal(struct str *into, int64_t value)
{
	if (value != JOB_UNKNOWN)
		wording_signal(into, value);
	return value != JOB_UNKNOWN;
}

/* Writes what kind of span it is (enum job_span_kind). */
static bool say_span(struct str *into, int64_t value)
{
	const char *name = value > 0 && value < JOB_SPAN_KINDS
				   ? job_span_kind_name((unsigned)value)
				   : NULL;

	if (name)
		str_add(into, name);
	return name != NULL;
}

/* Writes a character, as the kernel's state of a process. */
static bool say_letter(struct str *into, int64_t value)
{
	bool known = value > ' ' && value < 0x7f;

	if (known)
		str_add_char(into, (char)value);
	return known;
}

/* All ways to write a number, by name. */
static const struct number_way {
	const char *name;
	bool (*say)(struct str *into, int64_t value);
	const char *before; /* words before a range, where one thing somewhere in it is meant */
} ways[] = {
	{"", say_number},
	{"ns", say_ns},
	{"cpu", say_cpu},
	{"op", say_op, "one of "},
	{"pid", say_pid},
	{"rank", say_rank},
	{"peers", say_peers},
	{"processes", say_processes},
	{"bytes", say_bytes},
	{"signal", say_signal},
	{"span", say_span},
	{"letter", say_letter},
};

/* Returns the fact's number of that letter. */
static int64_t number_of(const struct verdict_fact *fact, char which)
{
	return which == 'a' ? fact->a : which == 'b' ? fact->b : fact->c;
}

/* True if this is the way's name. */
static bool is_way(const char *name, const char *way, size_t len)
{
	return strlen(name) == len && !strncmp(name, way, len);
}

/* Writes "0/0 4f81c2" as graph 0/0: the hash tells something only beside another one's. */
static void say_graph(struct str *into, const char *text)
{
	size_t frame = strspn(text, "0123456789"), part;
	const char *hash;

	part = frame && text[frame] == '/' ? strspn(text + frame + 1, "0123456789") : 0;
	hash = text + frame + 1 + part;
	if (!part || (*hash && (*hash != ' ' || hash[1 + strspn(hash + 1, "0123456789abcdef")])))
		str_add(into, text);
	else
		str_printf(into, "graph %.*s", (int)(frame + 1 + part), text);
}

/*
 * Writes an exception without the kind with which a note of one begins: the template says that
 * already.
 */
static void say_exception(struct str *into, const char *text)
{
	static const char kind[] = "exception: ";

	str_add(into, strncmp(text, kind, strlen(kind)) ? text : text + strlen(kind));
}

/* Bytes of a place that are read easily, on one line and the next. */
#define RAISED_LENGTH 100

/*
 * Writes where an exception was raised: the innermost frames, as many as can be read, and the
 * outermost that is known, since libraries raise deep inside of what the program called.
 */
static void say_raised(struct str *into, const char *text)
{
	size_t len = strlen(text), head = 0, last = 0;

	for (const char *cut = text; (cut = strstr(cut, " < ")); cut += 3)
		last = (size_t)(cut - text);
	for (const char *cut = text; len > RAISED_LENGTH && (cut = strstr(cut, " < ")); cut += 3)
		if (!head || (size_t)(cut - text) + len - last < RAISED_LENGTH)
			head = (size_t)(cut - text);
	if (len > RAISED_LENGTH && head < last)
		str_printf(into, "%.*s < ...%s", (int)head, text, text + last);
	else
		str_add(into, text);
}

/* Writes whom a function of the kernel belongs to, as people call it. */
static void say_kernel(struct str *into, const char *text)
{
	str_add(into, !strcmp(text, "nvidia")   ? "NVIDIA driver"
		      : !strcmp(text, "amdgpu") ? "AMD driver"
						: text);
}

/* Writes a text as it is. */
static void say_text(struct str *into, const char *text)
{
	str_add(into, text);
}

/* Ways to write a text, and what stands there where the text is not known; NULL: "unknown". */
static const struct {
	const char *name;
	void (*say)(struct str *into, const char *text);
	const char *otherwise;
} text_ways[] = {
	{"", say_text, NULL},
	{"graph", say_graph, NULL},
	{"exception", say_exception, NULL},
	{"raised", say_raised, NULL},
	{"kernel", say_kernel, NULL},
	{"operation", say_text, "an operation"},
	{"recompiled", say_text, "a graph"},
	{"thread", say_text, "of no name"},
	{"worker", say_text, "loader's worker"},
};

/*
 * Writes a thing, or a text in that way. Returns false where neither is known, nor what to say in
 * its place.
 */
static bool say_named(struct str *into, const struct verdict_thing *thing, const char *text,
	const char *way, size_t way_len)
{
	if (thing) {
		things_add(into, thing);
		return true;
	}
	for (size_t i = 0; i < sizeof(text_ways) / sizeof(text_ways[0]); i++) {
		if (!is_way(text_ways[i].name, way, way_len))
			continue;
		if (text && *text)
			text_ways[i].say(into, text);
		else if (text_ways[i].otherwise)
			str_add(into, text_ways[i].otherwise);
		return (text && *text) || text_ways[i].otherwise;
	}
	return false;
}

/*
 * Writes both ends of a range, or one where they read alike: "1.6 s", "1.6 s to 1.7 s", "3-5", "one
 * of #2 to #5". Returns false where one is not known.
 */
static bool say_range(struct str *into, const struct number_way *way, int64_t low, int64_t high)
{
	struct str first = {0}, last = {0};
	bool known = way->say(&first, low) && way->say(&last, high);
	bool wide = known && strcmp(str_text(&first), str_text(&last)) != 0;

	str_printf(into, "%s%s", wide && way->before ? way->before : "", str_text(&first));
	if (wide)
		str_printf(into, "%s%s", *way->name ? " to " : "-", str_text(&last));
	str_release(&first);
	str_release(&last);
	return known;
}

/*
 * Writes the value that stands between braces at `at`: "a", "b..c ns", "t". Returns false where it
 * is not known.
 */
static bool say_value(struct str *into, const struct verdict_fact *fact, const char *at, size_t len)
{
	const char *way = memchr(at, ' ', len);
	size_t way_len = way ? len - (size_t)(++way - at) : 0;
	bool range = len >= 4 && at[1] == '.';

	if (at[0] == 't')
		return say_named(into, fact->thing, fact->text, way ? way : "", way_len);
	if (at[0] == 'T')
		return say_named(into, fact->thing2, fact->text2, way ? way : "", way_len);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int64_t low = number_of(fact, at[0]), high = range ? number_of(fact, at[3]) : low;

		if (is_way(ways[i].name, way ? way : "", way_len))
			return say_range(into, &ways[i], low, high);
	}
	return false;
}

void wording_fact(struct str *into, const struct verdict_fact *fact)
{
	const char *at = wording_template(fact->kind);
	size_t segment = 0;
	bool optional = false, whole = true;

	for (; at && *at; at++) {
		const char *end = strchr(at, '}');

		if (*at == '[') {
			segment = into->len;
			optional = whole = true;
		} else if (*at == ']') {
			if (!whole)
				str_cut(into, segment);
			optional = false;
			whole = true;
		} else if (*at == '{' && end) {
			whole = say_value(into, fact, at + 1, (size_t)(end - at - 1)) && whole;
			if (!whole && !optional)
				str_add(into, "unknown");
			whole = whole || !optional;
			at = end;
		} else {
			str_add_char(into, *at);
		}
	}
}

const char *wording_template(enum verdict_fact_kind kind)
{
	return (unsigned)kind < VERDICT_FACT_KINDS ? templates[kind] : NULL;
}

/* What each rule needs, from lists/need.def. */
static const char *const needs[VERDICT_NEEDS] = {
#define NEED(name, words) words,
#include "lists/need.def"
#undef NEED
};

void wording_need(
	struct str *into, const struct job *job, const struct verdict_not_judged *not_judged)
{
	const char *at = needs[not_judged->need], *brace = strchr(at, '{');

	str_add_bytes(into, at, brace ? (size_t)(brace - at) : strlen(at));
	if (!brace)
		return;
	if (brace[1] == 'R' && not_judged->ranks.n) {
		str_add(into, " of ");
		ranks_name(into, job, not_judged->ranks);
	} else if (brace[1] == 'I') {
		str_printf(into, "#%" PRIu64, not_judged->index);
	} else if (brace[1] == 'N') {
		str_add(into, not_judged->name);
	}
	str_add(into, brace + 3);
}
