/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WHAT A NAME CAN DO. Substitutions ("S1_") let a name say a type twice that says another one
 * twice, and so on: 200 bytes stand for 2^30 bytes of text. __cxa_demangle would allocate them all.
 * So the entry beneath it is used, which hands out its text piece by piece, and it is left for good
 * (longjmp; it holds no memory) once that is too much. Two things take it as long before a single
 * byte is written, measured with GCC 12:
 *
 *  - The pattern of a pack ("Dp", "sp", "sZ") is searched for the pack as if each substitution were
 *    another copy. All of that stands in parameters and arguments, which are not shown, so the name
 *    is rewritten: to a pointer, a minus, a plain sizeof, which take part in the numbering of
 *    substitutions as those did. In identifiers the letters are veiled, and nowhere one is left.
 *  - A conversion to a parameter with arguments ("cvT_IT_I...") is tried in two ways, each of which
 *    tries the rest in two ways. No name of real life has more than one.
 */
#include "decode/stacks/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/stacks/shortname.h"

#define NAME_MOST	 1024 /* bytes; by GCC 9 the library takes no longer ones either */
#define TEXT_MOST	 (64u << 10)
#define CONVERSIONS_MOST 8
/* Up to so many substitutions not even 2^N copies take time. */
#define SUBSTITUTIONS_MOST 12

/*
 * libsupc++'s own, beneath __cxa_demangle; no header has it. Returns 0, or another number if it is
 * no name.
 */
int __gcclibcxx_demangle_callback(
	const char *name, void (*give)(const char *, size_t, void *), void *opaque);

/* Takes what the library writes, until it is too much. */
struct giving {
	jmp_buf enough;
	struct str text;
};

/* --- Names without what harms ----------------------------------------------------------------- */

/* Veils the second letters of "Dp", "sp", "sZ" where these are no such operators. */
static char veil(char c)
{
	return c == 'p' ? '\x10' : '\x1a';
}

static char unveil(char c)
{
	return c == '\x10' ? 'p' : c == '\x1a' ? 'Z' : c;
}

static bool is_pack(const char *at)
{
	return !strncmp(at, "Dp", 2) || !strncmp(at, "sp", 2) || !strncmp(at, "sZ", 2);
}

/*
 * True if the digits at `at`, in `name`, are a number, not the length of an identifier: "S1_",
 * "T0_", "A12_i", "fp0_", "Li4E", "Ut2_", "Th16_", "_3" where the latest identifier ended, and
 * "E1_" behind a lambda.
 */
static bool is_number(const char *name, const char *at, const char *end, bool lambda)
{
	char last = at > name ? at[-1] : ' ', second = at > name + 1 ? at[-2] : ' ';

	if (strchr("STAn", last) || (last == 'p' && second == 'f') ||
		(last == '_' && (at - 1 == end || second == 's' || second == '_')))
		return true;
	if (last == 'E' && lambda)
		return at[strspn(at, "0123456789")] == '_';
	return (second == 'L' && islower((unsigned char)last)) || (second == 'U' && last == 't') ||
	       (second == 'T' && (last == 'h' || last == 'v'));
}

/* Returns the length at `at` of an identifier, and where that begins; 0 for none. */
static size_t find_identifier(const char *at, const char **begin)
{
	char *end;
	unsigned long len = strtoul(at, &end, 10);

	*begin = end;
	return isdigit((unsigned char)*at) && len <= strlen(end) ? len : 0;
}

/*
 * Adds a name whose packs are made something else. Identifiers are only guessed: if wrongly, the
 * library finds no name, or finds it spelt otherwise.
 */
static void add_harmless(struct str *into, const char *name)
{
	const char *identifier = name, *end = name; /* the latest identifier */
	size_t lambdas = 0;

	for (const char *at = name; *at; at++) {
		bool inside = at < end;

		if (!inside && isdigit((unsigned char)*at) && at >= identifier) {
			size_t digits = strspn(at, "0123456789");

			identifier = at + digits;
			if (at == end || !is_number(name, at, end, lambdas))
				end = identifier + find_identifier(at, &identifier);
			else if (at[-1] == 'E')
				lambdas--;
		}
		if (!inside && !strncmp(at, "Ul", 2))
			lambdas++;
		else if (!inside && lambdas && !strncmp(at, "E_", 2))
			lambdas--;
		if (!is_pack(at)) {
			str_add_char(into, *at);
			continue;
		}
		/* "sp" and "sZ" are in many words; as operators they mostly begin an argument. */
		if (inside || (*at == 's' && (at == name || at[-1] != 'X'))) {
			str_add_char(into, *at++);
			str_add_char(into, veil(*at));
		} else {
			str_add(into, *at == 'D' ? "P" : at[1] == 'p' ? "ng" : "sz");
			at++;
		}
	}
}

/* Returns how many substitutions a name has that double what it says: "S_", "S1_". */
static size_t count_substitutions(const char *name)
{
	size_t nr = 0;

	while ((name = strchr(name, 'S'))) {
		name++;
		name += strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		nr += *name == '_';
	}
	return nr;
}

/* Returns how often a parameter has arguments: "T0_I". */
static size_t count_applied(const char *name)
{
	size_t nr = 0;

	while ((name = strchr(name, 'T'))) {
		name++;
		name += strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		nr += name[0] == '_' && name[1] == 'I';
	}
	return nr;
}

/* --- Asking the library ----------------------------------------------------------------------- */

/* Takes a piece of the library's text. */
static void give(const char *text, size_t len, void *opaque)
{
	struct giving *giving = opaque;

	if (len > TEXT_MOST - giving->text.len)
		longjmp(giving->enough, 1);
	for (size_t i = 0; i < len; i++)
		str_add_char(&giving->text, unveil(text[i]));
}

enum answer {
	ANSWER_NAME,
	ANSWER_NONE,    /* it is no name */
	ANSWER_TOO_MUCH,
};

/* Asks the library for a declaration, in giving->text, which the caller releases. */
static enum answer ask_library(const char *name, struct giving *giving)
{
	if (setjmp(giving->enough))
		return ANSWER_TOO_MUCH;
	if (__gcclibcxx_demangle_callback(name, give, giving) != 0)
		return ANSWER_NONE;
	return giving->text.len ? ANSWER_NAME : ANSWER_NONE;
}

/* Adds what the library makes of a name that it may be handed as it is. */
static enum answer add_declared(struct str *into, const char *name)
{
	struct giving giving = {0};
	enum answer answer = ANSWER_TOO_MUCH;

	if (strlen(name) <= NAME_MOST &&
		(!strstr(name, "cv") || count_applied(name) <= CONVERSIONS_MOST))
		answer = ask_library(name, &giving);
	if (answer == ANSWER_NAME && !shortname_add(into, giving.text.text))
		answer = ANSWER_NONE;
	str_release(&giving.text);
	return answer;
}

/*
 * Adds a name that the library understands: as it is if not even copies of copies take time; then
 * without packs, which the library does not all understand, so that a second try may be worth it.
 */
static enum answer add_understood(struct str *into, const char *name)
{
	enum answer answer = ANSWER_NONE;
	struct str harmless = {0};

	if (count_substitutions(name) <= SUBSTITUTIONS_MOST)
		answer = add_declared(into, name);
	if (answer == ANSWER_NONE) {
		add_harmless(&harmless, name);
		answer = add_declared(into, str_text(&harmless));
	}
	str_release(&harmless);
	return answer;
}

static void add_scope(struct str *into, const char *scope, size_t len)
{
	if (len >= 10 && !strncmp(scope, "_GLOBAL__N", 10))
		str_add(into, "(anonymous)");
	else
		str_add_bytes(into, scope, len);
}

/*
 * Adds the scopes that a name begins with, as far as they are written out: "_ZN2at6nativeI...". At
 * least `least` of them, or nothing.
 */
static bool add_scopes(struct str *into, const char *name, size_t least)
{
	size_t from = into->len, len, nr = 0, most = 1;
	const char *start;

	for (name += 2; *name && strchr("ZNLrVKRO", *name); name++)
		if (*name == 'N')
			most = SIZE_MAX;
	if (!strncmp(name, "St", 2) && isdigit((unsigned char)name[2])) {
		add_scope(into, "std", 3);
		name += 2;
		nr++;
	}
	for (; nr < most && (len = find_identifier(name, &start)); nr++) {
		if (nr)
			str_add(into, "::");
		add_scope(into, start, len);
		name = start + len;
	}
	if (nr < least)
		str_cut(into, from);
	else
		str_add(into, "<...>");
	return nr >= least;
}

/* --- Names ------------------------------------------------------------------------------------ */

/*
 * True for the name of a function, not of a table or a guard; a thunk is named as where it leads.
 */
static bool is_function(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0 || name[2] == 'G')
		return false;
	return name[2] != 'T' || (name[3] && strchr("hvc", name[3]));
}

/* Returns the length of a name without what the compiler put behind it for a part or a copy. */
static size_t base_length(const char *name)
{
	static const char *const marks[] = {
		".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm.", ".localalias"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark && mark != name && (size_t)(mark - name) < len)
			len = (size_t)(mark - name);
	}
	return len;
}

/* Drops the end of Rust's older names, "::h0123456789abcdef". */
static void drop_rust_hash(struct str *name, size_t from)
{
	static const size_t len = sizeof("::h0123456789abcdef") - 1;
	const char *end;

	if (name->len < from + len)
		return;
	end = name->text + name->len - len;
	if (!strncmp(end, "::h", 3) && strspn(end + 3, "0123456789abcdef") == len - 3)
		str_cut(name, name->len - len);
}

void demangle_add(struct str *into, const char *name)
{
	size_t from = into->len;
	struct str base = {0};
	enum answer answer = ANSWER_NONE;

	str_add_bytes(&base, name, base_length(name));
	if (is_function(str_text(&base)))
		answer = add_understood(into, base.text);
	if (answer == ANSWER_NAME)
		drop_rust_hash(into, from);
	else if (!is_function(str_text(&base)) ||
		!add_scopes(into, base.text, answer == ANSWER_NONE ? 2 : 1))
		str_add_bytes(into, str_text(&base), base.len);
	str_release(&base);
}
