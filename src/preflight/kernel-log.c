/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/kernel-log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preflight/check.h"

#define FROM	    "/dev/kmsg"
#define RECORD_SIZE 8192 /* printk's own bound */
#define TOLD_MOST   8 /* different ones that are told */

/* Of NVIDIA's "XID Errors" list, those after which a GPU should not be given a job. */
static const struct {
	int xid;
	const char *means;
} meanings[] = {
	{48, "its memory had an error that could not be corrected"},
	{62, "its own controller stopped"},
	{64, "a bad row of its memory could not be noted for replacement"},
	{74, "an NVLink had an error"},
	{79, "it fell off the bus"},
	{92, "its memory has many errors that were corrected"},
	{94, "its memory had an error that ended what ran on it"},
	{95, "its memory had an error that reached everything on it"},
	{119, "its system processor did not answer"},
	{120, "its system processor had an error"},
	{140, "its memory had an error that it could not contain"},
};

/* Returns what an Xid means for a job; NULL: nothing that concerns the health of its GPU. */
static const char *meaning_of(int xid)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].xid == xid)
			return meanings[i].means;
	return NULL;
}

bool kernel_log_xid(const char *line, int *ret_xid, char bus[static 32])
{
	const char *at = strstr(line, "NVRM: Xid (PCI:");
	size_t len;

	if (!at)
		return false;
	at += strlen("NVRM: Xid (PCI:");
	len = strspn(at, "0123456789abcdefABCDEF:.");
	if (at[len] != ')' || at[len + 1] != ':' || len >= 32)
		return false;
	memcpy(bus, at, len);
	bus[len] = '\0';
	*ret_xid = atoi(at + len + 2);
	return *ret_xid > 0;
}

/* What was told: one Xid of one GPU is told once. */
struct told {
	int nr;
	struct {
		int xid;
		char bus[32];
	} list[TOLD_MOST];
};

/* Tells an Xid that means something, unless it was told. */
static void tell(struct told *told, int xid, const char *bus, struct check_sink *sink)
{
	for (int i = 0; i < told->nr; i++)
		if (told->list[i].xid == xid && !strcmp(told->list[i].bus, bus))
			return;
	if (told->nr == TOLD_MOST || !meaning_of(xid))
		return;
	told->list[told->nr].xid = xid;
	snprintf(told->list[told->nr++].bus, 32, "%s", bus);
	check_say(sink, PREFLIGHT_WARN, FROM, "see `nvidia-smi -q`; reset the GPU, or drain it",
		"GPU at %s: Xid %d since boot: %s", bus, xid, meaning_of(xid));
}

/* Reads one record at a time; where some were overwritten meanwhile, EPIPE, and it goes on. */
void check_kernel_log(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	int fd = open(FROM, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[RECORD_SIZE + 1], bus[32];
	struct told told = {0};
	ssize_t got;
	int xid;

	(void)wish;
	(void)arg;
	if (access("/proc/driver/nvidia", F_OK) < 0) {
		if (fd >= 0)
			close(fd);
		return; /* no driver that could have written: check_gpus() says so */
	}
	if (fd < 0) {
		check_say(sink, PREFLIGHT_NONE, FROM, NULL,
			"errors of GPUs (Xid) in the kernel's log: not looked at: %s",
			strerror(errno));
		return;
	}
	while ((got = read(fd, record, RECORD_SIZE)) > 0 || (got < 0 && errno == EPIPE)) {
		record[got > 0 ? got : 0] = '\0';
		if (kernel_log_xid(record, &xid, bus))
			tell(&told, xid, bus, sink);
	}
	close(fd);
	if (told.nr == 0)
		check_say(sink, PREFLIGHT_OK, FROM, NULL,
			"no Xid of a GPU in what the kernel's log still has");
}
