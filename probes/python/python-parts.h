/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-parts.h: what the parts of the Python route share. Others see python.h only.
 *
 * Everything here runs with the interpreter's lock held, in a thread that Python knows, after
 * python_abi_find() found everything; and leaves no exception behind that it did not find.
 */
#ifndef PROBES_PYTHON_PARTS_H
#define PROBES_PYTHON_PARTS_H

#include "probes/python/python-abi.h"

/* --- Arguments, from Python's hands to ours (python-args.c) ---------------------------------- */

#define PYTHON_HELD 4

/* The arguments of one call, by place or by name. Borrowed objects live until the release. */
struct python_args {
	PyObject *places;   /* a tuple */
	PyObject *keywords; /* a dict, or NULL */
	PyObject *held[PYTHON_HELD];
	unsigned nheld;
	int bad; /* something that is needed was missing, or of another type */
};

/* Returns the argument itself, borrowed; NULL where there is none, or None. */
PyObject *python_arg(struct python_args *a, int place, const char *name);

/*
 * Returns a str as UTF-8, with escapes for what has no UTF-8; NULL where there is none. Any other
 * type is bad.
 */
const char *python_arg_text(struct python_args *a, int place, const char *name);

/*
 * Returns a whole number; `otherwise` where there is none. Any other type, too large or below -1 is
 * bad.
 */
long long python_arg_number(
	struct python_args *a, int place, const char *name, long long otherwise);

/* The same where there must be one. */
long long python_arg_count(struct python_args *a, int place, const char *name);

/* A str as UTF-8, as python_arg_text(); `held` is to be released. NULL where it is none. */
const char *python_text(PyObject *str, PyObject **held);

/* A whole number of any kind. 0, or -1 where it is none that fits. */
int python_number(PyObject *object, long long *ret);

/* Releases what was held and clears what we raised. 1 if all was well, else the loss is counted. */
int python_args_done(struct python_args *a);

/* Drops a reference, if it is one. */
void python_drop(PyObject *object);

/* Returns None, with a reference, as a function does. */
PyObject *python_none(void);

/* --- The channel (python-channel.c) ---------------------------------------------------------- */

/* The functions of `_inquest`, ended by a NULL name. */
extern const struct python_method python_channel[];

/* Takes a program's message to us: sys.audit("inquest.NAME", ...). Ignores unknown names. */
void python_channel_hear(const char *name, PyObject *args);

/* Puts the channel's constants and functions into a dict. 0, or -1. */
int python_channel_fill(PyObject *dict);

/* --- Calls that are passed through (python-around.c) ----------------------------------------- */

extern const struct python_method python_around[];

/*
 * Clears a pending exception, except those that the shim cannot have raised: KeyboardInterrupt and
 * SystemExit come from the program's signal handlers, which may run at any line of ours.
 */
void python_forgive(void);

/* Hides the calling thread from tracers (from 3.11), until it is shown again. Pairs may nest. */
PyThreadState *python_hide(void);
void python_show(PyThreadState *hidden);

/*
 * Calls a function of the shim, hidden. Returns its result, new, or NULL. Exceptions are swallowed.
 */
PyObject *python_quietly(PyObject *function, PyObject *args);

/* around(function, before, after) of python.h, new; NULL: None. NULL with the exception pending. */
PyObject *python_around_new(PyObject *function, PyObject *before, PyObject *after);

/* --- The hook (python-hook.c) ----------------------------------------------------------------- */

/*
 * True if the program has audit hooks of its own: calls that raise events are then to be avoided.
 */
int python_is_overheard(void);

/* Adds an audit hook where there is an interpreter, which need not have been made ready. */
void python_hook_add(python_audit_fn *hook);

/* Called in the event cpython._PySys_ClearAuditHooks: all hooks are about to be freed. */
void python_hook_ends(void);

/* --- The shim (python-shim.c) ---------------------------------------------------------------- */

/* Puts the shim's finder in place, in the main interpreter, once in the process' life. */
void python_shim_arm(void);

/*
 * Called before the program adds an audit hook: compiles core.py before the hook can hear of that.
 */
void python_shim_settle(void);

/*
 * Calls a function of core.py, compiling that first if needed: load(name), patch(name, module),
 * missing(text). Releases the arguments; calls nothing where they are NULL. Exceptions are
 * swallowed.
 */
void python_shim_call(const char *function, PyObject *args);

/* --- The watch (python-watch.c) -------------------------------------------------------------- */

/* The finder's find_spec(). */
extern const struct python_method python_watch[];

/*
 * Puts the finder in front of all others. `watched`, {module: the numbers of the shim's files that
 * patch it}, and both live as long as the interpreter. 0, or -1.
 */
int python_watch_begin(PyObject *finder, PyObject *watched);

/* Patches modules that were imported unseen: before us, or by a finder in front of ours. */
void python_watch_catch_up(void);

/* --- Exceptions that Python tells nobody of (python-unheard.c) ------------------------------- */

#define PYTHON_UNHEARD 3

/* The i-th of the PYTHON_UNHEARD modules that are patched in C. */
const char *python_unheard_module(unsigned i);

/* Patches a module whose code has run, if it is one of them; leaves others alone. */
void python_unheard_patch(PyObject *name, PyObject *module);

/* Dynamo passes over code of importlib: frames of ours are never compiled, and break no graph. */
#define SHIM_NAME "<frozen importlib inquest>"

/* --- Exceptions (python-fault.c) ------------------------------------------------------------- */

/*
 * The arguments of the audit event sys.excepthook: hook, type, value, traceback. `thread`: it ends
 * a thread at most.
 */
void python_fault_hear(PyObject *args, int thread);

/* The same of type, value and traceback; each may be NULL or None, but for the type. */
void python_fault_tell(PyObject *const error[3], int thread);

/* exception() and handling(): the shim's ways to tell of one. */
extern const struct python_method python_fault[];

/* --- Waits for others (python-keys.c) --------------------------------------------------------- */

/* key_wait() and key_wait_over(). */
extern const struct python_method python_keys[];

#endif
