/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-fault.c: what an exception says, as Python would print it: its type, its text, and where
 * it was raised, innermost frame first.
 *
 * The text is made by the exception itself, whose code may raise, or never have been tried before.
 * Python is about to run it too, for the traceback; here whatever it raises is cleared, and the
 * type alone must do.
 */
#include <string.h>

#include "probes/inquest.h"
#include "probes/python/python-parts.h"
#include "probes/text.h"
#include "probes/trait.h"

#define FAULT_TEXT   500 /* a string of the ring has 512 */
#define FAULT_FRAMES 8
/* struct traceback: two words of an object's own, tb_next, tb_frame, two ints. */
#define TRACEBACK_SIZE  40
#define TRACEBACK_NEXT  2
#define TRACEBACK_FRAME 3

/* entries of a traceback that are walked; of a longer one the newest are left out */
#define FAULT_DEPTH 100000

extern inquest_note_fn inquest_probe_note;

/* Returns an attribute, new; NULL if there is none. */
static PyObject *fault_get(PyObject *object, const char *name)
{
	PyObject *found = py.PyObject_GetAttrString(object, name);

	if (!found)
		py.PyErr_Clear();
	return found;
}

/* Appends the beginning of a str. */
static void fault_put(struct text *t, PyObject *str)
{
	PyObject *start = py.PyUnicode_Substring(str, 0, FAULT_TEXT), *held = NULL;
	const char *s = start ? python_text(start, &held) : NULL;

	if (s)
		text_put(t, s);
	python_drop(held);
	python_drop(start);
	py.PyErr_Clear();
}

/* Appends the type as Python prints it: without a module that goes without saying. */
static void fault_type(struct text *t, PyObject *type)
{
	PyObject *module = fault_get(type, "__module__"), *name = fault_get(type, "__qualname__");
	struct text m;
	char space[128];

	m = text_into(space, sizeof(space));
	if (module)
		fault_put(&m, module);
	if (*space && strcmp(space, "builtins") != 0 && strcmp(space, "__main__") != 0) {
		text_put(t, space);
		text_put(t, ".");
	}
	if (name)
		fault_put(t, name);
	python_drop(module);
	python_drop(name);
}

static void fault_value(struct text *t, PyObject *value)
{
	PyObject *str = value && value != py.none ? py.PyObject_Str(value) : NULL;

	if (str && py.PySequence_Size(str) > 0) {
		text_put(t, ": ");
		fault_put(t, str);
	} else if (!str && py.PyErr_Occurred()) {
		text_put(t, ": (its text cannot be had)");
	}
	py.PyErr_Clear();
	python_drop(str);
}

/* Returns a path's last two parts: __init__.py alone says nothing. */
static const char *fault_path_end(const char *path)
{
	const char *end = path + strlen(path);

	for (int slashes = 0; end > path; end--)
		if (end[-1] == '/' && ++slashes == 2)
			break;
	return end;
}

/*
 * Returns an entry's frame, new. To ask for the attribute is an audit event, which hooks of the
 * program would see, and might print. So it is read where it lies, if this Python's tracebacks lie
 * as those of all released ones do, which their size and the field before it prove.
 */
static PyObject *fault_frame_of(PyObject *entry)
{
	PyObject *type = fault_get(entry, "__class__"), *next = fault_get(entry, "tb_next");
	PyObject *size = type ? fault_get(type, "__basicsize__") : NULL;
	PyObject *const *field = (PyObject *const *)(const void *)entry;
	PyObject *frame = NULL;

	if (size && next && py.PyLong_AsLongLong(size) == TRACEBACK_SIZE &&
		field[TRACEBACK_NEXT] == (next == py.none ? NULL : next)) {
		frame = field[TRACEBACK_FRAME];
		py.Py_IncRef(frame);
	}
	python_drop(size);
	python_drop(type);
	python_drop(next);
	return frame ? frame : fault_get(entry, "tb_frame");
}

/* Appends "file.py:12 in forward" for one entry of a traceback. */
static void fault_frame(struct text *t, PyObject *entry)
{
	PyObject *frame = fault_frame_of(entry), *line = fault_get(entry, "tb_lineno");
	PyObject *code = !frame               ? NULL
			 : py.PyFrame_GetCode ? py.PyFrame_GetCode(frame)
					      : fault_get(frame, "f_code");
	PyObject *file = code ? fault_get(code, "co_filename") : NULL;
	PyObject *name = code ? fault_get(code, "co_name") : NULL;
	PyObject *held = NULL;
	const char *path = file ? python_text(file, &held) : NULL;
	long long n = line ? py.PyLong_AsLongLong(line) : 0;

	py.PyErr_Clear(); /* a line may be None */
	text_put(t, path ? fault_path_end(path) : "?");
	text_put(t, ":");
	text_put_u64(t, n > 0 ? (uint64_t)n : 0);
	text_put(t, " in ");
	if (name)
		fault_put(t, name);
	python_drop(held);
	python_drop(frame);
	python_drop(line);
	python_drop(code);
	python_drop(file);
	python_drop(name);
}

/* The last entries of a traceback, outermost of them first; how many. Each is a new reference. */
static int fault_last(PyObject *traceback, PyObject *last[FAULT_FRAMES])
{
	int n = 0;

	if (!traceback || traceback == py.none)
		return 0;
	py.Py_IncRef(traceback);
	for (int depth = 0; traceback && traceback != py.none && depth < FAULT_DEPTH; depth++) {
		if (n == FAULT_FRAMES) {
			python_drop(last[0]);
			memmove(last, last + 1, (FAULT_FRAMES - 1) * sizeof(*last));
			n--;
		}
		last[n++] = traceback;
		traceback = fault_get(traceback, "tb_next");
	}
	python_drop(traceback);
	return n;
}

/* Tells as a trait where it was raised. */
static void fault_place(const char *key, PyObject *traceback)
{
	PyObject *last[FAULT_FRAMES];
	char space[FAULT_TEXT], before[FAULT_TEXT] = "", here[FAULT_TEXT];
	struct text t = text_into(space, sizeof(space));
	int n = 0;

	if (!python_is_overheard() || py.PyFrame_GetCode) /* 3.8: an event for each frame */
		n = fault_last(traceback, last);
	for (int i = n; i-- > 0; python_drop(last[i])) {
		struct text f = text_into(here, sizeof(here));

		fault_frame(&f, last[i]);
		if (!strcmp(here, before) || !strncmp(here, SHIM_NAME, strlen(SHIM_NAME)))
			continue; /* recursion says nothing twice, and we are none of the program */
		text_put(&t, *before ? " < " : "");
		text_put(&t, here);
		text_copy(before, sizeof(before), here);
	}
	if (n)
		trait_put(key, space, TRAIT_NO_NUMBER);
}

/* Writes `prefix`, type and text as a note, and where it was raised as the trait `key`. */
static void fault_write(const char *prefix, const char *key, PyObject *const error[3])
{
	char space[FAULT_TEXT];
	struct text t = text_into(space, sizeof(space));

	text_put(&t, prefix);
	fault_type(&t, error[0]);
	fault_value(&t, error[1]);
	inquest_probe_note(space);
	fault_place(key, error[2]);
}

void python_fault_tell(PyObject *const error[3], int thread)
{
	if (thread)
		fault_write("thread exception: ", "thread-exception-at", error);
	else if (error[0] == *py.KeyboardInterrupt)
		fault_write("interrupted: ", "interrupted-at", error);
	else
		fault_write("exception: ", "exception-at", error);
	py.PyErr_Clear();
}

void python_fault_hear(PyObject *args, int thread)
{
	PyObject *error[3];

	if (py.PyTuple_Size(args) < 4)
		return;
	for (int i = 0; i < 3; i++)
		error[i] = py.PyTuple_GetItem(args, i + 1);
	python_fault_tell(error, thread);
}

/*
 * exception(type, value, traceback, thread=None): tells of one that Python does not tell us of.
 * With a thread's name it ended that thread only.
 */
static PyObject *fault_exception(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	const char *thread = python_arg_text(&a, 3, "thread");
	PyObject *const error[3] = {
		python_arg(&a, 0, "type"),
		python_arg(&a, 1, "value"),
		python_arg(&a, 2, "traceback"),
	};

	(void)self;
	if (!error[0])
		a.bad = 1;
	else
		python_fault_tell(error, thread != NULL);
	python_args_done(&a);
	return python_none();
}

/*
 * handling(type, value, traceback): tells of one that the program has caught, or that passes a
 * `finally`.
 */
static PyObject *fault_handling(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	PyObject *const error[3] = {
		python_arg(&a, 0, "type"),
		python_arg(&a, 1, "value"),
		python_arg(&a, 2, "traceback"),
	};

	(void)self;
	if (!error[0])
		a.bad = 1;
	else
		fault_write("handling: ", "handling-at", error);
	py.PyErr_Clear();
	python_args_done(&a);
	return python_none();
}

const struct python_method python_fault[] = {
	{"exception", fault_exception, PYTHON_METHOD, NULL},
	{"handling", fault_handling, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};
