/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small readers, each of a text that ends with '\0': the first byte says which. What they read
 * on a live machine is written by processes that we do not know.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/procstat.h"
#include "decode/decode-receipts.h"
#include "decode/exhibits/hostlist.h"
#include "decode/stacks/demangle.h"
#include "decode/stacks/shortname.h"
#include "evidence/gather/log-sieve.h"
#include "preflight/bandwidth.h"
#include "preflight/kernel-log.h"
#include "proc/mounts.h"
#include "proc/ns.h"
#include "proc/survey/claims.h"
#include "proc/survey/launcher.h"
#include "proc/survey/slurm.h"
#include "report/receipt-json.h"
#include "stack/maps.h"
#include "viewer/state/keys.h"
#include "words/breaks.h"
#include "words/escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_stat(const char *text, size_t len)
{
	struct procstat stat;

	(void)procstat_parse(text, len, &stat);
	(void)procstat_written(text);
}

static void read_maps(const char *text, size_t len)
{
	struct stack_maps maps = {0};

	(void)stack_maps_parse(&maps, text, len);
	(void)stack_maps_find(&maps, 4096);
	stack_maps_release(&maps);
}

static void read_claims(const char *text, size_t len)
{
	struct claims claims;

	claims_read(&claims, text, len, text, len);
	(void)launcher_of("", text, len);
	(void)launcher_is_python("", text, len);
}

static void count_host(const char *name, void *user)
{
	*(size_t *)user += strlen(name);
}

static void read_hosts(const char *text, size_t len)
{
	size_t sum = 0;

	(void)len;
	(void)hostlist_expand(text, count_host, &sum);
}

static void read_names(const char *text, size_t len)
{
	struct str out = {0};

	(void)len;
	demangle_add(&out, text);
	(void)shortname_add(&out, text);
	str_release(&out);
}

static void read_escaped(const char *text, size_t len)
{
	struct str out = {0}, fit = {0};

	(void)len;
	escape_text(&out, text, true);
	(void)escape_fit(&fit, str_text(&out), 20);
	(void)breaks_at(str_text(&out), 20);
	breaks_fit(&fit, str_text(&out), 20);
	escape_to_utf8(&out, text);
	str_release(&out);
	str_release(&fit);
}

static void read_slurm(const char *text, size_t len)
{
	struct slurm_pids pids = {0};

	(void)len;
	slurm_parse_pids(text, &pids);
	(void)proc_ns_innermost(text);
	slurm_pids_release(&pids);
}

static void read_keys(const char *text, size_t len)
{
	struct key *keys = NULL;
	size_t nr, line;

	(void)len;
	(void)keys_parse(text, &keys, &nr, &line);
	free(keys);
}

/* Read, and written again. */
static void read_receipt(const char *text, size_t len)
{
	struct complaint why = {0};
	struct arena arena = {0};
	struct receipt receipt;
	struct str out = {0};

	if (receipt_read(text, len, &arena, &receipt, &why) == 0)
		receipt_json(&out, &receipt, RECEIPT_MOST);
	str_release(&out);
	arena_release(&arena);
	complaint_release(&why);
}

/* As each family has it; and of a file that is longer than it was. */
static void read_log(const char *text, size_t len)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	for (int i = 0; fd >= 0 && i < LOG_SIEVE_FAMILIES; i++) {
		struct str lines = {0};
		struct log_sieve found;

		if (pwrite(fd, text, len, 0) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0)
			(void)log_sieve(fd, (int64_t)len / (i + 1), (enum log_sieve_family)i,
				&lines, &found);
		str_release(&lines);
	}
	if (fd >= 0)
		close(fd);
}

static void read_mounts(const char *text, size_t len)
{
	char type[64], mount[256];

	(void)len;
	if (mounts_of(text, "/a b/c", type, mount))
		(void)mounts_class_of(type);
}

static void read_kmsg(const char *text, size_t len)
{
	char bus[32];
	int xid;

	(void)len;
	(void)kernel_log_xid(text, &xid, bus);
	(void)bandwidth_of(text);
}

static void (*const readers[])(const char *, size_t) = {read_stat, read_maps, read_claims,
	read_hosts, read_names, read_escaped, read_slurm, read_keys, read_receipt, read_log,
	read_mounts, read_kmsg};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = alloc_copy(bytes + 1, size - 1);
	readers[bytes[0] % (sizeof(readers) / sizeof(*readers))](text, size - 1);
	free(text);
	return 0;
}
