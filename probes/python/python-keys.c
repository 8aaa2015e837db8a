/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-keys.c: waits for other ranks of which only Python tells, as they are waits for a key
 * (key-wait.h). Only what the main thread waits for keeps a program from going on: others save
 * what was, and watch.
 */
#include <string.h>

#include "probes/key-wait.h"
#include "probes/python/python-parts.h"
#include "probes/seccomp.h"
#include "probes/sys.h"
#include "ring/calls.h"

/* What key_wait() is told it is, and the call that it is recorded as. */
static const struct {
	const char *what;
	enum ring_call call;
} keys_calls[] = {
	{"key", RING_CALL_jax_get},
	{"barrier", RING_CALL_jax_barrier},
	{"barrier of some", RING_CALL_jax_barrier_of_some},
};

/* The wait of the main thread, which alone touches it; `me` is NULL where there is none. */
static struct key_wait keys_wait;

static int keys_may_wait(void)
{
	return !seal_is_set() && sys_getpid() == sys_gettid();
}

/* 0: no such call. */
static uint32_t keys_call(const char *what)
{
	for (size_t i = 0; what && i < sizeof(keys_calls) / sizeof(*keys_calls); i++)
		if (!strcmp(what, keys_calls[i].what))
			return keys_calls[i].call;
	return 0;
}

static PyObject *keys_begin(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	uint32_t call = keys_call(python_arg_text(&a, 0, "what"));
	const char *key = python_arg_text(&a, 1, "key");

	(void)self;
	if (!call || !key)
		a.bad = 1;
	if (!a.bad && keys_may_wait()) {
		keys_wait.me = key_wait_enter();
		if (keys_wait.me)
			key_wait_begin(&keys_wait, call, RING_NO_GROUP,
				key_wait_text(keys_wait.me->ring, key, strlen(key)));
	}
	python_args_done(&a);
	return python_none();
}

static PyObject *keys_end(PyObject *self, PyObject *places, PyObject *keywords)
{
	struct python_args a = {.places = places, .keywords = keywords};
	long long failed = python_arg_count(&a, 0, "failed");

	(void)self;
	if (!a.bad && keys_may_wait() && keys_wait.me) {
		key_wait_end(&keys_wait, failed ? RING_F_FAILED : 0);
		keys_wait.me = NULL;
	}
	python_args_done(&a);
	return python_none();
}

const struct python_method python_keys[] = {
	{"key_wait", keys_begin, PYTHON_METHOD, NULL},
	{"key_wait_over", keys_end, PYTHON_METHOD, NULL},
	{NULL, NULL, 0, NULL},
};
