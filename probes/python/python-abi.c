/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/python/python-abi.h"

#include <errno.h>

#include "probes/dl.h"

struct python_abi py;

#define PYTHON_SYMBOL(result, name, params) {#name, (void **)&py.name},

static const struct python_symbol {
	const char *name;
	void **slot;
} python_needed[] = {PYTHON_FUNCTIONS(PYTHON_SYMBOL){"_Py_NoneStruct", (void **)&py.none},
	{"PyType_Type", (void **)&py.type}, {"PyExc_Exception", (void **)&py.Exception},
	{"PyExc_KeyboardInterrupt", (void **)&py.KeyboardInterrupt},
	{"PyExc_SystemExit", (void **)&py.SystemExit}, {NULL, NULL}},
  python_welcome[] = {PYTHON_MAYBE(PYTHON_SYMBOL){NULL, NULL}};

/*
 * Looks names up in the global scope: a static python is the program itself, which comes before us.
 * Returns the first that is missing, or NULL.
 */
static const char *python_abi_look(const struct python_symbol *all)
{
	const char *missing = NULL;

	for (const struct python_symbol *s = all; s->name; s++) {
		*s->slot = dl_sym(RTLD_DEFAULT, s->name);
		if (!*s->slot && !missing)
			missing = s->name;
	}
	return missing;
}

const char *python_abi_find(void)
{
	static const char *missing;
	static int looked;
	int saved = errno;

	if (!looked) {
		missing = python_abi_look(python_needed);
		python_abi_look(python_welcome);
		if (!missing && !py.PyInterpreterState_Get && !py._PyInterpreterState_Get)
			missing = "PyInterpreterState_Get";
		looked = 1;
	}
	errno = saved;
	return missing;
}

int python_is_main_interpreter(void)
{
	PyInterpreterState *here = py.PyInterpreterState_Get ? py.PyInterpreterState_Get()
							     : py._PyInterpreterState_Get();

	return here == py.PyInterpreterState_Main();
}
