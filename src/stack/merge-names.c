/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the interpreter's own functions. A function that says why a thread waits (take_gil,
 * lock_acquire, time_sleep, PyThread_...) is no plumbing, however deep in the interpreter it is.
 */
#include <string.h>

#include "stack/merge.h"

/* Functions that are plumbing. A pattern is a whole name, or a beginning if it ends in '*'. */
static const char *const merge_plumbing[] = {
	"_PyEval_EvalFrame*",
	"PyEval_EvalFrame*",
	"_PyEval_EvalCode*",
	"PyEval_EvalCode*",
	"_PyEval_Vector",
	"eval_frame_default",
	"_TAIL_CALL_*",
	"call_function",
	"do_call_core",
	"trace_call_function",
	"call_trampoline*",
	"fast_function",
	"function_code_fastcall",
	"_PyFunction_*",
	"function_call",
	"PyObject_Call*",
	"_PyObject_Call*",
	"_PyObject_FastCall*",
	"_PyObject_MakeTpCall",
	"_PyObject_Vectorcall*",
	"PyObject_Vectorcall*",
	"object_vacall",
	"object_call_*",
	"PyVectorcall_*",
	"_PyVectorcall_*",
	"_PyStack_*",
	"PyEval_CallObject*",
	"PyCFunction_Call",
	"cfunction_*",
	"_PyCFunction_*",
	"_PyMethodDef_*",
	"_PyMethodDescr_*",
	"method_vectorcall*",
	"method_call",
	"methoddescr_call",
	"classmethoddescr_call",
	"wrapperdescr_call",
	"wrapper_call",
	"wrap_call",
	"instancemethod_call",
	"vectorcall_method*",
	"vectorcall_unbound*",
	"vectorcall_maybe",
	"call_method",
	"call_unbound*",
	"call_attribute",
	"slot_tp_call",
	"type_call",
	"type_vectorcall*",
	"gen_send_ex*",
	"gen_iternext",
	"_PyGen_Send",
	"run_eval_code_obj",
	"run_mod",
};

/*
 * Returns the name's length without what compilers append: ".constprop.0", ".isra.0", ".cold", ...
 */
static size_t merge_name_len(const char *function)
{
	const char *dot = strchr(function, '.');

	return dot && dot != function ? (size_t)(dot - function) : strlen(function);
}

/* True if the first `len` characters of a function's name fit a pattern. */
static bool merge_name_is(const char *function, size_t len, const char *pattern)
{
	size_t size = strlen(pattern);

	if (pattern[size - 1] == '*')
		return len >= size - 1 && memcmp(function, pattern, size - 1) == 0;
	return len == size && memcmp(function, pattern, size) == 0;
}

bool merge_is_plumbing(const char *function)
{
	size_t len = merge_name_len(function);

	for (size_t i = 0; i < sizeof(merge_plumbing) / sizeof(merge_plumbing[0]); i++)
		if (merge_name_is(function, len, merge_plumbing[i]))
			return true;
	return false;
}
