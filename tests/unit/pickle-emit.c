/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writers differ in: the C++ one opens every container by a mark and notes one that is
 * shared after it is complete; Python's notes each before it is filled, and leaves out the mark of
 * what has one item; both note each text where they first say it. nlohmann's JSON sorts its keys.
 */
#include "tests/unit/pickle-emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define EMIT_BATCH 1000        /* items per mark, of Python's */
#define EMIT_FRAME (64 * 1024) /* bytes per frame, of Python's */

struct emit_node {
	enum emit_type type;
	int64_t number;
	double real;
	const char *text;
	struct emit_node **items;
	size_t nr, room;
	size_t uses;  /* in how many places it stands */
	int64_t memo; /* its number there, -1 none; of this writing */
};

struct emit_stream {
	enum emit_writer writer;
	struct str out;
	struct str frame;                /* protocol 4 on */
	ARRAY(struct emit_node *) noted; /* in the memo */
};

/* ------------------------------------------------------------------- nodes */

struct emit_node *emit_node(struct arena *arena, enum emit_type type)
{
	struct emit_node *node = arena_new(arena, struct emit_node);

	node->type = type;
	node->memo = -1;
	return node;
}

struct emit_node *emit_int(struct arena *arena, int64_t number)
{
	struct emit_node *node = emit_node(arena, EMIT_INT);

	node->number = number;
	return node;
}

struct emit_node *emit_real(struct arena *arena, double real)
{
	struct emit_node *node = emit_node(arena, EMIT_REAL);

	node->real = real;
	return node;
}

struct emit_node *emit_text(struct arena *arena, const char *text)
{
	struct emit_node *node = emit_node(arena, EMIT_TEXT);

	node->text = text;
	return node;
}

struct emit_node *emit_bool(struct arena *arena, bool yes)
{
	struct emit_node *node = emit_node(arena, EMIT_BOOL);

	node->number = yes;
	return node;
}

void emit_add(struct arena *arena, struct emit_node *container, struct emit_node *item)
{
	if (container->nr == container->room) {
		struct emit_node **items;

		container->room = 2 * container->room + 4;
		items = arena_new_many(arena, struct emit_node *, container->room);
		if (container->nr)
			memcpy(items, container->items, container->nr * sizeof(*items));
		container->items = items;
	}
	container->items[container->nr++] = item;
	item->uses++;
}

void emit_set(struct arena *arena, struct emit_node *dict, const char *key, struct emit_node *value)
{
	emit_add(arena, dict, emit_text(arena, key));
	emit_add(arena, dict, value);
}

size_t emit_nr(const struct emit_node *container)
{
	return container->nr;
}

static struct emit_node *emit_list_at(struct arena *arena, const char **text)
{
	struct emit_node *list = emit_node(arena, EMIT_LIST);

	for (++*text; **text && **text != ']';) {
		char *end;

		if (**text == '[')
			emit_add(arena, list, emit_list_at(arena, text));
		else if (**text == ' ' || **text == ',')
			++*text;
		else {
			emit_add(arena, list, emit_int(arena, strtoll(*text, &end, 10)));
			*text = end;
		}
	}
	*text += **text == ']';
	return list;
}

struct emit_node *emit_list(struct arena *arena, const char *text)
{
	return emit_list_at(arena, &text);
}

/* ----------------------------------------------------------------- pickles */

static bool emit_framed(const struct emit_stream *stream)
{
	return stream->writer == EMIT_PYTHON4 || stream->writer == EMIT_PYTHON5;
}

static void emit_little(struct str *out, uint64_t number, int len)
{
	for (int i = 0; i < len; i++)
		str_add_char(out, (char)(number >> (8 * i)));
}

static void emit_end_frame(struct emit_stream *stream)
{
	if (!stream->frame.len)
		return;
	str_add_char(&stream->out, (char)0x95);
	emit_little(&stream->out, stream->frame.len, 8);
	str_add_bytes(&stream->out, stream->frame.text, stream->frame.len);
	str_cut(&stream->frame, 0);
}

/* An opcode with its argument. */
static void emit_op(struct emit_stream *stream, int op, uint64_t argument, int len)
{
	struct str *out = emit_framed(stream) ? &stream->frame : &stream->out;

	if (emit_framed(stream) && stream->frame.len >= EMIT_FRAME)
		emit_end_frame(stream);
	str_add_char(out, (char)op);
	emit_little(out, argument, len);
}

static void emit_put(struct emit_stream *stream, struct emit_node *node)
{
	node->memo = (int64_t)stream->noted.nr;
	*array_add(&stream->noted) = node;
	if (emit_framed(stream))
		emit_op(stream, 0x94, 0, 0);
	else if (node->memo < 256)
		emit_op(stream, 'q', (uint64_t)node->memo, 1);
	else
		emit_op(stream, 'r', (uint64_t)node->memo, 4);
}

static void emit_get(struct emit_stream *stream, const struct emit_node *node)
{
	if (node->memo < 256)
		emit_op(stream, 'h', (uint64_t)node->memo, 1);
	else
		emit_op(stream, 'j', (uint64_t)node->memo, 4);
}

static void emit_pickle_int(struct emit_stream *stream, int64_t number)
{
	int len = 8;

	if (number >= 0 && number < 256)
		emit_op(stream, 'K', (uint64_t)number, 1);
	else if (number >= 0 && number < 65536)
		emit_op(stream, 'M', (uint64_t)number, 2);
	else if (number >= INT32_MIN && number <= INT32_MAX)
		emit_op(stream, 'J', (uint64_t)number, 4);
	else {
		while (stream->writer != EMIT_CPP && len > 1 &&
			number >> (8 * (len - 1) - 1) == (number < 0 ? -1 : 0))
			len--;
		emit_op(stream, 0x8a, (uint64_t)len, 1);
		emit_little(
			emit_framed(stream) ? &stream->frame : &stream->out, (uint64_t)number, len);
	}
}

static void emit_pickle_real(struct emit_stream *stream, double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	emit_op(stream, 'G', __builtin_bswap64(bits), 8);
}

static void emit_pickle_text(struct emit_stream *stream, struct emit_node *node)
{
	size_t len = strlen(node->text);

	for (size_t i = 0; i < stream->noted.nr; i++) {
		const struct emit_node *noted = stream->noted.items[i];

		if (noted->type == EMIT_TEXT && strcmp(noted->text, node->text) == 0) {
			emit_get(stream, noted);
			return;
		}
	}
	if (emit_framed(stream) && len < 256)
		emit_op(stream, 0x8c, len, 1);
	else
		emit_op(stream, 'X', len, 4);
	str_add_bytes(emit_framed(stream) ? &stream->frame : &stream->out, node->text, len);
	emit_put(stream, node);
}

static void emit_pickle(struct emit_stream *stream, struct emit_node *node);

static void emit_pickle_cpp(struct emit_stream *stream, struct emit_node *node)
{
	bool dict = node->type == EMIT_DICT;

	emit_op(stream, dict ? '}' : ']', 0, 0);
	emit_op(stream, '(', 0, 0);
	for (size_t i = 0; i < node->nr; i++)
		emit_pickle(stream, node->items[i]);
	emit_op(stream, dict ? 'u' : 'e', 0, 0);
	if (node->uses > 1)
		emit_put(stream, node);
}

static void emit_pickle_python(struct emit_stream *stream, struct emit_node *node)
{
	size_t width = node->type == EMIT_DICT ? 2 : 1;

	emit_op(stream, width == 2 ? '}' : ']', 0, 0);
	emit_put(stream, node);
	for (size_t i = 0; i < node->nr;) {
		size_t nr = node->nr - i;

		if (nr > EMIT_BATCH * width)
			nr = EMIT_BATCH * width;
		if (nr > width)
			emit_op(stream, '(', 0, 0);
		for (size_t end = i + nr; i < end; i++)
			emit_pickle(stream, node->items[i]);
		emit_op(stream, nr > width ? (width == 2 ? 'u' : 'e') : (width == 2 ? 's' : 'a'), 0,
			0);
	}
}

static void emit_pickle_pair(struct emit_stream *stream, struct emit_node *node)
{
	emit_pickle(stream, node->items[0]);
	emit_pickle(stream, node->items[1]);
	emit_op(stream, 0x86, 0, 0);
	if (stream->writer != EMIT_CPP)
		emit_put(stream, node);
}

static void emit_pickle(struct emit_stream *stream, struct emit_node *node)
{
	switch (node->type) {
	case EMIT_NONE:
		emit_op(stream, 'N', 0, 0);
		return;
	case EMIT_BOOL:
		emit_op(stream, node->number ? 0x88 : 0x89, 0, 0);
		return;
	case EMIT_INT:
		emit_pickle_int(stream, node->number);
		return;
	case EMIT_REAL:
		emit_pickle_real(stream, node->real);
		return;
	case EMIT_TEXT:
		emit_pickle_text(stream, node);
		return;
	default:
		break;
	}
	if (node->memo >= 0)
		emit_get(stream, node);
	else if (node->type == EMIT_PAIR)
		emit_pickle_pair(stream, node);
	else if (stream->writer == EMIT_CPP)
		emit_pickle_cpp(stream, node);
	else
		emit_pickle_python(stream, node);
}

/* -------------------------------------------------------------------- JSON */

static void emit_json_text(struct str *out, const char *text)
{
	str_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			str_add_char(out, '\\');
		if ((unsigned char)*text < ' ')
			str_printf(out, "\\u%04x", (unsigned)*text);
		else
			str_add_char(out, *text);
	}
	str_add_char(out, '"');
}

static int emit_compare_keys(const void *a, const void *b)
{
	return strcmp((*(struct emit_node *const *)a)->text, (*(struct emit_node *const *)b)->text);
}

static void emit_json(struct str *out, struct emit_node *node)
{
	size_t width = node->type == EMIT_DICT ? 2 : 1;

	if (node->type == EMIT_NONE)
		str_add(out, "null");
	else if (node->type == EMIT_BOOL)
		str_add(out, node->number ? "true" : "false");
	else if (node->type == EMIT_INT)
		str_printf(out, "%" PRId64, node->number);
	else if (node->type == EMIT_REAL)
		str_printf(out, "%.17g", node->real);
	else if (node->type == EMIT_TEXT)
		emit_json_text(out, node->text);
	if (node->type < EMIT_LIST)
		return;
	if (width == 2 && node->nr)
		qsort(node->items, node->nr / 2, 2 * sizeof(struct emit_node *), emit_compare_keys);
	str_add_char(out, width == 2 ? '{' : '[');
	for (size_t i = 0; i < node->nr; i++) {
		if (i)
			str_add_char(out, width == 2 && i % 2 ? ':' : ',');
		emit_json(out, node->items[i]);
	}
	str_add_char(out, width == 2 ? '}' : ']');
}

struct str emit_document(struct emit_node *root, enum emit_writer writer)
{
	struct emit_stream stream = {.writer = writer};

	if (writer == EMIT_JSON) {
		emit_json(&stream.out, root);
		return stream.out;
	}
	str_add_char(&stream.out, (char)0x80);
	str_add_char(&stream.out, writer == EMIT_PYTHON4 ? 4 : writer == EMIT_PYTHON5 ? 5 : 2);
	emit_pickle(&stream, root);
	emit_op(&stream, '.', 0, 0);
	emit_end_frame(&stream);
	str_release(&stream.frame);
	for (size_t i = 0; i < stream.noted.nr; i++)
		stream.noted.items[i]->memo = -1;
	array_release(&stream.noted);
	return stream.out;
}
