/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefixes are remembered by the address of their store, in a table without locks: a store made
 * later at the same address overwrites, and where eight neighbours are taken the newest displaces
 * one. Each entry has a version, odd while it is written, by which a reader knows what it copied.
 *
 * WAITS. A get or wait may block for ever (key-wait.h).
 *
 * A TCPStore that is being made is a wait as well: one that serves it stays in its constructor
 * until as many as it was told have come, the others until they have found it. Its record has the
 * address in place of a key.
 */
#include "probes/c10d/c10d-store.h"

#include "probes/c10d/c10d-abi.h"
#include "probes/c10d/c10d-route.h"
#include "probes/c10d/c10d-nccl.h"
#include "probes/death/unwound.h"
#include "probes/key-wait.h"
#include "probes/text.h"

#if UNWOUND_HERE

#define STORE_TABLE 256 /* a power of two */
#define STORE_TRIES 8
#define STORE_KEY   (STORE_PREFIX + 160)

/* Writers: all threads that make a store's prefix; an odd `version` guards the words of a place. */
static struct {
	uint64_t version;
	uint64_t store;
	uint64_t hash;
	uint64_t prefix[STORE_PREFIX / 8]; /* words: it may be read while it is written */
} store_table[STORE_TABLE];

/* --- Prefixes -------------------------------------------------------------------------------- */

static unsigned store_slot(const void *store, unsigned probe)
{
	uint64_t hash = ((uint64_t)(uintptr_t)store >> 4) * 0x9e3779b97f4a7c15ull >> 40;

	return (unsigned)(hash + probe) % STORE_TABLE;
}

void store_prefix(const void *store, char ret[STORE_PREFIX], uint64_t *ret_hash)
{
	for (unsigned probe = 0; probe < STORE_TRIES; probe++) {
		unsigned at = store_slot(store, probe);
		uint64_t version = ring_load_acquire(&store_table[at].version);

		if (!version || (version & 1) ||
			ring_load(&store_table[at].store) != (uint64_t)(uintptr_t)store)
			continue;
		for (int i = 0; i < STORE_PREFIX / 8; i++) {
			uint64_t word = ring_load(&store_table[at].prefix[i]);

			memcpy(ret + 8 * i, &word, 8);
		}
		*ret_hash = ring_load(&store_table[at].hash);
		ring_fence_acquire();
		if (ring_load(&store_table[at].version) == version)
			return;
	}
	ret[0] = '\0';
	*ret_hash = RING_HASH_START;
}

/* Makes `prefix` "prefix" + "after" + '/', of which the last bytes are kept if it is too long. */
static void store_compose(char prefix[STORE_PREFIX], struct abi_text after)
{
	size_t len = strlen(prefix), add = after.len + 1, drop;

	if (add >= STORE_PREFIX) {
		after.bytes += add - (STORE_PREFIX - 1);
		after.len -= add - (STORE_PREFIX - 1);
		add = STORE_PREFIX - 1;
	}
	drop = len + add < STORE_PREFIX ? 0 : len + add - (STORE_PREFIX - 1);
	memmove(prefix, prefix + drop, len - drop);
	memcpy(prefix + len - drop, after.bytes, after.len);
	prefix[len - drop + after.len] = '/';
	prefix[len - drop + after.len + 1] = '\0';
}

/* Returns the place for a store: its own, else a free one, else the first. */
static unsigned store_take(const void *store)
{
	unsigned at = store_slot(store, 0);

	for (unsigned probe = 0; probe < STORE_TRIES; probe++) {
		unsigned slot = store_slot(store, probe);
		uint64_t seen = ring_load(&store_table[slot].store);

		if (seen == (uint64_t)(uintptr_t)store)
			return slot;
		if (!seen && ring_load(&store_table[at].store))
			at = slot;
	}
	return at;
}

static void store_remember(const void *store, const void *inner, struct abi_text text)
{
	char prefix[STORE_PREFIX];
	uint64_t hash, version;
	unsigned at;

	store_prefix(inner, prefix, &hash);
	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.bytes[i]) * 0x100000001b3ull;
	hash = (hash ^ '/') * 0x100000001b3ull;
	store_compose(prefix, text);
	at = store_take(store);
	version = ring_load(&store_table[at].version);
	if ((version & 1) || !ring_cas(&store_table[at].version, version, version + 1))
		return; /* two at once for one place: that store has no prefix then */
	ring_fence_release();
	ring_store(&store_table[at].store, (uint64_t)(uintptr_t)store);
	ring_store(&store_table[at].hash, hash);
	for (int i = 0; i < STORE_PREFIX / 8; i++) {
		uint64_t word;

		memcpy(&word, prefix + 8 * i, 8);
		ring_store(&store_table[at].prefix[i], word);
	}
	ring_publish_word(&store_table[at].version, version + 2);
}

/* Makes a PrefixStore. The real function empties the string, so it is read before. */
#define C10D_PREFIX(fn, symbol, strings)                                                           \
	HOOK_EXPORT void fn(void *self, const void *prefix, const void *inner) __asm__(symbol);    \
	HOOK_EXPORT void fn(void *self, const void *prefix, const void *inner)                     \
	{                                                                                          \
		static void *slot;                                                                 \
		const void *real = c10d_real(&slot, symbol, (const void *)fn, c10d_cpu);           \
                                                                                                   \
		store_remember(self, abi_pointer(inner), abi_string(prefix, strings));             \
		if (hook_likely(real))                                                             \
			((void (*)(void *, const void *, const void *))real)(self, prefix, inner); \
	}

#define CXX11	  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define STORE_PTR "intrusive_ptrINS_5StoreENS"
#define NULL_TYPE "_6detail34intrusive_target_default_null_typeIS"

C10D_PREFIX(store_prefix_c1,
	"_ZN4c10d11PrefixStoreC1E" CXX11 "N3c1013" STORE_PTR "7" NULL_TYPE "9_EEEE", ABI_CXX11)
C10D_PREFIX(store_prefix_c2,
	"_ZN4c10d11PrefixStoreC2E" CXX11 "N3c1013" STORE_PTR "7" NULL_TYPE "9_EEEE", ABI_CXX11)
C10D_PREFIX(store_prefix_cow_c1,
	"_ZN4c10d11PrefixStoreC1ESsN3c1013" STORE_PTR "1" NULL_TYPE "3_EEEE", ABI_COW)
C10D_PREFIX(store_prefix_cow_c2,
	"_ZN4c10d11PrefixStoreC2ESsN3c1013" STORE_PTR "1" NULL_TYPE "3_EEEE", ABI_COW)

/* --- Waits for keys -------------------------------------------------------------------------- */

struct store_frame {
	struct unwound unwound; /* first */
	struct key_wait wait;
	int bootstrap; /* group that this wait is the exchange of an id for; GROUP_NONE */
};

/*
 * Returns the key with all prefixes, as a string of the ring; 0 if that has no room for more keys.
 */
static uint32_t store_key(struct ring_writer *ring, const void *store, struct abi_text key)
{
	char text[STORE_KEY];
	uint64_t hash;
	size_t len;

	store_prefix(store, text, &hash);
	len = strlen(text);
	if (key.len > sizeof(text) - len)
		key.len = sizeof(text) - len;
	memcpy(text + len, key.bytes, key.len);
	return key_wait_text(ring, text, len + key.len);
}

static void store_begin(struct store_frame *f, uint32_t call, uint32_t text)
{
	f->bootstrap = bootstrap_waits();
	key_wait_begin(&f->wait, call, f->bootstrap < 0 ? RING_NO_GROUP : (unsigned)f->bootstrap,
		text);
}

static void store_exit(struct store_frame *f, unsigned failed)
{
	key_wait_end(&f->wait, failed);
	if (!failed)
		bootstrap_got();
}

static void store_unwound(struct unwound *unwound)
{
	store_exit((struct store_frame *)unwound, RING_F_FAILED);
}

static uint64_t store_call(const void *real, uint32_t call, const void *store, struct abi_text key,
	const uint64_t *args)
{
	struct store_frame f = {.unwound = {.close = store_unwound}};
	uint64_t result;

	if (hook_unlikely(!real))
		return args[0];
	f.wait.me = key_wait_enter();
	if (!f.wait.me)
		return c10d_pass(real, args);
	store_begin(&f, call, store_key(f.wait.me->ring, store, key));
	result = unwound_call(&f.unwound, real, args);
	store_exit(&f, 0);
	return result;
}

/* std::vector<uint8_t> get(const std::string &key) */
#define STORE_GET(fn, symbol, strings)                                                             \
	HOOK_EXPORT uint64_t fn(void *ret, const void *self, const void *key) __asm__(symbol);     \
	HOOK_EXPORT uint64_t fn(void *ret, const void *self, const void *key)                      \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		return store_call(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu),            \
			RING_CALL_c10d_store_get, self, abi_string(key, strings),                  \
			(const uint64_t[UNWOUND_ARGS]){(uint64_t)(uintptr_t)ret,                   \
				(uint64_t)(uintptr_t)self, (uint64_t)(uintptr_t)key});             \
	}

/* void wait(const std::vector<std::string> &keys [, const std::chrono::milliseconds &timeout]) */
#define STORE_WAIT(fn, symbol, strings)                                                            \
	HOOK_EXPORT uint64_t fn(const void *self, const void *keys, const void *timeout)           \
		__asm__(symbol);                                                                   \
	HOOK_EXPORT uint64_t fn(const void *self, const void *keys, const void *timeout)           \
	{                                                                                          \
		static void *slot;                                                                 \
		struct abi_text key = {.len = 0};                                                  \
                                                                                                   \
		if (abi_bytes(keys))                                                               \
			key = abi_string(abi_begin(keys), strings);                                \
		return store_call(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu),            \
			RING_CALL_c10d_store_wait, self, key,                                      \
			(const uint64_t[UNWOUND_ARGS]){(uint64_t)(uintptr_t)self,                  \
				(uint64_t)(uintptr_t)keys, (uint64_t)(uintptr_t)timeout});         \
	}

#define KEYS  "RKSt6vectorI" CXX11 "SaIS7_EE"
#define KEYS_ "RKSt6vectorISsSaISsEE"
#define TIME  "RKNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"

#define STORE(fn, class)                                                                           \
	STORE_GET(fn##_get, "_ZN4c10d" class "3getERK" CXX11, ABI_CXX11)                           \
	STORE_GET(fn##_get_cow, "_ZN4c10d" class "3getERKSs", ABI_COW)                             \
	STORE_WAIT(fn##_wait, "_ZN4c10d" class "4waitE" KEYS, ABI_CXX11)                           \
	STORE_WAIT(fn##_wait_cow, "_ZN4c10d" class "4waitE" KEYS_, ABI_COW)                        \
	STORE_WAIT(fn##_wait_time, "_ZN4c10d" class "4waitE" KEYS TIME, ABI_CXX11)                 \
	STORE_WAIT(fn##_wait_time_cow, "_ZN4c10d" class "4waitE" KEYS_ TIME, ABI_COW)

STORE(c10d_prefix_store, "11PrefixStore")
STORE(c10d_tcp_store, "8TCPStore")
STORE(c10d_file_store, "9FileStore")
STORE(c10d_hash_store, "9HashStore")

/* --- A store that is being made -------------------------------------------------------------- */

/* The options of a TCPStore begin with the port, as 16 bits, and whether it serves. */
#define STORE_OPTIONS_SERVES 2

/* Returns "node0:29500" as a string of the ring. */
static uint32_t store_address(struct ring_writer *ring, struct abi_text host, const void *options)
{
	char name[STORE_PREFIX], address[STORE_PREFIX + 8];
	struct text text = text_into(address, sizeof(address));
	size_t len = host.len < sizeof(name) ? host.len : sizeof(name) - 1;
	uint16_t port;

	memcpy(name, host.bytes, len);
	name[len] = '\0';
	memcpy(&port, options, sizeof(port));
	text_put(&text, name);
	text_put(&text, ":");
	text_put_u64(&text, port);
	return ring_string(ring, address, text.used);
}

static void store_make(const void *real, struct abi_text host, const void *options,
	const uint64_t *args)
{
	struct store_frame f = {.unwound = {.close = store_unwound}};
	int serves;

	if (hook_unlikely(!real))
		return;
	f.wait.me = key_wait_enter();
	if (!f.wait.me) {
		c10d_pass(real, args);
		return;
	}
	serves = ((const unsigned char *)options)[STORE_OPTIONS_SERVES] == 1;
	store_begin(&f, serves ? RING_CALL_c10d_store_serve : RING_CALL_c10d_store_open,
		store_address(f.wait.me->ring, host, options));
	unwound_call(&f.unwound, real, args);
	store_exit(&f, 0);
}

/* TCPStore(std::string host, const TCPStoreOptions &options) */
#define STORE_MAKE(fn, symbol, strings)                                                            \
	HOOK_EXPORT void fn(void *self, const void *host, const void *options) __asm__(symbol);    \
	HOOK_EXPORT void fn(void *self, const void *host, const void *options)                     \
	{                                                                                          \
		static void *slot;                                                                 \
                                                                                                   \
		store_make(c10d_real(&slot, symbol, (const void *)fn, c10d_cpu),                   \
			abi_string(host, strings), options,                                        \
			(const uint64_t[UNWOUND_ARGS]){(uint64_t)(uintptr_t)self,                  \
				(uint64_t)(uintptr_t)host, (uint64_t)(uintptr_t)options});         \
	}

#define TCP_STORE "_ZN4c10d8TCPStore"

STORE_MAKE(c10d_tcp_store_c1, TCP_STORE "C1E" CXX11 "RKNS_15TCPStoreOptionsE", ABI_CXX11)
STORE_MAKE(c10d_tcp_store_c2, TCP_STORE "C2E" CXX11 "RKNS_15TCPStoreOptionsE", ABI_CXX11)
STORE_MAKE(c10d_tcp_store_cow_c1, TCP_STORE "C1ESsRKNS_15TCPStoreOptionsE", ABI_COW)
STORE_MAKE(c10d_tcp_store_cow_c2, TCP_STORE "C2ESsRKNS_15TCPStoreOptionsE", ABI_COW)

#endif
