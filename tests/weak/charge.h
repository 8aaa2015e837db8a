/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_CHARGE_H
#define WEAK_CHARGE_H

/*
 * What is said of less evidence, held against what all of it says (law 9):
 *
 *	named	 nobody is named, with more than a hypothesis, whom neither the whole nor the job's
 *		 truth names: by world rank, or where a rank has no number by its process. At an
 *		 earlier moment also who compiled then, or came to the op in question later
 *	sure	 "established" is the whole's own finding: the same class and no culprit more; of an
 *		 earlier moment the same family, since a compile that is stuck moved before
 *	all-in	 "all have entered" (transport-stall, gpu-stall) is said only where the whole says
 *		 it too
 *	well	 "healthy" only where every rank that the whole knows was seen, and nobody stands in
 *		 a wait; and of a job in which ranks wait at its end only at an earlier moment
 *	same	 a shifted clock changes no class, culprit or confidence of what is said without
 *	mixed	 no verdict about two jobs at once
 */

#include "base/str.h"
#include "whole.h"

enum charge_kind { CHARGE_LESS, CHARGE_EARLIER, CHARGE_SAME };

/* What a test plants into the judge, to know that it would be seen. */
enum plant {
	PLANT_NONE,
	PLANT_SIZE,   /* an unknown group is as large as was seen */
	PLANT_ABSENT, /* a rank of which nobody saw that it stands in its init never came to it */
	PLANT_WELL,   /* nothing found is nothing wrong */
	PLANT_DEAD,   /* who is awaited and may yet come is dead */
	PLANT_LEFT,   /* the same has left early */
	PLANT_STUCK,  /* the same compiles, and never ends */
	PLANT_LATE,   /* the same is late, for certain */
	PLANT_SOON,   /* the same is late, before anybody has waited for long */
	PLANTS
};
extern const char *const plant_names[PLANTS];

/*
 * Judges the evidence and holds it against the whole. What is wrong is appended to `wrong`, in
 * words; true: nothing. CHARGE_SAME: it is to say what `as` says. CHARGE_EARLIER: `as` is all the
 * evidence of that moment; NULL: not asked, and who came later is not excused.
 */
bool charge(const struct whole *whole, const struct evidence *evidence, enum charge_kind kind,
	const struct evidence *as, enum plant plant, struct str *wrong);

/* Prints the page of this evidence, and its JSON, as the judge with the plant would. */
void charge_print(const struct evidence *evidence, enum plant plant);

/* Decodes and judges, with the plant. The caller releases both. */
struct verdicts *charge_judge(
	const struct evidence *evidence, enum plant plant, struct job **ret_job);

#endif
