/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ring/ring-fields.h"

#include "ring/calls.h"
#include "ring/ring-names.h"

/* How a word reads. The ones from STRINGS on give a field whose text is looked up. */
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
	[RING_WAIT_ENTER] = {{"call", CALL}, {"event", HEX}, {0}, {0}, {"stream", HEX}, {0}},
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

struct filling {
	const struct ring_view *view;
	struct ring_field *fields;
	size_t nr;
};

static void add(struct filling *f, const char *name, enum ring_form form, uint64_t value)
{
	if (f->nr < RING_FIELDS_MOST)
		f->fields[f->nr++] = (struct ring_field){name, form, value, NULL};
}

/* A name for a number; the number itself where it has none. */
static void add_name(struct filling *f, const char *name, const char *text, uint64_t value)
{
	add(f, name, text ? RING_FORM_TEXT : RING_FORM_UINT, value);
	if (text)
		f->fields[f->nr - 1].text = text;
}

static void add_op(struct filling *f, uint64_t sig)
{
	static const struct {
		unsigned reduces : 1, rooted : 1, paired : 1;
	} kinds[RING_OPS] = {
		[RING_OP_ALLREDUCE] = {.reduces = 1},
		[RING_OP_REDUCESCATTER] = {.reduces = 1},
		[RING_OP_REDUCE] = {.reduces = 1, .rooted = 1},
		[RING_OP_BROADCAST] = {.rooted = 1},
		[RING_OP_GATHER] = {.rooted = 1},
		[RING_OP_SCATTER] = {.rooted = 1},
		[RING_OP_SEND] = {.paired = 1},
		[RING_OP_RECV] = {.paired = 1},
		[RING_OP_PUT] = {.paired = 1},
		[RING_OP_WAITSIGNAL] = {.paired = 1},
	};
	unsigned op = ring_sig_op(sig);

	if (op == RING_OP_NONE)
		return;
	add_name(f, "op", ring_op_name(op), op);
	add_name(f, "dtype", ring_dtype_name(ring_sig_dtype(sig)), ring_sig_dtype(sig));
	if (op >= RING_OPS)
		return;
	if (kinds[op].reduces)
		add_name(f, "reduction", ring_redop_name(ring_sig_redop(sig)), ring_sig_redop(sig));
	if (ring_sig_peer(sig) == RING_SIG_NO_PEER)
		return;
	if (kinds[op].rooted)
		add(f, "root", RING_FORM_UINT, ring_sig_peer(sig));
	if (kinds[op].paired)
		add(f, "peer", RING_FORM_UINT, ring_sig_peer(sig));
}

static void add_word(struct filling *f, const struct word_of *word, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	switch (word->word) {
	case NOTHING:
		return;
	case UINT:
		add(f, word->name, RING_FORM_UINT, value);
		return;
	case INT32:
		add(f, word->name, RING_FORM_INT, (uint64_t)(int64_t)(int32_t)low);
		return;
	case HEX:
		add(f, word->name, RING_FORM_HEX, value);
		return;
	case OP:
		add_op(f, value);
		return;
	case STRINGS:
		add_name(f, word->name, ring_view_string(f->view, low), low);
		if (value >> 32)
			add_name(f, "detail", ring_view_string(f->view, (uint32_t)(value >> 32)),
				value >> 32);
		return;
	case STRING:
		add_name(f, word->name, ring_view_string(f->view, low), low);
		return;
	case CALL:
		add_name(f, word->name, ring_call_name(low), low);
		return;
	case KIND:
		add_name(f, word->name, ring_span_kind_name(low), low);
		return;
	case MILESTONE:
		add_name(f, word->name, ring_milestone_name(low), low);
		return;
	}
}

size_t ring_fields(const struct ring_view *view, const struct ring_slot *slot, bool in_group,
	struct ring_field fields[RING_FIELDS_MOST])
{
	struct filling f = {.view = view, .fields = fields};
	unsigned type = ring_meta_type(slot->meta), group = ring_meta_group(slot->meta);
	const struct type_of *t = ring_type_name(type) ? &types[type] : &unknown_type;

	if (group != RING_NO_GROUP)
		add(&f, in_group && type == RING_OP_ENTERED ? "lane" : "group", RING_FORM_UINT,
			group);
	add_word(&f, &t->arg, ring_meta_arg(slot->meta));
	add_word(&f, &t->index, slot->index);
	add_word(&f, &t->count, slot->count);
	add_word(&f, &t->sig, slot->sig);
	add_word(&f, &t->aux, slot->aux);
	add_word(&f, &t->more, slot->more);
	return f.nr;
}

void ring_fields_flags(struct str *into, unsigned flags, const char *before)
{
	for (unsigned bit = 0; bit < 8; bit++) {
		if (!(flags >> bit & 1) || !ring_flag_name(bit))
			continue;
		str_add(into, before);
		str_add(into, ring_flag_name(bit));
	}
}
