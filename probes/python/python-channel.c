/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-channel.c: from Python into the ring: the functions of `_inquest`, which the shim calls,
 * and the audit events of the same names, which a program may raise. They take what python.h says,
 * by place or by name, return None, and raise nothing.
 */
#include <string.h>

#include "probes/c10d/c10d.h"
#include "probes/inquest.h"
#include "probes/process.h"
#include "probes/python/python-parts.h"
#include "probes/trait.h"
#include "ring/ring.h"

/* dimensions that a shard's record keeps */
#define CHANNEL_DIMS 12

extern inquest_span_begin_fn inquest_probe_span_begin;
extern inquest_span_end_fn inquest_probe_span_end;
extern inquest_shard_fn inquest_probe_shard;
extern inquest_shard_shape_fn inquest_probe_shard_shape;
extern inquest_step_fn inquest_probe_step;
extern inquest_note_fn inquest_probe_note;

#define CHANNEL_ARGS(places_, keywords_)                                                           \
	{                                                                                          \
		.places = (places_), .keywords = (keywords_)                                       \
	}

/* Returns a kind of span that there is; anything else is bad. */
static int channel_kind(struct python_args *a)
{
	long long kind = python_arg_count(a, 0, "kind");

	if (kind < RING_SPAN_COMPILE || kind >= RING_SPAN_KINDS)
		a->bad = 1;
	return a->bad ? 0 : (int)kind;
}

/* Returns a text that there must be. */
static const char *channel_name(struct python_args *a, int place, const char *name)
{
	const char *s = python_arg_text(a, place, name);

	if (!s)
		a->bad = 1;
	return s;
}

static PyObject *channel_span_begin(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	int kind = channel_kind(&a);
	const char *name = channel_name(&a, 1, "name");
	const char *detail = python_arg_text(&a, 2, "detail");

	(void)self;
	if (!a.bad)
		inquest_probe_span_begin(kind, name, detail);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_span_end(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	int kind = channel_kind(&a);
	const char *name = channel_name(&a, 1, "name");

	(void)self;
	if (!a.bad)
		inquest_probe_span_end(kind, name);
	python_args_done(&a);
	return python_none();
}

/*
 * Copies the sizes in a sequence. Returns how many. What is no size, and all after it, is left out.
 */
static unsigned channel_dims(PyObject *sequence, uint64_t dims[CHANNEL_DIMS])
{
	Py_ssize_t size = sequence ? py.PySequence_Size(sequence) : 0;
	unsigned n = 0;

	while (n < CHANNEL_DIMS && n < size) {
		PyObject *item = py.PySequence_GetItem(sequence, n);
		long long dim = -1;
		int bad = !item || python_number(item, &dim) || dim < 0;

		python_drop(item);
		if (bad)
			break;
		dims[n++] = (uint64_t)dim;
	}
	py.PyErr_Clear();
	return n;
}

static PyObject *channel_shard(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	const char *loader = channel_name(&a, 0, "loader");
	long long index = python_arg_count(&a, 1, "index");
	long long rows = python_arg_count(&a, 2, "rows");
	long long elements = python_arg_count(&a, 3, "elements");
	uint64_t dims[CHANNEL_DIMS];
	unsigned ndim;

	(void)self;
	if (!a.bad) {
		inquest_probe_shard(loader, (uint64_t)index, (uint64_t)rows, (uint64_t)elements);
		ndim = channel_dims(python_arg(&a, 4, "dims"), dims);
		if (ndim)
			inquest_probe_shard_shape(loader, (uint64_t)index, ndim, dims);
	}
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_step(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	long long n = python_arg_count(&a, 0, "n");

	(void)self;
	if (!a.bad)
		inquest_probe_step((uint64_t)n);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_note(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	const char *text = channel_name(&a, 0, "text");

	(void)self;
	if (!a.bad)
		inquest_probe_note(text);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_trait(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	const char *key = channel_name(&a, 0, "key");
	const char *text = python_arg_text(&a, 1, "text");
	long long number = python_arg_number(&a, 2, "number", -1);

	(void)self;
	if (!a.bad)
		trait_put(key, text, number < 0 ? TRAIT_NO_NUMBER : (uint64_t)number);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_identify(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	long long rank = python_arg_number(&a, 0, "rank", -1);
	long long world = python_arg_number(&a, 1, "world_size", -1);
	const char *source = python_arg_text(&a, 2, "source");

	(void)self;
	if (rank > INT32_MAX || world > INT32_MAX)
		a.bad = 1;
	if (!a.bad)
		process_identify((int32_t)rank, (int32_t)world, source);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_group(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	struct c10d_scope scope = {
		.name = python_arg_text(&a, 0, "name"),
		.ranks = python_arg_text(&a, 1, "ranks"),
	};
	long long timeout = python_arg_number(&a, 2, "timeout_ns", 0);

	(void)self;
	scope.timeout_ns = timeout > 0 ? (uint64_t)timeout : 0;
	if (!a.bad)
		c10d_scope_set(scope.name ? &scope : NULL);
	python_args_done(&a);
	return python_none();
}

static PyObject *channel_left(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = CHANNEL_ARGS(places, keywords);
	const char *name = python_arg_text(&a, 0, "name");

	(void)self;
	if (!a.bad)
		c10d_left(name);
	python_args_done(&a);
	return python_none();
}

#define CHANNEL(name)                                                                              \
	{                                                                                          \
#name, channel_##name, PYTHON_METHOD, NULL                                         \
	}

const struct python_method python_channel[] = {
	CHANNEL(span_begin),
	CHANNEL(span_end),
	CHANNEL(shard),
	CHANNEL(step),
	CHANNEL(note),
	CHANNEL(trait),
	CHANNEL(identify),
	CHANNEL(group),
	CHANNEL(left),
	{NULL, NULL, 0, NULL},
};

/*
 * True for functions that only the shim may call: a program that says these would be believed by
 * everyone.
 */
static int channel_is_ours(const struct python_method *m)
{
	return m->call == channel_identify || m->call == channel_group || m->call == channel_left;
}

void python_channel_hear(const char *name, PyObject *args)
{
	for (const struct python_method *m = python_channel; m->name; m++) {
		if (channel_is_ours(m))
			continue;
		if (!strcmp(m->name, name))
			python_drop(m->call(NULL, args, NULL));
	}
}

static const struct {
	const char *name;
	long long value;
} channel_kinds[] = {
	{"COMPILE", RING_SPAN_COMPILE},
	{"INPUT", RING_SPAN_INPUT},
	{"CHECKPOINT", RING_SPAN_CHECKPOINT},
	{"USER", RING_SPAN_USER},
	{"DEVICE", RING_SPAN_DEVICE},
};

/*
 * Puts a value, whose reference is taken over and which may be NULL, into a dict. Returns 0, or -1.
 */
static int channel_put(PyObject *dict, const char *name, PyObject *value)
{
	int failed = !value || py.PyDict_SetItemString(dict, name, value);

	python_drop(value);
	return failed ? -1 : 0;
}

int python_channel_fill(PyObject *dict)
{
	int failed = 0;

	for (const struct python_method *m = python_channel; m->name; m++)
		failed |= channel_put(dict, m->name, py.PyCFunction_NewEx(m, NULL, NULL));
	for (size_t i = 0; i < sizeof(channel_kinds) / sizeof(*channel_kinds); i++)
		failed |= channel_put(dict, channel_kinds[i].name,
			py.PyLong_FromLongLong(channel_kinds[i].value));
	return failed ? -1 : 0;
}
