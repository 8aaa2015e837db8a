/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in C that has an interpreter in it, as solvers and game engines do: C calls Python
 * calls C calls Python, which waits; a thread of C knows nothing of it. python-places.test builds
 * it with the headers of each interpreter.
 */
#include <Python.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_in_c(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static PyObject *engine_step(PyObject *self, PyObject *callback)
{
	(void)self;
	return PyObject_CallFunction(callback, "i", 3);
}

static PyMethodDef step = {"step", engine_step, METH_O, "Calls back."};

int main(void)
{
	pthread_t thread;
	PyObject *function, *module;

	if (pthread_create(&thread, NULL, wait_in_c, NULL) != 0)
		return 1;
	Py_Initialize();
	function = PyCFunction_New(&step, NULL);
	module = PyImport_AddModule("__main__");
	if (!function || PyObject_SetAttrString(module, "step", function) < 0)
		return 1;
	return PyRun_SimpleString("import time\n"
				  "def each(n):\n"
				  "    print('ready', flush=True)\n"
				  "    time.sleep(1e6)\n"
				  "def simulate():\n"
				  "    step(each)\n"
				  "simulate()\n");
}
