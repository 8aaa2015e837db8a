/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a socket must be short; that of a folder may be long. So both sides go through
 * /proc/self/fd of the opened folder, which also keeps a link from being put in between.
 */
#include "evidence/agent/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/live/live.h"

#define SERVE_REQUEST "inquest-stacks/1"
#define SERVE_RAW     " raw"
#define SERVE_MUTE    " mute"
#define REQUEST_CAP   128
#define REQUEST_MS    1000 /* how long a request may take to arrive: who connects knows what he
			    * wants */
#define HELPER_MS     10000 /* how long the helper may take for an answer */
#define ANSWER_CAP    (1ull << 30) /* bytes of an answer */
#define PAUSE_MOST    1000 /* ms between two samples */

/* Returns the address of the socket in the opened folder. */
static struct sockaddr_un serve_address(int folder_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" SERVE_FILE,
		folder_fd);
	return address;
}

void serve_open(struct serve *serve, const char *folder)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct sockaddr_un address = serve_address(dir);

	*serve = (struct serve){.fd = -1};
	if (dir < 0)
		return;
	serve->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/*
	 * The mode is set before there is a name to connect to: the folder may one day be less
	 * private.
	 */
	if (serve->fd >= 0 &&
		(fchmod(serve->fd, 0600) < 0 ||
			bind(serve->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
			listen(serve->fd, 4) < 0)) {
		close(serve->fd);
		serve->fd = -1;
	}
	close(dir);
}

/* --- Answering ------------------------------------------------------------------------------- */

/* True if the peer may ask: only the job's own user and root may. */
static bool peer_may_ask(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

/*
 * Reads a request up to the end of its line. Returns false if none is complete by `until`, or if it
 * is longer than a request may be.
 */
static bool read_request(int fd, int64_t until, char line[static REQUEST_CAP])
{
	size_t len = 0;

	while (len < REQUEST_CAP - 1) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int64_t left = until - clock_monotonic_ns();
		ssize_t got;

		if (left <= 0 || poll(&poll_fd, 1, (int)(left / CLOCK_NS_PER_MS) + 1) < 0)
			return false;
		got = read(fd, line + len, REQUEST_CAP - 1 - len);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			return false;
		len += (size_t)got;
		line[len] = '\0';
		if (strchr(line, '\n'))
			return true;
	}
	return false;
}

/* Skips the word if the rest begins with it; returns whether it did. */
static bool take_word(const char **rest, const char *word)
{
	bool is = !strncmp(*rest, word, strlen(word));

	*rest += is ? strlen(word) : 0;
	return is;
}

/* Parses one request. Returns false if it is none that we understand. */
static bool parse_request(const char *line, struct stacks_options *options)
{
	unsigned mode, samples, pause;
	const char *rest;
	int used = 0;

	if (sscanf(line, SERVE_REQUEST " %1u %1u %4u%n", &mode, &samples, &pause, &used) != 3)
		return false;
	rest = line + used;
	if (mode > SNAPSHOT_CONSISTENT || samples < 1 || samples > 3 || pause > PAUSE_MOST)
		return false;
	options->raw_stacks = take_word(&rest, SERVE_RAW);
	options->no_logs = take_word(&rest, SERVE_MUTE);
	if (strcmp(rest, "\n") != 0)
		return false;
	options->mode = (enum snapshot_mode)mode;
	options->samples = samples;
	options->pause_ms = (int)pause;
	return true;
}

/* Sends all bytes. Gives up on a peer that does not read for HELPER_MS. */
static void send_all(int fd, const struct str *bytes)
{
	for (size_t at = 0; at < bytes->len;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
		ssize_t put = send(fd, bytes->text + at, bytes->len - at, MSG_NOSIGNAL);

		if (put > 0)
			at += (size_t)put;
		else if (put < 0 && errno != EAGAIN && errno != EINTR)
			return;
		else if (poll(&poll_fd, 1, HELPER_MS) <= 0)
			return;
	}
}

/*
 * Answers one request. Runs in the helper process; the asker reads what it writes. Whoever may not
 * ask, or asks for something else, gets nothing.
 */
static void give_answer(int fd, void *arg)
{
	const char *folder = arg;
	struct live_options options = LIVE_OPTIONS_STACKS;
	struct evidence evidence = {0};
	char line[REQUEST_CAP];
	struct str bundle = {0};

	options.sample_pause_ms = 0;
	options.wary = true;
	if (peer_may_ask(fd) &&
		read_request(fd, clock_monotonic_ns() + REQUEST_MS * CLOCK_NS_PER_MS, line) &&
		parse_request(line, &options.stacks) &&
		live_gather_stacks(folder, &options, &evidence, NULL) == 0) {
		bundle_pack(&evidence, &bundle);
		send_all(fd, &bundle);
	}
}

void serve_turn(struct serve *serve, const char *folder)
{
	int fd;

	if (serve->fd < 0 ||
		!helper_is_over(&serve->helper, HELPER_MS * CLOCK_NS_PER_MS, NULL, NULL))
		return;
	fd = accept4(serve->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	(void)helper_start_into(&serve->helper, fd, give_answer, (char *)folder);
	close(fd);
}

void serve_close(struct serve *serve)
{
	if (serve->fd >= 0)
		close(serve->fd);
	serve->fd = -1;
	helper_end(&serve->helper);
}

/* --- Asking ---------------------------------------------------------------------------------- */

/*
 * Connects to the agent's socket. Returns a descriptor, or negative with words; also where the one
 * who listens is neither the folder's owner nor root.
 */
static int ask_connect(const struct folder *folder, struct complaint *why)
{
	const struct sockaddr_un address = serve_address(folder->fd);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return complaint_errno(why, errno, "no socket can be made");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = errno;

		close(fd);
		return complaint_errno(why, error, "its `inquest run' does not listen");
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
		(peer.uid != folder->uid && peer.uid != 0)) {
		close(fd);
		return complaint_set(why, "somebody else listens in its folder");
	}
	return fd;
}

/* Reads up to the end of the answer, until that time. Returns 0, or negative with words. */
static int ask_read(int fd, int64_t until, struct str *into, struct complaint *why)
{
	for (;;) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int64_t left = until - clock_monotonic_ns();
		ssize_t got;

		if (left <= 0)
			return complaint_set(why, "its `inquest run' did not answer in time");
		if (poll(&poll_fd, 1, (int)(left / CLOCK_NS_PER_MS) + 1) <= 0)
			continue;
		got = read(fd, str_room(into, 65536), 65536);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got < 0)
			return complaint_errno(why, errno, "the answer of its `inquest run'");
		if (got == 0)
			return 0;
		str_grow(into, (size_t)got);
		if (into->len > ANSWER_CAP)
			return complaint_set(why, "the answer of its `inquest run' has no end");
	}
}

int serve_ask(const struct folder *folder, const struct stacks_options *options,
	struct evidence *into, struct complaint *why)
{
	int64_t until = clock_monotonic_ns() + (REQUEST_MS + HELPER_MS) * CLOCK_NS_PER_MS;
	int fd = ask_connect(folder, why), error;
	struct str request = {0}, answer = {0};

	if (fd < 0)
		return fd;
	str_printf(&request, SERVE_REQUEST " %u %u %u%s%s\n", (unsigned)options->mode,
		options->samples,
		(unsigned)(options->pause_ms < PAUSE_MOST ? options->pause_ms : PAUSE_MOST),
		options->raw_stacks ? SERVE_RAW : "", options->no_logs ? SERVE_MUTE : "");
	send_all(fd, &request);
	error = ask_read(fd, until, &answer, why);
	if (!error && !answer.len)
		error = complaint_set(why, "its `inquest run' gave no answer");
	if (!error)
		error = bundle_unpack(answer.text, answer.len, into, why);
	close(fd);
	str_release(&request);
	str_release(&answer);
	return error;
}
