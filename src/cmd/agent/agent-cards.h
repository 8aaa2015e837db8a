/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-cards.h: what an agent knows of those of its job on other hosts: their cards, read and
 * written by a helper, and which of them live, by our own clock.
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

/* Cards are read so often. */
#define AGENT_CARDS_PAUSE_NS CLOCK_NS_PER_S

bool agent_card_lives(const struct rally_other *other, int64_t now);

/*
 * True if that host has a part of our job, as far as can be told. One that has, or had, a rank of
 * ours is of another job, or of what ours was before its ranks moved. One that was launched at
 * another time, and was there when we came, may be of a job that is just being ended: that takes
 * less than a minute.
 */
bool agent_card_is_ours(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now);

/* True if that card says of us that what we have raised was judged. */
bool agent_card_says_heard(const struct rally_card *card, const struct rally_card *own);

/* Begins to read the others', and to write ours where it has changed (due is 0) or is old. */
void agent_cards_begin(struct agent_rally *rally, int64_t now);

/* True once that has come back: the others' are as they were then, and it is known who is first. */
bool agent_cards_end(struct agent *agent, int64_t now);

/* Puts on our card what was said of the whole and stands, and of whom we have heard. */
void agent_cards_tell(struct agent_rally *rally);

/* What those who were first before us had said stands: takes it over, before anything is judged. */
void agent_cards_adopt(struct agent_rally *rally, int64_t now);

/* True if two jobs meet here, since for a while two that live have had the same rank. */
bool agent_cards_clash(struct agent_rally *rally, int64_t now);

/* Takes back what we have asked: what was raised is to be judged yet. */
void agent_cards_unask(struct agent_rally *rally);

/* Forgets all cards but ours, to read others. */
void agent_cards_leave(struct agent_rally *rally);

/* All are over: removes the folder, if the storage has done so by `until`, CLOCK_MONOTONIC ns. */
void agent_cards_remove(struct agent_rally *rally, int64_t until);

void agent_cards_release(struct agent_rally *rally);

#endif
