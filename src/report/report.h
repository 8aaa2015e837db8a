/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h: prose without inference. A report writes verdicts for somebody: a person woken at night
 * (text), or a program (json). It sees the job and the verdicts, never a byte of evidence, and adds
 * no opinion: which words stand for which fact is a table (words/wording.h).
 *
 * The last of the four seams: a new output is one file and one line below.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "verdict/verdict.h"
#include "words/page.h"

/* A job whose bundles lay beside the one that is judged. */
struct report_left {
	const char *id, *name; /* "" not known, or none was given */
	const char **files;    /* paths of its bundles, at least one */
	size_t nfiles;
};

/*
 * What the caller knows about the reader. JSON has only four of these: the jobs that are
 * left out, the files that were asked for, whether the job is live, and what time it is.
 */
struct report_options {
	bool live;           /* the evidence was gathered just now: the job goes on */
	int64_t now;         /* realtime ns; 0: as it was when the job was looked at */
	int64_t written;     /* last of what tells no time of its own; 0 (words/tense.h) */
	bool color;          /* the reader is a terminal that wants colour */
	bool utf8;           /* the reader can show more than ASCII */
	bool gathered;       /* it was gathered for this page: what that cost the job is said */
	const char *saved;   /* the bundle that was written, NULL none */
	const char *beside;  /* about other jobs here: "other job here: healthy"; NULL none */
	const struct report_left *left; /* jobs that are left out */
	size_t nleft;
	const char *left_out; /* the same in words; NULL none */
	const struct page_file *files; /* for what each was taken; JSON has them too */
	size_t nfiles;
	bool all_threads;    /* of stacks: all threads, not only the main ones */
	bool below;          /* of stacks: below a report that has the headline */
};

struct report {
	const char *name; /* as --format would say it */
	/* Writes the whole report. Returns 0, or -1 when the file says that it could not be
	 * written. */
	int (*write)(
		FILE *file, const struct verdicts *verdicts, const struct report_options *options);
};

/*
 * text: the answer first; at most 80 columns, 24 lines for 8 ranks and 30 for any number.
 * json: schema inquest/1, one object on one line with a newline behind it: the same verdicts give
 * the same bytes.
 */
extern const struct report report_text;
extern const struct report report_json;

/*
 * The stacks of all ranks as one tree (job/stacktree/stacktree.h), the odd one out first.
 * stacks: for people; at most 80 columns, and some hundred lines.
 * stacks-json: schema inquest-stacktree/1, one object on one line: everything, plumbing too.
 * folded: a line "0-2,4-7;outermost;...;innermost COUNT" per place, as flame graphs want it.
 */
extern const struct report report_stacks;
extern const struct report report_stacks_json;
extern const struct report report_folded;

/* The JSON of report_json of a live job, without its newline, appended; none is left out. */
void report_json_add(struct str *into, const struct verdicts *verdicts);

/*
 * The same document as one line for a log, appended without a newline: at most `most` bytes (at
 * least 1024), never stacks, and behind "schema" the key "bundle", the path of the bundle that
 * holds it all (NULL: null). Parts that do not fit are left out in this order: ranks, left_out,
 * losses and not_judged beyond 3, verdicts beyond 4, of each verdict ruled_out beyond 4 and
 * evidence beyond 8; then verdicts beyond 2, all of ruled_out, losses and not_judged, evidence
 * beyond 4, verdicts beyond the first; then all lists and texts are shortened alike. The last key,
 * "cut", counts what was left out under each key, {} where nothing was.
 */
void report_json_line(
	struct str *into, const struct verdicts *verdicts, const char *bundle, size_t most);

#endif
