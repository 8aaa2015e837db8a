/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.h: the Python door: a C audit hook, armed before the interpreter starts, which runs an
 * embedded shim before the first line of the program, and hears of its uncaught exceptions.
 *
 * THE SHIM is Python text (probes/shim/, core.py first), compiled into the object; no file of it
 * is ever installed or looked for. It runs once per interpreter, in a namespace of its own that
 * holds, besides the builtins, the module `_inquest` with these functions, written in C. They never
 * raise, whatever they are given; what cannot be recorded is counted.
 *
 *	span_begin(kind, name, detail=None)	kind: COMPILE, INPUT, CHECKPOINT, USER, DEVICE (ints
 *	span_end(kind, name)			in the same module, as in inquest.h)
 *	shard(loader, index, rows, elements, dims=())
 *	step(n)
 *	note(text)
 *	trait(key, text=None, number=None)	probes/trait.h
 *	identify(rank, world_size, source)	process_identify()
 *	group(name, backend, ranks, timeout_ns)	c10d_scope_set(); group(None): no longer
 *
 * A shim file asks to be told when a module has been imported, by a decorator that core.py has:
 *
 *	@patches("torch._dynamo.callback")
 *	def _dynamo_callback(module): ...
 *
 * core.py calls it once, after the module's own code ran, and swallows and reports (as the trait
 * "missing", with the module's name) whatever it raises. Names that a later torch may have moved
 * are asked for with `want(module, "name")`: None, and the same trait, where there is none.
 *
 * A program may speak to us too, without importing anything: sys.audit("inquest.step", 5),
 * "inquest.shard", "inquest.note", "inquest.span_begin", ... with the arguments above. Where no
 * probe is loaded nobody hears it.
 *
 * INQUEST_PYTHON=off keeps the door shut. A process without Python pays one symbol lookup.
 */
#ifndef PROBES_PYTHON_H
#define PROBES_PYTHON_H

/* Arms the door where there is an interpreter. Once, by the constructor. */
void python_birth(void);

#endif
