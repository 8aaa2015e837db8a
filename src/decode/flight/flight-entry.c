/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry as the Flight Recorder writes it, made of values as they come out of a pickle or JSON.
 *
 * A rank's dump has two thousand entries by default, and they are much alike: a step is taken again
 * and again, from the same lines, with the same shapes. So frames, stacks and tensors
 * that were made lately are found again (flight_frames(), flight_tensors()), and texts that entries
 * share are looked at for secrets once.
 *
 * Which keys there are depends on the version: what lacks is FLIGHT_UNKNOWN, never 0, and keys that
 * are not known here are passed over. A dump may be anybody's: flight_visit() bounds what a list
 * costs that is referred to many times.
 */
#include "decode/flight/flight-entry.h"

#include <math.h>
#include <string.h>

#include "base/redact.h"

/*
 * Returns a number that is written in digits, as in tests of PyTorch and in JSON; FLIGHT_UNKNOWN.
 */
static int64_t flight_digits(const char *text)
{
	bool minus = *text == '-';
	int64_t number = 0;

	text += minus;
	if (!*text)
		return FLIGHT_UNKNOWN;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, *text - '0', &number))
			return FLIGHT_UNKNOWN;
	}
	return minus ? -number : number;
}

int64_t flight_number(const struct value *value)
{
	if (value->type == VALUE_INT)
		return value->number;
	return value->type == VALUE_TEXT ? flight_digits(value->text) : FLIGHT_UNKNOWN;
}

const char *flight_text(const struct value *value)
{
	return value->type == VALUE_TEXT ? value->text : "";
}

/* A text that many entries share is cleaned once; a word of the vocabulary holds no secret. */
const char *flight_clean_text(struct flight_reading *reading, const struct value *value)
{
	uint64_t hash;
	const char **seen;

	if (value->type != VALUE_TEXT || value->word)
		return flight_text(value);
	hash = (uintptr_t)value->text * 0x9e3779b97f4a7c15ull;
	seen = &reading->clean[hash >> (64 - FLIGHT_CLEAN_BITS)];
	if (*seen != value->text)
		redact_text((char *)value->text, value->len);
	*seen = value->text;
	return value->text;
}

/* Returns a time; 0 or None: it has not come. */
static int64_t flight_time(const struct value *value)
{
	return value->type == VALUE_NONE ? 0 : flight_number(value);
}

static signed char flight_answer(const struct value *value)
{
	if (value->type != VALUE_BOOL && value->type != VALUE_INT)
		return FLIGHT_MAYBE;
	return value->number ? FLIGHT_YES : FLIGHT_NO;
}

static double flight_real(const struct value *value)
{
	if (value->type == VALUE_REAL)
		return value->real;
	return value->type == VALUE_INT ? (double)value->number : NAN;
}

static enum flight_state flight_state(const struct value *value)
{
	if (value->type != VALUE_TEXT)
		return FLIGHT_STATE_UNKNOWN;
	switch ((enum flight_word)value->word) {
	case FLIGHT_WORD_scheduled:
		return FLIGHT_SCHEDULED;
	case FLIGHT_WORD_started:
		return FLIGHT_STARTED;
	case FLIGHT_WORD_completed:
		return FLIGHT_COMPLETED;
	default:
		return FLIGHT_STATE_UNKNOWN;
	}
}

bool flight_visit(struct flight_reading *reading, size_t nr)
{
	if (reading->patience < nr) {
		reading->patience = 0;
		return false;
	}
	reading->patience -= nr;
	return true;
}

/* ------------------------------------------------------------------ frames */

/* Makes a frame of a dict's items. */
static const struct flight_frame *flight_frame_new(
	struct flight_reading *reading, const struct value *items, size_t nr)
{
	struct flight_frame *frame = arena_new(&reading->dump->arena, struct flight_frame);

	*frame = (struct flight_frame){.name = "", .file = "", .line = FLIGHT_UNKNOWN};
	for (size_t i = 0; i + 1 < nr; i += 2) {
		const struct value *value = &items[i + 1];

		switch ((enum flight_word)items[i].word) {
		case FLIGHT_WORD_name:
			frame->name = flight_clean_text(reading, value);
			break;
		case FLIGHT_WORD_filename:
			frame->file = flight_clean_text(reading, value);
			break;
		case FLIGHT_WORD_line:
			frame->line = flight_number(value);
			break;
		default:
			break;
		}
	}
	return frame;
}

/* Returns the frame of a dict that other entries refer to as well: it is made once. */
static const struct flight_frame *flight_frame_shared(
	struct flight_reading *reading, const struct value *value)
{
	if (value->type != VALUE_DICT || !value->box)
		return NULL;
	if (!value->box->made && flight_visit(reading, value->box->nr))
		value->box->made = flight_frame_new(reading, value->box->items, value->box->nr);
	return value->box->made;
}

static inline const struct flight_frame *flight_frame_of(
	struct flight_reading *reading, const struct value *value)
{
	if (value->type == VALUE_MADE && value->word == FLIGHT_WORD_frames)
		return value->made;
	return flight_frame_shared(reading, value);
}

/* Returns which of the stacks seen lately to compare with. */
static size_t flight_stack_slot(
	struct flight_reading *reading, const struct value *items, size_t nr)
{
	uint64_t first = (uintptr_t)flight_frame_of(reading, &items[0]);
	uint64_t last = (uintptr_t)flight_frame_of(reading, &items[nr - 1]);

	return (first * 31 + last + nr) * 0x9e3779b97f4a7c15ull >> (64 - FLIGHT_SEEN_BITS);
}

/*
 * Sets an entry's frames. Ops come from few places: a stack that was seen lately is not made again.
 */
static void flight_frames(
	struct flight_reading *reading, const struct value *value, struct flight_entry *entry)
{
	size_t nr, i;
	const struct value *items = value_items(value, &nr);
	const struct flight_frame **frames;
	struct flight_frames *seen;

	if (value->type != VALUE_LIST || !nr || !flight_visit(reading, nr))
		return;
	seen = &reading->stacks[flight_stack_slot(reading, items, nr)];
	for (i = 0; i < nr && i < seen->nr; i++) {
		if (flight_frame_of(reading, &items[i]) != seen->frames[i])
			break;
	}
	if (i < nr || i < seen->nr) {
		frames = arena_alloc(&reading->dump->arena, nr, sizeof(*frames));
		*seen = (struct flight_frames){.frames = frames};
		for (i = 0; i < nr; i++) {
			const struct flight_frame *frame = flight_frame_of(reading, &items[i]);

			if (frame)
				frames[seen->nr++] = frame;
		}
	}
	entry->frames = seen->frames;
	entry->nframes = seen->nr;
}

/* ----------------------------------------------------------------- tensors */

/* Counts the dims of all tensors together; false if the values are no tensors, or too many. */
static bool flight_count_dims(
	struct flight_reading *reading, const struct value *tensors, size_t nr, size_t *ret)
{
	size_t dims = 0, more;

	if (!flight_visit(reading, nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (tensors[i].type != VALUE_LIST)
			return false;
		(void)value_items(&tensors[i], &more);
		dims += more;
	}
	*ret = dims;
	return flight_visit(reading, dims);
}

/* True if tensors that were made equal the values. */
static bool flight_same_tensors(const struct flight_tensors *made, const struct value *items,
	size_t nr, const struct value *dtypes, size_t ndtypes)
{
	if (made->nr != nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct flight_tensor *tensor = &made->items[i];
		size_t ndims;
		const struct value *dims = value_items(&items[i], &ndims);

		if (tensor->ndims != ndims ||
			strcmp(tensor->dtype, i < ndtypes ? flight_text(&dtypes[i]) : "") != 0)
			return false;
		for (size_t k = 0; k < ndims; k++) {
			if (tensor->dims[k] != flight_number(&dims[k]))
				return false;
		}
	}
	return true;
}

/* Makes tensors, which lie with their dims in one piece. */
static void flight_make_tensors(struct flight_reading *reading, const struct value *items,
	size_t nr, size_t ndims, const struct value *dtypes, size_t ndtypes,
	struct flight_tensors *ret)
{
	struct flight_tensor *tensors = arena_alloc(
		&reading->dump->arena, 1, nr * sizeof(*tensors) + ndims * sizeof(int64_t));
	int64_t *dims = (int64_t *)(tensors + nr);

	for (size_t i = 0; i < nr; i++) {
		size_t n;
		const struct value *said = value_items(&items[i], &n);

		tensors[i] = (struct flight_tensor){.dims = dims,
			.ndims = (uint32_t)n,
			.dtype = i < ndtypes ? flight_text(&dtypes[i]) : ""};
		for (size_t k = 0; k < n; k++)
			*dims++ = flight_number(&said[k]);
	}
	*ret = (struct flight_tensors){.items = tensors, .nr = (uint32_t)nr, .known = true};
}

/*
 * Returns which of the shapes seen lately to compare with, by the first tensor's first and last
 * dim.
 */
static size_t flight_shape_slot(const struct value *items, size_t nr)
{
	size_t ndims;
	const struct value *dims = value_items(&items[0], &ndims);
	uint64_t last = ndims ? (uint64_t)flight_number(&dims[ndims - 1]) : 0;
	uint64_t first = ndims ? (uint64_t)flight_number(&dims[0]) : 0;

	return (last * 31 + first * 7 + ndims + nr) * 0x9e3779b97f4a7c15ull >>
	       (64 - FLIGHT_SEEN_BITS);
}

/*
 * Sets an entry's tensors. A training step repeats its shapes: those that were seen lately are not
 * made again.
 */
static void flight_tensors(struct flight_reading *reading, const struct value *sizes,
	const struct value *dtypes, struct flight_tensors *ret)
{
	size_t nr, ndtypes, ndims;
	const struct value *items = value_items(sizes, &nr);
	const struct value *names = value_items(dtypes, &ndtypes);
	struct flight_tensors *seen;

	if (sizes->type != VALUE_LIST || value_is_cut(sizes) ||
		!flight_count_dims(reading, items, nr, &ndims))
		return;
	ret->known = true;
	if (!nr)
		return;
	seen = &reading->shapes[flight_shape_slot(items, nr)];
	if (!flight_same_tensors(seen, items, nr, names, ndtypes))
		flight_make_tensors(reading, items, nr, ndims, names, ndtypes, seen);
	*ret = *seen;
}

/* ----------------------------------------------------------------- entries */

/* Values of an entry that are needed together. */
struct flight_sizes {
	struct value input_sizes, input_dtypes, output_sizes, output_dtypes;
};

/* Reads an entry's group, "(name, desc)". */
static void flight_entry_group(
	struct flight_reading *reading, const struct value *value, struct flight_entry *entry)
{
	size_t nr;
	const struct value *items = value_items(value, &nr);

	if (value->type == VALUE_TEXT)
		entry->group = flight_clean_text(reading, value);
	if (value->type != VALUE_LIST)
		return;
	if (nr > 0)
		entry->group = flight_clean_text(reading, &items[0]);
	if (nr > 1)
		entry->desc = flight_clean_text(reading, &items[1]);
}

/* Takes the rarer half of the keys, which only some versions have. */
static void flight_entry_more(struct flight_reading *reading, enum flight_word key,
	const struct value *value, struct flight_entry *entry)
{
	switch (key) {
	case FLIGHT_WORD_frames:
		flight_frames(reading, value, entry);
		break;
	case FLIGHT_WORD_thread_name:
		entry->thread = flight_clean_text(reading, value);
		break;
	case FLIGHT_WORD_thread_id:
		entry->thread_id = flight_text(value);
		break;
	case FLIGHT_WORD_timeout_ms:
		entry->timeout_ms = flight_number(value);
		break;
	case FLIGHT_WORD_duration_ms:
		entry->duration_ms = flight_real(value);
		break;
	case FLIGHT_WORD_retired:
		entry->retired = flight_answer(value);
		break;
	case FLIGHT_WORD_is_p2p:
		entry->is_p2p = flight_answer(value);
		break;
	case FLIGHT_WORD_time_discovered_started_ns:
		entry->started_ns = flight_time(value);
		break;
	case FLIGHT_WORD_time_discovered_completed_ns:
		entry->completed_ns = flight_time(value);
		break;
	default:
		break;
	}
}

/* Where a number of an entry belongs; NULL: that key has none. */
static int64_t *flight_entry_number(enum flight_word key, struct flight_entry *entry)
{
	switch (key) {
	case FLIGHT_WORD_record_id:
		return &entry->record;
	case FLIGHT_WORD_pg_id:
		return &entry->pg;
	case FLIGHT_WORD_collective_seq_id:
		return &entry->collective_seq;
	case FLIGHT_WORD_p2p_seq_id:
		return &entry->p2p_seq;
	case FLIGHT_WORD_op_id:
		return &entry->op;
	case FLIGHT_WORD_time_created_ns:
		return &entry->created_ns;
	default:
		return NULL;
	}
}

/* The same of sizes and types, which are kept until the operation is known. */
static struct value *flight_entry_sizes(enum flight_word key, struct flight_sizes *sizes)
{
	switch (key) {
	case FLIGHT_WORD_input_sizes:
		return &sizes->input_sizes;
	case FLIGHT_WORD_input_dtypes:
		return &sizes->input_dtypes;
	case FLIGHT_WORD_output_sizes:
		return &sizes->output_sizes;
	case FLIGHT_WORD_output_dtypes:
		return &sizes->output_dtypes;
	default:
		return NULL;
	}
}

/* Takes one key of an entry. */
static void flight_entry_key(struct flight_reading *reading, enum flight_word key,
	const struct value *value, struct flight_entry *entry, struct flight_sizes *sizes)
{
	int64_t *number = flight_entry_number(key, entry);
	struct value *size = flight_entry_sizes(key, sizes);

	if (number)
		*number = flight_number(value);
	else if (size)
		*size = *value;
	else if (key == FLIGHT_WORD_profiling_name)
		entry->name = flight_clean_text(reading, value);
	else if (key == FLIGHT_WORD_process_group)
		flight_entry_group(reading, value, entry);
	else if (key == FLIGHT_WORD_state)
		entry->state = flight_state(value);
	else
		flight_entry_more(reading, key, value, entry);
}

static const struct flight_entry flight_entry_unknown = {.record = FLIGHT_UNKNOWN,
	.pg = FLIGHT_UNKNOWN,
	.collective_seq = FLIGHT_UNKNOWN,
	.p2p_seq = FLIGHT_UNKNOWN,
	.op = FLIGHT_UNKNOWN,
	.name = "",
	.group = "",
	.desc = "",
	.thread = "",
	.thread_id = "",
	.created_ns = FLIGHT_UNKNOWN,
	.started_ns = FLIGHT_UNKNOWN,
	.completed_ns = FLIGHT_UNKNOWN,
	.timeout_ms = FLIGHT_UNKNOWN,
	.duration_ms = NAN,
	.retired = FLIGHT_MAYBE,
	.is_p2p = FLIGHT_MAYBE};

/* Returns room for one more entry; the caller fills all of it. */
static inline struct flight_entry *flight_entry_room(struct flight_reading *reading)
{
	if (reading->entries.nr == reading->entries.room)
		return array_add(&reading->entries);
	return &reading->entries.items[reading->entries.nr++];
}

bool flight_add_entry(struct flight_reading *reading, const struct value *items, size_t nr)
{
	struct flight_sizes sizes = {0};
	struct flight_entry *entry;

	if (reading->entries.nr == reading->room || !flight_visit(reading, nr))
		return false;
	entry = flight_entry_room(reading);
	*entry = flight_entry_unknown;
	for (size_t i = 0; i + 1 < nr; i += 2)
		flight_entry_key(
			reading, (enum flight_word)items[i].word, &items[i + 1], entry, &sizes);
	if (!*entry->name && entry->record == FLIGHT_UNKNOWN &&
		entry->collective_seq == FLIGHT_UNKNOWN && entry->op == FLIGHT_UNKNOWN) {
		reading->entries.nr--;
		return false;
	}
	flight_tensors(reading, &sizes.input_sizes, &sizes.input_dtypes, &entry->inputs);
	flight_tensors(reading, &sizes.output_sizes, &sizes.output_dtypes, &entry->outputs);
	return true;
}

/*
 * Tells by its place what a dict is: entries lie at {"entries": [{...}]}, their frames at
 * {"entries": [{"frames": [{...}]}]}.
 */
bool flight_make(void *context, const struct value_stack *stack, const struct value *items,
	size_t nr, struct value *made)
{
	struct flight_reading *reading = context;
	const struct value_place *places = stack->places;
	bool frame = stack->nplaces == 5 && places[3].key == FLIGHT_WORD_frames;

	if ((stack->nplaces != 3 && !frame) || places[1].key != FLIGHT_WORD_entries)
		return false;
	if (frame) {
		made->word = FLIGHT_WORD_frames;
		made->made = flight_frame_new(reading, items, nr);
		return true;
	}
	made->word = FLIGHT_WORD_entries;
	return flight_add_entry(reading, items, nr);
}
