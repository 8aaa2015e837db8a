/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/receipts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "cmd/cmd.h"
#include "decode/decode-receipts.h"
#include "evidence/format/bundle.h"
#include "proc/read.h"
#include "words/headline.h"

#define SUFFIX ".receipt"
/* An agent says each half a minute that it is there; after this it is not. */
#define SILENT_NS (2 * 60 * CLOCK_NS_PER_S)

const char *receipts_folder(void)
{
	const char *out = getenv("INQUEST_OUT");

	return out && *out ? out : "inquest-out";
}

/* True if the run's agent is at work, as far as can be told from here. */
static bool is_watched(const struct receipt *receipt)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (strcmp(host, receipt->launch.host) != 0 || receipt->agent_pid == JOB_UNKNOWN)
		return receipt->seen != JOB_UNKNOWN &&
		       clock_realtime_ns() - receipt->seen < SILENT_NS;
	return receipt->agent_start_time > 0 && receipt->agent_pid <= UINT32_MAX &&
	       proc_start_time((uint32_t)receipt->agent_pid) ==
		       (uint64_t)receipt->agent_start_time;
}

/* True if the receipt says how the run ended. */
static bool is_over(const struct receipt *receipt)
{
	return !strcmp(receipt->state, "ok") || !strcmp(receipt->state, "error");
}

/* Notes that something could not be read, and says so unless `quiet`. */
static void complain(struct receipts *receipts, const char *path, const struct complaint *why)
{
	receipts->failed = true;
	if (!receipts->quiet)
		cmd_complain("%s is no receipt: %s: give a file of `inquest run', a folder of "
			     "them, or a bundle",
			path, complaint_text(why));
}

/* Adds the receipt in a file. False after a complaint. */
static bool add_file(struct receipts *receipts, const char *path)
{
	struct complaint why = {0};
	struct receipt receipt;
	struct str text = {0};
	bool read = file_read(path, RECEIPT_FILE_CAP, &text, &why) == 0 &&
		    receipt_read(str_text(&text), text.len, &receipts->arena, &receipt, &why) == 0;

	if (read) {
		receipt.path = arena_text(&receipts->arena, path);
		receipt.lost = !is_over(&receipt) && !is_watched(&receipt);
		*array_add(&receipts->all) = receipt;
	} else {
		complain(receipts, path, &why);
	}
	complaint_release(&why);
	str_release(&text);
	return read;
}

/* Adds the receipt of a bundle, which is read and judged. False after a complaint. */
static bool add_bundle(struct receipts *receipts, const char *path)
{
	struct look *look = alloc_zeroed(1, sizeof(*look));
	struct complaint why = {0};
	struct str headline = {0};
	struct receipt receipt;

	look->evidence.meter = receipts->meter;
	if (bundle_read(path, &look->evidence, &why) < 0) {
		complain(receipts, path, &why);
		complaint_release(&why);
		look_release(look);
		free(look);
		return false;
	}
	look_judge(look);
	*array_add(&receipts->looks) = look;
	receipt_measure(look->job, NULL, &receipts->arena, &receipt);
	headline_sentence(&headline, look->verdicts, &look->verdicts->at[0]);
	receipt.verdict = arena_text(&receipts->arena, str_text(&headline));
	receipt.bundle = arena_text(&receipts->arena, path);
	receipt.path = receipt.bundle;
	*array_add(&receipts->all) = receipt;
	str_release(&headline);
	complaint_release(&why);
	return true;
}

/* True if text ends so. */
static bool ends(const char *text, const char *end)
{
	size_t len = strlen(text), size = strlen(end);

	return len >= size && !strcmp(text + len - size, end);
}

/* Adds what is in a folder. Returns how many. */
static size_t add_folder(struct receipts *receipts, const char *path)
{
	struct file_names names = {0};
	struct complaint why = {0};
	size_t n = 0, tried = 0;

	if (file_list(path, &names, &why) < 0) {
		complain(receipts, path, &why);
		tried++;
	}
	for (size_t i = 0; i < names.list.nr; i++)
		if (ends(names.list.items[i], SUFFIX)) {
			tried++;
			n += add_file(receipts, names.list.items[i]);
		}
	for (size_t i = 0; !tried && !receipts->no_bundles && i < names.list.nr; i++)
		if (ends(names.list.items[i], BUNDLE_SUFFIX))
			n += add_bundle(receipts, names.list.items[i]);
	if (!n && !tried && !receipts->failed) {
		complaint_set(&why, "no receipt and no bundle is in it");
		complain(receipts, path, &why);
	}
	file_names_release(&names);
	complaint_release(&why);
	return n;
}

size_t receipts_add(struct receipts *receipts, const char *path)
{
	struct stat about;

	if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
		return add_folder(receipts, path);
	return ends(path, BUNDLE_SUFFIX) ? add_bundle(receipts, path) : add_file(receipts, path);
}

/* Order by launch, the newest first. One whose launch nobody knows is the oldest. */
static int newest_first(const void *va, const void *vb)
{
	const struct receipt *a = va, *b = vb;
	int order = (a->launch.launched < b->launch.launched) -
		    (a->launch.launched > b->launch.launched);

	return order ? order : strcmp(a->path, b->path);
}

void receipts_sort(struct receipts *receipts)
{
	array_sort(&receipts->all, newest_first);
}

void receipts_release(struct receipts *receipts)
{
	for (size_t i = 0; i < receipts->looks.nr; i++) {
		look_release(receipts->looks.items[i]);
		free(receipts->looks.items[i]);
	}
	array_release(&receipts->looks);
	array_release(&receipts->all);
	arena_release(&receipts->arena);
}
