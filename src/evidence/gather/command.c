/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/command.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "evidence/agent/own-words.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/live/live-add.h"
#include "proc/blocking-read.h"

#define COMMAND_LOG_BYTES (8u * 1024) /* bytes of the end of stderr */
#define COMMAND_ASK_MS	  250 /* ms that its reading may take */

static void command_add_identity(
	const struct command *command, char *host, struct evidence *into)
{
	const struct exhibit about = {.kind = EXHIBIT_IDENTITY,
		.host = host,
		.rank = -1,
		.pid = command->id.pid,
		.start_time = command->id.start_time,
		.when = clock_realtime_ns()};
	struct json_object *object = json_object_new_object();
	const char *slash = strrchr(command->argv[0], '/');
	struct str text = {0};
	size_t len;

	json_put_text(object, "schema", "inquest-identity/1");
	json_put_text(object, "role", "rank");
	json_put_text(object, "source", "the launched command");
	json_put_text(object, "job", command->job);
	json_put_text(object, "comm", slash ? slash + 1 : command->argv[0]);
	json_put_end(object, &text);
	len = text.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&text), len);
}

static void command_add_log(const struct command *command, char *host, struct evidence *into)
{
	struct blocking_read read = {.pid = (uint32_t)getpid(),
		.name = "fd/2",
		.what = BLOCKING_READ_TAIL,
		.cap = COMMAND_LOG_BYTES};
	const struct exhibit about = {.kind = EXHIBIT_STDERR,
		.host = host,
		.rank = -1,
		.pid = command->id.pid,
		.start_time = command->id.start_time,
		.when = clock_realtime_ns()};
	size_t len = 0;

	blocking_reads_run(&read, 1, COMMAND_ASK_MS);
	blocking_read_cut(&read, command->log_from);
	if (!read.error && read.bytes.len)
		len = own_words_drop(read.bytes.text, read.bytes.len);
	if (len)
		evidence_add(into, &about, (uint8_t *)str_detach(&read.bytes), len);
	str_release(&read.bytes);
}

void command_add(const struct command *command, struct evidence *into)
{
	char host[256];

	live_host(host, sizeof(host));
	command_add_identity(command, host, into);
	if (!command->no_logs)
		command_add_log(command, host, into);
}
