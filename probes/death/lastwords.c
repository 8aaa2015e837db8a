/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/lastwords.h"

#include "probes/hook.h"
#include "probes/object.h"

#define LASTWORDS_MAX 1024

/* The used part of an exception's header, as the Itanium C++ ABI has it on 64 bit. */
#define LASTWORDS_CLASS	    80	/* unwindHeader.exception_class */
#define LASTWORDS_HEADER    112 /* bytes of the header before the thrown object */
#define LASTWORDS_TYPE_NAME 8	/* of std::type_info: behind its vtable */
/*
 * "GNUCC++" and a byte: 0 for an exception, 1 for one that only refers to another, by its first
 * word.
 */
#define LASTWORDS_GNU	    0x474e5543432b2b00ull

/* Writer: lastwords_arm(). */
static struct {
	uint64_t message;	     /* where libc's pointer to its message is; 0 unknown */
	uint64_t *(*globals)(void);  /* of the calling thread: the exceptions it has caught */
	uint64_t start, end;	     /* of libstdc++ */
} lastwords;

void lastwords_arm(struct self_memory *memory)
{
	static const char *const libc[] = {"libc.so.6", NULL};
	static const char *const libstdcxx[] = {"libstdc++.so.6", NULL};
	struct object object;

	lastwords.message = (uint64_t)(uintptr_t)hook_find("__abort_msg", NULL, libc);
	*(void **)&lastwords.globals = hook_find("__cxa_get_globals_fast", NULL, libstdcxx);
	self_begin(memory);
	if (lastwords.globals &&
		!object_find(memory, (uint64_t)(uintptr_t)lastwords.globals, &object)) {
		lastwords.start = object.start;
		lastwords.end = object.end;
	}
}

/* Puts libc's message: it is in a struct abort_msg_s, behind its mapped size. */
static void lastwords_message(struct self_memory *memory, struct ring_traceback *into)
{
	char text[LASTWORDS_MAX];
	uint64_t at;
	int n;

	if (!lastwords.message || self_read(memory, lastwords.message, &at, sizeof(at)) || !at)
		return;
	n = self_string(memory, at + sizeof(uint32_t), text, sizeof(text));
	while (n > 0 && text[n - 1] == '\n')
		n--;
	if (n > 0)
		into->message = ring_traceback_text(into, text, (uint32_t)n);
}

/*
 * True if this thread came through libstdc++. Then it has the thread-local block that the function
 * below returns the address of; else asking for it might allocate one.
 */
static int lastwords_is_cxx(const struct ring_traceback *into)
{
	for (uint32_t i = 0; i < into->nframes; i++)
		if (into->frame[i].pc >= lastwords.start && into->frame[i].pc < lastwords.end)
			return 1;
	return 0;
}

static void lastwords_exception(struct self_memory *memory, struct ring_traceback *into)
{
	char name[LASTWORDS_MAX];
	uint64_t header, kind, type, at;
	int n;

	if (!lastwords.globals || !lastwords_is_cxx(into))
		return;
	if (self_read(memory, (uint64_t)(uintptr_t)lastwords.globals(), &header, sizeof(header)) ||
		!header || self_read(memory, header + LASTWORDS_CLASS, &kind, sizeof(kind)) ||
		(kind & ~0xffull) != LASTWORDS_GNU ||
		self_read(memory, header, &type, sizeof(type)))
		return;
	if ((kind & 0xff) &&
		self_read(memory, type - LASTWORDS_HEADER, &type, sizeof(type)))
		return;
	if (self_read(memory, type + LASTWORDS_TYPE_NAME, &at, sizeof(at)))
		return;
	n = self_string(memory, at, name, sizeof(name));
	if (n > 1 && *name == '*')
		into->exception = ring_traceback_text(into, name + 1, (uint32_t)n - 1);
	else if (n > 0)
		into->exception = ring_traceback_text(into, name, (uint32_t)n);
}

void lastwords_put(struct self_memory *memory, struct ring_traceback *into)
{
	lastwords_message(memory, into);
	lastwords_exception(memory, into);
}
