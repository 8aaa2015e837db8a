/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_REMAINS_H
#define EVIDENCE_REMAINS_H

/*
 * What a job that nobody prepared leaves in files. Each file is taken for something by what stands
 * in it, never by its name alone, or passed over for a reason that is told. A folder is walked down
 * as far as torchrun's and Slurm's folders of logs go; links are not followed there.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "evidence/format/exhibit.h"
#include "evidence/gather/log-times.h"

/* What a file can be taken for: one row of the table in remains.c. */
struct remains_kind {
	enum exhibit_kind exhibit;
	const char *is; /* in words: "a job's log" */
	bool sieved;    /* true if it may be of any size: only its lines that tell something are
			 * kept */
};

/* Why files are passed over that may be of other jobs. */
#define REMAINS_OF_ANOTHER "of another job: name it"
#define REMAINS_OF_UNKNOWN "not known to be of this run: name it"

struct remains_report; /* remains-runs.h */

/* A file that was looked at. */
struct remains_file {
	char *path;
	const char *label; /* its path below what was asked for, with that one's name where there
			    * are several; in `path` */
	const struct remains_kind *kind; /* what it is taken for; NULL: it is passed over */
	const char *other;               /* what it is for the other source that takes it: "a
					  * bundle"; NULL none */
	const char *why;                 /* why it was passed over, a literal; NULL it was not */
	int64_t when;                    /* when it was last written, realtime ns */
	int64_t first, last;             /* times of its first and last line, in s (log-times.h);
					  * 0 not known */
	enum log_time_form form;         /* of both times */
	int64_t born;                    /* when it was made, realtime ns; 0 not known */
	int64_t job;                     /* the number of the Slurm job; 0 not told */
	uint64_t ranks;                  /* bits of the ranks below 64 whose lines are in it */
	uint64_t dev, ino;               /* 0 not known */
	bool again;                      /* true if it was looked at before, by another path */
	int owner;                       /* the rank that a worker's own file names; -1 none */
	struct remains_report *report;   /* torchrun's report of failures in it; NULL none */
	uint64_t served; /* of a dump by PyTorch's debug server: hash of the addresses of all
			  * ranks; 0 none */
	uint64_t asked;  /* hash of what that server asked them for */
	char polled[32]; /* of a report by NCCL RAS in JSON: when; "" not told in the form that
			  * has an order */
};

/* A path that was looked at, and the files that were found. */
/* its files are [first, end) */
struct remains_look {
	size_t first, end; /* its files */
	size_t root;       /* how many bytes of its files' paths precede their labels */
	bool folder, named; /* folder: it is one; named: its own name is in the labels */
};

/* All that was looked at. */
struct remains {
	ARRAY(struct remains_file) files;
	ARRAY(struct remains_look) looks;
	size_t more;    /* how many files were not looked at, as there are too many */
	size_t passed_folders; /* how many folders nobody looked into */
	size_t unentered;      /* how many of these are not even in `files`, as there are too
			        * many */
	size_t refused; /* how many were not opened: pipes, devices, links of others */
	bool dumps_below; /* of the folder that is looked at, dumps below it are read */
	bool one;	/* set by the caller: it is enough to find one file that is taken */
};

/*
 * Looks at a file, or at all below a folder. Several paths add up. The caller calls
 * remains_release().
 */
void remains_look(struct remains *remains, const char *path) __attribute__((nonnull));

/* Returns a file's time as realtime ns; 0 for one that no clock of ours shows. */
int64_t remains_time(int64_t seconds, int64_t ns);

/*
 * Gives the files their final labels, and passes over earlier attempts. Called after the last look.
 */
void remains_settle(struct remains *remains) __attribute__((nonnull));

/*
 * Adds what is taken to the evidence; what cannot be read becomes a gap. Returns how many were
 * added.
 */
size_t remains_read(const struct remains *remains, struct evidence *into) __attribute__((nonnull));

/* True if anything at the path is taken for something. */
bool remains_any(const char *path) __attribute__((nonnull));

/* True if nobody could look at the file, or into the folder, so that what is in it is not known. */
bool remains_is_unseen(const struct remains_file *file) __attribute__((nonnull));

/* Frees all that was found. */
void remains_release(struct remains *remains) __attribute__((nonnull));

#endif
