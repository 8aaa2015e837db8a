/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stopped.h: who may be stopped, by a signal, a debugger or the freezer, since nobody saw that he
 * is not. A ring stays as it is, whether its rank waits there or is stopped there.
 */
#ifndef VERDICT_STOPPED_H
#define VERDICT_STOPPED_H

#include "verdict/inquiry.h"

/*
 * True unless the rank was seen not to be stopped: by the state of its process, by an end to which
 * only a process comes that runs, or since it wrote a dump itself.
 */
bool stopped_maybe(const struct inquiry *q, struct rank_index rank);

/*
 * Makes a guess of a finding about devices or links where those may be stopped who hold what all
 * are in: who is behind, else all who are in it. Says whose state is lacking.
 */
void stopped_doubt(struct inquiry *q, const struct waitfor_node *node,
	const struct rank_list *behind, struct draft *draft);

#endif
