/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-around.c: calls of the program that the shim stands around, and the finder's first look.
 *
 * Both are C for one reason: a Python function would be a frame more in every traceback that passes
 * through it, one more call for a tracer to step into, and one more turn towards the limit of
 * recursion. This way the program sees its own frames only.
 */
#include "probes/python-parts.h"

PyObject *python_quietly(PyObject *function, PyObject *args)
{
	PyThreadState *thread = py.PyThreadState_Get();
	int hidden = py.PyThreadState_EnterTracing && py.PyThreadState_LeaveTracing;
	PyObject *result;

	if (hidden)
		py.PyThreadState_EnterTracing(thread);
	result = py.PyObject_Call(function, args, NULL);
	if (hidden)
		py.PyThreadState_LeaveTracing(thread);
	if (!result && !py.PyErr_ExceptionMatches(*py.KeyboardInterrupt))
		py.PyErr_Clear();
	return result;
}

/* What the shim's `before` returns, new: None where there is none; NULL: the program is stopped. */
static PyObject *around_before(PyObject *before, PyObject *places, PyObject *keywords)
{
	PyObject *args, *token;

	if (before == py.none)
		return python_none();
	args = py.Py_BuildValue("(OO)", places, keywords ? keywords : py.none);
	token = args ? python_quietly(before, args) : NULL;
	python_drop(args);
	if (token)
		return token;
	return args && py.PyErr_Occurred() ? NULL : (py.PyErr_Clear(), python_none());
}

/* Tells the shim how the call ended. The program's own result or exception stays what it was. */
static PyObject *around_after(PyObject *after, PyObject *token, PyObject *result)
{
	PyObject *type = NULL, *value = NULL, *traceback = NULL, *args;

	if (after == py.none)
		return result;
	if (!result) {
		py.PyErr_Fetch(&type, &value, &traceback);
		py.PyErr_NormalizeException(&type, &value, &traceback);
	}
	args = py.Py_BuildValue("(OOO)", token, result ? result : py.none, value ? value : py.none);
	if (args)
		python_drop(python_quietly(after, args));
	else
		py.PyErr_Clear();
	python_drop(args);
	if (py.PyErr_Occurred()) { /* the program was interrupted just here */
		python_drop(type);
		python_drop(value);
		python_drop(traceback);
		python_drop(result);
		return NULL;
	}
	if (!result)
		py.PyErr_Restore(type, value, traceback);
	return result;
}

/* What around() returns: self is (function, before, after). */
static PyObject *around_call(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *token, *result;

	token = around_before(py.PyTuple_GetItem(self, 1), places, keywords);
	if (!token)
		return NULL;
	result = py.PyObject_Call(py.PyTuple_GetItem(self, 0), places, keywords);
	result = around_after(py.PyTuple_GetItem(self, 2), token, result);
	python_drop(token);
	return result;
}

/* What finder() returns: self is (names, find). Almost every import ends at the lookup. */
static PyObject *around_find_spec(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *name = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : NULL;
	PyObject *spec = NULL;

	(void)keywords; /* importlib has never used any */
	if (name && py.PyDict_GetItem(py.PyTuple_GetItem(self, 0), name)) {
		spec = python_quietly(py.PyTuple_GetItem(self, 1), places);
		if (!spec && py.PyErr_Occurred())
			return NULL;
	}
	return spec ? spec : python_none();
}

static struct python_method around_made[] = {
	{"inquest", around_call, PYTHON_METHOD, NULL},
	{"find_spec", around_find_spec, PYTHON_METHOD, NULL},
};

/* A C function bound to what was given: `n` things, None for those left out. */
static PyObject *around_bind(struct python_method *what, PyObject *places, int n)
{
	PyObject *self = NULL, *made = NULL, *thing[3];

	for (int i = 0; i < n; i++)
		thing[i] = i < py.PyTuple_Size(places) ? py.PyTuple_GetItem(places, i) : py.none;
	self = n == 3 ? py.Py_BuildValue("(OOO)", thing[0], thing[1], thing[2])
		      : py.Py_BuildValue("(OO)", thing[0], thing[1]);
	if (self)
		made = py.PyCFunction_NewEx(what, self, NULL);
	python_drop(self);
	return made;
}

/* around(function, before=None, after=None): see python.h. */
static PyObject *around_make(PyObject *self, PyObject *places, PyObject *keywords)
{
	(void)self;
	(void)keywords;
	return around_bind(&around_made[0], places, 3);
}

/* method(function): a function of ours as a method: it gets its object first, as Python's do. */
static PyObject *around_method(PyObject *self, PyObject *places, PyObject *keywords)
{
	(void)self;
	(void)keywords;
	if (py.PyTuple_Size(places) < 1)
		return python_none();
	return py.PyInstanceMethod_New(py.PyTuple_GetItem(places, 0));
}

/* finder(names, find): the find_spec of a finder that asks find(name, path, target) for `names`. */
static PyObject *around_finder(PyObject *self, PyObject *places, PyObject *keywords)
{
	(void)self;
	(void)keywords;
	return around_bind(&around_made[1], places, 2);
}

struct python_method python_around[] = {
	{"around", around_make, PYTHON_METHOD, NULL},
	{"method", around_method, PYTHON_METHOD, NULL},
	{"finder", around_finder, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};
