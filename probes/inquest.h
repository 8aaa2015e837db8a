/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inquest.h: marks. A program says where it is; without the probe every call is a no-op.
 *
 *	inquest_span_begin(INQUEST_COMPILE, "inductor codegen", "graph 0/0");
 *	...
 *	inquest_span_end(INQUEST_COMPILE, "inductor codegen");
 *	inquest_shard("train", batch, rows, rows * columns);
 *	inquest_step(step);
 *
 * Nothing is linked: each wrapper looks its function up once, by dlsym(RTLD_DEFAULT), and calls it
 * if the probe is loaded (weak symbols would bind to NULL for ever in non-PIE programs). Strings
 * are copied; they may be temporary. Any thread may call; a span may end on another thread than it
 * began on. Not for signal handlers. With glibc older than 2.34 link with -ldl.
 */
#ifndef INQUEST_H
#define INQUEST_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The subject of a span. A compile span's detail is the identity of the graph, where known; ranks
 * whose details or graphs differ are compared.
 */
enum inquest_span {
	INQUEST_COMPILE = 1,
	INQUEST_INPUT = 2,	/* waiting for the next batch */
	INQUEST_CHECKPOINT = 3, /* saving or loading state */
	INQUEST_USER = 4,
};

/* The probe's side. Do not call these: they exist only where the probe is loaded. */
typedef void inquest_span_begin_fn(int kind, const char *name, const char *detail);
typedef void inquest_span_end_fn(int kind, const char *name);
typedef void inquest_shard_fn(const char *loader, uint64_t index, uint64_t rows, uint64_t elements);
typedef void inquest_shard_shape_fn(
	const char *loader, uint64_t index, unsigned ndim, const uint64_t *dims);
typedef void inquest_step_fn(uint64_t n);
typedef void inquest_note_fn(const char *text);

/* Internal: finds `name` once; `slot` holds the function, or itself where there is none. */
static inline void *inquest_resolve(void **slot, const char *name)
{
	void *fn = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (!fn) {
		fn = dlsym(RTLD_DEFAULT, name);
		if (!fn)
			fn = (void *)slot;
		__atomic_store_n(slot, fn, __ATOMIC_RELEASE);
	}
	return fn == (void *)slot ? (void *)0 : fn;
}

#define INQUEST_CALL(name, ...)                                                                    \
	do {                                                                                       \
		static void *inquest_slot_;                                                        \
		void *inquest_fn_ = inquest_resolve(&inquest_slot_, "inquest_probe_" #name);       \
		if (inquest_fn_)                                                                   \
			((inquest_##name##_fn *)inquest_fn_)(__VA_ARGS__);                         \
	} while (0)

/* A phase begins on this rank. `name` is the phase, `detail` more about it, or NULL. */
static inline void inquest_span_begin(enum inquest_span kind, const char *name, const char *detail)
{
	INQUEST_CALL(span_begin, (int)kind, name, detail);
}

/* The newest open span with this kind and name ends, whichever thread began it. */
static inline void inquest_span_end(enum inquest_span kind, const char *name)
{
	INQUEST_CALL(span_end, (int)kind, name);
}

/* This rank got batch `index` (from 0) of `loader`: its rows and elements. 0: an empty shard. */
static inline void inquest_shard(
	const char *loader, uint64_t index, uint64_t rows, uint64_t elements)
{
	INQUEST_CALL(shard, loader, index, rows, elements);
}

/* The shape of batch `index`: batch, sequence length, padding, ... as far as is known. */
static inline void inquest_shard_shape(
	const char *loader, uint64_t index, unsigned ndim, const uint64_t *dims)
{
	INQUEST_CALL(shard_shape, loader, index, ndim, dims);
}

/* Step `n` of training is complete on this rank (the first is 1). */
static inline void inquest_step(uint64_t n)
{
	INQUEST_CALL(step, n);
}

/*
 * A line for the record. A note that begins with "exception: " says that this rank is dying of an
 * uncaught exception: the rest is its type and text.
 */
static inline void inquest_note(const char *text)
{
	INQUEST_CALL(note, text);
}

#ifdef __cplusplus
}
#endif

#endif
