/* SPDX-License-Identifier: Apache-2.0 */
#include "parcel.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define ZEROS 8 /* fewer than these are bytes like others */

struct parcel_head {
	uint8_t kind, rank, host, label;
};

struct parcel_about {
	uint32_t pid;
	uint64_t start_time;
	int64_t when;
	uint32_t len;
} __attribute__((packed));

/* How many of the bytes from here on come before a run of zeros; at most what a length can say. */
static size_t plain_run(const uint8_t *bytes, size_t len)
{
	size_t zeros = 0;

	for (size_t i = 0; i < len && i < UINT16_MAX; i++) {
		zeros = bytes[i] ? 0 : zeros + 1;
		if (zeros == ZEROS)
			return i + 1 - zeros;
	}
	return len < UINT16_MAX ? len : UINT16_MAX;
}

static size_t zero_run(const uint8_t *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && n < UINT16_MAX && !bytes[n])
		n++;
	return n;
}

static void put_bytes(struct str *into, const uint8_t *bytes, size_t len)
{
	while (len) {
		uint16_t plain = (uint16_t)plain_run(bytes, len);
		uint16_t zeros = (uint16_t)zero_run(bytes + plain, len - plain);

		str_add_bytes(into, &plain, sizeof(plain));
		str_add_bytes(into, bytes, plain);
		str_add_bytes(into, &zeros, sizeof(zeros));
		bytes += plain + zeros;
		len -= (size_t)plain + zeros;
	}
}

void parcel_put(struct str *into, const struct exhibit *exhibit, unsigned host)
{
	size_t label = strlen(exhibit->label);
	struct parcel_head head = {
		.kind = (uint8_t)exhibit->kind,
		.rank = (uint8_t)(exhibit->rank >= 0 ? exhibit->rank : 255),
		.host = (uint8_t)host,
		.label = (uint8_t)(label < 255 ? label : 255),
	};
	struct parcel_about about = {
		.pid = exhibit->pid, .start_time = exhibit->start_time, .when = exhibit->when};
	struct str bytes = {0};

	put_bytes(&bytes, exhibit->bytes, exhibit->len);
	about.len = (uint32_t)bytes.len;
	str_add_bytes(into, &head, sizeof(head));
	str_add_bytes(into, exhibit->label, head.label);
	str_add_bytes(into, &about, sizeof(about));
	str_add_bytes(into, bytes.text, bytes.len);
	str_release(&bytes);
}

static int take(const uint8_t **at, const uint8_t *end, void *into, size_t size)
{
	if ((size_t)(end - *at) < size)
		return 0;
	memcpy(into, *at, size);
	*at += size;
	return 1;
}

/*
 * Copies them into zeroed memory, or only counts where that is NULL. As far as they go: a length
 * that says too much ends them.
 */
static size_t take_bytes(const uint8_t *at, const uint8_t *end, uint8_t *into)
{
	size_t len = 0;
	uint16_t n;

	while (len < PARCEL_CAP && take(&at, end, &n, sizeof(n))) {
		if (n > (size_t)(end - at))
			n = (uint16_t)(end - at);
		if (into)
			memcpy(into + len, at, n);
		len += n;
		at += n;
		if (take(&at, end, &n, sizeof(n)))
			len += n;
	}
	return len;
}

int parcel_take(const uint8_t **at, const uint8_t *end, struct evidence *into)
{
	struct exhibit about = {0};
	struct parcel_head head;
	struct parcel_about more;
	char host[8], label[256];
	uint8_t *bytes;
	size_t len;

	if (!take(at, end, &head, sizeof(head)) || !take(at, end, label, head.label) ||
		!take(at, end, &more, sizeof(more)))
		return 0;
	if (more.len > (size_t)(end - *at))
		more.len = (uint32_t)(end - *at);
	len = take_bytes(*at, *at + more.len, NULL);
	bytes = alloc_zeroed(1, len + 1);
	take_bytes(*at, *at + more.len, bytes);
	*at += more.len;
	label[head.label] = '\0';
	snprintf(host, sizeof(host), "h%u", head.host);
	about.kind = (enum exhibit_kind)(head.kind % EXHIBIT_UNKNOWN_KIND);
	about.host = host;
	about.label = label;
	about.rank = head.rank == 255 ? -1 : head.rank;
	about.pid = more.pid;
	about.start_time = more.start_time;
	about.when = more.when;
	evidence_add(into, &about, bytes, len);
	return 1;
}

size_t parcel_head_size(const uint8_t *parcel)
{
	const struct parcel_head *head = (const void *)parcel;

	return sizeof(*head) + head->label + sizeof(struct parcel_about);
}

int parcel_skip(const uint8_t **at, const uint8_t *end)
{
	size_t left = (size_t)(end - *at), size;
	uint32_t len;

	if (left < sizeof(struct parcel_head))
		return 0;
	size = parcel_head_size(*at);
	if (left < size)
		return 0;
	memcpy(&len, *at + size - sizeof(len), sizeof(len));
	*at += len < left - size ? size + len : left;
	return 1;
}
