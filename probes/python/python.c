/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.c: the audit hook: what it listens to, and what it leaves alone at once.
 *
 * Python calls it for every audit event there is, some of them (sys._getframe, object.__getattr__)
 * millions of times: a look at the first letters must do for nearly all. It returns 0 for every
 * event, whatever happened: anything else would be an exception in the program.
 *
 * ARMING. The interpreter says cpython.run_file, _module, _command, _stdin, ... when it has been
 * made ready and is about to run what it was started for; then the shim is run. A program that
 * embeds Python says none of these: there the first import of a framework that we know is the sign.
 * Only the main interpreter is armed, once in the process' life; a forked child has the shim
 * already, and its marks are its own (probe.h).
 */
#include "probes/python/python.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/hook.h"
#include "probes/process.h"
#include "probes/python/python-parts.h"
#include "probes/seccomp.h"
#include "probes/sys.h"
#include "probes/trait.h"

#define PYTHON_RUN  "cpython.run_"
#define PYTHON_MARK "inquest."

/* Writers: python_arm(), and the audit hook python_hear(). */
static struct {
	int armed;   /* the shim ran, or nothing ever will */
	int started; /* an interpreter of its own: its main thread is the process's */
	int overheard;
} python;

int python_is_overheard(void)
{
	return python.overheard;
}

/*
 * True if the calling thread may use Python now: there is an interpreter, and all that we need of
 * it is known.
 */
static int python_is_ready(void)
{
	return !python_abi_find() && py.Py_IsInitialized();
}

static void python_arm(void)
{
	const char *missing = python_abi_find();

	if (!missing && !python_is_main_interpreter())
		return;
	if (__atomic_exchange_n(&python.armed, 1, __ATOMIC_ACQ_REL))
		return;
	if (missing)
		trait_put("missing", missing, TRAIT_NO_NUMBER);
	else
		python_shim_arm();
}

/* True if a module belongs to a framework that the shim knows. */
static int python_is_watched(PyObject *args)
{
	static const char *const watched[] = {"torch", "triton", "jax", NULL};
	PyObject *name = py.PyTuple_Size(args) > 0 ? py.PyTuple_GetItem(args, 0) : NULL;
	const char *s = name ? py.PyUnicode_AsUTF8AndSize(name, NULL) : NULL;

	if (!s)
		py.PyErr_Clear();
	for (const char *const *w = watched; s && *w; w++) {
		size_t len = strlen(*w);

		if (!strncmp(s, *w, len) && (!s[len] || s[len] == '.'))
			return 1;
	}
	return 0;
}

/*
 * Takes in an exception that nobody caught. Where Python runs the process it ends it if it comes
 * from the main thread; a library that prints one in a thread of its own goes on.
 */
static void python_hear_fault(PyObject *args)
{
	if (!seal_is_set() && python_is_ready() && python_is_main_interpreter())
		python_fault_hear(args, python.started && sys_gettid() != sys_getpid());
}

/*
 * Takes in one of the few events that are ours; `event` was already seen to begin with the right
 * letters.
 */
static void python_hear(const char *event, PyObject *args)
{
	int run = !strncmp(event, PYTHON_RUN, strlen(PYTHON_RUN));

	if (run) {
		python.started = 1;
		if (!python.armed)
			python_arm();
	} else if (!strcmp(event, "import")) {
		if (!python.armed && python_is_ready() && python_is_watched(args))
			python_arm();
	} else if (!strcmp(event, "sys.excepthook")) {
		python_hear_fault(args);
	} else if (!strcmp(event, "sys.addaudithook")) {
		python.overheard = 1;
		if (python.armed && python_is_ready() && python_is_main_interpreter())
			python_shim_settle();
	} else if (!strcmp(event, "cpython._PySys_ClearAuditHooks")) {
		python_hook_ends();
	} else if (!strncmp(event, PYTHON_MARK, strlen(PYTHON_MARK))) {
		if (python_is_ready())
			python_channel_hear(event + strlen(PYTHON_MARK), args);
	}
}

/*
 * True if an event may be ours. The frequent ones (sys._getframe, id, compile, object.*) end at the
 * second letter.
 */
static inline int python_may_be_ours(const char *event)
{
	switch (event[0]) {
	case 'c':
		return event[1] == 'p'; /* cpython.run_* */
	case 'i':
		return event[1] == 'm' || event[1] == 'n'; /* import, inquest.* */
	case 's':
		return !strncmp(event, "sys.", 4) && (event[4] == 'e' || event[4] == 'a');
	}
	return 0;
}

static int python_audit(const char *event, PyObject *args, void *context)
{
	int saved;

	(void)context;
	if (hook_likely(!python_may_be_ours(event)))
		return 0;
	saved = errno;
	python_hear(event, args);
	errno = saved;
	return 0;
}

/* True if INQUEST_PYTHON is off, or 0. */
static int python_is_off(void)
{
	const char *wish = getenv("INQUEST_PYTHON");

	return wish && (!strcmp(wish, "off") || !strcmp(wish, "0"));
}

void python_birth(void)
{
	if (!python_is_off())
		python_hook_add(python_audit);
}
