/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-watch.c: watches the imports of a program: a module that the shim patches is patched when
 * its own code has run.
 *
 * What stands in sys.meta_path is the class `_inquest.Finder`, whose find_spec() looks each name up
 * in a dict. On a hit the finders behind it are asked, and the loader that they give gets an
 * exec_module of its own for this one run, which tells us of its end. All of it is C: to compile
 * Python text costs ten times more, and every program that imports `threading` would wait for it.
 *
 * KeyboardInterrupt and SystemExit may come out of any call that runs code of the program, and are
 * the program's: they stay pending, each function here stops at them, and find_spec() raises them.
 */
#include "probes/python/python-parts.h"

/* Writer: python_watch_begin(), once in an interpreter's life. */
static struct {
	PyObject *finder;  /* the class */
	PyObject *watched; /* {module: the numbers of the shim's files that patch it} */
	PyObject *done;    /* {module: None} of those that are patched */
} watch;

/* Returns an attribute, new; NULL if there is none. */
static PyObject *watch_get(PyObject *object, const char *name)
{
	PyObject *found = object ? py.PyObject_GetAttrString(object, name) : NULL;

	python_forgive();
	return found;
}

/* True if files of the shim patch this module, not C alone. */
static int watch_has_text(PyObject *name)
{
	PyObject *files = py.PyDict_GetItem(watch.watched, name);

	return files && py.PyTuple_Size(files) > 0;
}

/*
 * Runs the files that patch a module before the module's own code: what they import, it has not
 * imported itself.
 */
static void watch_prepare(PyObject *name)
{
	if (watch_has_text(name))
		python_shim_call("load", py.Py_BuildValue("(O)", name));
}

static void watch_patch(PyObject *name, PyObject *module)
{
	py.PyDict_SetItem(watch.done, name, py.none);
	python_forgive();
	python_unheard_patch(name, module);
	if (watch_has_text(name) && !py.PyErr_Occurred())
		python_shim_call("patch", py.Py_BuildValue("(OO)", name, module));
}

/* True if a module's code is running just now. */
static int watch_is_loading(PyObject *module)
{
	PyObject *spec = watch_get(module, "__spec__");
	PyObject *flag = watch_get(spec, "_initializing");
	int loading = flag && py.PyObject_IsTrue(flag) > 0;

	python_forgive();
	python_drop(flag);
	python_drop(spec);
	return loading;
}

void python_watch_catch_up(void)
{
	PyObject *modules = py.PyImport_GetModuleDict(), *name, *files, *module; /* borrowed */
	Py_ssize_t at = 0;

	while (!py.PyErr_Occurred() && py.PyDict_Next(watch.watched, &at, &name, &files)) {
		module = py.PyDict_GetItem(modules, name);
		if (!module || module == py.none || py.PyDict_GetItem(watch.done, name))
			continue;
		py.Py_IncRef(name);
		py.Py_IncRef(module);
		if (!watch_is_loading(module) && !py.PyErr_Occurred()) {
			watch_prepare(name);
			if (!py.PyErr_Occurred())
				watch_patch(name, module);
		}
		python_drop(module);
		python_drop(name);
	}
}

/*
 * The exec_module of one run. `self`, which begin() and end() share: {"loader", "name", "shadow":
 * what stands in the loader's place}.
 */

/*
 * begin(places, keywords): returns the module, or None: a loader of many modules may run another
 * one.
 */
static PyObject *watch_run_begin(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *places = py.PyTuple_GetItem(args, 0), *module, *name;
	int ours;

	(void)keywords;
	module = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : py.none;
	name = py.PyObject_GetAttrString(module, "__name__");
	ours = name ? py.PyObject_RichCompareBool(name, py.PyDict_GetItemString(self, "name"),
			      PYTHON_EQUAL)
		    : -1;
	python_drop(name);
	if (ours < 0)
		return NULL; /* around() forgives it */
	if (!ours)
		return python_none();
	py.Py_IncRef(module);
	return module;
}

/* Gives the loader its own exec_module back, if it is ours that it has. */
static void watch_run_over(PyObject *self)
{
	PyObject *loader = py.PyDict_GetItemString(self, "loader");
	PyObject *shadow = py.PyDict_GetItemString(self, "shadow");
	PyObject *all = watch_get(loader, "__dict__");

	if (all && py.PyDict_GetItemString(all, "exec_module") == shadow)
		py.PyObject_SetAttrString(loader, "exec_module", NULL);
	python_forgive();
	python_drop(all);
	if (!py.PyErr_Occurred()) /* it holds us, too */
		py.PyDict_SetItemString(self, "shadow", py.none);
	python_forgive();
}

/* end(what begin() returned, result, exception): patches the module, if its code has run well. */
static PyObject *watch_run_end(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *module = py.PyTuple_GetItem(args, 0), *error = py.PyTuple_GetItem(args, 2);

	(void)keywords;
	if (module == py.none)
		return python_none();
	watch_run_over(self);
	if (error == py.none && !py.PyErr_Occurred())
		watch_patch(py.PyDict_GetItemString(self, "name"), module);
	return py.PyErr_Occurred() ? NULL : python_none();
}

/* Makes the loader tell us, once, when it has run that module. Returns 0, or -1. */
static int watch_loader(PyObject *loader, PyObject *run, PyObject *name)
{
	static const struct python_method begins = {"inquest", watch_run_begin, PYTHON_METHOD,
						  NULL},
					  ends = {"inquest", watch_run_end, PYTHON_METHOD, NULL};
	PyObject *self = py.Py_BuildValue("{sOsO}", "loader", loader, "name", name);
	PyObject *begin = self ? py.PyCFunction_NewEx(&begins, self, NULL) : NULL;
	PyObject *end = begin ? py.PyCFunction_NewEx(&ends, self, NULL) : NULL;
	PyObject *shadow = end ? python_around_new(run, begin, end) : NULL;
	int failed = !shadow || py.PyDict_SetItemString(self, "shadow", shadow) ||
		     py.PyObject_SetAttrString(loader, "exec_module", shadow);

	python_forgive();
	python_drop(self);
	python_drop(begin);
	python_drop(end);
	python_drop(shadow);
	return failed ? -1 : 0;
}

/* Reports a loader that takes no exec_module of ours. */
static void watch_report(PyObject *name)
{
	PyObject *why = py.PyErr_Occurred() ? NULL : py.PyUnicode_FromString(" (its loader)");
	PyObject *what = why ? py.PySequence_Concat(name, why) : NULL;

	python_forgive();
	if (what)
		python_shim_call("missing", py.Py_BuildValue("(O)", what));
	python_drop(what);
	python_drop(why);
}

/*
 * Watches the loader of a spec. One that is everybody's, or of another age, is let be: the next
 * import catches up.
 */
static void watch_spec(PyObject *spec, PyObject *name)
{
	PyObject *loader = watch_get(spec, "loader"), *run = NULL;

	if (loader && py.PyObject_IsInstance(loader, py.type) == 0)
		run = watch_get(loader, "exec_module");
	python_forgive();
	if (run)
		watch_prepare(name);
	if (run && !py.PyErr_Occurred() && watch_loader(loader, run, name))
		watch_report(name);
	python_drop(run);
	python_drop(loader);
}

/*
 * Asks the finders behind ours. Returns a spec, None, or NULL as they raise. If none finds it, or
 * one is of the age before find_spec, importlib goes on and asks them all again.
 */
static PyObject *watch_ask_others(PyObject *places)
{
	PyObject *finders = py.PySys_GetObject("meta_path"); /* borrowed */
	PyObject *finder, *find, *spec = NULL;
	int behind = 0, stop = !finders;

	for (Py_ssize_t i = 0; !stop && i < py.PySequence_Size(finders); i++) {
		finder = py.PySequence_GetItem(finders, i);
		if (!behind) {
			behind = finder == watch.finder;
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

/* The finder's find_spec(name, path, target). Nearly all calls end at the lookup. */
static PyObject *watch_find_spec(PyObject *self, PyObject *places, PyObject *keywords)
{
	PyObject *name = py.PyTuple_Size(places) > 0 ? py.PyTuple_GetItem(places, 0) : NULL;
	PyObject *spec;
	PyThreadState *hidden;

	(void)self;
	(void)keywords; /* importlib has never used any */
	if (!name || !py.PyDict_GetItem(watch.watched, name))
		return python_none();
	spec = watch_ask_others(places);
	if (!spec || spec == py.none)
		return spec;
	hidden = python_hide();
	python_watch_catch_up();
	if (!py.PyErr_Occurred())
		watch_spec(spec, name);
	python_show(hidden);
	if (!py.PyErr_Occurred())
		return spec;
	python_drop(spec);
	return NULL;
}

const struct python_method python_watch[] = {
	{"find_spec", watch_find_spec, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};

int python_watch_begin(PyObject *finder, PyObject *watched)
{
	PyObject *finders = py.PySys_GetObject("meta_path"); /* borrowed */

	watch.finder = finder;
	watch.watched = watched;
	watch.done = py.PyDict_New();
	return !finders || !watch.done || py.PyList_Insert(finders, 0, finder) ? -1 : 0;
}
