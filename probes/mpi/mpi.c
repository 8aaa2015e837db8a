/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrappers that mpi.def yields, and how a call's arguments are read. The rule of hook.h is in
 * mpi_enter(): find the real function; where nothing can be recorded only call it; else the body of
 * its line records and calls it.
 *
 * Fortran's functions have one name in the language and four in libraries (mpi_send_, mpi_send__,
 * mpi_send, MPI_SEND), which are one function; so ours is one, too. We have no mpi_send: others may
 * have a function of that name, which is another. Open MPI's module mpi_f08 calls neither these nor
 * C, but functions of its own.
 */
#include "probes/mpi/mpi.h"

#include <errno.h>
#include <string.h>

#include "probes/hook.h"
#include "probes/mpi/mpi-abi.h"
#include "probes/presence.h"

/* A wrapper: its line, and the names of what it stands for, newest habit first. */
struct mpi_door {
	const struct mpi_shape *shape;
	const char *names; /* one behind the other, "" behind the last */
	const void *ours;
	enum mpi_tongue tongue;
	unsigned ierror;
};

typedef int (*mpi_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
	uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* --- Arguments ------------------------------------------------------------------------------- */

static const void *address(uint64_t word)
{
	return (const void *)(uintptr_t)word;
}

int mpi_told(const struct mpi_call *c, unsigned at, int i)
{
	const int32_t *told = address(c->words[at]);

	return told ? told[i] : 0;
}

int mpi_int(const struct mpi_call *c, unsigned at)
{
	return c->tongue == MPI_IN_FORTRAN ? mpi_told(c, at, 0) : (int32_t)c->words[at];
}

int64_t mpi_count(const struct mpi_call *c, unsigned at)
{
	return c->shape->wide ? (int64_t)c->words[at] : mpi_int(c, at);
}

int64_t mpi_count_told(const struct mpi_call *c, unsigned at, uint32_t i)
{
	const int64_t *told = address(c->words[at]);

	if (!c->shape->wide)
		return mpi_told(c, at, (int)i);
	return told ? told[i] : 0;
}

static int is_pointer(const struct mpi_library *library, enum mpi_kind kind)
{
	return kind == MPI_KIND_FILE || (library && library->open);
}

uint64_t mpi_handle(const struct mpi_call *c, unsigned at, enum mpi_kind kind)
{
	if (c->tongue == MPI_IN_FORTRAN)
		return mpi_from_fortran(kind, mpi_told(c, at, 0));
	return is_pointer(mpi_library(), kind) ? c->words[at] : (uint32_t)c->words[at];
}

uint64_t mpi_handle_at(const struct mpi_call *c, unsigned at, int i, enum mpi_kind kind)
{
	const struct mpi_library *library = mpi_library();
	const uint64_t *handles = address(c->words[at]);

	if (!handles || !library)
		return 0;
	if (c->tongue == MPI_IN_FORTRAN)
		return mpi_from_fortran(kind, mpi_told(c, at, i));
	return is_pointer(library, kind) ? handles[i] : (uint32_t)mpi_told(c, at, i);
}

/* --- The call -------------------------------------------------------------------------------- */

int mpi_real(const struct mpi_call *c)
{
	const uint64_t *w = c->words;
	int result = ((mpi_function)c->real)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8],
		w[9], w[10], w[11], w[12], w[13]);

	return c->tongue == MPI_IN_FORTRAN ? mpi_told(c, c->ierror, 0) : result;
}

static const void *find(void **slot, const struct mpi_door *door, const void *caller)
{
	void *real = hook_known(slot);

	for (const char *name = door->names; hook_unlikely(!real) && *name;
		name += strlen(name) + 1)
		real = hook_find(name, door->ours, hook_mpi);
	for (const char *name = door->names; hook_unlikely(!real) && *name;
		name += strlen(name) + 1)
		real = hook_find_for(caller, name, door->ours);
	if (hook_likely(real))
		__atomic_store_n(slot, real, __ATOMIC_RELAXED);
	else
		probe_lose(PROBE_LOST_UNRESOLVED);
	return real;
}

static int missing(const struct mpi_call *c)
{
	if (c->tongue == MPI_IN_FORTRAN && c->words[c->ierror])
		*(int32_t *)(uintptr_t)c->words[c->ierror] = MPI_ABI_MISSING;
	return MPI_ABI_MISSING;
}

/*
 * Begins a recorded call, in whose frame the mark will lie. Returns NULL if it is only passed
 * through.
 */
static struct probe_thread *stand_in(
	enum mpi_tongue tongue, volatile uint64_t *mark, const void *frame)
{
	struct probe_thread *me = mpi_library() ? probe_enter() : NULL;

	if (hook_unlikely(!me) && mpi_was_left(tongue, (const void *)mark, frame)) {
		mpi_close_left();
		me = probe_enter();
	}
	if (me)
		mpi_stand(me, tongue, mark);
	return me;
}

static int mpi_enter(const struct mpi_door *door, void **slot, const uint64_t *words,
	const void *caller)
{
	struct mpi_call c = {
		.shape = door->shape,
		.words = words,
		.real = find(slot, door, caller),
		.tongue = door->tongue,
		.ierror = door->ierror,
	};
	volatile uint64_t mark;
	int result;

	if (hook_unlikely(!c.real))
		return missing(&c);
	c.me = stand_in(door->tongue, &mark, __builtin_frame_address(0));
	if (!c.me)
		return mpi_real(&c);
	result = door->shape->body(&c);
	c.me->standing.mark = NULL;
	probe_leave(c.me);
	return result;
}

/* Does MPI_Init. Only after it is known which MPI this is, unless the library is there already. */
static int mpi_begin(const struct mpi_door *door, void **slot, const uint64_t *words,
	const void *caller)
{
	struct mpi_call c = {
		.words = words,
		.real = find(slot, door, caller),
		.tongue = door->tongue,
		.ierror = door->ierror,
	};
	struct mpi_birth b;
	int result, saved = errno;

	if (hook_unlikely(!c.real))
		return missing(&c);
	if (!mpi_library_find())
		return mpi_real(&c);
	presence_mend("MPI_");
	mpi_birth_begin(&b, door->shape->call);
	errno = saved;
	result = mpi_real(&c);
	saved = errno;
	mpi_birth_end(&b, result);
	errno = saved;
	return result;
}

/* --- Wrappers -------------------------------------------------------------------------------- */

/* Parameters of n words, and those words. */
#define MPI_P0	 void
#define MPI_P1	 uint64_t a
#define MPI_P2	 MPI_P1, uint64_t b
#define MPI_P3	 MPI_P2, uint64_t c
#define MPI_P4	 MPI_P3, uint64_t d
#define MPI_P5	 MPI_P4, uint64_t e
#define MPI_P6	 MPI_P5, uint64_t f
#define MPI_P7	 MPI_P6, uint64_t g
#define MPI_P8	 MPI_P7, uint64_t h
#define MPI_P9	 MPI_P8, uint64_t i
#define MPI_P10	 MPI_P9, uint64_t j
#define MPI_P11	 MPI_P10, uint64_t k
#define MPI_P12	 MPI_P11, uint64_t l
#define MPI_P13	 MPI_P12, uint64_t m
#define MPI_A0	 0
#define MPI_A1	 a
#define MPI_A2	 MPI_A1, b
#define MPI_A3	 MPI_A2, c
#define MPI_A4	 MPI_A3, d
#define MPI_A5	 MPI_A4, e
#define MPI_A6	 MPI_A5, f
#define MPI_A7	 MPI_A6, g
#define MPI_A8	 MPI_A7, h
#define MPI_A9	 MPI_A8, i
#define MPI_A10	 MPI_A9, j
#define MPI_A11	 MPI_A10, k
#define MPI_A12	 MPI_A11, l
#define MPI_A13	 MPI_A12, m

/* One more: ierror. */
#define MPI_I0	1
#define MPI_I1	2
#define MPI_I2	3
#define MPI_I3	4
#define MPI_I4	5
#define MPI_I5	6
#define MPI_I6	7
#define MPI_I7	8
#define MPI_I8	9
#define MPI_I9	10
#define MPI_I10 11
#define MPI_I11 12
#define MPI_I12 13

#define MPI_PARAMS_(n) MPI_P##n
#define MPI_PARAMS(n)  MPI_PARAMS_(n)
/* clang-format off */
#define MPI_WORDS_(n) ((const uint64_t[MPI_WORDS]){MPI_A##n})
/* clang-format on */
#define MPI_WORDS_OF(n) MPI_WORDS_(n)
#define MPI_CALLER	__builtin_return_address(0) /* of the wrapper */

#define MPI_IN_C_AS(enter, n, fn, shape_)                                                          \
	HOOK_EXPORT int fn(MPI_PARAMS(n));                                                         \
	HOOK_EXPORT int fn(MPI_PARAMS(n))                                                          \
	{                                                                                          \
		const struct mpi_door door = {                                              \
			&(shape_), #fn "\0", (const void *)fn, MPI_IN_C, 0};                       \
		static void *slot;                                                                 \
                                                                                                   \
		return enter(&door, &slot, MPI_WORDS_OF(n), MPI_CALLER);                           \
	}

#define MPI_ALIAS(fn, other, symbol, n)                                                           \
	HOOK_EXPORT void other(MPI_PARAMS(n)) __asm__(symbol) __attribute__((alias(#fn)));

/* `n` arguments, ierror, and what may stand behind it: nf in all. */
#define MPI_IN_FORTRAN_AS(enter, n, nf, name, NAME, shape_)                                        \
	HOOK_EXPORT void mpi_##name##_(MPI_PARAMS(nf));                                            \
	HOOK_EXPORT void mpi_##name##_(MPI_PARAMS(nf))                                             \
	{                                                                                          \
		const struct mpi_door door = {&(shape_),                                    \
			"mpi_" #name "_\0mpi_" #name "__\0mpi_" #name "\0MPI_" #NAME "\0",         \
			(const void *)mpi_##name##_, MPI_IN_FORTRAN, n};                           \
		static void *slot;                                                                 \
                                                                                                   \
		enter(&door, &slot, MPI_WORDS_OF(nf), MPI_CALLER);                                 \
	}                                                                                          \
	MPI_ALIAS(mpi_##name##_, mpi_##name##_2, "mpi_" #name "__", nf)                            \
	MPI_ALIAS(mpi_##name##_, mpi_##name##_3, "MPI_" #NAME, nf)                                 \
	HOOK_EXPORT void mpi_##name##_f08_(MPI_PARAMS(nf));                                        \
	HOOK_EXPORT void mpi_##name##_f08_(MPI_PARAMS(nf))                                         \
	{                                                                                          \
		const struct mpi_door door = {&(shape_), "mpi_" #name "_f08_\0",            \
			(const void *)mpi_##name##_f08_, MPI_IN_FORTRAN, n};                       \
		static void *slot;                                                                 \
                                                                                                   \
		enter(&door, &slot, MPI_WORDS_OF(nf), MPI_CALLER);                                 \
	}

#define MPI_SHAPE(Name, of, ...)                                                                   \
	static const struct mpi_shape shape_##Name = {.call = RING_CALL_MPI_##of, __VA_ARGS__};

#define MPI_CALL(n, Name, name, NAME, params, ...)                                                 \
	MPI_SHAPE(Name, Name, __VA_ARGS__)                                                         \
	MPI_IN_C_AS(mpi_enter, n, MPI_##Name, shape_##Name)                                        \
	MPI_IN_FORTRAN_AS(mpi_enter, n, MPI_I##n, name, NAME, shape_##Name)

#define MPI_SPELL(n, nf, Name, name, NAME, params, ...)                                            \
	MPI_SHAPE(Name, Name, __VA_ARGS__)                                                         \
	MPI_IN_C_AS(mpi_enter, n, MPI_##Name, shape_##Name)                                        \
	MPI_IN_FORTRAN_AS(mpi_enter, n, nf, name, NAME, shape_##Name)

#define MPI_SIZED(n, Name, name, NAME, params, ...)                                                \
	MPI_CALL(n, Name, name, NAME, params, __VA_ARGS__)                                         \
	MPI_SHAPE(Name##_c, Name, .wide = 1, __VA_ARGS__)                                          \
	MPI_IN_C_AS(mpi_enter, n, MPI_##Name##_c, shape_##Name##_c)

#define MPI_BEGIN(n, nf, Name, name, NAME, params)                                                 \
	MPI_SHAPE(Name, Name, .body = NULL)                                                        \
	MPI_IN_C_AS(mpi_begin, n, MPI_##Name, shape_##Name)                                        \
	MPI_IN_FORTRAN_AS(mpi_begin, nf, MPI_I##nf, name, NAME, shape_##Name)

#include "probes/mpi/mpi.def"
