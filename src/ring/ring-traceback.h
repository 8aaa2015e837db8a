/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-traceback.h: the stack of a death, as the dying thread's own handler walked it.
 *
 * Entry i of the section TRACES belongs to entry i of FATAL, which is complete before this is
 * begun: whatever goes wrong in here, the death itself is told. Counts grow while frames are
 * written, so that of a traceback cut short the frames before are good.
 *
 * Nothing is symbolised in the handler: a module has its build id (from memory), and who reads the
 * ring looks the names up. A text is its offset in `text`, ended by NUL; 0 is none.
 */
#ifndef RING_TRACEBACK_H
#define RING_TRACEBACK_H

#include <stdint.h>

#include "ring/ring-write.h"

#define RING_TRACE_FRAMES  256
#define RING_TRACE_MODULES 64
#define RING_TRACE_PYTHON  128
#define RING_TRACE_TEXT	   12288
#define RING_TRACE_ID	   32

/* Why the walk of the native frames ended. */
enum ring_trace_end {
	RING_TRACE_UNBEGUN,	/* there was none, or it was interrupted */
	RING_TRACE_OUTERMOST,	/* there is no caller: all of it */
	RING_TRACE_NO_INFO,	/* cut: code that nothing says how to unwind */
	RING_TRACE_NO_MEMORY,	/* cut: memory that cannot be read, or makes no sense */
	RING_TRACE_TOO_DEEP,	/* cut: RING_TRACE_FRAMES were not enough */
	RING_TRACE_NO_UNWINDER, /* libunwind was not to be had where it ran */
	RING_TRACE_ENDS
};

/* How much is known of the thread's Python frames. */
enum ring_trace_python {
	RING_TRACE_PY_NONE,    /* no interpreter, or the thread is not one of Python's */
	RING_TRACE_PY_WHOLE,
	RING_TRACE_PY_CUT,     /* memory that makes no sense, or too many frames */
	RING_TRACE_PY_UNKNOWN, /* an interpreter whose structures are not known */
	RING_TRACE_PYS
};

enum {
	RING_TRACE_F_EXACT = 1,	  /* pc is where the frame was; else it is behind a call */
	RING_TRACE_F_GUESSED = 2, /* found by frame pointers, without unwind information */
};

/* A native frame. */
struct ring_trace_frame {
	uint64_t pc;
	uint64_t sp;	 /* in this frame: the callee's CFA */
	uint32_t module; /* 1 + index into `module`; 0 none known */
	uint32_t flags;	 /* RING_TRACE_F_* */
};

/* An ELF object that a frame's pc lies in. */
struct ring_trace_module {
	uint64_t bias; /* pc - bias is an address of the ELF object */
	uint64_t start, end;
	uint32_t path;
	uint32_t build_id_len; /* 0: it has none */
	uint8_t build_id[RING_TRACE_ID];
};

/* A Python frame. */
struct ring_trace_pyframe {
	uint64_t anchor; /* address on the C stack of what entered this run of frames; 0 unknown */
	uint32_t file;
	uint32_t function; /* qualified from Python 3.11 on */
	uint32_t line;	   /* 0 unknown */
	uint32_t pad;
};

/* The whole traceback. `message` and `exception` are texts, 0 for none. */
struct ring_traceback {
	uint64_t seq;	/* 0 none, 1 being written, 2 complete */
	uint64_t begun; /* TSC */
	uint64_t done;
	uint32_t nframes; /* innermost first */
	uint32_t nmodules;
	uint32_t npy; /* innermost first */
	uint32_t text_len;
	uint32_t end;		 /* enum ring_trace_end */
	uint32_t python;	 /* enum ring_trace_python */
	uint32_t python_version; /* PY_VERSION_HEX; 0 unknown */
	uint32_t message;	 /* what libc said before it aborted */
	uint32_t exception;	 /* the C++ exception's type, mangled, that nobody caught */
	uint32_t pad;
	uint64_t eval_start; /* _PyEval_EvalFrameDefault; 0 unknown */
	uint64_t eval_end;
	uint64_t spare[6];
	struct ring_trace_frame frame[RING_TRACE_FRAMES];
	struct ring_trace_module module[RING_TRACE_MODULES];
	struct ring_trace_pyframe py[RING_TRACE_PYTHON];
	char text[RING_TRACE_TEXT];
} __attribute__((aligned(64)));

_Static_assert(__builtin_offsetof(struct ring_traceback, frame) == 128, "traceback");
_Static_assert(sizeof(struct ring_traceback) == 128 + 6144 + 4096 + 3072 + 12288, "traceback");

/* -- writing: by the one who holds the death --------------------------------------------------- */

/*
 * Begins the traceback of a claimed death: returns it emptied, or NULL if the ring has none for
 * this death.
 */
static inline struct ring_traceback *ring_traceback_begin(
	struct ring_writer *w, const struct ring_fatal *death)
{
	uint64_t i = (uint64_t)(death - w->fatal);
	struct ring_traceback *t;

	if (i >= w->ntraces)
		return NULL;
	t = w->traces + i;
	ring_store(&t->seq, 1);
	ring_fence_release();
	t->nframes = t->nmodules = t->npy = 0;
	t->end = t->python = t->python_version = t->message = t->exception = 0;
	t->eval_start = t->eval_end = 0;
	t->text[0] = 0;
	t->text_len = 1;
	t->begun = ring_writer_now(w);
	return t;
}

/* Appends a text. Returns its offset, or 0 if there is no room. */
static inline uint32_t ring_traceback_text(struct ring_traceback *t, const char *text, uint32_t len)
{
	uint32_t at = t->text_len;

	if (at >= RING_TRACE_TEXT || len >= RING_TRACE_TEXT - at)
		return 0;
	for (uint32_t i = 0; i < len; i++)
		t->text[at + i] = text[i];
	t->text[at + len] = 0;
	t->text_len = at + len + 1;
	return at;
}

/* Marks the traceback as complete, now. */
static inline void ring_traceback_publish(struct ring_writer *w, struct ring_traceback *t)
{
	t->done = ring_writer_now(w);
	ring_publish_word(&t->seq, 2);
}

/* -- reading ----------------------------------------------------------------------------------- */

struct ring_view;

/*
 * Copies the traceback of death i. Returns 1 if it is complete, 0 if there is none (nothing is
 * copied), 2 if its writing was interrupted, -1 if it is not at hand. Counts, indexes, enums and
 * texts in ret are within bounds, whatever the bytes said: ret->text + offset is a string, "" for
 * none. The bytes of texts are a stranger's.
 */
int ring_view_traceback(const struct ring_view *view, uint64_t i, struct ring_traceback *ret);

/*
 * Return the word for a number ("outermost", ...; "whole", ...), a literal; NULL for a number that
 * is unknown here.
 */
const char *ring_trace_end_name(unsigned end);
const char *ring_trace_python_name(unsigned python);

#endif
