/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where in a text a secret may be told. Most of a log has nothing that begins as one, and is
 * only looked at here, three bytes at once; redact.c looks at what is found, and decides.
 *
 * Three bytes are folded to five bits each, so that letters of both cases are one; what begins with
 * them is then compared. More may be found than there is, but never less.
 */
#include <pthread.h>
#include <string.h>

#include "base/redact-names.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define GRAMS	  (1 << 15)
#define MOST	  128

/* What is looked for beside names and keys, by how it begins: blocks, programs, hooks. */
static const char *const others[] = {"-----BEGIN", "curl", "services", "webhook", "workflows",
	"bot"};

struct begin {
	const char *text;
	unsigned char next; /* of the same three bytes, from 1 on; 0 none */
	bool folded;        /* letters of any case */
	bool inside;        /* it may stand within a word */
};

static struct finder {
	size_t nr;
	struct begin begins[MOST];
	unsigned char first[GRAMS]; /* of begins, from 1 on; 0 none */
} finder;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Folds three bytes to a number of 15 bits. */
static unsigned gram_at(const char *at)
{
	return (unsigned)(at[0] & 31) << 10 | (unsigned)(at[1] & 31) << 5 | (unsigned)(at[2] & 31);
}

static void add(const char *text, bool name)
{
	unsigned gram = gram_at(text);

	if (finder.nr + 1 >= MOST)
		return;
	finder.begins[finder.nr++] =
		(struct begin){text, finder.first[gram], .folded = name, .inside = name};
	finder.first[gram] = (unsigned char)finder.nr;
}

/* True if another name stands within this one: who looks for "key" finds "apikey". */
static bool has_another(const char *name)
{
	const char *other;

	for (size_t i = 0; (other = redact_name_word(i)); i++)
		if (other != name && strstr(name, other))
			return true;
	return false;
}

static void make_ready(void)
{
	const char *text;

	for (size_t i = 0; (text = redact_name_word(i)); i++)
		if (!has_another(text))
			add(text, true);
	for (size_t i = 0; i < NR(others); i++)
		add(others[i], false);
	for (size_t i = 0; (text = redact_key_begin(i)); i++)
		add(text, false);
}

/* True if this beginning stands at `at`. At `from` words begin, whatever stands before it. */
static bool begins(const struct begin *begin, const char *bytes, size_t from, size_t at, size_t len)
{
	const char *text = begin->text;

	if (!begin->inside && at > from && redact_is_word(bytes[at - 1]))
		return false;
	for (; *text; text++, at++)
		if (at == len || (begin->folded ? redact_lowered(bytes[at]) : bytes[at]) != *text)
			return false;
	return true;
}

size_t redact_find(const char *bytes, size_t from, size_t len)
{
	pthread_once(&once, make_ready);
	for (size_t at = from; at + 2 < len; at++) {
		unsigned next = finder.first[gram_at(bytes + at)];

		for (; next; next = finder.begins[next - 1].next)
			if (begins(&finder.begins[next - 1], bytes, from, at, len))
				return at;
	}
	return len;
}
