/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unmet.h: messages that do not meet. Two ranks stand in sends and receives, and the call that the
 * one waits for, the other has not made, or has made for another message. Where no order of their
 * calls tells which of the two is wrong (pairs.h asks that first), both are named and neither is
 * blamed.
 */
#ifndef VERDICT_UNMET_H
#define VERDICT_UNMET_H

#include "verdict/inquiry.h"

/*
 * Makes a finding of a circle (that part of the graph) in which a rank waits for a message that its
 * peer, which waits there too, never called. False: there is no such message in it.
 */
bool unmet_write(struct inquiry *q, int part);

/*
 * Makes a finding of a circle in which a rank waits for a message with a peer that waits there,
 * too, for a message with it, but of another tag. False: there is none.
 */
bool unmet_write_crossed(struct inquiry *q, int part);

/*
 * Makes a finding of a message both sides of which were called, and which may be for others by
 * their tags, which are unknown. `marked`: its nodes.
 */
void unmet_write_tags(struct inquiry *q, const struct wait *wait, const bool *marked);

#endif
