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

#define SHIM_FILES (sizeof(shim_files) / sizeof(*shim_files))
/* Dynamo passes over code of importlib: frames of ours are never compiled, and break no graph. */
#define SHIM_NAME  "<frozen importlib inquest>"

/* Runs file i in a namespace: 0, or -1 with the exception pending. */
static int shim_run(size_t i, PyObject *namespace)
{
	PyObject *code = py.Py_CompileString(shim_files[i].text, SHIM_NAME, PYTHON_FILE_INPUT);
	PyObject *result = code ? py.PyEval_EvalCode(code, namespace, namespace) : NULL;

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

/* core.py's function for a name that is watched, borrowed; compiles core.py where it must. */
static PyObject *shim_find(PyObject *namespace)
{
	PyObject *find = py.PyDict_GetItemString(namespace, "find");

	if (!find && !shim_run(0, namespace))
		find = py.PyDict_GetItemString(namespace, "find");
	python_forgive();
	return find;
}

/* find_spec(name, path, target): self is (watched, namespace). Nearly all end at the lookup. */
static PyObject *shim_find_spec(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *name = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : NULL;
	PyObject *find, *spec = NULL;

	(void)keywords; /* importlib has never used any */
	if (!name || !py.PyDict_GetItem(py.PyTuple_GetItem(self, 0), name))
		return python_none();
	find = shim_find(py.PyTuple_GetItem(self, 1));
	if (find)
		spec = python_quietly(find, places);
	return spec || py.PyErr_Occurred() ? spec : python_none();
}

static struct python_method shim_methods[] = {
	{"load", shim_load, PYTHON_METHOD, NULL},
	{"find_spec", shim_find_spec, PYTHON_METHOD, NULL},
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

/* Adds a function, bound to `self`, which may be NULL. 0, or -1. */
static int shim_add(PyObject *dict, struct python_method *m, PyObject *self)
{
	PyObject *function = py.PyCFunction_NewEx(m, self, NULL);
	int failed = !function || py.PyDict_SetItemString(dict, m->name, function);

	python_drop(function);
	return failed ? -1 : 0;
}

/* Fills the module `_inquest`. 0, or -1. */
static int shim_fill(PyObject *module, PyObject *watched, PyObject *namespace)
{
	PyObject *dict = py.PyModule_GetDict(module); /* borrowed */
	PyObject *self = py.Py_BuildValue("(OO)", watched, namespace);
	int failed = !self || python_channel_fill(dict) || shim_add(dict, &python_fault, NULL) ||
		     py.PyDict_SetItemString(dict, "watched", watched) ||
		     shim_add(dict, &shim_methods[0], NULL) ||
		     shim_add(dict, &shim_methods[1], self);

	for (struct python_method *m = python_around; !failed && m->name; m++)
		failed = shim_add(dict, m, NULL);
	python_drop(self);
	return failed ? -1 : 0;
}

/*
 * Fills core.py's namespace: the builtins, `sys` and `_inquest`. An import statement would go
 * through whatever import function the program has put in place. 0, or -1.
 */
static int shim_furnish(PyObject *namespace, PyObject *module)
{
	PyObject *builtins = py.PyEval_GetBuiltins(),
		 *sys = py.PyImport_AddModule("sys"); /* lent */
	PyObject *name = py.PyUnicode_FromString("_inquest");
	int failed = !builtins || !sys || !name ||
		     py.PyDict_SetItemString(namespace, "__builtins__", builtins) ||
		     py.PyDict_SetItemString(namespace, "__name__", name) ||
		     py.PyDict_SetItemString(namespace, "sys", sys) ||
		     py.PyDict_SetItemString(namespace, "_inquest", module);

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
	PyObject *module = py.PyModule_New("_inquest"), *watched = shim_watched();
	PyObject *namespace = py.PyDict_New();
	PyObject *finders = py.PySys_GetObject("meta_path"); /* borrowed */
	int failed = !module || !watched || !namespace || !finders ||
		     shim_furnish(namespace, module) || shim_fill(module, watched, namespace) ||
		     py.PyList_Insert(finders, 0, module);

	if (!failed && shim_is_late())
		failed = !shim_find(namespace);
	python_drop(module);
	python_drop(watched);
	python_drop(namespace);
	return failed ? -1 : 0;
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
