/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/budget.h"
#include "cmd/cmd.h"
#include "cmd/outlet.h"
#include "cmd/ring/ring-fields.h"
#include "evidence/gather/ring-redact.h"
#include "ring/ring-snapshot.h"

/* What was asked for. */
struct arguments {
	bool json;
	const char *path;
	struct budget budget;
};

static const struct argp_child children[] = {{&budget_argp, 0, NULL, 0}, {0}};

/* Takes one option, as argp does. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case ARGP_KEY_INIT:
		cmd_give(state, children, &budget_argp, &arguments->budget);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one ring at a time");
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which ring? Give a file that ends in .ring");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "One JSON object (schema inquest-ring/1) with every record", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "FILE",
	.doc = "Show what a ring holds, of a living process or a dead one.\v"
	       "A cut or damaged ring is read as far as it goes, and what is lost is counted. "
	       "Exit status: 0 shown, 2 usage, 3 unreadable.",
};

/*
 * Copies the file as a living ring must be copied. 0, or -1 when it has complained. The caller
 * frees *ret_bytes.
 */
static int read_ring(const char *path, void **ret_bytes, size_t *ret_size)
{
	int fd = file_open(path), error;

	if (fd < 0) {
		cmd_complain("cannot open %s: %s", path, strerror(-fd));
		return -1;
	}
	error = ring_snapshot(fd, ret_bytes, ret_size);
	if (error == -EINVAL)
		cmd_complain("cannot read %s: not a regular file", path);
	else if (error)
		cmd_complain("cannot read %s: %s", path, strerror(-error));
	close(fd);
	return error ? -1 : 0;
}

/* 1 if the ring was made since this machine was booted, else 0. */
static int is_this_boot(const struct ring_header *h)
{
	char text[64] = "", hex[3] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	unsigned byte = 0;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i + 1 < n && byte < sizeof(h->boot_id); i++) {
		if (text[i] == '-')
			continue;
		memcpy(hex, text + i++, 2);
		if (strtoul(hex, NULL, 16) != h->boot_id[byte++])
			return 0;
	}
	return byte == sizeof(h->boot_id);
}

/*
 * Adds an anchor to a young ring of this boot, which has one only: the same clock, read now, gives
 * the second.
 */
static void ring_date(struct ring_view *view)
{
	if (view->anchors == 1 && view->header.clock == ring_now_clock() &&
		is_this_boot(&view->header))
		ring_view_add_anchor(view, ring_now(), (uint64_t)clock_monotonic_ns(),
			(uint64_t)clock_realtime_ns());
}

static int cmd_ring(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct ring_dump_options how;
	struct ring_view view;
	struct str out = {0};
	void *bytes;
	size_t size;
	int error;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (read_ring(arguments.path, &bytes, &size))
		return CMD_UNREADABLE;
	budget_watch(&arguments.budget);
	ring_redact(bytes, size, &(struct ring_redact_options){.raw_stacks = true});
	error = ring_view_open(&view, bytes, size);
	if (error) {
		cmd_complain("cannot read %s: %s", arguments.path, ring_strerror(error));
	} else {
		how = (struct ring_dump_options){arguments.path, outlet_is_utf8()};
		ring_date(&view);
		(arguments.json ? ring_dump_json : ring_dump_text)(&out, &view, &how);
		outlet_write(stdout, &out);
	}
	budget_unwatch(&arguments.budget);
	str_release(&out);
	free(bytes);
	return error ? CMD_UNREADABLE : CMD_FINE;
}

const struct verb verb_ring = {
	.name = "ring",
	.line = "show what one ring holds",
	.run = cmd_ring,
};
