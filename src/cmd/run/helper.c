/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/helper.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "evidence/format/bundle.h"

/* One that takes longer is stuck itself. */
#define PATIENCE_NS (60 * CLOCK_NS_PER_S)

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			_exit(1);
		bytes += n;
		len -= (size_t)n;
	}
}

bool helper_begin(struct helper *helper, void (*gather)(const void *what, struct evidence *into),
	const void *what)
{
	struct evidence evidence = {0};
	struct str bundle = {0};
	int fd = memfd_create("inquest-helper", MFD_CLOEXEC);
	pid_t pid = fd < 0 ? -1 : fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		gather(what, &evidence);
		bundle_pack(&evidence, &bundle);
		write_all(fd, bundle.text, bundle.len);
		_exit(0);
	}
	if (pid < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	helper->pid = pid;
	helper->fd = fd;
	helper->begun = clock_monotonic_ns();
	return true;
}

static void read_back(int fd, struct evidence *into)
{
	struct stat about;
	void *bytes;

	if (fstat(fd, &about) || about.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	bundle_unpack(bytes, (size_t)about.st_size, into, NULL);
	munmap(bytes, (size_t)about.st_size);
}

static int64_t time_ns(struct timeval time)
{
	return time.tv_sec * CLOCK_NS_PER_S + time.tv_usec * 1000;
}

bool helper_fetch(struct helper *helper, struct evidence *into)
{
	struct rusage used = {0};

	if (!helper->pid)
		return false;
	if (clock_monotonic_ns() - helper->begun > PATIENCE_NS)
		kill(helper->pid, SIGKILL);
	if (wait4(helper->pid, NULL, WNOHANG, &used) == 0)
		return false;
	helper->pid = 0;
	read_back(helper->fd, into);
	close(helper->fd);
	helper->cost = time_ns(used.ru_utime) + time_ns(used.ru_stime);
	return true;
}

void helper_end(struct helper *helper)
{
	if (!helper->pid)
		return;
	kill(helper->pid, SIGKILL);
	waitpid(helper->pid, NULL, 0);
	close(helper->fd);
	helper->pid = 0;
}
