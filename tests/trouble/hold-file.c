/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold-file FILE [COMMAND...]: mounts over FILE a file whose reads and writes work, but whose
 * writing back never ends, and runs COMMAND beside it (mount namespaces are the caller's affair).
 * Whoever maps it shared, writes there and unmaps it waits in the kernel with his address space
 * locked, as on a dead NFS server, until we end; with us it all comes back.
 *
 * It speaks the kernel's FUSE protocol itself: one file, one page. Exit 77: no FUSE here; else the
 * command's status.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE       4096
#define BUFFER     (1 << 20)
#define LONGEST_S  120 /* nobody is held longer, whatever becomes of the test */
#define NEVER_SAID 1   /* an answer of this length is none */

struct request {
	struct fuse_in_header header;
	union {
		struct fuse_init_in init;
		struct fuse_read_in read;
		char bytes[BUFFER];
	} in;
};

static struct fuse_attr attributes(void)
{
	return (struct fuse_attr){
		.ino = FUSE_ROOT_ID,
		.size = SIZE,
		.blocks = SIZE / 512,
		.mode = S_IFREG | 0666,
		.nlink = 1,
		.blksize = SIZE,
	};
}

/* What a request is answered with: bytes into `out`. Returns how many, or -errno. */
static int answer(const struct request *request, char out[SIZE])
{
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = SIZE,
		.max_background = 16,
		.congestion_threshold = 12,
		.max_write = SIZE,
		.max_pages = 1,
		.time_gran = 1};
	struct fuse_attr_out attr = {.attr_valid = 1000, .attr = attributes()};
	struct fuse_open_out open = {.fh = 1};

	switch (request->header.opcode) {
	case FUSE_INIT:
		memcpy(out, &init, sizeof(init));
		return (int)sizeof(init);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		memcpy(out, &attr, sizeof(attr));
		return (int)sizeof(attr);
	case FUSE_OPEN:
		memcpy(out, &open, sizeof(open));
		return (int)sizeof(open);
	case FUSE_READ:
		memset(out, 0, SIZE);
		return request->in.read.size < SIZE ? (int)request->in.read.size : SIZE;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_ACCESS:
		return 0;
	case FUSE_WRITE:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return NEVER_SAID;
	default:
		return -ENOSYS;
	}
}

static void serve_one(int device)
{
	static struct request request;
	static struct {
		struct fuse_out_header header;
		char bytes[SIZE];
	} reply;
	int size;

	if (read(device, &request, sizeof(request)) < (ssize_t)sizeof(request.header))
		return;
	size = answer(&request, reply.bytes);
	if (size == NEVER_SAID)
		return;
	reply.header = (struct fuse_out_header){.unique = request.header.unique,
		.error = size < 0 ? size : 0,
		.len = (unsigned)(sizeof(reply.header) + (size > 0 ? (size_t)size : 0))};
	if (write(device, &reply, reply.header.len) < 0 && errno != ENOENT)
		perror("hold-file: answer");
}

static int mount_over(const char *file, int device)
{
	char options[64];

	snprintf(options, sizeof(options), "fd=%d,rootmode=100666,user_id=0,group_id=0", device);
	return mount("hold-file", file, "fuse", MS_NOSUID | MS_NODEV, options);
}

int main(int argc, char **argv)
{
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC), status = 0;
	pid_t child;

	if (argc < 3)
		return 2;
	if (device < 0 || mount_over(argv[1], device) < 0) {
		perror("hold-file: no FUSE here");
		return 77;
	}
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	alarm(LONGEST_S);
	while (child > 0 && waitpid(child, &status, WNOHANG) != child) {
		struct pollfd news = {.fd = device, .events = POLLIN};

		if (poll(&news, 1, 50) > 0)
			serve_one(device);
	}
	umount2(argv[1], MNT_DETACH | MNT_FORCE);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
