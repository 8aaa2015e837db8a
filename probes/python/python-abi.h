/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-abi.h: what we use of CPython, in our own words.
 *
 * We are built without Python and must serve every CPython from 3.8 on, so nothing here depends on
 * the layout of an object: objects are opaque, reference counts are changed by functions, and the
 * one struct that Python reads (a method's description) has been the same since Python 1. All
 * functions are part of the stable ABI, or have been exported unchanged since 3.8.
 *
 * They are looked up by name in the process (the program itself or its libpython), all of them or
 * none: python_abi_find() says which. Functions of PYTHON_MAYBE may be NULL.
 */
#ifndef PROBES_PYTHON_ABI_H
#define PROBES_PYTHON_ABI_H

#include <stddef.h>

typedef struct python_object PyObject; /* CPython's own names, in CPython's own spelling */
typedef struct python_interpreter PyInterpreterState;
typedef struct python_thread PyThreadState;
typedef ptrdiff_t Py_ssize_t;
typedef int python_audit_fn(const char *event, PyObject *args, void *context);
typedef PyObject *python_method_fn(PyObject *self, PyObject *args, PyObject *keywords);

struct python_method {
	const char *name;
	python_method_fn *call;
	int flags;
	const char *doc;
};

#define PYTHON_METHOD     3   /* METH_VARARGS | METH_KEYWORDS */
#define PYTHON_FILE_INPUT 257 /* Py_file_input */
#define PYTHON_EQUAL      2   /* Py_EQ */

#define PYTHON_FUNCTIONS(X)                                                                        \
	X(int, Py_IsInitialized, (void))                                                           \
	X(void, Py_IncRef, (PyObject *))                                                           \
	X(void, Py_DecRef, (PyObject *))                                                           \
	X(PyObject *, Py_BuildValue, (const char *, ...))                                          \
	X(PyObject *, Py_CompileString, (const char *, const char *, int))                         \
	X(PyObject *, PyEval_EvalCode, (PyObject *, PyObject *, PyObject *))                       \
	X(PyObject *, PyEval_GetBuiltins, (void))                                                  \
	X(PyInterpreterState *, PyInterpreterState_Main, (void))                                   \
	X(PyThreadState *, PyThreadState_Get, (void))                                              \
	X(PyObject *, PyImport_AddModule, (const char *))                                          \
	X(PyObject *, PyImport_GetModuleDict, (void))                                              \
	X(PyObject *, PySys_GetObject, (const char *))                                             \
	X(int, PyList_Insert, (PyObject *, Py_ssize_t, PyObject *))                                \
	X(PyObject *, PyCFunction_NewEx, (const struct python_method *, PyObject *, PyObject *))   \
	X(PyObject *, PyObject_Call, (PyObject *, PyObject *, PyObject *))                         \
	X(PyObject *, PyInstanceMethod_New, (PyObject *))                                          \
	X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                          \
	X(int, PyObject_SetAttrString, (PyObject *, const char *, PyObject *))                     \
	X(PyObject *, PyObject_Str, (PyObject *))                                                  \
	X(PyObject *, PyObject_Type, (PyObject *))                                                 \
	X(int, PyObject_IsTrue, (PyObject *))                                                      \
	X(int, PyObject_RichCompareBool, (PyObject *, PyObject *, int))                            \
	X(int, PyObject_IsInstance, (PyObject *, PyObject *))                                      \
	X(PyObject *, PyTuple_GetItem, (PyObject *, Py_ssize_t))                                   \
	X(Py_ssize_t, PyTuple_Size, (PyObject *))                                                  \
	X(PyObject *, PyDict_New, (void))                                                          \
	X(PyObject *, PyDict_GetItem, (PyObject *, PyObject *))                                    \
	X(PyObject *, PyDict_GetItemString, (PyObject *, const char *))                            \
	X(int, PyDict_Next, (PyObject *, Py_ssize_t *, PyObject **, PyObject **))                  \
	X(int, PyDict_SetItem, (PyObject *, PyObject *, PyObject *))                               \
	X(int, PyDict_SetItemString, (PyObject *, const char *, PyObject *))                       \
	X(Py_ssize_t, PySequence_Size, (PyObject *))                                               \
	X(PyObject *, PySequence_Concat, (PyObject *, PyObject *))                                 \
	X(PyObject *, PySequence_GetItem, (PyObject *, Py_ssize_t))                                \
	X(PyObject *, PyUnicode_FromString, (const char *))                                        \
	X(PyObject *, PyUnicode_Substring, (PyObject *, Py_ssize_t, Py_ssize_t))                   \
	X(const char *, PyUnicode_AsUTF8AndSize, (PyObject *, Py_ssize_t *))                       \
	X(PyObject *, PyUnicode_AsEncodedString, (PyObject *, const char *, const char *))         \
	X(char *, PyBytes_AsString, (PyObject *))                                                  \
	X(PyObject *, PyNumber_Index, (PyObject *))                                                \
	X(PyObject *, PyLong_FromLongLong, (long long))                                            \
	X(long long, PyLong_AsLongLong, (PyObject *))                                              \
	X(void, PyErr_Clear, (void))                                                               \
	X(PyObject *, PyErr_Occurred, (void))                                                      \
	X(int, PyErr_ExceptionMatches, (PyObject *))                                               \
	X(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                              \
	X(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *))                               \
	X(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **))                 \
	X(int, PyException_SetTraceback, (PyObject *, PyObject *))

/* The second is 3.8's name of the first; the third came with 3.9, the tracing pair with 3.11. */
#define PYTHON_MAYBE(X)                                                                            \
	X(PyInterpreterState *, PyInterpreterState_Get, (void))                                    \
	X(PyInterpreterState *, _PyInterpreterState_Get, (void))                                   \
	X(PyObject *, PyFrame_GetCode, (PyObject *))                                               \
	X(void, PyThreadState_EnterTracing, (PyThreadState *))                                     \
	X(void, PyThreadState_LeaveTracing, (PyThreadState *))

#define PYTHON_POINTER(result, name, params) result(*name) params;

struct python_abi {
	PYTHON_FUNCTIONS(PYTHON_POINTER)
	PYTHON_MAYBE(PYTHON_POINTER)
	PyObject *none;               /* None */
	PyObject *type;               /* the class of classes */
	PyObject **Exception;         /* where the class is, once there is an interpreter */
	PyObject **KeyboardInterrupt; /* the same */
	PyObject **SystemExit;        /* the same */
};

/* Filled in by python_abi_find(); valid only if that found everything. */
extern struct python_abi py;

/*
 * Looks everything up, once. NULL if all is there, else the name of the first that is not. Restores
 * errno.
 */
const char *python_abi_find(void);

/* True if the calling thread runs the main interpreter. It must hold the interpreter's lock. */
int python_is_main_interpreter(void);

#endif
