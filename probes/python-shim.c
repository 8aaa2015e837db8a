/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-shim.c: the shim's text, and how it comes to run.
 *
 * Compiling Python text costs ten times more than all else that is done here, and most processes
 * of a job (compilers, launchers, tools) import nothing that is ever patched. So what stands in
 * sys.meta_path when the program begins is C: the module `_inquest` itself, whose find_spec() looks
 * each name up in a dict. core.py is compiled at the first hit, each other file when the first of
 * the modules that it patches is imported.
 */
#include <string.h>

#include "probes/python-parts.h"
#include "probes/trait.h"

/* A file of the shim. `patches`: the modules that it patches, each ended by NUL, then one more. */
struct shim_file {
	const char *name;
	const char *patches;
	const char *text;
};

#include "probes/python-shim.inc"

/* What lives as long as the interpreter. */
static struct {
	PyObject *module;    /* _inquest, which is the finder */
	PyObject *watched;   /* {module: the numbers of the files that patch it} */
	PyObject *namespace; /* core.py's */
} python_shim;

#define SHIM_FILES (sizeof(shim_files) / sizeof(*shim_files))
/* Dynamo passes over code of importlib: frames of ours are never compiled, and break no graph. */
#define SHIM_NAME "<frozen importlib inquest>"

/* Runs file i in a namespace, unseen by tracers: 0, or -1 with the exception pending. */
static int shim_run(size_t i, PyObject *namespace)
{
	PyObject *code = py.Py_CompileString(shim_files[i].text, SHIM_NAME, PYTHON_FILE_INPUT);
	PyThreadState *hidden = python_hide();
	PyObject *result = code ? py.PyEval_EvalCode(code, namespace, namespace) : NULL;

	python_show(hidden);
	python_drop(code);
	python_drop(result);
	return result ? 0 : -1;
}

/* load(i, namespace): runs a file of the shim. Raises what it raises: core.py catches it. */
static PyObject *shim_load(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	long long i = python_arg_count(&a, 0, "i");
	PyObject *namespace = python_arg(&a, 1, "namespace");

	(void)self;
	if (!namespace || i < 0 || (size_t)i >= SHIM_FILES)
		a.bad = 1;
	if (!python_args_done(&a))
		return python_none();
	return shim_run((size_t)i, namespace) ? NULL : python_none();
}

/* A function of core.py, borrowed; compiles core.py where it must. NULL where it failed. */
static PyObject *shim_core(PyObject *namespace, const char *name)
{
	PyObject *function = py.PyDict_GetItemString(namespace, name);

	if (!function && !shim_run(0, namespace))
		function = py.PyDict_GetItemString(namespace, name);
	python_forgive();
	return function;
}

/*
 * What the finders behind ours say: a spec, None, or NULL as they raise. Where none finds it, or
 * one is of the age before find_spec, importlib goes on and asks them all again.
 */
static PyObject *shim_ask_others(PyObject *places)
{
	PyObject *finders = py.PySys_GetObject("meta_path"); /* borrowed */
	PyObject *finder, *find, *spec = NULL;
	int behind = 0, stop = !finders;

	for (Py_ssize_t i = 0; !stop && i < py.PySequence_Size(finders); i++) {
		finder = py.PySequence_GetItem(finders, i);
		if (!behind) {
			behind = finder == python_shim.module;
			python_drop(finder);
			continue;
		}
		find = finder ? py.PyObject_GetAttrString(finder, "find_spec") : NULL;
		spec = find ? py.PyObject_Call(find, places, NULL) : NULL;
		stop = !spec || spec != py.none;
		if (!find)
			py.PyErr_Clear();
		python_drop(find);
		python_drop(finder);
	}
	return spec || py.PyErr_Occurred() ? spec : python_none();
}

/* find_spec(name, path, target) of the finder. Nearly all end at the lookup. */
static PyObject *shim_find_spec(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *name = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : NULL;
	PyObject *spec, *args, *watch;

	(void)self;
	(void)keywords; /* importlib has never used any */
	if (!name || !py.PyDict_GetItem(python_shim.watched, name))
		return python_none();
	spec = shim_ask_others(places);
	if (!spec || spec == py.none)
		return spec;
	watch = shim_core(python_shim.namespace, "watch");
	args = watch ? py.Py_BuildValue("(OO)", spec, name) : NULL;
	python_drop(args ? python_quietly(watch, args) : NULL);
	python_drop(args);
	python_forgive();
	if (!py.PyErr_Occurred())
		return spec;
	python_drop(spec);
	return NULL;
}

static struct python_method shim_methods[] = {
	{"load", shim_load, PYTHON_METHOD, NULL},
	{"find_spec", shim_find_spec, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};

/* {module: the numbers of the files that patch it}, new; NULL where there is no memory. */
static PyObject *shim_watched(void)
{
	PyObject *watched = py.PyDict_New(), *number;
	int failed = !watched;

	for (size_t i = 0; !failed && i < SHIM_FILES; i++)
		for (const char *p = shim_files[i].patches; *p && !failed; p += strlen(p) + 1) {
			PyObject *known = py.PyDict_GetItemString(watched, p);

			number = py.Py_BuildValue("(i)", (int)i);
			if (number && known) {
				PyObject *both = py.PySequence_Concat(known, number);

				python_drop(number);
				number = both;
			}
			failed = !number || py.PyDict_SetItemString(watched, p, number);
			python_drop(number);
		}
	if (!failed)
		return watched;
	python_drop(watched);
	return NULL;
}

/* Adds functions up to the one without a name. 0, or -1. */
static int shim_add(PyObject *dict, struct python_method *m)
{
	int failed = 0;

	for (; m->name && !failed; m++) {
		PyObject *function = py.PyCFunction_NewEx(m, NULL, NULL);

		failed = !function || py.PyDict_SetItemString(dict, m->name, function);
		python_drop(function);
	}
	return failed ? -1 : 0;
}

/* Fills the module `_inquest`. 0, or -1. */
static int shim_fill(void)
{
	PyObject *dict = py.PyModule_GetDict(python_shim.module); /* borrowed */

	if (py.PyDict_SetItemString(dict, "watched", python_shim.watched) ||
		python_channel_fill(dict) || shim_add(dict, python_fault) ||
		shim_add(dict, python_around) || shim_add(dict, shim_methods))
		return -1;
	return 0;
}

/*
 * Fills core.py's namespace: the builtins, `sys` and `_inquest`. An import statement would go
 * through whatever import function the program has put in place. 0, or -1.
 */
static int shim_furnish(void)
{
	PyObject *namespace = python_shim.namespace;
	PyObject *builtins = py.PyEval_GetBuiltins(),
		 *sys = py.PyImport_AddModule("sys"); /* lent */
	PyObject *name = py.PyUnicode_FromString("_inquest");
	int failed = !builtins || !sys || !name ||
		     py.PyDict_SetItemString(namespace, "__builtins__", builtins) ||
		     py.PyDict_SetItemString(namespace, "__name__", name) ||
		     py.PyDict_SetItemString(namespace, "sys", sys) ||
		     py.PyDict_SetItemString(namespace, "_inquest", python_shim.module);

	python_drop(name);
	return failed ? -1 : 0;
}

/* Whether a module that is watched has been imported before us. */
static int shim_is_late(void)
{
	PyObject *modules = py.PyImport_GetModuleDict(); /* borrowed */

	for (size_t i = 0; modules && i < SHIM_FILES; i++)
		for (const char *p = shim_files[i].patches; *p; p += strlen(p) + 1)
			if (py.PyDict_GetItemString(modules, p))
				return 1;
	return 0;
}

/* 0, or -1 with or without an exception. */
static int shim_install(void)
{
	PyObject *finders = py.PySys_GetObject("meta_path"); /* borrowed */

	python_shim.module = py.PyModule_New("_inquest");
	python_shim.watched = shim_watched();
	python_shim.namespace = py.PyDict_New();
	if (!python_shim.module || !python_shim.watched || !python_shim.namespace || !finders ||
		shim_furnish() || shim_fill() || py.PyList_Insert(finders, 0, python_shim.module))
		return -1;
	return shim_is_late() && !shim_core(python_shim.namespace, "watch") ? -1 : 0;
}

void python_shim_arm(void)
{
	PyObject *type, *value, *traceback;

	py.PyErr_Fetch(&type, &value, &traceback);
	if (shim_install()) {
		py.PyErr_Clear();
		trait_put("missing", "the Python shim", TRAIT_NO_NUMBER);
	}
	py.PyErr_Restore(type, value, traceback);
}

void python_shim_settle(void)
{
	PyObject *type, *value, *traceback;

	if (!python_shim.namespace)
		return;
	py.PyErr_Fetch(&type, &value, &traceback);
	shim_core(python_shim.namespace, "watch");
	py.PyErr_Clear();
	py.PyErr_Restore(type, value, traceback);
}
