/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-around.c: stands around calls of the program for the shim.
 *
 * This is C for one reason: a Python function would be a frame more in every traceback that passes
 * through it, one more call for a tracer to step into, and one more turn towards the limit of
 * recursion. This way the program sees its own frames only.
 */
#include "probes/python/python-parts.h"

void python_forgive(void)
{
	if (py.PyErr_Occurred() && py.PyErr_ExceptionMatches(*py.Exception))
		py.PyErr_Clear();
}

PyThreadState *python_hide(void)
{
	PyThreadState *thread = NULL;

	if (py.PyThreadState_EnterTracing && py.PyThreadState_LeaveTracing) {
		thread = py.PyThreadState_Get();
		py.PyThreadState_EnterTracing(thread);
	}
	return thread;
}

void python_show(PyThreadState *hidden)
{
	if (hidden)
		py.PyThreadState_LeaveTracing(hidden);
}

PyObject *python_quietly(PyObject *function, PyObject *args)
{
	PyThreadState *hidden = python_hide();
	PyObject *result = py.PyObject_Call(function, args, NULL);

	python_show(hidden);
	if (!result)
		python_forgive();
	return result;
}

/*
 * Calls the shim's `before`. Returns what it returns, new; None if there is none; NULL: the program
 * is stopped.
 */
static PyObject *around_before(PyObject *before, PyObject *places, PyObject *keywords)
{
	PyObject *args, *token;

	if (before == py.none)
		return python_none();
	args = py.Py_BuildValue("(OO)", places, keywords ? keywords : py.none);
	token = args ? python_quietly(before, args) : NULL;
	python_drop(args);
	python_forgive(); /* if there was no memory for the arguments */
	return token || py.PyErr_Occurred() ? token : python_none();
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
		if (value && traceback) /* as a handler in Python would find it */
			py.PyException_SetTraceback(value, traceback);
	}
	args = py.Py_BuildValue("(OOO)", token, result ? result : py.none, value ? value : py.none);
	python_drop(args ? python_quietly(after, args) : NULL);
	python_drop(args);
	python_forgive();
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

/* The function that around() returns; self is (function, before, after). */
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

static const struct python_method around_made = {"inquest", around_call, PYTHON_METHOD, NULL};

PyObject *python_around_new(PyObject *function, PyObject *before, PyObject *after)
{
	PyObject *made = NULL, *self = py.Py_BuildValue("(OOO)", function,
				       before ? before : py.none, after ? after : py.none);

	if (self)
		made = py.PyCFunction_NewEx(&around_made, self, NULL);
	python_drop(self);
	return made;
}

/* around(function, before=None, after=None): see python.h. */
static PyObject *around_make(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *thing[3];

	(void)self;
	(void)keywords;
	for (int i = 0; i < 3; i++)
		thing[i] = i < py.PyTuple_Size(places) ? py.PyTuple_GetItem(places, i) : py.none;
	return python_around_new(thing[0], thing[1], thing[2]);
}

/* method(function): makes a function of ours a method: it gets its object first, as Python's do. */
static PyObject *around_method(PyObject *self, PyObject *places, PyObject *keywords)
{
	(void)self;
	(void)keywords;
	if (py.PyTuple_Size(places) < 1)
		return python_none();
	return py.PyInstanceMethod_New(py.PyTuple_GetItem(places, 0));
}

const struct python_method python_around[] = {
	{"around", around_make, PYTHON_METHOD, NULL},
	{"method", around_method, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};
