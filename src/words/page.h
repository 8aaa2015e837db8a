/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h: what there is to say of a job and its verdicts, as sections of cited lines. Report and
 * viewer paint the same lines: which lines there are, their order within a section, their words and
 * their cites are decided here; which sections stand where, colours and widths by who paints
 * (report/text.c, report/report-stacks.c, viewer/pane/pane-section.c).
 *
 * A *section* answers one question of the reader, by lines in the order of their weight; one that
 * has nothing to say has no line. Asked for again it is the same: no clock, no width, no terminal.
 *
 * A *line* says one thing: whom it is about, the words, and the cite that proves it. The words
 * never name whom they are about where the ranks stand in front of them.
 *
 * A *cite* is the place in an exhibit that says so ("ring:3:lane0:118", "ring:*:g1" of several
 * ranks); "" where nothing is cited, never NULL.
 *
 * Texts may hold whatever came from outside: who paints escapes them (words/escape.h). They belong
 * to the page's arena, to the verdicts or to the job, and are there until page_release().
 *
 * Who paints may break words into several lines, cut the end of words and of a cite, and leave out
 * lines, where it says how many. It must never cut a set of ranks, of which a part would be taken
 * for all (ranks_fit() counts instead), leave out a line that is `kept` while others can be, or cut
 * or leave out a next step. A command stands behind its words and ": ", or in a line of its own
 * where both have no room in one; it is broken only where more than the screen would lack.
 *
 * The stack tree is no section: words/branches.h and words/frames.h give its lines.
 */
#ifndef WORDS_PAGE_H
#define WORDS_PAGE_H

#include "base/arena.h"
#include "verdict/verdict.h"

enum page_kind {
	/* Of the job as a whole. */
	PAGE_JOB,        /* which, how much of it was seen, how far it came: each a line of words */
	PAGE_OTHERS,     /* other jobs that lay beside it, and how to see them */
	PAGE_FIRST,      /* how the ranks came to their first step */
	PAGE_ALSO,       /* the verdicts behind the first, each sentence once */
	PAGE_UNJUDGED,   /* what could not be judged, and what lacked for it */
	PAGE_LOST,       /* what is lost, and of whom */
	PAGE_FILES,      /* for what files were taken, and which were passed over, and why */
	PAGE_READ,       /* what was read of it, and what that has cost the job */
	PAGE_LAST_WORDS, /* what ranks said last: those that are blamed, then all others */
	/* Of one verdict. */
	PAGE_OUTLOOK,    /* whether to wait or to kill, and what ends it anyway */
	PAGE_EVIDENCE,
	PAGE_WHO,        /* seats that are to blame, of which nobody knows whose they are */
	PAGE_NOT,        /* look-alikes that it is not, and by which fact */
	PAGE_NEXT,       /* the next step; of the first verdict also what would make it surer */
	PAGE_KINDS
};

/* What a line is to the reader; how that looks is up to who paints. */
enum page_tone {
	PAGE_PLAIN,
	PAGE_ALARM,  /* broken, and who is to blame */
	PAGE_WARN,   /* uncertain, or may mend itself */
	PAGE_GOOD,
	PAGE_STRONG, /* what the eye should find */
	PAGE_FAINT,  /* what it may pass over */
};

struct page_line {
	const char *key;            /* "KILL", "lost"; NULL: the ranks stand there, maybe none */
	struct verdict_ranks ranks; /* whom it is about */
	const char *words;
	const char *command;        /* what does it, to be pasted; "": nothing */
	const char *cite;
	enum page_tone tone;
	bool kept;                  /* without it the section is worth little */
	bool whole;                 /* its end says what to do: it is never cut */
	struct rank_index rank; /* whose row shows it best; NO_RANK */
	/* Where it comes from, for who leads there. */
	const struct verdict *verdict;   /* of PAGE_ALSO; else NULL */
	const struct verdict_fact *fact; /* the first of those that it tells; NULL none */
	int group;                       /* in which the fact's op is; JOB_NONE */
};

struct page_section {
	const struct page_line *lines;
	size_t n;
};

/* A file that was asked for, or lay in a folder that was. */
struct page_file {
	const char *path; /* as it is cited */
	const char *is;	  /* for what it was taken: "a job's log"; NULL: passed over */
	const char *why;  /* it was passed over; NULL it was not */
};

/* What to make the page of; {.verdicts = ...} is a record of which nothing else is known. */
struct page {
	const struct verdicts *verdicts;
	bool live;            /* the evidence was gathered just now: the job goes on */
	int64_t now;          /* realtime; 0: as it was when it was looked at */
	int64_t written;      /* last of what tells no time of its own; 0 (words/tense.h) */
	const char *left_out; /* of other jobs beside this one; NULL or "": there are none */
	const struct page_file *files;
	size_t nfiles;
	struct arena arena;   /* {0} */
};

/* A section; `verdict` is asked for only where it is of one. Lives until page_release(). */
struct page_section page_section(
	struct page *page, enum page_kind kind, const struct verdict *verdict);
/* Frees the lines of all sections. */
void page_release(struct page *page);

/* What the verdict as a whole is to the reader: the tone of its headline. */
enum page_tone page_tone(const struct verdict *verdict);
/* ns until what ends the job does, as of `now`; 0: it is due; JOB_UNKNOWN: no limit is known. */
int64_t page_left(const struct page *page, const struct verdict *verdict);

#endif
