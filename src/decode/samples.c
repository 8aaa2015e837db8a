/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/samples.h"

#include <string.h>

static bool same_place(const struct job_frame *a, const struct job_frame *b)
{
	return a->kind == b->kind && a->line == b->line && a->offset == b->offset &&
	       !strcmp(a->function, b->function) && !strcmp(a->file, b->file) &&
	       !strcmp(a->module, b->module);
}

static size_t common_whole(
	const struct job_frame *kept, size_t nkept, const struct job_frame *other, size_t nother)
{
	size_t n = 0;

	while (n < nkept && n < nother && same_place(&kept[nkept - 1 - n], &other[nother - 1 - n]))
		n++;
	return n;
}

/* The next Python frame inwards of `left` frames; how many are left in front of it, 0: none. */
static size_t next_python(const struct job_frame *frames, size_t left)
{
	while (left && frames[left - 1].kind != JOB_FRAME_PYTHON)
		left--;
	return left;
}

size_t samples_common(const struct job_frame *kept, size_t nkept, const struct job_frame *other,
	size_t nother, bool partial)
{
	size_t mine = nkept, theirs = nother, common = 0;

	if (!partial)
		return common_whole(kept, nkept, other, nother);
	for (;;) {
		mine = next_python(kept, mine);
		theirs = next_python(other, theirs);
		if (!mine || !theirs || !same_place(&kept[mine - 1], &other[theirs - 1]))
			return common;
		mine--;
		theirs--;
		common = nkept - mine;
	}
}
