/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/self.h"

#include <errno.h>
#include <string.h>

#include "probes/sys.h"

/* The kernel reads a signal set before it refuses to apply it for a `how` that does not exist. */
int self_can_read(uint64_t at)
{
	return sys_call(SYS_rt_sigprocmask, 0x7fffffff, at, NULL, 8) != -EFAULT;
}

/* Has the kernel copy. Returns how many bytes, or -errno. */
static long self_ask_kernel(int tid, void *to, uint64_t from, size_t size)
{
	const struct iovec local = {.iov_base = to, .iov_len = size};
	const struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};

	return sys_call(SYS_process_vm_readv, tid, &local, 1, &remote, 1, 0);
}

uint32_t self_copy(void *to, uint64_t from, uint32_t size)
{
	long n = self_ask_kernel(sys_gettid(), to, from, size);
	uint32_t done = 0;

	if (n > 0)
		return (uint32_t)n;
	while (done < size && self_can_read(from + done)) {
		uint64_t at = from + done;
		uint64_t chunk = SELF_PAGE - at % SELF_PAGE;

		if (chunk > size - done)
			chunk = size - done;
		memcpy((uint8_t *)to + done, (const void *)(uintptr_t)at, chunk);
		done += (uint32_t)chunk;
	}
	return done;
}

void self_begin(struct self_memory *memory)
{
	memory->tid = sys_gettid();
	memory->refused = 0;
	memory->misses = 0;
	memset(memory->at, 0, sizeof(memory->at));
}

/* Returns the page whose address is `at`; NULL if it cannot be read. */
static const uint8_t *self_page(struct self_memory *memory, uint64_t at)
{
	unsigned slot = (unsigned)(at / SELF_PAGE) % SELF_PAGES;
	uint8_t *page = memory->page[slot];
	long n = -EFAULT;

	if (at && memory->at[slot] == at)
		return page;
	memory->at[slot] = 0;
	if (!memory->refused)
		n = self_ask_kernel(memory->tid, page, at, SELF_PAGE);
	if (n < 0 && n != -EFAULT)
		memory->refused = 1;
	if (memory->refused && self_can_read(at)) {
		memcpy(page, (const void *)(uintptr_t)at, SELF_PAGE);
		n = SELF_PAGE;
	}
	if (n != SELF_PAGE) {
		memory->misses++;
		return NULL;
	}
	memory->at[slot] = at;
	return page;
}

int self_read(struct self_memory *memory, uint64_t at, void *to, size_t size)
{
	uint8_t *into = to;

	if (at + size < at)
		return -1;
	while (size) {
		size_t inside = at % SELF_PAGE;
		size_t chunk = SELF_PAGE - inside < size ? SELF_PAGE - inside : size;
		const uint8_t *page = self_page(memory, at - inside);

		if (!page)
			return -1;
		memcpy(into, page + inside, chunk);
		into += chunk;
		at += chunk;
		size -= chunk;
	}
	return 0;
}

int self_string(struct self_memory *memory, uint64_t at, char *to, size_t size)
{
	size_t n = 0;

	while (n + 1 < size) {
		size_t inside = (at + n) % SELF_PAGE;
		size_t left = size - 1 - n;
		size_t chunk = SELF_PAGE - inside < left ? SELF_PAGE - inside : left;
		const uint8_t *page = self_page(memory, at + n - inside);
		const uint8_t *end = page ? memchr(page + inside, '\0', chunk) : NULL;

		if (!page && !n)
			return -1;
		if (!page)
			break;
		chunk = end ? (size_t)(end - (page + inside)) : chunk;
		memcpy(to + n, page + inside, chunk);
		n += chunk;
		if (end)
			break;
	}
	to[n] = '\0';
	return (int)n;
}
