/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unmet.h: messages that do not meet. Two ranks stand in sends and receives, and what the one waits
 * for the other has not called, or has called for another message. Where no order of their calls
 * tells who of the two is wrong (pairs.h asks that first), both are named and neither is blamed.
 */
#ifndef VERDICT_UNMET_H
#define VERDICT_UNMET_H

#include "verdict/inquiry.h"

/*
 * Makes a finding of a circle, that part of the graph, in which one waits for a message that its
 * peer, who waits there too, never called; false: there is none such in it.
 */
bool unmet_write(struct inquiry *q, int part);

/*
 * The same of one whose peer waits there for a message with it, too, and of another tag; false:
 * there is none such.
 */
bool unmet_write_crossed(struct inquiry *q, int part);

/*
 * Makes a finding of a message both sides of which were called and may be for others, by their
 * tags, that are not known; `marked`: its nodes.
 */
void unmet_write_tags(struct inquiry *q, const struct wait *wait, const bool *marked);

#endif
