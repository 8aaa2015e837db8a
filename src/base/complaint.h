/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_COMPLAINT_H
#define BASE_COMPLAINT_H

/*
 * The words of an error. The one who calls owns a `struct complaint why = {0};` and passes its
 * address down; the one who fails says what failed and on what; each floor above may put context
 * before it. Only src/cmd/ prints it. A function that succeeds does not touch it.
 *
 *	if (fd < 0)
 *		return complaint_errno(why, errno, "cannot open %s", path);
 *	...
 *	if (bundle_read(path, &evidence, why) < 0)
 *		return complaint_context(why, "bundle of host %s", host);
 *
 * gives "bundle of host a: cannot open x.inq: Permission denied". No newline, no "error:".
 *
 * Every verb takes NULL for `why`: a caller who does not care.
 */

struct complaint {
	char *words;	/* NULL: nothing to complain about */
};

/* Replaces the words. Returns -1, so that it can be returned on the spot. */
int complaint_set(struct complaint *why, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));

/*
 * Replaces the words, and adds ": " and the text of `error`. Returns -error, or -1 if error is not
 * > 0.
 */
int complaint_errno(struct complaint *why, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull(3)));

/* Puts the context and ": " before the words, if there are any. Returns -1. */
int complaint_context(struct complaint *why, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));

/* Returns the words, or "no reason given". Valid until the complaint changes. */
const char *complaint_text(const struct complaint *why) __attribute__((returns_nonnull));

/* Frees the words and leaves the empty complaint. Takes NULL. */
void complaint_release(struct complaint *why);

#endif
