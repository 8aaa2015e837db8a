/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h: finds where this job's files lie, and makes files there that can be written without
 * fear.
 *
 * The job's folder is INQUEST_JOB_DIR (set by `inquest run`), else a folder of this session under
 * INQUEST_DIR or /dev/shm/inquest-<uid>. It must be ours: a directory, no link, owned by our
 * effective uid, writable by nobody else. A relative INQUEST_DIR is not looked at: `inquest run`
 * hands on an absolute one, and without it each process would mean another place.
 *
 * A store into a hole of a file on a full file system is SIGBUS, which would end the training. So a
 * file is allocated in full, or written with zeros where the file system cannot allocate, before it
 * is mapped; then it is faulted in. A ring that does not fit in the job's folder goes to a folder
 * of the same job under INQUEST_DIR or /tmp, where a link says which job it is of; the ring says
 * that it lies on a disk.
 *
 * THE BUDGET: all rings of a job on this node take at most a quarter of what was free in their file
 * system; a rank that knows how many ranks there are takes at most its share. Candidates together
 * take at most a quarter of that. Many processes make rings at once, so each adds its bytes to the
 * job's sum first, and checks the sum again afterwards.
 *
 * All of it may be called from a signal handler: it uses the kernel's functions only.
 */
#ifndef PROBES_PLACE_H
#define PROBES_PLACE_H

#include <stddef.h>
#include <stdint.h>

#define PLACE_PATH 512

/*
 * Finds (or makes) the job's folder; needs the environment, so call it in the constructor. The
 * folder may be held open then, until place_let_go(): to make sure whose it is costs a tenth of
 * what a small program takes, and the program has no hand in it before our constructor is over.
 */
void place_find(void);
void place_let_go(void);

/* Returns the last part of the folder's path: the job's name. "" if there is no folder. */
const char *place_job(void);

/* Opens the job's folder. Returns a descriptor, or -errno; place_close() takes both. */
int place_open(void);
void place_close(int dir);

/*
 * Gives what we have just made under this name that mode, from which the program's umask may have
 * taken.
 */
void place_keep_ours(int dir, const char *name, unsigned mode);

/* Makes sure that an open file's `size` bytes really exist. Returns 0 or -errno. */
int place_reserve(int fd, uint64_t size);

/*
 * Maps the whole file as mapping_make() does, with all pages present. Returns NULL if that is
 * refused.
 */
void *place_map(int fd, uint64_t size);

/* A ring's file that is to be made. */
struct place_request {
	const char *name;
	uint32_t role;     /* enum ring_role */
	uint32_t share_of; /* ranks on this node that need as much; 0 unknown */
	/* shared by processes: bytes of all rings in the job's folder; or NULL */
	uint64_t *taken;
};

struct place_ring {
	void *base;
	uint64_t size;
	uint32_t place;  /* enum ring_place */
	uint64_t *taken; /* the sum in which it is counted, or NULL */
	char path[PLACE_PATH];
};

/*
 * Makes, reserves, maps and formats a ring, as large as the budget allows; the caller publishes it.
 * Returns 0, or -errno if no place took even the smallest.
 */
int place_ring_make(const struct place_request *want, struct place_ring *ret);

/*
 * Takes a ring's file away, and out of the sum; its memory stays mapped, for threads that still
 * write it.
 */
void place_ring_unlink(const struct place_ring *ring);

#endif
