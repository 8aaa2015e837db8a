/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/live/live-add.h"

#include <string.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "evidence/format/json-put.h"
#include "ring/ring-cpu.h"

void live_host(char *host, size_t size)
{
	memset(host, 0, size);
	if (gethostname(host, size - 1) < 0)
		memcpy(host, "localhost", sizeof("localhost"));
}

static void live_put_clock(struct json_object *object)
{
	struct timex timex = {0};

	/*
	 * Takes three clocks and the counter at one moment, the counter first, so that it is before
	 * them.
	 */
	json_put_int(object, "tsc", (int64_t)ring_now());
	json_put_int(object, "monotonic", clock_monotonic_ns());
	json_put_int(object, "realtime", clock_realtime_ns());
	json_put_int(object, "boottime", clock_boottime_ns());
	if (adjtimex(&timex) >= 0) {
		json_put_int(object, "clock_error", timex.maxerror * 1000LL);
		json_put_int(object, "clock_synced", !(timex.status & STA_UNSYNC));
	}
}

/* Adds the document as an exhibit; releases it. */
static void live_add_document(
	struct evidence *into, const struct exhibit *about, struct json_object *object)
{
	struct exhibit full = *about;
	struct str text = {0};
	size_t len;

	json_put_end(object, &text);
	full.when = clock_realtime_ns();
	len = text.len;
	evidence_add(into, &full, (uint8_t *)str_detach(&text), len);
}

/* Adds the folders' names, by which exhibits of one job are told from such as were mixed up. */
static void live_put_folders(struct json_object *object, const char *const *folders, size_t nr)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < nr; i++) {
		const char *slash = strrchr(folders[i], '/');

		json_object_array_add(list, json_put_string(slash ? slash + 1 : folders[i]));
	}
	json_put_text(object, "folder", folders[0]);
	json_object_object_add(object, "jobs", list);
}

void live_add_clocks(struct evidence *into, const char *host, uid_t owner,
	const char *const *folders, size_t nr)
{
	struct json_object *object = json_object_new_object();
	struct utsname name;
	struct str boot = {0};

	json_put_text(object, "schema", "inquest-gather/1");
	live_put_clock(object);
	json_put_text(object, "host", host);
	if (file_read("/proc/sys/kernel/random/boot_id", 64, &boot, NULL) == 0) {
		boot.text[strcspn(boot.text, "\n")] = '\0';
		json_put_text(object, "boot_id", boot.text);
	}
	if (uname(&name) == 0)
		json_put_text(object, "kernel", name.release);
	json_put_int(object, "clk_tck", sysconf(_SC_CLK_TCK));
	json_put_int(object, "page_size", sysconf(_SC_PAGESIZE));
	json_put_int(object, "uid", geteuid());
	json_put_int(object, "owner", owner);
	if (nr)
		live_put_folders(object, folders, nr);
	live_add_document(into,
		&(struct exhibit){.kind = EXHIBIT_GATHER, .host = (char *)host, .rank = -1},
		object);
	str_release(&boot);
}

void live_leave_out(struct evidence *into, const char *host, const struct live_options *options)
{
	if (options->no_logs)
		evidence_leave_out(into, host,
			"what the job wrote (logs, error files) and what its errors say",
			"--no-logs");
	if (options->no_stacks)
		evidence_leave_out(into, host, "stacks", "--no-stacks");
}

void live_add_liveness(struct evidence *into, const char *host,
	const struct live_process *process, const struct liveness *liveness)
{
	static const char *const locks[] = {[LIVENESS_LOCK_UNKNOWN] = "unknown",
		[LIVENESS_LOCK_FREE] = "free", [LIVENESS_LOCK_HELD] = "held"};
	const char state[2] = {liveness->state, '\0'};
	struct json_object *object = json_object_new_object();

	json_put_text(object, "schema", "inquest-liveness/1");
	json_put_text(object, "role", process->role);
	json_put_int(object, "here", liveness->here);
	json_put_text(object, "lock", locks[liveness->lock]);
	json_put_int(object, "there", liveness->there);
	if (liveness->there)
		json_put_text(object, "state", state);
	if (liveness->unseen)
		json_put_int(object, "unseen", 1);
	live_add_document(into,
		&(struct exhibit){.kind = EXHIBIT_LIVENESS,
			.host = (char *)host,
			.rank = process->rank,
			.pid = process->pid,
			.start_time = process->start_time},
		object);
}

void live_take_liveness(
	struct evidence *into, const char *host, const struct live_process *process)
{
	const struct liveness liveness =
		liveness_of_process(process->here, process->start_time);

	live_add_liveness(into, host, process, &liveness);
}
