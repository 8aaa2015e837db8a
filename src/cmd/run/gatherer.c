/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/gatherer.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/clock.h"
#include "base/str.h"
#include "evidence/format/bundle.h"

/* One that takes longer is stuck itself. */
#define PATIENCE_NS (60 * CLOCK_NS_PER_S)

/* What a helper is told. */
struct task {
	void (*gather)(const void *what, struct evidence *into);
	const void *what;
};

/* Gathers, in the helper, and leaves it all as a bundle. */
static void work(int out, void *arg)
{
	const struct task *task = arg;
	struct evidence evidence = {0};
	struct str bundle = {0};

	task->gather(task->what, &evidence);
	bundle_pack(&evidence, &bundle);
	(void)file_put(out, str_text(&bundle), bundle.len);
}

bool gatherer_begin(struct gatherer *gatherer,
	void (*gather)(const void *what, struct evidence *into), const void *what)
{
	struct task task = {gather, what};

	gatherer->fd = memfd_create("inquest-gatherer", MFD_CLOEXEC);
	if (gatherer->fd < 0)
		return false;
	if (helper_start_into(&gatherer->helper, gatherer->fd, work, &task) == 0)
		return true;
	close(gatherer->fd);
	return false;
}

/* Adds what is in the bundle that was left; nothing if it is cut. */
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

bool gatherer_fetch(struct gatherer *gatherer, struct evidence *into)
{
	if (!gatherer->helper.pid ||
		!helper_is_over(&gatherer->helper, PATIENCE_NS, &gatherer->cost, NULL))
		return false;
	read_back(gatherer->fd, into);
	close(gatherer->fd);
	return true;
}

void gatherer_end(struct gatherer *gatherer)
{
	if (!gatherer->helper.pid)
		return;
	helper_end(&gatherer->helper);
	close(gatherer->fd);
}
