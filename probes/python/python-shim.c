/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-shim.c: the shim's text, and how it comes to run.
 *
 * Compiling Python text costs ten times more than all else that is done here, and most processes
 * of a job (compilers, launchers, tools) import nothing that it patches. So what watches imports is
 * C (python-watch.c), and so is what Python's own library needs (python-unheard.c). The text, first
 * of it core.py, is compiled when the first module is looked for that a file of it patches: a
 * framework's. Or when something is missing, which it reports.
 */
#include <string.h>

#include "probes/python/python-parts.h"
#include "probes/trait.h"

/*
 * A file of the shim. `patches` are the modules that it patches: each ends in a NUL, and the list
 * in one more.
 */
struct shim_file {
	const char *name;
	const char *patches;
	const char *text;
};

#include "probes/python-shim.inc"

/* All this lives as long as the interpreter. Writer: shim_install(), with the GIL. */
static struct {
	PyObject *finder;    /* which is `_inquest` to the shim's files */
	PyObject *watched;   /* {module: the numbers of the files that patch it} */
	PyObject *namespace; /* core.py's */
} python_shim;

#define SHIM_FILES (sizeof(shim_files) / sizeof(*shim_files))

/* Runs file i in a namespace, unseen by tracers. Returns 0, or -1 with the exception pending. */
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

/* Returns a function of core.py, borrowed; compiles core.py if need be. NULL if that failed. */
static PyObject *shim_core(const char *name)
{
	PyObject *namespace = python_shim.namespace;
	PyObject *function = py.PyDict_GetItemString(namespace, name);

	if (!function && !shim_run(0, namespace))
		function = py.PyDict_GetItemString(namespace, name);
	python_forgive();
	if (!function && !py.PyErr_Occurred())
		trait_put("missing", "the Python shim", TRAIT_NO_NUMBER);
	return function;
}

void python_shim_call(const char *function, PyObject *args)
{
	PyObject *called = args ? shim_core(function) : NULL;

	python_drop(called ? python_quietly(called, args) : NULL);
	python_drop(args);
	python_forgive();
}

/*
 * checksum(text, so_far): returns the CRC-32 of what was summed up so far and the text behind it.
 */
static PyObject *shim_checksum(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	const char *text = python_arg_text(&a, 0, "text");
	uint32_t sum = ~(uint32_t)python_arg_count(&a, 1, "so_far");

	(void)self;
	for (; text && *text; text++) {
		sum ^= (unsigned char)*text;
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
	}
	python_args_done(&a);
	return py.PyLong_FromLongLong(~sum);
}

static const struct python_method shim_methods[] = {
	{"checksum", shim_checksum, PYTHON_METHOD, NULL},
	{"load", shim_load, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};

/* Returns {module: the numbers of the files that patch it}, new; NULL without memory. */
static PyObject *shim_watched(void)
{
	PyObject *watched = py.PyDict_New(), *number;
	int failed = !watched;

	for (unsigned i = 0; !failed && i < PYTHON_UNHEARD; i++) {
		number = py.Py_BuildValue("()");
		failed = !number ||
			 py.PyDict_SetItemString(watched, python_unheard_module(i), number);
		python_drop(number);
	}
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

/* Adds functions up to the one without a name. Returns 0, or -1. */
static int shim_add(PyObject *dict, const struct python_method *m)
{
	int failed = 0;

	for (; m->name && !failed; m++) {
		PyObject *function = py.PyCFunction_NewEx(m, NULL, NULL);

		failed = !function || py.PyDict_SetItemString(dict, m->name, function);
		python_drop(function);
	}
	return failed ? -1 : 0;
}

/* Fills what will be the class's own dict. Returns 0, or -1. */
static int shim_fill(PyObject *dict)
{
	PyObject *module = py.PyUnicode_FromString("_inquest");
	int failed = !module || py.PyDict_SetItemString(dict, "__module__", module) ||
		     py.PyDict_SetItemString(dict, "watched", python_shim.watched) ||
		     python_channel_fill(dict) || shim_add(dict, python_fault) ||
		     shim_add(dict, python_around) || shim_add(dict, python_watch) ||
		     shim_add(dict, python_keys) ||
		     shim_add(dict, shim_methods);

	python_drop(module);
	return failed ? -1 : 0;
}

/*
 * Makes the finder: a class like the interpreter's own, whose functions are called without an
 * object. Code that walks sys.meta_path relies on attributes of classes and their objects. Returns
 * it, new; NULL if that failed.
 */
static PyObject *shim_finder(void)
{
	PyObject *dict = py.PyDict_New(), *args, *made = NULL;

	args = dict && !shim_fill(dict) ? py.Py_BuildValue("(s()O)", "Finder", dict) : NULL;
	if (args)
		made = py.PyObject_Call(py.type, args, NULL);
	python_drop(args);
	python_drop(dict);
	return made;
}

/*
 * Fills core.py's namespace: the builtins, `sys` and `_inquest`. (An import statement would go
 * through whatever import function the program has put in place.) Returns 0, or -1.
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
		     py.PyDict_SetItemString(namespace, "_inquest", python_shim.finder);

	python_drop(name);
	return failed ? -1 : 0;
}

/* Puts everything in place. Returns 0, or -1 with or without an exception. */
static int shim_install(void)
{
	python_shim.watched = shim_watched();
	python_shim.finder = python_shim.watched ? shim_finder() : NULL;
	python_shim.namespace = py.PyDict_New();
	if (!python_shim.finder || !python_shim.namespace || shim_furnish() ||
		python_watch_begin(python_shim.finder, python_shim.watched))
		return -1;
	python_watch_catch_up();
	return 0;
}

void python_shim_arm(void)
{
	PyObject *type, *value, *traceback;
	PyThreadState *hidden = python_hide();

	py.PyErr_Fetch(&type, &value, &traceback);
	if (shim_install()) {
		py.PyErr_Clear();
		trait_put("missing", "the Python shim", TRAIT_NO_NUMBER);
	}
	py.PyErr_Restore(type, value, traceback);
	python_show(hidden);
}

void python_shim_settle(void)
{
	PyObject *type, *value, *traceback;

	if (!python_shim.namespace)
		return;
	py.PyErr_Fetch(&type, &value, &traceback);
	shim_core("patch");
	py.PyErr_Clear();
	py.PyErr_Restore(type, value, traceback);
}
