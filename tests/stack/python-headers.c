/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an interpreter's own headers say of the fields of python-layout.h, as lines "FIELD NUMBER":
 * offsets up to 3.12, from 3.13 on the words of its table. What is 0 is left out.
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <stddef.h>
#include <stdio.h>

#if PY_VERSION_HEX < 0x03090000
#include "internal/pycore_pystate.h"
#else
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX < 0x030b0000
#include "code.h"
#include "frameobject.h"
#else
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#endif

static void field(const char *name, size_t number)
{
	if (number)
		printf("%s %zu\n", name, number);
}

#if PY_VERSION_HEX >= 0x030d0000

#define WORD(name, of) field(#name, offsetof(struct _Py_DebugOffsets, of) / 8)

int main(void)
{
	WORD(interpreters, runtime_state.interpreters_head);
	WORD(interp_next, interpreter_state.next);
	WORD(interp_id, interpreter_state.id);
	WORD(interp_threads, interpreter_state.threads_head);
	WORD(interp_modules, interpreter_state.imports_modules);
	WORD(interp_gil, interpreter_state.ceval_gil);
	WORD(gil_at, interpreter_state.gil_runtime_state);
	WORD(gil_holder, interpreter_state.gil_runtime_state_holder);
	WORD(gil_locked, interpreter_state.gil_runtime_state_locked);
	WORD(thread_next, thread_state.next);
	WORD(thread_interp, thread_state.interp);
	WORD(thread_frame, thread_state.current_frame);
	WORD(thread_ident, thread_state.thread_id);
	WORD(thread_tid, thread_state.native_thread_id);
	WORD(frame_back, interpreter_frame.previous);
	WORD(frame_code, interpreter_frame.executable);
	WORD(frame_at, interpreter_frame.instr_ptr);
	WORD(frame_entry, interpreter_frame.owner);
	WORD(frame_locals, interpreter_frame.localsplus);
	WORD(code_file, code_object.filename);
	WORD(code_name, code_object.qualname);
	WORD(code_line, code_object.firstlineno);
	WORD(code_lines, code_object.linetable);
	WORD(code_start, code_object.co_code_adaptive);
	WORD(str_length, unicode_object.length);
	WORD(str_state, unicode_object.state);
	WORD(str_ascii, unicode_object.asciiobject_size);
	WORD(bytes_size, bytes_object.ob_size);
	WORD(bytes_data, bytes_object.ob_sval);
	return 0;
}

#else

#define FIELD(name, type, of) field(#name, offsetof(type, of))

static void states(void)
{
	FIELD(interpreters, _PyRuntimeState, interpreters.head);
	FIELD(interp_next, PyInterpreterState, next);
	FIELD(interp_id, PyInterpreterState, id);
#if PY_VERSION_HEX >= 0x030b0000
	FIELD(interp_threads, PyInterpreterState, threads.head);
	FIELD(thread_frame, PyThreadState, cframe);
	FIELD(thread_tid, PyThreadState, native_thread_id);
	FIELD(cframe_frame, _PyCFrame, current_frame);
	FIELD(cframe_previous, _PyCFrame, previous);
#else
	FIELD(interp_threads, PyInterpreterState, tstate_head);
	FIELD(thread_frame, PyThreadState, frame);
#endif
#if PY_VERSION_HEX >= 0x030c0000
	FIELD(interp_gil, PyInterpreterState, ceval.gil);
	FIELD(interp_modules, PyInterpreterState, imports.modules);
	FIELD(gil_holder, struct _gil_runtime_state, last_holder);
	FIELD(gil_locked, struct _gil_runtime_state, locked);
#else
	FIELD(interp_modules, PyInterpreterState, modules);
	FIELD(current, _PyRuntimeState, gilstate.tstate_current);
	FIELD(gil, _PyRuntimeState, ceval.gil);
#endif
	FIELD(thread_next, PyThreadState, next);
	FIELD(thread_interp, PyThreadState, interp);
	FIELD(thread_ident, PyThreadState, thread_id);
	FIELD(thread_exc, PyThreadState, exc_info);
}

static void frames(void)
{
#if PY_VERSION_HEX >= 0x030b0000
	FIELD(frame_back, _PyInterpreterFrame, previous);
	FIELD(frame_code, _PyInterpreterFrame, f_code);
	FIELD(frame_at, _PyInterpreterFrame, prev_instr);
	FIELD(frame_locals, _PyInterpreterFrame, localsplus);
#if PY_VERSION_HEX >= 0x030c0000
	FIELD(frame_entry, _PyInterpreterFrame, owner);
#else
	FIELD(frame_entry, _PyInterpreterFrame, is_entry);
#endif
	FIELD(code_name, PyCodeObject, co_qualname);
	FIELD(code_lines, PyCodeObject, co_linetable);
	FIELD(code_start, PyCodeObject, co_code_adaptive);
#else
	FIELD(frame_back, PyFrameObject, f_back);
	FIELD(frame_code, PyFrameObject, f_code);
	FIELD(frame_at, PyFrameObject, f_lasti);
	FIELD(frame_locals, PyFrameObject, f_localsplus);
	FIELD(code_name, PyCodeObject, co_name);
#if PY_VERSION_HEX >= 0x030a0000
	FIELD(code_lines, PyCodeObject, co_linetable);
#else
	FIELD(code_lines, PyCodeObject, co_lnotab);
#endif
#endif
	FIELD(code_file, PyCodeObject, co_filename);
	FIELD(code_line, PyCodeObject, co_firstlineno);
}

int main(void)
{
	states();
	frames();
	FIELD(str_length, PyASCIIObject, length);
	FIELD(str_state, PyASCIIObject, state);
	field("str_ascii", sizeof(PyASCIIObject));
	FIELD(bytes_size, PyVarObject, ob_size);
	FIELD(bytes_data, PyBytesObject, ob_sval);
	field("str_compact", sizeof(PyCompactUnicodeObject));
	return 0;
}

#endif
