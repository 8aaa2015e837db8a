/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.h: the Python route: a C audit hook, armed before the interpreter starts, which runs an
 * embedded shim before the first line of the program, and hears of its uncaught exceptions.
 *
 * THE SHIM is Python text (probes/shim/, core.py first), compiled into the object; no file of it
 * is ever installed or looked for. The watch of imports is C, and so are the patches of Python's
 * own library (for the exceptions below). core.py runs once, in the main interpreter, when the
 * first module is looked for that any file of text patches (or when something is missing, or the
 * program adds an audit hook); then the other files, in the order of local.mk and in one namespace.
 * Both namespaces hold the builtins, `sys`, and `_inquest`: the finder, a class that is in no
 * module. Its functions are in C; by place or name they take
 *
 *	span_begin(kind, name, detail=None)	kind: COMPILE, INPUT, CHECKPOINT, USER, DEVICE (ints
 *	span_end(kind, name)			in the same module, as in inquest.h)
 *	shard(loader, index, rows, elements, dims=())
 *	step(n)
 *	note(text)
 *	trait(key, text=None, number=None)	probes/trait.h
 *	identify(rank, world_size, source)	process_identify()
 *	group(name, ranks, timeout_ns)		c10d_scope_set(); group(None): no longer
 *	left(name)				c10d_left(); left(None): all groups
 *	key_wait(what, key)			the main thread waits for others: at a "barrier" of
 *	key_wait_over(failed)			that name, for a "key" that one of them sets
 *	exception(type, value, traceback, thread=None)
 *	handling(type, value, traceback)
 *
 * and never raise, whatever they are given; what cannot be recorded is counted. exception() is for
 * those that Python itself tells nobody of (a caught one that ends the process all the same); with
 * `thread` it is one that ended only that thread.
 *
 * A shim file asks to be told when a module has been imported, by a decorator that core.py has;
 * the line must look just so, since the build reads it too:
 *
 *	@patches("torch._dynamo.callback")
 *	def _dynamo_callback(module): ...
 *
 * It is called after each run of the module's own code (again where it is reloaded), and what it
 * raises is swallowed and reported (as the trait "missing", with the module's name). Names that a
 * later torch may have moved are asked for with `want(module, "name.of.it")`: None, and the same
 * trait, where there is none; missing(text) adds to that trait.
 *
 * A call of the program is best watched by
 *
 *	around(function, before=None, after=None)
 *
 * which is a C function that calls before(places, keywords), then the function with the very same
 * arguments, then after(what `before` returned, result or None, exception or None), and ends as the
 * function did. An exception that the two raise is swallowed, but for KeyboardInterrupt, which is
 * the program's. No frame of ours is in a traceback, and tracers do not see us (from 3.11 on). As
 * an attribute of a class it must be a method: method(around(...)).
 *
 * A program may speak to us too, without importing anything: sys.audit("inquest.step", 5),
 * "inquest.shard", "inquest.note", "inquest.span_begin", "inquest.span_end", "inquest.trait", with
 * the arguments above, by place. Where no probe is loaded nobody hears it.
 *
 * EXCEPTIONS. One that ends the program is a note, "exception: Type: text", and its innermost
 * frames are the trait "exception-at". KeyboardInterrupt is noted as "interrupted: ", what ends
 * only a thread as "thread exception: ". Python tells no hook of threads and of children of
 * multiprocessing: there the first is heard by threading.excepthook, the other by the child's
 * run(). What Ray catches of a training function is heard where Ray makes its report of it.
 * The exception that is handled, or passes a `finally`, when the program comes to a collective:
 * "handling: ".
 *
 * WHAT IS NOT SEEN: a Python that a program loads later, with dlopen (there is no hook to add when
 * we start); the second life of an interpreter that was finalized (Python drops all hooks); the
 * imports of sub-interpreters (their marks and sys.audit are heard).
 *
 * INQUEST_PYTHON=off (or 0) keeps it out. A process without Python pays one symbol lookup.
 */
#ifndef PROBES_PYTHON_H
#define PROBES_PYTHON_H

/* Arms the route where there is an interpreter. Once, by the constructor. */
void python_birth(void);

#endif
