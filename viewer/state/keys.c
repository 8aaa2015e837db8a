/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/state/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "words/escape.h"

/* The requests of requests.def, by number. */
static const struct {
	const char *keys, *help;
	enum request_section section;
} table[REQUESTS] = {
	[REQUEST_NONE] = {"", "", SECTION_ELSE},
#define REQUEST(name, section, keys, help) [REQUEST_##name] = {keys, help, SECTION_##section},
#include "viewer/state/requests.def"
#undef REQUEST
};

/*
 * Names of keys. Beside these: a character, F and its number, and "Ctrl-", "Alt-" or "S-" before a
 * name.
 */
static const char *const names[] = {"Space", "Enter", "Esc", "Tab", "Backspace", "Delete", "Insert",
	"Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown"};

static const char *const sections[SECTIONS] = {
	[SECTION_MOVE] = "Moving",
	[SECTION_VIEW] = "Rows and time",
	[SECTION_FIND] = "Finding",
	[SECTION_PANE] = "Panes",
	[SECTION_ELSE] = "Else",
};

/* Returns the next word of a text apart by blanks, and its size; NULL at its end. */
static const char *word(const char **text, size_t *ret_size)
{
	const char *from = *text + strspn(*text, " \t");

	*ret_size = strcspn(from, " \t");
	*text = from + *ret_size;
	return *ret_size ? from : NULL;
}

enum request keys_find(const char *name)
{
	size_t wanted = strlen(name);

	for (int request = REQUEST_NONE + 1; request < REQUESTS; request++) {
		const char *keys = table[request].keys, *key;
		size_t size;

		while ((key = word(&keys, &size)))
			if (size == wanted && !memcmp(key, name, size))
				return (enum request)request;
	}
	return REQUEST_NONE;
}

/* True for a number that is a request's. */
static bool is_request(enum request request)
{
	return (unsigned)request < REQUESTS;
}

const char *keys_of(enum request request)
{
	return is_request(request) ? table[request].keys : "";
}

const char *keys_help(enum request request)
{
	return is_request(request) ? table[request].help : "";
}

enum request_section keys_section(enum request request)
{
	return is_request(request) ? table[request].section : SECTION_ELSE;
}

const char *keys_section_name(enum request_section section)
{
	return (unsigned)section < SECTIONS ? sections[section] : "";
}

void keys_print(struct str *into)
{
	for (int section = 0; section < SECTIONS; section++) {
		str_printf(into, "%s%s\n", section ? "\n" : "", sections[section]);
		for (int request = REQUEST_NONE + 1; request < REQUESTS; request++)
			if (table[request].section == (enum request_section)section)
				str_printf(into, "  %-18s%s\n", table[request].keys,
					table[request].help);
	}
}

/* Appends text as mdoc wants it: nothing in it is a macro, a request or an accent. */
static void add_roff(struct str *into, const char *text, size_t size)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'"', "\\(dq"},
		{'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

	for (; size; size--, text++) {
		const char *roff = NULL;

		for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
			if (special[i].c == *text)
				roff = special[i].roff;
		if (roff)
			str_add(into, roff);
		else
			str_add_char(into, *text);
	}
}

/* Appends a request's keys, and what it does. */
static void add_manual_item(struct str *into, enum request request)
{
	const char *keys = keys_of(request), *key;
	size_t size;

	str_add(into, ".It");
	while ((key = word(&keys, &size))) {
		/* "\&": a key of one sign would be punctuation. */
		str_add(into, " Ic \\&");
		add_roff(into, key, size);
	}
	str_add(into, "\n\\&");
	add_roff(into, keys_help(request), strlen(keys_help(request)));
	str_add(into, "\n");
}

void keys_manual(struct str *into)
{
	for (int section = 0; section < SECTIONS; section++) {
		str_printf(into, ".Ss %s\n.Bl -tag -width \"Ctrl-D PageDown\" -compact\n",
			sections[section]);
		for (int request = REQUEST_NONE + 1; request < REQUESTS; request++)
			if (table[request].section == (enum request_section)section)
				add_manual_item(into, (enum request)request);
		str_add(into, ".El\n");
	}
}

/* --- scripts --- */

/* Returns what comes behind "Ctrl-", "Alt-" and "S-"; the name itself where there is none. */
static const char *unmodified(const char *name)
{
	static const char *const modifiers[] = {"Ctrl-", "Alt-", "S-"};

	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		size_t size = strlen(modifiers[i]);

		if (!strncmp(name, modifiers[i], size) && name[size])
			return name + size;
	}
	return name;
}

bool keys_is_name(const char *name)
{
	const char *plain = unmodified(name);
	size_t size;
	int32_t code = escape_decode(plain, &size);

	if (!*name || strlen(name) >= sizeof(((struct key *)0)->name))
		return false;
	if (!plain[size])
		return code > ' ' && escape_is_plain(code);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(plain, names[i]))
			return true;
	if (plain[0] == 'F' && plain[1] >= '1' && plain[1] <= '9')
		return !plain[2] || (plain[2] >= '0' && plain[2] <= '9' && !plain[3]);
	return false;
}

bool keys_size(const char *name, int *ret_w, int *ret_h)
{
	long size[2];

	if (strncmp(name, "resize ", 7))
		return false;
	name += 7;
	for (int i = 0; i < 2; i++) {
		char *end;

		if (*name < '0' || *name > '9')
			return false;
		size[i] = strtol(name, &end, 10);
		if (size[i] < 1 || size[i] > 9999 || *end != (i ? '\0' : 'x'))
			return false;
		name = end + 1;
	}
	*ret_w = (int)size[0];
	*ret_h = (int)size[1];
	return true;
}

/* The keys that were read so far. */
struct script {
	ARRAY(struct key) keys;
};

/* Adds a key by its name; false where there is none such. */
static bool add_key(struct script *script, const char *name, size_t size)
{
	struct key key = {0};

	if (size >= sizeof(key.name))
		return false;
	memcpy(key.name, name, size);
	if (!keys_is_name(key.name))
		return false;
	*array_add(&script->keys) = key;
	return true;
}

/* Adds a key for each character up to `end`; false where one is no key. */
static bool type(struct script *script, const char *text, const char *end)
{
	for (size_t size; text < end; text += size) {
		escape_decode(text, &size);
		if (*text == ' ' ? !add_key(script, "Space", 5) : !add_key(script, text, size))
			return false;
	}
	return true;
}

/* Adds "resize WxH", of which `words` begins with WxH; false where it is no size. */
static bool resize(struct script *script, const char **words)
{
	struct key key = {"resize "};
	size_t size, len = strlen(key.name);
	const char *wxh = word(words, &size);
	int w, h;

	if (!wxh || len + size >= sizeof(key.name))
		return false;
	memcpy(key.name + len, wxh, size);
	if (!keys_size(key.name, &w, &h))
		return false;
	*array_add(&script->keys) = key;
	return true;
}

/* Adds the keys of one line; false where one is none. */
static bool read_line(struct script *script, const char *line)
{
	const char *name, *end = line + strlen(line);
	size_t size;

	while ((name = word(&line, &size))) {
		if (name[0] == '#')
			return true;
		if (size == 4 && !memcmp(name, "type", 4))
			return type(script, line + (*line == ' '), end);
		if (size == 6 && !memcmp(name, "resize", 6)) {
			if (!resize(script, &line))
				return false;
		} else if (!add_key(script, name, size)) {
			return false;
		}
	}
	return true;
}

int keys_parse(const char *text, struct key **ret, size_t *ret_n, size_t *ret_line)
{
	struct script script = {0};
	size_t number = 0;

	while (*text) {
		size_t size = strcspn(text, "\n");
		char *line = alloc_copy(text, size);
		bool good;

		number++;
		if (size && line[size - 1] == '\r')
			line[size - 1] = '\0';
		good = read_line(&script, line);
		free(line);
		if (!good) {
			array_release(&script.keys);
			*ret_line = number;
			return -1;
		}
		text += size + (text[size] == '\n');
	}
	*ret = script.keys.items;
	*ret_n = script.keys.nr;
	return 0;
}
