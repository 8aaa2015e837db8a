/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JOBLOG_APART_H
#define DECODE_JOBLOG_APART_H

/*
 * Tells logs of another run from those of the run that bundles and dumps are of. A dump lies where
 * the run before left its own, a log where the next run appends to it, and people give both. But a
 * log that tells how ranks ended was written after these were born, and after the first operations
 * of their dumps, which are of their run; and it was begun before them.
 *
 * Times of lines have no zone. So they count only where they are apart in every zone. That of an
 * error file has one.
 */

#include "decode/exhibits/texts.h"

/*
 * Returns why a log, or an error file of a worker, is of another run than the ranks that other
 * evidence knows; NULL: it may be of theirs. *ret_doubt: its lines have times of another run, and
 * no time where that would tell, after its ends, or at its begin; or it lies beside dumps, and no
 * line has a time.
 */
const char *joblog_apart(const struct texts *texts, const struct exhibit *exhibit,
	enum texts_doubt *ret_doubt) __attribute__((nonnull));

#endif
