/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prose without inference. A report writes verdicts for somebody: a person woken at night (text),
 * or a program (json). It sees the job and the verdicts, never a byte of evidence, and adds no
 * opinion: which words stand for which fact is a table (words/wording.h).
 *
 * This is the last of the four seams: a new output is one file and one line below.
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
 * What the caller knows about the reader. JSON has only five of these: the jobs that are left out,
 * the files that were asked for, whether the job is live, and the two times.
 */
struct report_options {
	bool live;           /* the evidence was gathered just now, and the job goes on */
	int64_t now;         /* the time of reading, realtime ns; 0: as it was when the job was
			      * looked at */
	int64_t written;     /* when the last evidence was written that tells no time of its own,
			      * realtime ns; 0 none (words/tense.h) */
	bool color;          /* the reader is a terminal that wants colour */
	bool utf8;           /* the reader can show more than ASCII */
	bool gathered;       /* the evidence was gathered for this page: what that cost the job
			      * is told */
	const char *program; /* what to type for "inquest" in a command; NULL: that */
	const char *saved;   /* path of the bundle that was written; NULL none */
	const char *beside;  /* about other jobs here: "other job here: healthy"; NULL none */
	const struct report_left *left; /* jobs beside this one that were not judged */
	size_t nleft;
	const char *left_out; /* the same in words; NULL none */
	const struct page_file *files; /* the files that were asked for, and what each was taken
				        * for */
	size_t nfiles;
	bool all_threads;    /* for reports of stacks: all threads, not only the main ones */
	bool below;          /* for reports of stacks: they stand below a report that has the
			      * headline */
};

/* One output. */
struct report {
	const char *name; /* as --format names it */
	/* Writes the whole report. Returns 0, or -1 if the file could not be written. */
	int (*write)(
		FILE *file, const struct verdicts *verdicts, const struct report_options *options);
};

/*
 * text: the answer first; at most 80 columns, 24 lines for up to 8 ranks and 30 for any number.
 * json: schema inquest/1, one object on one line with a newline behind it. The same verdicts give
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

/* Appends the JSON of report_json for a live job, without its newline and in full. */
void report_json_add(struct str *into, const struct verdicts *verdicts);

/*
 * Appends the same document as one line for a log, without a newline: at most `most` bytes (at
 * least 1024), never stacks, and behind "schema" the key "bundle", the path of the bundle that
 * holds it all (NULL: null). Parts that do not fit are left out in this order: ranks, left_out,
 * losses and not_judged beyond 3, verdicts beyond 4, of each verdict ruled_out beyond 4 and
 * evidence beyond 8; then verdicts beyond 2, all of ruled_out, losses and not_judged, evidence
 * beyond 4, verdicts beyond the first; then all lists and texts are shortened alike. The last key,
 * "cut", counts what was left out under each key; it is {} where nothing was.
 */
void report_json_line(
	struct str *into, const struct verdicts *verdicts, const char *bundle, size_t most);

#endif
