/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stopped.h: which ranks may be stopped (by a signal, a debugger or the freezer), since nobody saw
 * that they are not. A ring stays as it is, whether its rank waits there or is stopped there.
 */
#ifndef VERDICT_STOPPED_H
#define VERDICT_STOPPED_H

#include "verdict/inquiry.h"

/*
 * True unless the rank was seen not to be stopped: by the state of its process, by an end to which
 * only a running process comes, or by a dump that it wrote itself.
 */
bool stopped_maybe(const struct inquiry *q, struct rank_index rank);

/*
 * Makes a finding about devices or links a guess if ranks may be stopped that hold the op that all
 * are in: those `behind`, else all who are in it. Tells whose state is lacking.
 */
void stopped_doubt(struct inquiry *q, const struct waitfor_node *node,
	const struct rank_list *behind, struct draft *draft);

#endif
