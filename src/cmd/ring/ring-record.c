/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ring/ring-fields.h"

#include "ring/calls.h"
#include "ring/ring-names.h"

/* How a word reads. The ones from STRINGS on are looked up. */
enum word {
	NOTHING,
	UINT,
	INT32,
	HEX,
	OP,      /* a signature: op, dtype, reduction, peer */
	STRINGS, /* two string ids */
	STRING,
	CALL,
	KIND,
	MILESTONE,
};

/* A word of a record: what it is called, and how it reads; {0}: this type has none. */
struct word_of {
	const char *name;
	enum word word;
};

/* The words of a type in the order arg, index, count, sig, aux, more. */
struct type_of {
	struct word_of arg, index, count, sig, aux, more;
};

static const struct type_of types[RING_TYPES] = {
	[RING_CALL_ENTER] = {{"call", CALL}, {"op_index", UINT}, {"count", UINT}, {"op", OP},
		{"stream", HEX}, {"group_ticket", UINT}},
	[RING_CALL_EXIT] = {{"call", CALL}, {"op_index", UINT}, {0}, {0}, {"result", INT32},
		{"enter", UINT}},
	[RING_OP_ENTERED] = {{"zero_counts", UINT}, {"op_index", UINT}, {"count", UINT}, {"op", OP},
		{"stream", HEX}, {"hash", HEX}},
	[RING_EDGE] = {{"call", CALL}, {"event", HEX}, {0}, {0}, {"waiting", HEX},
		{"recorded", HEX}},
	[RING_WAIT_ENTER] = {{"call", CALL}, {"event", HEX}, {"first_op", HEX}, {"ops", HEX},
		{"stream", HEX}, {0}},
	[RING_WAIT_EXIT] = {{"call", CALL}, {0}, {0}, {0}, {"result", INT32}, {"enter", UINT}},
	[RING_OP_DONE] = {{0}, {"op_index", UINT}, {0}, {0}, {"stream", HEX}, {0}},
	[RING_SPAN_BEGIN] = {{"kind", KIND}, {"serial", UINT}, {0}, {0}, {"name", STRINGS},
		{"cpu_ns", UINT}},
	[RING_SPAN_END] = {{"kind", KIND}, {"serial", UINT}, {0}, {0}, {"name", STRINGS},
		{"cpu_ns", UINT}},
	[RING_SHARD] = {{"loader", STRING}, {"index", UINT}, {"rows", UINT}, {"elements", UINT},
		{"serial", UINT}, {0}},
	[RING_SHAPE] = {{"loader", STRING}, {"index", UINT}, {"dim0", UINT}, {"dim1", UINT},
		{"dim2", UINT}, {"ndim", UINT}},
	[RING_DIMS] = {{"loader", STRING}, {"index", UINT}, {"dim", UINT}, {"dim_next", UINT},
		{"dim_after", UINT}, {"from", UINT}},
	[RING_STEP] = {{0}, {"step", UINT}, {0}, {0}, {0}, {0}},
	[RING_TRAIT] = {{"key", STRING}, {"number", UINT}, {0}, {0}, {"text", STRING}, {0}},
	[RING_NOTE] = {{"text", STRING}, {0}, {0}, {0}, {0}, {0}},
	[RING_COMM] = {{"call", CALL}, {"key", HEX}, {"size", UINT}, {"rank", UINT}, {"alias", HEX},
		{"result", INT32}},
	[RING_PROC] = {{"milestone", MILESTONE}, {"value", INT32}, {0}, {0}, {0}, {0}},
	[RING_SIGNAL] = {{"signal", UINT}, {"code", INT32}, {"sender_pid", INT32},
		{"sender_uid", UINT}, {"address", HEX}, {"tid", UINT}},
	[RING_ANCHOR] = {{0}, {"monotonic", UINT}, {"realtime", UINT}, {"bracket", UINT},
		{"maxerror", UINT}, {"esterror", UINT}},
	[RING_IDLE] = {{0}, {0}, {0}, {0}, {0}, {0}},
};

/* For types of a newer writer: everything, as it lies there. */
static const struct type_of unknown_type = {
	{"arg", UINT}, {"index", UINT}, {"count", UINT}, {"sig", HEX}, {"aux", HEX}, {"more", HEX}};

/* Adds what a signature says: op, type, and of root, peer and reduction what this op has. */
static void add_op(struct ring_fields *f, uint64_t sig)
{
	enum { P2P = 1, ROOTED = 2, REDUCES = 4, MOVES = 8, SOME = 16, BARE = 32 };
	static const unsigned traits[RING_OPS] = {
#define OP(upper, name, traits) traits,
#include "lists/op.def"
#undef OP
	};
	unsigned op = ring_sig_op(sig);

	if (op == RING_OP_NONE)
		return;
	field_add_name(f, "op", ring_name(RING_LIST_OPS, op), op);
	field_add_name(
		f, "dtype", ring_name(RING_LIST_DTYPES, ring_sig_dtype(sig)), ring_sig_dtype(sig));
	if (op >= RING_OPS)
		return;
	if (traits[op] & REDUCES)
		field_add_name(f, "reduction", ring_name(RING_LIST_REDOPS, ring_sig_redop(sig)),
			ring_sig_redop(sig));
	if (ring_sig_peer(sig) == RING_SIG_NO_PEER)
		return;
	if (traits[op] & ROOTED)
		field_add(f, "root", RING_FORM_UINT, ring_sig_peer(sig));
	if (traits[op] & P2P)
		field_add(f, "peer", RING_FORM_UINT, ring_sig_peer(sig));
}

/* Adds a string of the ring; its id where it has none. */
static void add_string(
	struct ring_fields *f, const char *name, const struct ring_view *view, uint32_t id)
{
	const char *text = ring_view_string(view, id);

	if (text)
		field_add_text(f, name, text);
	else
		field_add(f, name, RING_FORM_UINT, id);
}

/* Adds one word of a record, in the way that its type says. */
static void add_word(struct ring_fields *f, const struct ring_view *view,
	const struct word_of *word, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	switch (word->word) {
	case NOTHING:
		return;
	case UINT:
		field_add(f, word->name, RING_FORM_UINT, value);
		return;
	case INT32:
		field_add(f, word->name, RING_FORM_INT, (uint64_t)(int64_t)(int32_t)low);
		return;
	case HEX:
		field_add(f, word->name, RING_FORM_HEX, value);
		return;
	case OP:
		add_op(f, value);
		return;
	case STRINGS:
		add_string(f, word->name, view, low);
		if (value >> 32)
			add_string(f, "detail", view, (uint32_t)(value >> 32));
		return;
	case STRING:
		add_string(f, word->name, view, low);
		return;
	case CALL:
		field_add_name(f, word->name, ring_call_name(low), low);
		return;
	case KIND:
		field_add_name(f, word->name, ring_name(RING_LIST_SPAN_KINDS, low), low);
		return;
	case MILESTONE:
		field_add_name(f, word->name, ring_name(RING_LIST_MILESTONES, low), low);
		return;
	}
}

void record_add_words(struct ring_fields *into, const struct ring_view *view,
	const struct ring_slot *slot, bool in_group)
{
	unsigned type = ring_meta_type(slot->meta), group = ring_meta_group(slot->meta);
	const struct type_of *t = ring_name(RING_LIST_TYPES, type) ? &types[type] : &unknown_type;
	struct ring_field *before = into->last;

	if (group != RING_NO_GROUP)
		field_add(into, in_group && type == RING_OP_ENTERED ? "lane" : "group",
			RING_FORM_UINT, group);
	add_word(into, view, &t->arg, ring_meta_arg(slot->meta));
	add_word(into, view, &t->index, slot->index);
	add_word(into, view, &t->count, slot->count);
	add_word(into, view, &t->sig, slot->sig);
	add_word(into, view, &t->aux, slot->aux);
	add_word(into, view, &t->more, slot->more);
	for (struct ring_field *f = before ? before->next : into->first; f; f = f->next)
		f->word = true;
}
