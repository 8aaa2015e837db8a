/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say of a job and its verdicts, as sections of cited lines. Report and viewer
 * paint the same lines. Decided here are which lines there are, their order within a section, their
 * words and their cites; whoever paints decides which sections stand where, colours and widths
 * (report/text.c, report/report-stacks.c, viewer/pane/pane-section.c).
 *
 * A *section* answers one question of the reader, by lines in the order of their weight; one that
 * has nothing to say has no line. Asked for again it is the same: no clock, no width, no terminal
 * plays a part.
 *
 * A *line* says one thing: whom it is about, the words, and the cite that proves it. The words
 * never name whom they are about where the ranks stand in front of them.
 *
 * A *cite* is the place in an exhibit that says so ("ring:3:lane0:118", "ring:*:g1" of several
 * ranks); "" where nothing is cited, never NULL.
 *
 * Texts may hold anything that came from outside: whoever paints must escape them (words/escape.h).
 * They belong to the page's arena, to the verdicts or to the job, and live until page_release().
 *
 * Whoever paints may break words into several lines, cut the end of words and of a cite, and leave
 * out lines if it says how many. It must never cut a set of ranks, of which a part would be taken
 * for all (ranks_fit() counts instead), nor leave out a line that is `kept` while others can be,
 * nor cut or leave out a next step. A command stands behind its words and ": ", or in a line of its
 * own where both have no room in one; it is broken only where more than the screen would be needed.
 *
 * The stack tree is no section: words/branches.h and words/frames.h give its lines.
 */
#ifndef WORDS_PAGE_H
#define WORDS_PAGE_H

#include "base/arena.h"
#include "verdict/verdict.h"

/* The sections that there are. */
enum page_kind {
	/* About the job as a whole: */
	PAGE_JOB,        /* which job it is, how much of it was seen, how far it came: a line
			  * each */
	PAGE_OTHERS,     /* other jobs that lay beside it, and how to see them */
	PAGE_FIRST,      /* how the ranks came to their first step */
	PAGE_ALSO,       /* the verdicts behind the first, each sentence once */
	PAGE_UNJUDGED,   /* what could not be judged, and what was missing for that */
	PAGE_LOST,       /* what is lost, and whose it was */
	PAGE_FILES,      /* what files were taken for, and which were passed over, and why */
	PAGE_READ,       /* what was read of the job, and what that has cost it */
	PAGE_LAST_WORDS, /* what ranks said last: first those that are blamed, then all others */
	/* About one verdict: */
	PAGE_OUTLOOK,    /* whether to wait or to kill, and what ends it anyway */
	PAGE_EVIDENCE,
	PAGE_WHO,        /* seats that are to blame, where nobody knows whose they are */
	PAGE_NOT,        /* look-alikes that were ruled out, and by which fact */
	PAGE_NEXT,       /* the next step; for the first verdict also what would make it surer */
	PAGE_KINDS
};

/* What a line is to the reader. How that looks is up to whoever paints. */
enum page_tone {
	PAGE_PLAIN,
	PAGE_ALARM,  /* something is broken, and who is to blame */
	PAGE_WARN,   /* something is uncertain, or may mend itself */
	PAGE_GOOD,
	PAGE_STRONG, /* what the eye should find */
	PAGE_FAINT,  /* what the eye may pass over */
};

/* One line of a section. */
struct page_line {
	const char *key;            /* stands in front: "KILL", "lost"; NULL: the ranks stand
				     * there, maybe none */
	struct verdict_ranks ranks; /* whom it is about */
	const char *words;
	const char *command;        /* what does it, to be pasted; "" nothing */
	const char *cite;
	enum page_tone tone;
	bool kept;                  /* true if the section is worth little without it */
	bool whole;                 /* true if its end says what to do, so that it is never cut */
	struct rank_index rank; /* the rank whose row in the viewer shows it best; NO_RANK */
	/* Where the line comes from, for a reader who wants to go there: */
	const struct verdict *verdict;   /* for PAGE_ALSO: the verdict; else NULL */
	const struct verdict_fact *fact; /* the first of the facts that it tells; NULL none */
	int group;                       /* the group in which the fact's op is; JOB_NONE */
};

/* A section's lines, in order. */
struct page_section {
	const struct page_line *lines;
	size_t n;
};

/* A file that was asked for, or lay in a folder that was. */
struct page_file {
	const char *path; /* as it is cited */
	const char *is;	  /* what it was taken for: "a job's log"; NULL: it was passed over */
	const char *why;  /* why it was passed over; NULL it was not */
};

/* What to make the page of. {.verdicts = ...} is a record of which nothing else is known. */
struct page {
	const struct verdicts *verdicts;
	bool live;            /* the evidence was gathered just now, and the job goes on */
	int64_t now;          /* the time of reading, realtime ns; 0: as it was when the job was
			       * looked at */
	int64_t written;      /* when the last evidence was written that tells no time of its
			       * own, realtime ns; 0 none (words/tense.h) */
	const char *left_out; /* about other jobs beside this one; NULL or "": there are none */
	const char *program;  /* what to type for "inquest" in a command; NULL: that */
	const struct page_file *files;
	size_t nfiles;
	struct arena arena;   /* begins as {0} */
};

/*
 * Returns a section, which lives until page_release(). `verdict` counts only if the section is
 * about one.
 */
struct page_section page_section(
	struct page *page, enum page_kind kind, const struct verdict *verdict);
/* Frees the lines of all sections. */
void page_release(struct page *page);

/* Returns the tone of a verdict's headline: what the verdict as a whole is to the reader. */
enum page_tone page_tone(const struct verdict *verdict);
/*
 * Returns in how many ns the job will be ended by what limits it, as of `now`; 0: it is due;
 * JOB_UNKNOWN: no limit is known.
 */
int64_t page_left(const struct page *page, const struct verdict *verdict);

#endif
