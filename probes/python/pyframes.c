/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk goes _PyRuntime -> interpreters -> the state of this thread -> its frames -> their code.
 * All of it is looked at as bytes of a process that may have written all over itself: lists are
 * bounded, frames that make no sense end the walk, and the frames before them stand.
 *
 * Where the fields lie is decided when armed (cpython/layout.h). Names are copied as they are. The
 * same few names appear again and again, so each text is put once for its address.
 */
#include "probes/python/pyframes.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "cpython/layout.h"
#include "cpython/lines.h"
#include "probes/dl.h"

#define PYFRAMES_INTERPRETERS 64
#define PYFRAMES_THREADS      4096
#define PYFRAMES_STEPS	      512  /* frames and shims of the thread */
/* characters; of a longer name the end is kept, which has the file */
#define PYFRAMES_NAME	      200
#define PYFRAMES_LINES	      8192 /* bytes of a line table; code further on gets no lines */
#define PYFRAMES_NAMES	      64   /* addresses of texts that are remembered */

/* Writers: pyframes_arm() and what it calls, when an interpreter has begun. */
static struct {
	uint64_t runtime;	     /* 0: no interpreter */
	int known;		     /* `layout` is that of this interpreter */
	uint64_t eval_start, eval_end;
	struct python_layout layout;
} pyframes;

/* One walk. */
struct pyframes_walk {
	struct self_memory *memory;
	struct ring_traceback *into;
	const struct python_offsets *at;
	uint32_t first;	 /* the first frame of the present run */
	uint64_t cframe; /* that of the present run; 3.11 only */
	struct {
		uint64_t at;
		uint32_t text;
	} names[PYFRAMES_NAMES];
	uint8_t lines[PYFRAMES_LINES];
};

/* --- Arming ----------------------------------------------------------------------------------- */

/*
 * Returns the version as PY_VERSION_HEX, of which the low half may be 0: by Py_Version, else by a
 * text such as "3.11.7 (main, ..."; 0 not known.
 */
static uint32_t pyframes_version(void)
{
	const unsigned long *number = dl_sym(RTLD_DEFAULT, "Py_Version");
	const char *(*say)(void);
	const char *s;
	uint32_t minor = 0;

	if (number)
		return (uint32_t)*number;
	*(void **)&say = dl_sym(RTLD_DEFAULT, "Py_GetVersion");
	s = say ? say() : "";
	if (s[0] != '3' || s[1] != '.')
		return 0;
	for (s += 2; *s >= '0' && *s <= '9' && minor < 100; s++)
		minor = minor * 10 + (uint32_t)(*s - '0');
	return 3u << 24 | minor << 16;
}

/*
 * Finds the layout for a version; from 3.13 on the interpreter says it itself. Returns 1 if it is
 * known.
 */
static int pyframes_layout(uint32_t version)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)pyframes.runtime;
	const struct python_layout *row = python_layout_row(version);

	pyframes.layout.version = version;
	if (row) {
		pyframes.layout = *row;
		pyframes.layout.version = version;
		return 1;
	}
	return python_layout_words(version) && !memcmp(words, PYTHON_COOKIE, sizeof(*words)) &&
	       !words[PYTHON_WORD_FREE_THREADED] &&
	       python_layout_of_words(words, PYTHON_WORDS, &pyframes.layout);
}

/* Finds the function that evaluates frames, by which they are told apart up to 3.10. */
static void pyframes_eval(void)
{
	void *eval = dl_sym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
	int (*find)(const void *, Dl_info *, void **, int);
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	*(void **)&find = dl_sym(RTLD_DEFAULT, "dladdr1");
	if (!eval || !find || !find(eval, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return;
	pyframes.eval_start = (uint64_t)(uintptr_t)eval;
	pyframes.eval_end = pyframes.eval_start + symbol->st_size;
}

void pyframes_arm(void)
{
	uint32_t version;

	pyframes.runtime = (uint64_t)(uintptr_t)dl_sym(RTLD_DEFAULT, "_PyRuntime");
	if (!pyframes.runtime)
		return;
	version = pyframes_version();
	pyframes.known = pyframes_layout(version);
	pyframes_eval();
}

/* --- Words and texts -------------------------------------------------------------------------- */

/* Returns a word of an object; 0 if it cannot be read, as if nothing were there. */
static uint64_t pyframes_u64(struct pyframes_walk *w, uint64_t at)
{
	uint64_t word;

	return self_read(w->memory, at, &word, sizeof(word)) ? 0 : word;
}

static uint32_t pyframes_put_utf8(char *to, uint32_t c)
{
	uint32_t n = 0;

	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		to[n++] = (char)c;
		return n;
	}
	if (c < 0x800) {
		to[n++] = (char)(0xc0 | c >> 6);
	} else {
		if (c >= 0x10000)
			to[n++] = (char)(0xf0 | c >> 18);
		to[n++] = (char)(c < 0x10000 ? 0xe0 | c >> 12 : 0x80 | (c >> 12 & 0x3f));
		to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	to[n++] = (char)(0x80 | (c & 0x3f));
	return n;
}

/* Returns where the characters of a str lie; 0 if its state makes no sense. */
static uint64_t pyframes_characters(struct pyframes_walk *w, uint64_t at, uint32_t state)
{
	uint32_t compact = pyframes.layout.str_compact;
	unsigned kind = STR_KIND(state);

	if ((kind != 1 && kind != 2 && kind != 4) || (STR_ASCII(state) && kind != 1))
		return 0;
	if (!STR_COMPACT(state))
		return pyframes_u64(w, at + compact);
	return at + (STR_ASCII(state) ? w->at->str_ascii : compact);
}

/*
 * Puts a str into the traceback's texts. Returns its place; 0 if it is no str, or there is no room.
 */
static uint32_t pyframes_str(struct pyframes_walk *w, uint64_t at)
{
	uint64_t length = pyframes_u64(w, at + w->at->str_length), from;
	uint8_t bytes[PYFRAMES_NAME * 4];
	char text[PYFRAMES_NAME * 4];
	uint32_t state, n = 0;
	unsigned kind;

	if (!at || length > INT64_MAX / 4 ||
		self_read(w->memory, at + w->at->str_state, &state, sizeof(state)))
		return 0;
	kind = STR_KIND(state);
	from = pyframes_characters(w, at, state);
	if (!from)
		return 0;
	if (length > PYFRAMES_NAME) {
		from += (length - PYFRAMES_NAME) * kind;
		length = PYFRAMES_NAME;
	}
	if (self_read(w->memory, from, bytes, length * kind))
		return 0;
	for (uint64_t i = 0; i < length; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * kind, kind);
		n += pyframes_put_utf8(text + n, c);
	}
	return ring_traceback_text(w->into, text, n);
}

/* Does the same, once for each address. */
static uint32_t pyframes_text(struct pyframes_walk *w, uint64_t at)
{
	uint32_t slot = (uint32_t)(at * 0x9e3779b97f4a7c15ull >> 58) % PYFRAMES_NAMES;

	if (w->names[slot].at == at && w->names[slot].text)
		return w->names[slot].text;
	w->names[slot].at = at;
	w->names[slot].text = pyframes_str(w, at);
	return w->names[slot].text;
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* A frame as it lies there. */
struct pyframes_raw {
	uint64_t back, code, at;
	uint8_t entry; /* is_entry or owner */
};

static int pyframes_raw(struct pyframes_walk *w, uint64_t frame, struct pyframes_raw *ret)
{
	int32_t lasti;

	ret->entry = 0;
	if (self_read(w->memory, frame + w->at->frame_back, &ret->back, sizeof(ret->back)) ||
		self_read(w->memory, frame + w->at->frame_code, &ret->code, sizeof(ret->code)))
		return -1;
	if (pyframes.layout.runs != PYTHON_RUNS_OF_ONE)
		return self_read(w->memory, frame + w->at->frame_entry, &ret->entry, 1) ||
		       self_read(w->memory, frame + w->at->frame_at, &ret->at, sizeof(ret->at));
	if (self_read(w->memory, frame + w->at->frame_at, &lasti, sizeof(lasti)))
		return -1;
	ret->at = (uint64_t)(int64_t)lasti;
	return 0;
}

static uint32_t pyframes_line(
	struct pyframes_walk *w, const struct pyframes_raw *raw, uint64_t code, uint32_t first)
{
	uint64_t table = pyframes_u64(w, code + w->at->code_lines);
	uint64_t size = table ? pyframes_u64(w, table + w->at->bytes_size) : 0;
	int64_t at = (int64_t)raw->at;

	if (pyframes.layout.runs != PYTHON_RUNS_OF_ONE)
		at = (int64_t)(raw->at - (code + w->at->code_start)) >> 1;
	if (size > PYFRAMES_LINES)
		size = PYFRAMES_LINES;
	if (!table || self_read(w->memory, table + w->at->bytes_data, w->lines, size))
		return 0;
	return python_line(pyframes.layout.lines, w->lines, size, first, at);
}

/*
 * Puts the frame of a function into the traceback. Returns 0, or -1 if it makes no sense. Between a
 * class and its __init__ the interpreter has code of its own, in no file: that is nobody's frame,
 * and left out.
 */
static int pyframes_function(struct pyframes_walk *w, const struct pyframes_raw *raw)
{
	struct ring_trace_pyframe *f = w->into->py + w->into->npy;
	uint64_t code = raw->code & ~(uint64_t)PYTHON_POINTER_TAG;
	uint32_t file, function, first;
	uint64_t path;

	if (!code || self_read(w->memory, code + w->at->code_line, &first, sizeof(first)))
		return -1;
	path = pyframes_u64(w, code + w->at->code_file);
	if (!path && pyframes.layout.runs == PYTHON_RUNS_SHIMS)
		return 0;
	file = pyframes_text(w, path);
	function = pyframes_text(w, pyframes_u64(w, code + w->at->code_name));
	if (!file || !function)
		return -1;
	if (!w->into->text[file] || (!strcmp(w->into->text + file, "__init__") &&
					    !strcmp(w->into->text + function, "__init__")))
		return 0;
	*f = (struct ring_trace_pyframe){
		.file = file,
		.function = function,
		.line = pyframes_line(w, raw, code, first),
	};
	__atomic_store_n(&w->into->npy, w->into->npy + 1, __ATOMIC_RELEASE);
	return 0;
}

/* Ends a run: its outermost frame learns what entered it. */
static void pyframes_run_end(struct pyframes_walk *w, uint64_t anchor)
{
	if (w->into->npy > w->first)
		w->into->py[w->into->npy - 1].anchor = anchor;
	w->first = w->into->npy;
}

/* Takes one frame. Returns 0, or -1 if it makes no sense. */
static int pyframes_take(struct pyframes_walk *w, uint64_t frame, struct pyframes_raw *raw)
{
	if (pyframes_raw(w, frame, raw))
		return -1;
	if (pyframes.layout.runs == PYTHON_RUNS_SHIMS) {
		if (raw->entry >= PYTHON_OWNERS)
			return -1;
		if (raw->entry >= PYTHON_SHIM) {
			pyframes_run_end(w, frame);
			return 0;
		}
	}
	if (pyframes_function(w, raw))
		return -1;
	if (pyframes.layout.runs == PYTHON_RUNS_CFRAMES && raw->entry) {
		pyframes_run_end(w, w->cframe);
		w->cframe = pyframes_u64(w, w->cframe + w->at->cframe_previous);
	}
	return 0;
}

static enum ring_trace_python pyframes_frames(struct pyframes_walk *w, uint64_t state)
{
	uint64_t frame = pyframes_u64(w, state + w->at->thread_frame);
	int steps = 0;

	if (pyframes.layout.cframes && frame) {
		w->cframe = frame;
		frame = pyframes_u64(w, frame + w->at->cframe_frame);
	}
	for (; frame && steps < PYFRAMES_STEPS && w->into->npy < RING_TRACE_PYTHON; steps++) {
		struct pyframes_raw raw;

		if (pyframes_take(w, frame, &raw))
			break;
		frame = raw.back;
	}
	if (frame)
		return RING_TRACE_PY_CUT;
	return steps ? RING_TRACE_PY_WHOLE : RING_TRACE_PY_NONE;
}

/* --- The thread ------------------------------------------------------------------------------- */

static int pyframes_is_thread(struct pyframes_walk *w, uint64_t state, uint32_t tid)
{
	uint64_t own, ident;
	uint32_t of_pthread;

	if (w->at->thread_tid) {
		own = pyframes_u64(w, state + w->at->thread_tid);
		return own == tid;
	}
	ident = pyframes_u64(w, state + w->at->thread_ident);
	return ident && !self_read(w->memory, ident + PTHREAD_TID, &of_pthread, 4) &&
	       of_pthread == tid;
}

/*
 * Returns the thread state that has the GIL which this interpreter uses, or had it last; 0 not
 * known.
 */
static uint64_t pyframes_holder(struct pyframes_walk *w, uint64_t interpreter)
{
	uint64_t gil;

	if (w->at->current)
		return pyframes_u64(w, pyframes.runtime + w->at->current);
	gil = pyframes_u64(w, interpreter + w->at->interp_gil);
	return gil ? pyframes_u64(w, gil + w->at->gil_holder) : 0;
}

/*
 * Returns the thread's state; 0 none. A thread that has called into another interpreter has
 * several: the present one is that which has, or had last, a GIL.
 */
static uint64_t pyframes_state(struct pyframes_walk *w, uint32_t tid)
{
	uint64_t interpreter = pyframes_u64(w, pyframes.runtime + w->at->interpreters), found = 0;

	for (int i = 0; interpreter && i < PYFRAMES_INTERPRETERS; i++) {
		uint64_t state = pyframes_u64(w, interpreter + w->at->interp_threads);

		for (int t = 0; state && t < PYFRAMES_THREADS; t++) {
			if (pyframes_u64(w, state + w->at->thread_interp) != interpreter)
				break;
			if (pyframes_is_thread(w, state, tid) &&
				(!found || state == pyframes_holder(w, interpreter)))
				found = state;
			state = pyframes_u64(w, state + w->at->thread_next);
		}
		interpreter = pyframes_u64(w, interpreter + w->at->interp_next);
	}
	return found;
}

void pyframes_put(struct self_memory *memory, uint32_t tid, struct ring_traceback *into)
{
	struct pyframes_walk w = {.memory = memory, .into = into, .at = &pyframes.layout.at};
	uint64_t state;

	if (!pyframes.runtime)
		return;
	into->python_version = pyframes.layout.version;
	into->eval_start = pyframes.eval_start;
	into->eval_end = pyframes.eval_end;
	into->python = RING_TRACE_PY_UNKNOWN;
	if (!pyframes.known)
		return;
	state = pyframes_state(&w, tid);
	into->python = state ? pyframes_frames(&w, state) : RING_TRACE_PY_NONE;
}
