/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-unheard.c: hears exceptions that end a thread or a child of multiprocessing, of which
 * Python itself tells no hook: `threading` and `multiprocessing` print them, and go on. And those
 * that end the function that a worker of Ray was given: Ray catches them, and tells its driver.
 */
#include <string.h>

#include "probes/python/python-parts.h"

/*
 * Makes owner.name around(what it is, before, after); either may be NULL. A method of a class gets
 * its object first. Returns 0, or -1 if there is no such name, or it cannot be replaced.
 */
static int unheard_stand_around(PyObject *owner, const char *name,
	const struct python_method *before, const struct python_method *after, int is_method)
{
	PyObject *real = py.PyObject_GetAttrString(owner, name);
	PyObject *first = real && before ? py.PyCFunction_NewEx(before, NULL, NULL) : NULL;
	PyObject *last = real && after ? py.PyCFunction_NewEx(after, NULL, NULL) : NULL;
	PyObject *made = NULL, *method = NULL;
	int failed;

	if (!py.PyErr_Occurred())
		made = python_around_new(real, first, last);
	if (made && is_method)
		method = py.PyInstanceMethod_New(made);
	failed = !made || (is_method && !method) ||
		 py.PyObject_SetAttrString(owner, name, method ? method : made);
	python_forgive();
	python_drop(real);
	python_drop(first);
	python_drop(last);
	python_drop(made);
	python_drop(method);
	return failed ? -1 : 0;
}

/* Runs before threading.excepthook(args), where args is (type, value, traceback, thread). */
static PyObject *unheard_in_thread(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *places = py.PyTuple_GetItem(args, 0), *given, *error[3] = {NULL, NULL, NULL};

	(void)self;
	(void)keywords;
	given = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : NULL;
	for (int i = 0; given && i < 3 && !py.PyErr_Occurred(); i++)
		error[i] = py.PySequence_GetItem(given, i);
	if (given && !py.PyErr_Occurred() && error[0] != *py.SystemExit)
		python_fault_tell(error, 1);
	for (int i = 0; i < 3; i++)
		python_drop(error[i]);
	return py.PyErr_Occurred() ? NULL : python_none();
}

/* Tells of an exception that is caught: it ends more than a thread. */
static void unheard_tell(PyObject *value)
{
	PyObject *error[3] = {py.PyObject_Type(value), value,
		py.PyObject_GetAttrString(value, "__traceback__")};

	py.PyErr_Clear();
	python_fault_tell(error, 0);
	python_drop(error[0]);
	python_drop(error[2]);
}

/*
 * Runs after run() of a child, with (token, result, exception): it prints an Exception, and exits.
 */
static PyObject *unheard_in_child(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *value = py.PyTuple_GetItem(args, 2);

	(void)self;
	(void)keywords;
	if (py.PyObject_IsInstance(value, *py.Exception) > 0)
		unheard_tell(value);
	return py.PyErr_Occurred() ? NULL : python_none();
}

/*
 * Runs before construct_user_exception_with_traceback(exception, ...), which makes what the driver
 * is told of what the training function died of.
 */
static PyObject *unheard_in_ray(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *places = py.PyTuple_GetItem(args, 0), *value = NULL;

	(void)self;
	(void)keywords;
	if (places && py.PyTuple_Size(places) > 0)
		value = py.PyTuple_GetItem(places, 0);
	if (value && py.PyObject_IsInstance(value, *py.Exception) > 0)
		unheard_tell(value);
	return py.PyErr_Occurred() ? NULL : python_none();
}

/* Runs before BaseProcess._bootstrap(child, ...), the first that a child does. */
static PyObject *unheard_child_begins(PyObject *self, PyObject *args, PyObject *keywords)
{
	static const struct python_method after = {
		"inquest", unheard_in_child, PYTHON_METHOD, NULL};
	PyObject *places = py.PyTuple_GetItem(args, 0);

	(void)self;
	(void)keywords;
	if (py.PyTuple_Size(places) > 0)
		unheard_stand_around(py.PyTuple_GetItem(places, 0), "run", NULL, &after, 0);
	return py.PyErr_Occurred() ? NULL : python_none();
}

static const char *unheard_threading(PyObject *module)
{
	static const struct python_method before = {
		"inquest", unheard_in_thread, PYTHON_METHOD, NULL};
	int failed = unheard_stand_around(module, "excepthook", &before, NULL, 0);

	return failed ? "threading.excepthook" : NULL;
}

static const char *unheard_multiprocessing(PyObject *module)
{
	static const struct python_method before = {
		"inquest", unheard_child_begins, PYTHON_METHOD, NULL};
	PyObject *type = py.PyObject_GetAttrString(module, "BaseProcess");
	int failed = !type || unheard_stand_around(type, "_bootstrap", &before, NULL, 1);

	python_forgive();
	python_drop(type);
	return failed ? "multiprocessing.process.BaseProcess._bootstrap" : NULL;
}

/*
 * Patches Ray: ThreadRunner runs the function, and looks that name up in its module at each
 * exception.
 */
static const char *unheard_ray(PyObject *module)
{
	static const char name[] = "construct_user_exception_with_traceback";
	static const struct python_method before = {"inquest", unheard_in_ray, PYTHON_METHOD, NULL};

	return unheard_stand_around(module, name, &before, NULL, 0) ? name : NULL;
}

/*
 * The modules that are patched in C. Each patch returns the name of what was not there; NULL if all
 * was.
 */
static const struct {
	const char *module;
	const char *(*patch)(PyObject *module);
} unheard[PYTHON_UNHEARD] = {
	{"threading", unheard_threading},
	{"multiprocessing.process", unheard_multiprocessing},
	{"ray.train.v2._internal.execution.worker_group.thread_runner", unheard_ray},
};

const char *python_unheard_module(unsigned i)
{
	return unheard[i].module;
}

void python_unheard_patch(PyObject *name, PyObject *module)
{
	const char *s = py.PyUnicode_AsUTF8AndSize(name, NULL), *gone;

	python_forgive();
	for (unsigned i = 0; s && i < PYTHON_UNHEARD; i++) {
		if (strcmp(s, unheard[i].module) != 0)
			continue;
		gone = unheard[i].patch(module);
		if (gone && !py.PyErr_Occurred())
			python_shim_call("missing", py.Py_BuildValue("(s)", gone));
	}
}
