/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes what a process' main thread was blocked on: its system call, and what that is about. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/context.h"
#include "decode/kinds.h"
#include "decode/stacks/decode-frames.h"

/* Longer parts of a link or a mount are cut, or left out; bytes. */
#define ON_MOST 200

/*
 * Writes the address in a field of a socket table, "0100007F:1F90", whose words are in the
 * machine's byte order. False if it is none.
 */
static bool read_address(const char *text, char *into, size_t room)
{
	size_t digits = strspn(text, "0123456789ABCDEF"), words = digits / 8;
	uint32_t address[4] = {0};
	char plain[INET6_ADDRSTRLEN];
	bool mapped;

	if (text[digits] != ':' || (digits != 8 && digits != 32))
		return false;
	for (size_t i = 0; i < words; i++) {
		char word[9] = {0};

		memcpy(word, text + 8 * i, 8);
		address[i] = (uint32_t)strtoul(word, NULL, 16);
	}
	mapped = words == 4 && !address[0] && !address[1] && address[2] == htonl(0xffff);
	if (!inet_ntop(words == 4 && !mapped ? AF_INET6 : AF_INET, mapped ? &address[3] : address,
		    plain, sizeof(plain)))
		return false;
	snprintf(into, room, words == 4 && !mapped ? "[%s]:%lu" : "%s:%lu", plain,
		strtoul(text + digits + 1, NULL, 16));
	return true;
}

/* Names a socket by its other end, which stands behind "tcp", the slot's number and the own end. */
static const char *name_socket(struct decode_context *context, const char *text)
{
	const char *line = strstr(text, "\ntcp ");
	char peer[INET6_ADDRSTRLEN + 16];

	for (int field = 0; line && field < 3; field++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	if (!line || !read_address(line, peer, sizeof(peer)) || !strcmp(strrchr(peer, ':'), ":0"))
		return "a socket"; /* or one that listens */
	return arena_printf(&context->arena, "socket to %s", peer);
}

/* True for a terminal's link: a process waits there for input. */
static bool is_terminal(const char *link)
{
	return !strncmp(link, "/dev/pts/", strlen("/dev/pts/")) ||
	       !strncmp(link, "/dev/tty", strlen("/dev/tty")) ||
	       !strncmp(link, "/dev/console", strlen("/dev/console"));
}

/* Returns what the file lies on, ", on nfs4 (/data)"; "" if that is of this host. */
static const char *name_mount(struct decode_context *context, const char *text)
{
	const char *type = strstr(text, "\nmount "), *point;
	size_t len, point_len;

	if (!type)
		return "";
	type += strlen("\nmount ");
	len = strcspn(type, " \n");
	point = type + len + (type[len] == ' ');
	point_len = strcspn(point, "\n");
	if (!len || *point != '/' || len > ON_MOST || point_len > ON_MOST)
		return "";
	return arena_printf(
		&context->arena, ", on %.*s (%.*s)", (int)len, type, (int)point_len, point);
}

/* Names what a descriptor's link is; "" if that is nothing outside of the process to wait for. */
static const char *name_link(struct decode_context *context, const char *text, const char *link)
{
	size_t len = strcspn(link, "\n");
	int shown = (int)(len > ON_MOST ? ON_MOST : len);

	if (!strncmp(link, "socket:", strlen("socket:")))
		return name_socket(context, text);
	if (!strncmp(link, "pipe:", strlen("pipe:")))
		return "a pipe";
	if (is_terminal(link))
		return arena_printf(&context->arena, "terminal %.*s", shown, link);
	if (*link != '/' || !strncmp(link, "/dev/", strlen("/dev/")))
		return "";
	return arena_printf(
		&context->arena, "file %.*s%s", shown, link, name_mount(context, text));
}

/*
 * Names the descriptor that the call is about. The first three are named as what they are: a rank
 * that reads standard input stands at a forgotten breakpoint() or input(), which cannot be answered
 * under a launcher; one that writes to its output waits for whoever should read that.
 */
static const char *name_descriptor(struct decode_context *context, const char *text)
{
	static const char *const standard[] = {"input", "output", "error"};
	const char *link = strstr(text, "\nfd "), *named;
	size_t number;

	if (!link)
		return "";
	link += strlen("\nfd ");
	number = strcspn(link, " \n") == 1 ? (size_t)(*link - '0') : SIZE_MAX;
	link += strcspn(link, " \n");
	link += *link == ' ';
	named = name_link(context, text, link);
	if (!*named || number >= sizeof(standard) / sizeof(*standard))
		return named;
	return arena_printf(&context->arena, "its standard %s, %s", standard[number], named);
}

/*
 * Names the child that the call waits for, "its child sleep (pid 4711)"; "" if it waits for none.
 */
static const char *name_child(struct decode_context *context, const char *text)
{
	const char *line = strstr(text, "\nchild "), *name;
	unsigned long pid;
	char *end;

	if (!line)
		return "";
	pid = strtoul(line + strlen("\nchild "), &end, 10);
	name = end + (*end == ' ');
	if (!pid || !*name || *name == '\n')
		return "";
	return arena_printf(&context->arena, "its child %.*s (pid %lu)",
		(int)strcspn(name, "\n"), name, pid);
}

/*
 * Names what a file's opening waits for, by the kernel's function in which it does; "" nothing is
 * known of it. The file's name stands in the process' memory, and is not read.
 */
static const char *name_opening(const char *call, const char *wchan)
{
	static const char *const calls[] = {"open", "openat", "openat2", "creat"};
	static const char *const waits[] = {"wait_for_partner", "fifo_open", "pipe_wait"};
	bool opens = false, fifo = false;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		opens |= !strcmp(call, calls[i]);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		fifo |= !strcmp(wchan, waits[i]);
	return opens && fifo ? "somebody to open the other end of a named pipe" : "";
}

static int call_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	const char *text = arena_text_max(
		&context->arena, exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);
	struct decode_process *process;
	char *end;
	long number = strtol(text, &end, 10);

	(void)builder;
	if (end == text || number < 0)
		return complaint_set(why, "it does not begin with a system call");
	process = context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	process->fact.call = frames_syscall(number);
	process->fact.on = name_child(context, text);
	if (!*process->fact.on)
		process->fact.on = name_descriptor(context, text);
	if (!*process->fact.on)
		process->fact.on = name_opening(process->fact.call, process->fact.wchan);
	process->fact.on_cite =
		arena_printf(&context->arena, "call:%s", context_name(context, process));
	return 0;
}

const struct decoder decode_proc_call = {EXHIBIT_PROC_CALL, call_decode};
