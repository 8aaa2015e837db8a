/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-shim.c: the shim's text, and how it comes to run.
 *
 * core.py is compiled when the door is armed, the others when the first of the modules that they
 * patch is imported: most processes of a job (compilers, loaders, launchers) never import any, and
 * compiling costs more than everything else that is done here.
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
#define SHIM_NAME  "<inquest>"

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

static struct python_method shim_loader = {"load", shim_load, PYTHON_METHOD, NULL};

/* {module: name of the file that patches it}, and "files": their numbers by name. 0, or -1. */
static int shim_tell(PyObject *dict)
{
	PyObject *watched = py.PyDict_New(), *number;
	int failed = !watched;

	for (size_t i = 0; !failed && i < SHIM_FILES; i++)
		for (const char *p = shim_files[i].patches; *p && !failed; p += strlen(p) + 1) {
			PyObject *known = py.PyDict_GetItemString(watched, p);

			/* Several files may patch one module: a tuple of their numbers. */
			number = py.Py_BuildValue("(i)", (int)i);
			if (number && known) {
				PyObject *both = py.PySequence_Concat(known, number);

				python_drop(number);
				number = both;
			}
			failed = !number || py.PyDict_SetItemString(watched, p, number);
			python_drop(number);
		}
	failed = failed || py.PyDict_SetItemString(dict, "watched", watched);
	python_drop(watched);
	return failed ? -1 : 0;
}

static int shim_add(PyObject *dict, struct python_method *m)
{
	PyObject *function = py.PyCFunction_NewEx(m, NULL, NULL);
	int failed = !function || py.PyDict_SetItemString(dict, m->name, function);

	python_drop(function);
	return failed ? -1 : 0;
}

/* The module `_inquest`, new; it is in no list of modules. NULL where there is no memory. */
static PyObject *shim_module(void)
{
	PyObject *module = py.PyModule_New("_inquest");
	PyObject *dict = module ? py.PyModule_GetDict(module) : NULL; /* borrowed */
	int failed = !dict || python_channel_fill(dict) || shim_add(dict, &shim_loader) ||
		     shim_add(dict, &python_fault) || shim_tell(dict);

	for (struct python_method *m = python_around; !failed && m->name; m++)
		failed = shim_add(dict, m);
	if (!failed)
		return module;
	python_drop(module);
	return NULL;
}

/*
 * A namespace for core.py, new, with the builtins, `sys` and `_inquest`: an import statement would
 * go through whatever import function the program has put in place.
 */
static PyObject *shim_namespace(void)
{
	PyObject *namespace = py.PyDict_New();
	PyObject *module = shim_module(), *name = py.PyUnicode_FromString("_inquest");
	PyObject *builtins = py.PyEval_GetBuiltins(), *sys = py.PyImport_AddModule("sys");
	int failed = !namespace || !module || !name || !builtins || !sys || /* the last two lent */
		     py.PyDict_SetItemString(namespace, "__builtins__", builtins) ||
		     py.PyDict_SetItemString(namespace, "__name__", name) ||
		     py.PyDict_SetItemString(namespace, "sys", sys) ||
		     py.PyDict_SetItemString(namespace, "_inquest", module);

	python_drop(module);
	python_drop(name);
	if (!failed)
		return namespace;
	python_drop(namespace);
	return NULL;
}

void python_shim_arm(void)
{
	PyObject *type, *value, *traceback, *namespace;

	py.PyErr_Fetch(&type, &value, &traceback);
	namespace = shim_namespace();
	if (!namespace || shim_run(0, namespace)) {
		py.PyErr_Clear();
		trait_put("missing", "the Python shim", TRAIT_NO_NUMBER);
	}
	python_drop(namespace);
	py.PyErr_Restore(type, value, traceback);
}
