/* SPDX-License-Identifier: Apache-2.0 */
/* What ops and phases are called on screen. Ten thousand ranks enter one op: its name is one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "job/calls.h"
#include "job/names.h"
#include "viewer/timeline/track-make.h"

/* A text that was made of a number and two texts; those are compared, so that none is made anew. */
struct track_label {
	uint64_t hash, a, b;
	const char *one, *two;
	const char *text; /* NULL: a free slot */
};

/* Adds a text to a hash. */
static uint64_t label_hash(uint64_t hash, const char *text)
{
	return hash_mix(hash_text(hash, text), 0xff);
}

/* Returns the hash of a label's parts. */
static uint64_t hash_key(const struct track_label *key)
{
	uint64_t hash = (key->a + 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	hash = (hash ^ (hash >> 29) ^ key->b) * 0xc4ceb9fe1a85ec53ull;
	hash = label_hash(label_hash(hash, key->one), key->two);
	return hash ^ (hash >> 32);
}

/* True if two labels are made of the same. */
static bool same_key(const struct track_label *x, const struct track_label *y)
{
	return x->hash == y->hash && x->a == y->a && x->b == y->b && !strcmp(x->one, y->one) &&
	       !strcmp(x->two, y->two);
}

/* Returns the slot of this key, or the free one where it belongs. */
static struct track_label *slot_of(const struct track_labels *labels, const struct track_label *key)
{
	size_t i = key->hash & (labels->room - 1);

	while (labels->slots[i].text && !same_key(&labels->slots[i], key))
		i = (i + 1) & (labels->room - 1);
	return &labels->slots[i];
}

/* Makes the hash twice as large. */
static void grow(struct track_labels *labels)
{
	struct track_labels old = *labels;

	labels->room = old.room ? old.room * 2 : 256;
	labels->slots = alloc_zeroed(labels->room, sizeof(*labels->slots));
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].text)
			*slot_of(labels, &old.slots[i]) = old.slots[i];
	free(old.slots);
}

/* Finds the slot; a new one has text NULL, and the caller makes its text. */
static struct track_label *find(struct track_labels *labels, struct track_label key)
{
	struct track_label *slot;

	if (labels->n * 2 >= labels->room)
		grow(labels);
	key.hash = hash_key(&key);
	slot = slot_of(labels, &key);
	if (!slot->text) {
		labels->n++;
		*slot = key;
	}
	return slot;
}

void track_labels_release(struct track_labels *labels)
{
	free(labels->slots);
	for (size_t i = 0; i < JOB_OP_KINDS; i++)
		free(labels->numbered[i].names);
	*labels = (struct track_labels){0};
}

/*
 * Returns where the name of that collective stands, or is to be; NULL: it has no such place. Of
 * each kind the places begin a little before the first number that is asked for, and are never more
 * than there are events: numbers far from it are strangers'.
 */
static const char **place_of(struct track_labels *labels, uint8_t kind, uint64_t index)
{
	struct track_numbered *numbered;
	size_t room, at;

	if ((unsigned)kind >= JOB_OP_KINDS)
		return NULL;
	numbered = &labels->numbered[kind];
	if (!numbered->room)
		numbered->first = index > labels->most / 4 ? index - labels->most / 4 : 0;
	if (index < numbered->first || index - numbered->first >= labels->most)
		return NULL;
	at = (size_t)(index - numbered->first);
	if (at >= numbered->room) {
		for (room = numbered->room ? numbered->room : 64; room <= at;)
			room *= 2;
		room = room < labels->most ? room : labels->most;
		numbered->names = alloc_resize(numbered->names, room, sizeof(*numbered->names));
		memset(numbered->names + numbered->room, 0,
			(room - numbered->room) * sizeof(*numbered->names));
		numbered->room = room;
	}
	return &numbered->names[at];
}

/* Returns "AllReduce #12". */
static const char *label_collective(struct track_maker *maker, uint8_t kind, uint64_t index)
{
	const char **place = place_of(&maker->labels, kind, index);

	if (!place)
		place = &find(&maker->labels, (struct track_label){.a = index,
						      .b = 1 + (uint64_t)kind,
						      .one = "",
						      .two = ""})->text;
	if (!*place)
		*place = arena_printf(maker->labels.arena, "%s #%" PRIu64,
			job_op_name(kind), index);
	return *place;
}

const char *track_label_op(struct track_maker *maker, const struct job_op *op, int peer)
{
	const char *name = job_op_name(op->sig.op);
	struct track_label *label;

	if (!job_op_is_p2p(op->sig.op))
		return label_collective(maker, op->sig.op, op->index);
	if (peer == JOB_NONE)
		return name;
	label = find(&maker->labels, (struct track_label){.a = (uint64_t)(uint32_t)peer,
					     .b = 1 + (uint64_t)op->sig.op,
					     .one = "",
					     .two = ""});
	if (!label->text)
		label->text = arena_printf(maker->labels.arena, "%s %s %d", name,
			op->sig.op == JOB_OP_RECV ? "from" : "to", peer);
	return label->text;
}

const char *track_label_step(struct track_maker *maker, uint64_t n)
{
	struct track_label *label = find(&maker->labels,
		(struct track_label){.a = n, .b = UINT64_MAX - 2, .one = "", .two = ""});

	if (!label->text)
		label->text = arena_printf(maker->labels.arena, "step %" PRIu64, n);
	return label->text;
}

const char *track_label(struct track_maker *maker, const char *text, const char *more)
{
	struct track_label *label;

	if (!*more)
		return text;
	label = find(&maker->labels, (struct track_label){.one = text, .two = more});
	if (!label->text)
		label->text = arena_printf(maker->labels.arena, "%s %s", text, more);
	return label->text;
}

const char *track_label_id(struct track_maker *maker, const char *detail)
{
	const char *id = strncmp(detail, "graph ", 6) ? detail : detail + 6;
	size_t length = strspn(id, "0123456789/");
	struct track_label *label;

	if (!length || length > 12 || (id[length] && id[length] != ' ') || *id == '/' ||
		!memchr(id, '/', length))
		return "";
	label = find(&maker->labels,
		(struct track_label){.b = UINT64_MAX - 1, .one = detail, .two = ""});
	if (!label->text)
		label->text = arena_text_max(maker->labels.arena, id, length);
	return label->text;
}

/* -- phases ------------------------------------------------------------------------------------ */

const char *track_phase(struct track_maker *maker, const char *name)
{
	size_t stem = strcspn(name, " ");

	if (!strncmp(name, "inductor ", 9) && name[9])
		return name + 9;
	/* "graph 0/1": the id is no part of the phase. */
	if (name[stem] && strspn(name + stem, " 0123456789/") == strlen(name + stem)) {
		struct track_label *label = find(&maker->labels,
			(struct track_label){.b = UINT64_MAX, .one = name, .two = ""});

		if (!label->text)
			label->text = arena_text_max(maker->labels.arena, name, stem);
		return label->text;
	}
	return name;
}

/* A phase, and how often it was. */
struct phase {
	const char *name;
	size_t n;
};

/* Orders phases, most frequent first. */
static int compare_phases(const void *va, const void *vb)
{
	const struct phase *a = va, *b = vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Orders names. */
static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void track_list_phases(struct track_maker *maker)
{
	ARRAY(const char *) all = {0};
	ARRAY(struct phase) phases = {0};
	const char **names;

	for (size_t i = 0; i < maker->job->nspans; i++) {
		const struct job_span *span = &maker->job->spans[i];

		if (span->kind == JOB_SPAN_COMPILE || span->kind == JOB_SPAN_DEVICE)
			*array_add(&all) = track_phase(maker, track_text(span->name));
	}
	array_sort(&all, compare_names);
	for (size_t i = 0; i < all.nr; i++) {
		if (!i || strcmp(all.items[i - 1], all.items[i]) != 0)
			*array_add(&phases) = (struct phase){.name = all.items[i]};
		phases.items[phases.nr - 1].n++;
	}
	array_sort(&phases, compare_phases);
	names = arena_new_many(maker->labels.arena, const char *, phases.nr + 1);
	for (size_t i = 0; i < phases.nr; i++)
		names[i] = phases.items[i].name;
	maker->made->tracks.phases = names;
	maker->made->tracks.nphases = phases.nr;
	array_release(&all);
	array_release(&phases);
}

const char *track_label_call(struct track_maker *maker, const struct job_call *call)
{
	if (call->kind == JOB_CALL_HOLE)
		return arena_printf(maker->labels.arena, "%" PRIu64 " record%s %s", call->index,
			call->index == 1 ? "" : "s", call->name);
	if (call->sig.op && call->index && !job_op_is_p2p(call->sig.op))
		return label_collective(maker, call->sig.op, call->index);
	if (call->sig.op)
		return job_op_name(call->sig.op);
	return call_plain_name(call->name);
}
