/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_H
#define EVIDENCE_REMAINS_H

/*
 * What a job that nobody prepared leaves in files: each is taken for something by what stands in
 * it, never by its name alone, or passed over for a reason that is said. A folder is walked down,
 * as far as torchrun's and Slurm's folders of logs go; links are not followed there.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/log-times.h"

/* A kind of such files, one row of the table in remains.c. */
struct remains_kind {
	enum exhibit_kind exhibit;
	const char *is; /* "a job's log" */
	bool sieved;    /* it may be of any size: what tells is kept of it, line by line */
};

/* Why files are passed over that may be of other jobs. */
#define REMAINS_OF_ANOTHER "of another job: name it"
#define REMAINS_OF_UNKNOWN "not known to be of this run: name it"

struct remains_report; /* remains-runs.h */

struct remains_file {
	char *path;
	const char *label; /* path below what was asked for, of several with its name; in path */
	const struct remains_kind *kind; /* NULL: passed over */
	const char *other;               /* another source takes it: "a bundle"; NULL */
	const char *why;                 /* it was passed over, a literal; NULL it was not */
	int64_t when;                    /* it was last written, realtime ns */
	int64_t first, last;             /* times of its lines, s (log-times.h); 0 not known */
	enum log_time_form form;         /* of both */
	int64_t born;                    /* it was made; 0 not known */
	int64_t job;                     /* a number that Slurm gave it; 0 none is told */
	uint64_t ranks;                  /* bits of those below 64 whose lines are in it */
	uint64_t dev, ino;               /* 0 not known */
	bool again;                      /* it was looked at before, by another path */
	int owner;                       /* the rank that a worker's own file names; -1 */
	struct remains_report *report;   /* torchrun's; NULL none is in it */
	uint64_t served; /* PyTorch's debug server: hash of the addresses of all ranks; 0 none */
	uint64_t asked;  /* hash of what it asked them for */
	char polled[32]; /* NCCL RAS in JSON: when; "" not told in the form that has an order */
};

/* A path that was looked at. */
struct remains_look {
	size_t first, end; /* its files */
	size_t root;       /* bytes of its files' paths before their labels */
	bool folder, named; /* a folder; its own name is in the labels */
};

struct remains {
	ARRAY(struct remains_file) files;
	ARRAY(struct remains_look) looks;
	size_t more;    /* were not looked at: there are too many */
	size_t passed_folders; /* into which nobody looked */
	size_t unentered;      /* of these, not even named: there are too many */
	size_t refused; /* were not opened: pipes, devices, links of others */
	bool one;	/* one that is taken is enough */
};

/* Looks at a file, or at all below a folder. Several paths add up. remains_release() it. */
void remains_look(struct remains *remains, const char *path) __attribute__((nonnull));

/* A file's time, realtime ns; 0 for one that no clock of ours shows. */
int64_t remains_time(int64_t seconds, int64_t ns);

/* After the last look: gives the files their labels, and leaves out earlier attempts. */
void remains_settle(struct remains *remains) __attribute__((nonnull));

/* Adds what is taken to the evidence; what cannot be read becomes a gap. Returns how many are. */
size_t remains_read(const struct remains *remains, struct evidence *into) __attribute__((nonnull));

/* True if any of it is taken for something. */
bool remains_any(const char *path) __attribute__((nonnull));

/* True if nobody could look at the file, or into the folder: what is in it is not known. */
bool remains_is_unseen(const struct remains_file *file) __attribute__((nonnull));

void remains_release(struct remains *remains) __attribute__((nonnull));

#endif
