/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_RALLY_H
#define EVIDENCE_RALLY_H

/*
 * Where agents of one job on several hosts meet: a hidden folder in the one of their bundles, if
 * all of them see that. Each host has one card in it, written by the agent that speaks for the job
 * there (evidence/agent/fellows.h), and read by the others. No host asks another one's machine, and
 * no clock is compared: a card lives as long as its `beat' is seen to change.
 *
 *	OUT/.rally-HASH/	of the job's key (fellow.h), and of the user
 *	card.HOST-HASH		JSON, replaced atomically; its fields are those below
 *
 * TRUST. Folder, cards, and the bundles in OUT that they name are our user's, and nobody else may
 * write to them (folder.h): in another's folder nobody meets. A card counts only if it names itself
 * as its file is named. Its contents are still taken as a stranger's text: bounded in size, never
 * used as a path, and a name is used only if every shell takes it for one word.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/complaint.h"
#include "base/str.h"
#include "evidence/agent/fellow.h"

#define RALLY_CARDS_MOST 16384 /* hosts */
/* Bytes of a card: the first host's names all hosts that it has heard of. */
#define RALLY_CARD_CAP ((size_t)RALLY_CARDS_MOST * 160)

/* How far the first host has come with what another host has found. */
struct rally_heard {
	char *card; /* name of the other's card */
	int64_t born; /* tells its agent from an earlier one there */
	int64_t raised; /* how many of its findings were heard */
};

/* One host's card. Texts are never NULL once parsed. */
struct rally_card {
	char *name; /* of its file: "card.m1-0a1b2c3d"; hosts are in the order of these names */
	char *host;
	uint32_t pid;     /* of its agent, on its host */
	int64_t born;     /* tells this agent from others, since pids of two pods may be equal */
	int64_t launched; /* when its part of the job was launched, realtime ns; 0 not known */
	int64_t beat;     /* grows with every writing of the card */
	int64_t pause_ms; /* the longest time between two writings */
	int64_t raised;   /* how many things were found there that all hosts should judge */
	int64_t asked;    /* on the first host's card: its question, which all answer by a
			   * bundle; 0 none */
	int64_t answered; /* the question that its bundle answers; 0 none */
	bool over;        /* true if its command has ended, and its agent is done */
	bool clash;       /* on the first host's card: two jobs of one name meet here */
	int attempt;      /* the attempt of its job; 0 not known */
	ARRAY(int) ranks; /* ranks of that attempt that live on its host; ascending */
	char *bundle;     /* name of its bundle in OUT; "" none */
	char *keys;       /* its standing verdicts about the whole job, a line each; "" none */
	char *verdict;    /* the headline of the same; "" none */
	ARRAY(struct rally_heard) heard; /* only on the first host's card */
};

/*
 * Appends the path of the folder for a job of that key: its Slurm step, else its run id, else where
 * its rank 0 is. Run ids are drawn, or given by people: `apart' is for a job that shares its run id
 * with another, and adds the address of rank 0. Returns false, and appends nothing, where the name
 * that other hosts know the job by is unknown.
 */
bool rally_folder(const char *out, const struct fellow *fellow, bool apart, struct str *into)
	__attribute__((nonnull));

/*
 * Appends the name of this host's card. `jobs` is the folder of its job folders; `master` says
 * where rank 0 of its job is, "" not known.
 */
void rally_card_name(const char *jobs, const char *master, struct str *into)
	__attribute__((nonnull));

/* Makes the folder where it is missing, and writes the card. Returns 0, or negative with words. */
int rally_write(const char *folder, const struct rally_card *card, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Appends the cards in the order of their names, a line each; of many only the first `most`. Cards
 * that are not to be trusted are passed over. Returns 0, or negative with words.
 */
int rally_read(const char *folder, size_t most, struct str *lines, struct complaint *why)
	__attribute__((nonnull(1, 3)));

/* Takes one such line. Returns false if it is no card. The caller calls rally_card_release(). */
bool rally_card_parse(const char *line, size_t len, struct rally_card *ret)
	__attribute__((nonnull));

/* Frees a card's texts and leaves it empty. */
void rally_card_release(struct rally_card *card) __attribute__((nonnull));

/*
 * Opens a bundle in OUT, if it is a file that only we may write to. Returns a descriptor, or
 * -errno.
 */
int rally_open_bundle(const char *out, const char *name) __attribute__((nonnull));

/* Removes the cards and the folder, when the commands of all hosts are over. */
void rally_remove(const char *folder) __attribute__((nonnull));

/*
 * Removes the folders in OUT to which nobody has written for a day: their jobs were killed with all
 * their agents. `now` is when a file of OUT was just written, in seconds, by the clock of that
 * storage. An agent that was stopped for so long makes its folder anew.
 */
void rally_sweep(const char *out, int64_t now) __attribute__((nonnull));

#endif
