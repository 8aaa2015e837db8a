/* SPDX-License-Identifier: Apache-2.0 */
/* activity-apart.h: who is elsewhere all the while, though nobody is seen to stand. */
#ifndef VERDICT_ACTIVITY_APART_H
#define VERDICT_ACTIVITY_APART_H

#include "verdict/activities/activities.h"

/*
 * Finds, of a job in which no rank stands, those that compute while all others wait: these spin at
 * one line of their program in all samples, and each of those moves beneath a call of the program
 * in which nobody waits. That time is what both were watched for; whoever computes may as well ask
 * there again and again, so that it is a guess. Nothing is changed where a rank is elsewhere and
 * was not seen to be there all the while.
 */
void apart_find(const struct job *job, struct posture *postures) __attribute__((nonnull));

#endif
