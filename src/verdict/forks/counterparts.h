/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counterparts.h: ranks that are expected to do the same, operation by operation. A job lays its
 * ranks out as a grid, and one program drives them all. So ranks that sit in the same groups, or in
 * groups of one shape (job/shapes.h), launch the same rows of operations; where a group's members
 * send to each other, only those on equal seats do.
 *
 *	0	reduce	reduce	send	recv	reduce
 *	1	reduce	reduce	send	recv	reduce
 *	2	reduce	send	recv	reduce		strays: left out a reduce
 *	3	reduce	reduce	send			has not come so far, and does not stray
 *
 * A rank strays only if it alone differs from several that agree, whose rows are known as a whole,
 * and which are more than the ranks of which nothing is known, and than those that are in their own
 * code and may yet do as either. A row that ends early differs from none. Amounts are not compared,
 * since shards may lawfully differ.
 */
#ifndef VERDICT_COUNTERPARTS_H
#define VERDICT_COUNTERPARTS_H

#include "job/usual.h"
#include "verdict/inquiry.h"

enum stray_kind {
	STRAY_UNCLEAR, /* several of these fit, or none */
	STRAY_SKIPPED, /* it left ops out, and went on with what follows */
	STRAY_EXTRA,   /* it has ops that the others do not have */
	STRAY_OTHER,   /* it has another op in the place of one */
	STRAY_TURNED   /* it did two ops in the other order */
};

/* A rank that alone does not do what its counterparts do. */
struct stray {
	struct rank_index rank; /* NO_RANK: there is none */
	enum stray_kind kind;
	size_t n;             /* ops that were left out, or are too many */
	bool usual; /* it had used the op's group before, else perhaps only this rank may use it;
		     * and no thread that is not known may yet come */
	struct usual_op did;  /* what it launched where its row leaves theirs */
	struct usual_op like; /* what its counterparts launched there, from the row of one of
			       * them */
	int group;            /* the stray's own group for that; JOB_NONE: not known */
	struct rank_list agree; /* its counterparts that came as far, all alike */
};

/*
 * Finds the one rank that strays, if somebody waits where it does: for what it left out, or the
 * rank itself in what it did instead. NO_RANK where none strays, or several do. The caller releases
 * agree.list.
 */
struct stray counterparts_find_stray(const struct inquiry *q);

#endif
