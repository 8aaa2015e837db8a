/* SPDX-License-Identifier: Apache-2.0 */
/*
 * anew.h: a rank's process that was started in the place of one that had ended, and has met nobody
 * since: the other ranks still stand in the groups that they made with the earlier process. For
 * them the rank is that earlier process, and has ended.
 *
 * A supervisor of one rank (a pod's restart policy, a shell loop) does that; one of all ranks ends
 * them all first. The two are told apart by the others. The rank stays the earlier process only if
 *
 *	- one who shares a group with that earlier process has outlived it, and was not itself
 *	  started anew;
 *	- the newer process is in no group with anybody whom it can have met: it alone is in the
 *	  init (who is in one waits for all others, and who has left it has met them), or all
 *	  others had left the init before it was born, by the clock of their one host.
 */
#ifndef JOB_SEAL_ANEW_H
#define JOB_SEAL_ANEW_H

#include "job/seal/holdings.h"

struct anew;

/* Reads who holds what; never NULL; anew_free() it. Points into both, which must outlive it. */
struct anew *anew_new(const struct seal *seal, const struct holdings *holdings);
/* Frees it; NULL is fine. */
void anew_free(struct anew *anew);

/* True if `newer` was started in the place of `older`, of the same number, and met nobody since. */
bool anew_is_alone(const struct anew *anew, int newer, int older);

#endif
