/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RALLY_H
#define EVIDENCE_RALLY_H

/*
 * Where agents of one job on several hosts meet: a hidden folder in the one of their bundles, if
 * all of them see that. Each host has one card in it, written by the agent that speaks for the job
 * there (evidence/agent/fellows.h), and read by the others. No host asks another one's machine, no
 * clock is compared: a card lives as long as its `beat' is seen to change.
 *
 *	OUT/.rally-HASH/	of the job's key (fellow.h), and of the user
 *	card.HOST-HASH		JSON, replaced atomically; its fields are those below
 *
 * TRUST. Folder, cards, and the bundles in OUT that they name are our user's and nobody else may
 * write to them (folder.h): in another's folder nobody meets. A card is that of its file's name.
 * Its contents are still taken as a stranger's text: bounded in size, never used as a path, and a
 * name only if every shell takes it for one word.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"
#include "evidence/agent/fellow.h"

#define RALLY_CARDS_MOST 16384
/* The first host names all hosts it has heard of. */
#define RALLY_CARD_CAP ((size_t)RALLY_CARDS_MOST * 160)

/* How far the first host has come with what others have found. */
struct rally_heard {
	char *card;
	int64_t born;
	int64_t raised;
};

struct rally_card {
	char *name; /* of its file: "card.m1-0a1b2c3d"; their order is that of the hosts */
	char *host;
	uint32_t pid;     /* of its agent, there */
	int64_t born;     /* tells this agent from others: pids of two pods are alike */
	int64_t launched; /* its part of the job, realtime ns; 0 not known */
	int64_t beat;     /* grows with every writing */
	int64_t pause_ms; /* between two of these, at most */
	int64_t raised;   /* how many things were found there that all should judge */
	int64_t asked;    /* of the first: its question, which all answer by a bundle; 0 none */
	int64_t answered; /* the question that its bundle answers */
	bool over;        /* its command has ended, and its agent is done */
	bool clash;       /* of the first: two jobs of one name meet here */
	int attempt;      /* of its job; 0 not known */
	ARRAY(int) ranks; /* ranks of that attempt that live on its host; ascending */
	char *bundle;     /* a name in OUT; "" none */
	char *keys;       /* its standing verdicts about the whole job, a line each */
	char *verdict;    /* the same as one sentence */
	ARRAY(struct rally_heard) heard;
};

/*
 * Appends the path of the folder for a job of that key: its Slurm step, else the run id, else where
 * its rank 0 is. Run ids are drawn, or given by people: `apart' is for a job that shares its run id
 * with another, and adds the address of rank 0. False, with nothing appended, where the name that
 * other hosts know it by is unknown.
 */
bool rally_folder(const char *out, const struct fellow *fellow, bool apart, struct str *into)
	__attribute__((nonnull));

/*
 * Appends the name of this host's card; jobs is the folder of its job folders, master where rank 0
 * of its job is, "" not known.
 */
void rally_card_name(const char *jobs, const char *master, struct str *into)
	__attribute__((nonnull));

/* Makes the folder where it is missing, and writes the card. 0, or negative with words. */
int rally_write(const char *folder, const struct rally_card *card, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Appends the cards in the order of their names, a line each; of many only the first `most`. Cards
 * that are not to be trusted are passed over. 0, or negative with words.
 */
int rally_read(const char *folder, size_t most, struct str *lines, struct complaint *why)
	__attribute__((nonnull(1, 3)));

/* Takes one line of those. False: it is none. rally_card_release() it. */
bool rally_card_parse(const char *line, size_t len, struct rally_card *ret)
	__attribute__((nonnull));

void rally_card_release(struct rally_card *card) __attribute__((nonnull));

/* Opens a bundle in OUT, if it is a file that only we may write to: a descriptor, or -errno. */
int rally_open_bundle(const char *out, const char *name) __attribute__((nonnull));

/* Removes cards and folder: all are over. */
void rally_remove(const char *folder) __attribute__((nonnull));

/*
 * Removes the folders in OUT to which nobody has written for a day: their jobs were killed with all
 * their agents. `now` is when a file of OUT was just written, in seconds, by the clock of that
 * storage. An agent that was stopped for so long makes its folder anew.
 */
void rally_sweep(const char *out, int64_t now) __attribute__((nonnull));

#endif
