/* SPDX-License-Identifier: Apache-2.0 */
/* python-args.c: checks what the program hands over before it is used. */
#include "probes/probe.h"
#include "probes/python/python-parts.h"

void python_drop(PyObject *object)
{
	if (object)
		py.Py_DecRef(object);
}

PyObject *python_none(void)
{
	py.Py_IncRef(py.none);
	return py.none;
}

PyObject *python_arg(struct python_args *a, int place, const char *name)
{
	PyObject *found = NULL;

	if (place < py.PyTuple_Size(a->places))
		found = py.PyTuple_GetItem(a->places, place);
	else if (a->keywords)
		found = py.PyDict_GetItemString(a->keywords, name);
	return found == py.none ? NULL : found;
}

const char *python_text(PyObject *str, PyObject **held)
{
	const char *s = py.PyUnicode_AsUTF8AndSize(str, NULL);

	*held = NULL;
	if (s)
		return s;
	py.PyErr_Clear(); /* no str, or one with lone surrogates: only the latter can be escaped */
	*held = py.PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace");
	s = *held ? py.PyBytes_AsString(*held) : NULL;
	if (!s)
		py.PyErr_Clear();
	return s;
}

const char *python_arg_text(struct python_args *a, int place, const char *name)
{
	PyObject *given = python_arg(a, place, name), *held;
	const char *s = NULL;

	if (!given)
		return NULL;
	s = python_text(given, &held);
	if (held && a->nheld < PYTHON_HELD)
		a->held[a->nheld++] = held;
	else if (held) /* never: no function takes more texts */
		python_drop(held), s = NULL;
	if (!s)
		a->bad = 1;
	return s;
}

/* Asked by __index__: a float is no number here, and up to 3.9 would be taken with a warning. */
int python_number(PyObject *object, long long *ret)
{
	PyObject *whole = py.PyNumber_Index(object);

	*ret = whole ? py.PyLong_AsLongLong(whole) : -1;
	python_drop(whole);
	if (*ret != -1 || !py.PyErr_Occurred())
		return 0;
	py.PyErr_Clear();
	return -1;
}

long long python_arg_number(struct python_args *a, int place, const char *name, long long otherwise)
{
	PyObject *given = python_arg(a, place, name);
	long long n = -2;

	if (!given)
		return otherwise;
	if (python_number(given, &n) || n < -1)
		a->bad = 1;
	return n;
}

long long python_arg_count(struct python_args *a, int place, const char *name)
{
	long long n = python_arg_number(a, place, name, -1);

	if (n < 0)
		a->bad = 1;
	return n;
}

int python_args_done(struct python_args *a)
{
	while (a->nheld)
		python_drop(a->held[--a->nheld]);
	if (a->bad)
		probe_lose(PROBE_LOST_RECORDS);
	return !a->bad;
}
