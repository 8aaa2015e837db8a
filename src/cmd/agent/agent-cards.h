/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an agent knows about its job's agents on other hosts: their cards, which a helper reads and
 * writes, and which of them live, by our own clock.
 */
#ifndef CMD_AGENT_CARDS_H
#define CMD_AGENT_CARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "evidence/agent/rally.h"

struct agent;
struct agent_rally;
struct rally_other;

/* How often cards are read, at most. */
#define AGENT_CARDS_PAUSE_NS CLOCK_NS_PER_S

/*
 * True if the card's writer is at work at that moment (CLOCK_MONOTONIC ns): it is not over, and the
 * card has changed of late.
 */
bool agent_card_lives(const struct rally_other *other, int64_t now);

/*
 * True if that host has a part of our job, as far as is known. A host that has, or had, a rank of
 * ours is of another job, or of our job before its ranks moved. A host that was launched at another
 * time, and was there when we came, may be of a job that is just being ended: that takes less than
 * a minute.
 */
bool agent_card_is_ours(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now);

/* True if that card says that our raised findings were judged. */
bool agent_card_says_heard(const struct rally_card *card, const struct rally_card *own);

/* Begins to read the others' cards, and to write ours if it has changed (due is 0) or is old. */
void agent_cards_begin(struct agent_rally *rally, int64_t now);

/*
 * True once the helper has come back: the others' cards are as of then, and the first host is
 * known.
 */
bool agent_cards_end(struct agent *agent, int64_t now);

/*
 * Puts the standing verdicts about the whole job on our card, and the hosts that we have heard of.
 */
void agent_cards_tell(struct agent_rally *rally);

/* Takes over the standing verdicts of earlier first hosts, before anything is judged. */
void agent_cards_adopt(struct agent_rally *rally, int64_t now);

/* True if two jobs meet here: two living hosts have had the same rank for a while. */
bool agent_cards_clash(struct agent_rally *rally, int64_t now);

/* Takes our question back: the raised findings are still to be judged. */
void agent_cards_unask(struct agent_rally *rally);

/* Forgets all cards but ours, to read those of another folder. */
void agent_cards_leave(struct agent_rally *rally);

/* Removes the folder when all are over. Waits for the storage until `until`, CLOCK_MONOTONIC ns. */
void agent_cards_remove(struct agent_rally *rally, int64_t until);

/* Frees what was read of cards. The files stay. */
void agent_cards_release(struct agent_rally *rally);

#endif
