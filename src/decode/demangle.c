/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser that goes down the grammar of the Itanium C++ ABI (5.1), and writes only the names:
 * types are walked over to find where they end. Substitutions ("S1_") stand only where nothing is
 * written, so no table of them is kept. What is not understood inside the arguments of a template
 * costs what comes behind: the name so far is written, with "<...>".
 */
#include "decode/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define NAME_MOST  8192 /* longer ones are shown as they are */
#define DEPTH_MOST 128

struct parse {
	const char *at;
	struct str *into; /* NULL: only walked over */
	const char *last; /* the newest component of a name, for its constructor */
	size_t last_len;
	unsigned depth;
	bool named; /* the name is written: what follows are its parameters */
	bool lost;  /* in the arguments of a template */
};

static bool parse_type(struct parse *p);
static bool parse_name(struct parse *p);
static bool parse_encoding(struct parse *p);

static bool take(struct parse *p, const char *what)
{
	size_t len = strlen(what);

	if (strncmp(p->at, what, len) != 0)
		return false;
	p->at += len;
	return true;
}

static void write_bytes(struct parse *p, const char *text, size_t len)
{
	if (p->into)
		str_add_bytes(p->into, text, len);
}

static void write_text(struct parse *p, const char *text)
{
	write_bytes(p, text, strlen(text));
}

/* "12_", "_", "n5_": a number that may be missing, and its end. */
static bool parse_sequence(struct parse *p)
{
	while (isalnum((unsigned char)*p->at) && !islower((unsigned char)*p->at))
		p->at++;
	return take(p, "_");
}

static void skip_number(struct parse *p)
{
	take(p, "n");
	while (isdigit((unsigned char)*p->at))
		p->at++;
}

/* "3foo" */
static bool parse_source(struct parse *p)
{
	size_t len = 0;

	if (!isdigit((unsigned char)*p->at))
		return false;
	while (isdigit((unsigned char)*p->at) && len < NAME_MOST)
		len = len * 10 + (size_t)(*p->at++ - '0');
	if (!len || len > strlen(p->at))
		return false;
	p->last = p->at;
	p->last_len = len;
	p->at += len;
	if (p->last_len >= 10 && !strncmp(p->last, "_GLOBAL__N", 10))
		write_text(p, "(anonymous)");
	else
		write_bytes(p, p->last, len);
	return true;
}

/* "I...E"; where it is not understood the whole name ends here. */
static bool parse_arguments(struct parse *p);

static bool parse_literal(struct parse *p)
{
	if (take(p, "_Z"))
		return parse_encoding(p) && take(p, "E");
	if (!parse_type(p))
		return false;
	while (*p->at && *p->at != 'E')
		p->at++;
	return take(p, "E");
}

static bool parse_argument(struct parse *p)
{
	if (take(p, "L"))
		return parse_literal(p);
	if (*p->at == 'J')
		return parse_arguments(p);
	return *p->at != 'X' && parse_type(p);
}

static bool parse_arguments(struct parse *p)
{
	struct str *into = p->into;
	const char *last = p->last;
	size_t last_len = p->last_len;

	if (!*p->at || ++p->depth > DEPTH_MOST)
		return false;
	p->at++; /* I or J */
	p->into = NULL;
	while (*p->at != 'E')
		if (!parse_argument(p)) {
			p->lost = true;
			return false;
		}
	p->at++;
	p->into = into;
	p->last = last;
	p->last_len = last_len;
	p->depth--;
	return true;
}

static bool parse_types(struct parse *p)
{
	while (*p->at && *p->at != 'E' && *p->at != '.')
		if (!parse_type(p))
			return false;
	return true;
}

/* The types of a function's parameters, or whatever else is only walked over. */
static bool skip_types(struct parse *p)
{
	struct str *into = p->into;
	bool fine;

	p->into = NULL;
	fine = parse_types(p);
	p->into = into;
	return fine;
}

static bool skip_type(struct parse *p)
{
	struct str *into = p->into;
	bool fine;

	p->into = NULL;
	fine = parse_type(p);
	p->into = into;
	return fine;
}

/* "Ul...E_", "Ut_" */
static bool parse_unnamed(struct parse *p)
{
	if (take(p, "Ut")) {
		write_text(p, "{unnamed}");
		return parse_sequence(p);
	}
	if (!take(p, "Ul") || !skip_types(p) || !take(p, "E"))
		return false;
	write_text(p, "{lambda}");
	return parse_sequence(p);
}

static bool parse_operator(struct parse *p)
{
	static const char *const operators[][2] = {
		{"nw", " new"},
		{"na", " new[]"},
		{"dl", " delete"},
		{"da", " delete[]"},
		{"ps", "+"},
		{"ng", "-"},
		{"ad", "&"},
		{"de", "*"},
		{"co", "~"},
		{"pl", "+"},
		{"mi", "-"},
		{"ml", "*"},
		{"dv", "/"},
		{"rm", "%"},
		{"an", "&"},
		{"or", "|"},
		{"eo", "^"},
		{"aS", "="},
		{"pL", "+="},
		{"mI", "-="},
		{"mL", "*="},
		{"dV", "/="},
		{"rM", "%="},
		{"aN", "&="},
		{"oR", "|="},
		{"eO", "^="},
		{"ls", "<<"},
		{"rs", ">>"},
		{"lS", "<<="},
		{"rS", ">>="},
		{"eq", "=="},
		{"ne", "!="},
		{"lt", "<"},
		{"gt", ">"},
		{"le", "<="},
		{"ge", ">="},
		{"ss", "<=>"},
		{"nt", "!"},
		{"aa", "&&"},
		{"oo", "||"},
		{"pp", "++"},
		{"mm", "--"},
		{"cm", ","},
		{"pm", "->*"},
		{"pt", "->"},
		{"cl", "()"},
		{"ix", "[]"},
		{"aw", " co_await"},
	};

	if (take(p, "cv")) {
		write_text(p, "operator cast");
		return skip_type(p);
	}
	if (take(p, "li")) {
		write_text(p, "operator\"\" ");
		return parse_source(p);
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (take(p, operators[i][0])) {
			write_text(p, "operator");
			write_text(p, operators[i][1]);
			return true;
		}
	return false;
}

/* "C1", "D2": called as the class that it stands in. */
static bool parse_structor(struct parse *p)
{
	bool destructor = *p->at == 'D';

	p->at++;
	if (!destructor && *p->at == 'I')
		p->at++;
	if (*p->at < '0' || *p->at > '5' || !p->last)
		return false;
	p->at++;
	if (destructor)
		write_text(p, "~");
	write_bytes(p, p->last, p->last_len);
	return true;
}

/* One component of a name, with the tags behind it. */
static bool parse_component(struct parse *p)
{
	struct str *into = p->into;
	const char *last;
	size_t last_len;
	bool fine = true;

	take(p, "L");
	if (isdigit((unsigned char)*p->at))
		fine = parse_source(p);
	else if (*p->at == 'U')
		fine = parse_unnamed(p);
	else if (*p->at == 'C' || (*p->at == 'D' && isdigit((unsigned char)p->at[1])))
		fine = parse_structor(p);
	else
		fine = parse_operator(p);
	last = p->last;
	last_len = p->last_len;
	p->into = NULL;
	while (fine && take(p, "B"))
		fine = parse_source(p);
	p->into = into;
	p->last = last;
	p->last_len = last_len;
	return fine;
}

/* "Sa", "St", "S1_": true if it is one of the names that are known. */
static bool parse_standard(struct parse *p)
{
	static const char *const standard[][2] = {
		{"St", "std"},
		{"Sa", "std::allocator"},
		{"Sb", "std::basic_string"},
		{"Ss", "std::string"},
		{"Si", "std::istream"},
		{"So", "std::ostream"},
		{"Sd", "std::iostream"},
	};

	for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
		if (take(p, standard[i][0])) {
			const char *colon = strrchr(standard[i][1], ':');

			write_text(p, standard[i][1]);
			p->last = colon ? colon + 1 : standard[i][1];
			p->last_len = strlen(p->last);
			return true;
		}
	if (p->into || !take(p, "S"))
		return false;
	return parse_sequence(p);
}

/* "T_", "T3_", and a decltype only where nothing is written. */
static bool parse_parameter(struct parse *p)
{
	return !p->into && take(p, "T") && parse_sequence(p);
}

/* Behind "N": qualifiers, components, "E". */
static bool parse_nested(struct parse *p)
{
	bool first = true;

	while (*p->at && strchr("rVKRO", *p->at))
		p->at++;
	while (!take(p, "E")) {
		if (*p->at == 'I') {
			if (first || !parse_arguments(p))
				return false;
			continue;
		}
		if (take(p, "M"))
			continue;
		if (!first)
			write_text(p, "::");
		if (!(first && *p->at == 'S' ? parse_standard(p)
			    : *p->at == 'T'  ? parse_parameter(p)
					     : parse_component(p)))
			return false;
		first = false;
	}
	return !first;
}

/* Behind "Z": a function, and what stands in it. */
static bool parse_local(struct parse *p)
{
	if (!parse_encoding(p) || !take(p, "E"))
		return false;
	if (take(p, "s")) {
		if (take(p, "_"))
			skip_number(p);
		return true;
	}
	if (take(p, "d") && !parse_sequence(p))
		return false;
	write_text(p, "::");
	if (!parse_name(p))
		return false;
	if (take(p, "_")) {
		take(p, "_");
		skip_number(p);
		take(p, "_");
	}
	return true;
}

static bool parse_name(struct parse *p)
{
	bool fine;

	if (++p->depth > DEPTH_MOST)
		return false;
	if (take(p, "N")) {
		fine = parse_nested(p);
	} else if (take(p, "Z")) {
		fine = parse_local(p);
	} else if (*p->at == 'S') {
		bool std = p->at[1] == 't';

		fine = parse_standard(p);
		if (fine && std) {
			write_text(p, "::");
			fine = parse_component(p);
		}
	} else {
		fine = parse_component(p);
	}
	if (fine && *p->at == 'I')
		fine = parse_arguments(p);
	p->depth--;
	return fine;
}

static bool parse_function_type(struct parse *p)
{
	take(p, "Y");
	while (*p->at && *p->at != 'E') {
		if ((*p->at == 'R' || *p->at == 'O') && p->at[1] == 'E')
			p->at++;
		else if (!parse_type(p))
			return false;
	}
	return take(p, "E");
}

static bool parse_array_type(struct parse *p)
{
	while (isdigit((unsigned char)*p->at))
		p->at++;
	return take(p, "_") && parse_type(p);
}

/* Behind "D". */
static bool parse_d_type(struct parse *p)
{
	char kind = *p->at;

	if (!kind)
		return false;
	p->at++;
	if (strchr("defhisuacn", kind))
		return true;
	if (kind == 'p')
		return parse_type(p);
	if (kind == 'o')
		return parse_type(p);
	if (kind == 'v')
		return parse_sequence(p) && parse_type(p);
	if (kind == 'F') {
		while (isdigit((unsigned char)*p->at))
			p->at++;
		return take(p, "_") || take(p, "x") || take(p, "b");
	}
	return false;
}

static bool parse_type_inner(struct parse *p)
{
	while (*p->at && strchr("rVKPROCG", *p->at))
		p->at++;
	if (!*p->at)
		return false;
	if (*p->at == 'u') {
		p->at++;
		return parse_source(p);
	}
	if (islower((unsigned char)*p->at))
		return p->at++, true;
	switch (*p->at) {
	case 'D':
		p->at++;
		return parse_d_type(p);
	case 'F':
		p->at++;
		return parse_function_type(p);
	case 'A':
		p->at++;
		return parse_array_type(p);
	case 'M':
		p->at++;
		return parse_type(p) && parse_type(p);
	case 'T':
		if (take(p, "Ts") || take(p, "Tu") || take(p, "Te"))
			return parse_name(p);
		return parse_parameter(p) && (*p->at != 'I' || parse_arguments(p));
	default:
		return parse_name(p);
	}
}

static bool parse_type(struct parse *p)
{
	bool fine;

	if (++p->depth > DEPTH_MOST)
		return false;
	fine = parse_type_inner(p);
	p->depth--;
	return fine;
}

/* "Th8_", "Tv0_n24_", "Tc" with two of those: in front of what they lead to. */
static bool parse_thunk(struct parse *p)
{
	int offsets = 1;

	if (take(p, "Tc"))
		offsets = 2;
	else if (*++p->at != 'h' && *p->at != 'v')
		return false;
	for (int i = 0; i < offsets; i++) {
		bool virtual = *p->at == 'v';

		if (*p->at != 'h' && *p->at != 'v')
			return false;
		p->at++;
		for (int k = 0; k <= virtual; k++) {
			skip_number(p);
			if (!take(p, "_"))
				return false;
		}
	}
	return parse_encoding(p);
}

static bool parse_parameters(struct parse *p)
{
	p->named = p->depth == 1;
	return skip_types(p);
}

static bool parse_encoding(struct parse *p)
{
	bool fine;

	if (++p->depth > DEPTH_MOST)
		return false;
	if (p->at[0] == 'T' && p->at[1] && strchr("hvc", p->at[1]))
		fine = parse_thunk(p);
	else
		fine = parse_name(p) && parse_parameters(p);
	p->depth--;
	return fine;
}

/* The length of a name without what the compiler put behind it for a part or a copy. */
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

/* Rust's older names end in "::h0123456789abcdef". */
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
	size_t len = base_length(name), from = into->len;
	struct str base = {0}, readable = {0};
	struct parse p = {.into = &readable};

	str_add_bytes(&base, name, len);
	p.at = str_text(&base);
	if (len <= NAME_MOST && take(&p, "_Z") &&
		((parse_encoding(&p) && !*p.at) || (p.lost && readable.len))) {
		str_add_bytes(into, readable.text, readable.len);
		if (p.lost && !p.named)
			str_add(into, "<...>");
		drop_rust_hash(into, from);
	} else {
		str_add_bytes(into, str_text(&base), len);
	}
	str_release(&readable);
	str_release(&base);
}
