/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gloo-abi.h: tells where gloo's C++ objects have what we read of them. Nothing here is taken from
 * its headers. The objects lie so since gloo's commit cdeb59d of November 2018 (its headers of each
 * op, of Context, of transport::tcp::UnboundBuffer and of rendezvous' stores), in Debian's libgloo
 * and inside PyTorch's libtorch_cpu. Words are of 64 bits, counted from 0.
 *
 *	rendezvous::Context	0 vtable, then a Context
 *	Context			0 rank:32 size:32, 2 device, 4 transport, 7 timeout (ms); until 2024
 *				behind a vtable, which then is that of the rendezvous::Context
 *	options of an op	0 context, then as gloo.def says
 *	UnboundBuffer		0 vtable, 1 address, 2 size in bytes, 3 transport
 *	PrefixStore		0 vtable, 1 prefix (a string), 5 the store behind it
 *	FileStore		0 vtable, 1 path (a string)
 *
 * All reads stay inside the object that was given. Objects are only looked at while the call that
 * got them is under way.
 */
#ifndef PROBES_GLOO_ABI_H
#define PROBES_GLOO_ABI_H

#include "probes/c10d/c10d-abi.h"

enum { GLOO_CONTEXT_TRANSPORT = 4, GLOO_CONTEXT_TIMEOUT = 7 };
enum { GLOO_BUFFER_SIZE = 2, GLOO_BUFFER_TRANSPORT = 3 };
enum { GLOO_STORE_TEXT = 1, GLOO_STORE_INNER = 5 };

/* Returns the Context in a rendezvous::Context, without the vtable in front of it. */
static inline const void *gloo_context_in(const void *rendezvous)
{
	return (const char *)rendezvous + 8;
}

static inline uint32_t gloo_rank(const void *context)
{
	return (uint32_t)abi_word(context, 0);
}

static inline uint32_t gloo_size(const void *context)
{
	return (uint32_t)(abi_word(context, 0) >> 32);
}

/*
 * Returns the Context behind a pointer, which may point to a vtable in front of it: read as rank
 * and size, a vtable gives a rank far beyond the size.
 */
static inline const void *gloo_context_at(const void *context)
{
	uint32_t size = gloo_size(context);

	return size && gloo_rank(context) < size ? context : gloo_context_in(context);
}

/* Returns what a context and its buffers share; NULL before it is connected. */
static inline const void *gloo_transport(const void *context)
{
	return (const void *)(uintptr_t)abi_word(context, GLOO_CONTEXT_TRANSPORT);
}

/* Returns a context's timeout in nanoseconds; 0 unknown. */
static inline uint64_t gloo_timeout(const void *context)
{
	uint64_t ms = abi_word(context, GLOO_CONTEXT_TIMEOUT);

	return ms < 1ull << 40 ? ms * 1000000 : 0;
}

/*
 * Returns the string that begins at word `at` of an object. Copies of gloo from before GCC 5's
 * strings have another kind there: what does not look like one of these gives no bytes.
 */
static inline struct abi_text gloo_text(const void *object, unsigned at)
{
	const char *string = (const char *)object + 8 * (size_t)at;
	struct abi_text text = abi_string(string, ABI_CXX11);
	uint64_t room = 15;

	if (!text.bytes || text.len >= 1 << 16)
		return (struct abi_text){0};
	if (text.bytes != string + 16) {
		room = abi_word(string, 2);
		if (room <= 15 || room >= 1 << 16)
			return (struct abi_text){0};
	}
	return text.len <= room ? text : (struct abi_text){0};
}

/* Returns the bytes of a buffer; 0 for NULL. */
static inline uint64_t gloo_buffer_bytes(const void *buffer)
{
	return buffer ? abi_word(buffer, GLOO_BUFFER_SIZE) : 0;
}

#endif
