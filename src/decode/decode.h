/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

/*
 * The second seam: exhibits become facts. Each kind of exhibit has one decoder, in a file of its
 * own; decode.c lists them once.
 *
 * A decoder believes nothing: bytes may be cut, flipped, forged. It decodes up to the damage, adds
 * a loss with a cite for the rest, and never fails the others. It asks neither the machine nor the
 * clock nor the environment: the job is a function of the exhibits, whatever their order.
 *
 * CITES. A fact cites where it stands: "ring:3:lane0:118" (rank 3, lane, ticket), "ring:3:g1" (row
 * in its group table), "ring:3:shard0", "ring:3:span2", "proc:3", "call:3", "census:12" (slot),
 * "cgroup:HOST", "caches:3", "exit:5", "fatal:3", "core:3", "log:3", "receipt:HOST",
 * "error-file:3", "flight:3:e47" (the entry with that record_id), "flight:3:pg5" (the group that
 * rank 3 numbers so). Where no rank is known "pPID" stands in its place.
 */

#include "base/complaint.h"
#include "evidence/format/exhibit.h"
#include "job/seal/build.h"

struct decode_context;
struct decode_host;

struct decoder {
	enum exhibit_kind kind;
	/* Returns 0, or negative with words, which become a loss of the job. */
	int (*decode)(const struct exhibit *exhibit, struct job_builder *builder,
		struct decode_context *context, struct complaint *why);
	/*
	 * Returns what can be made of an exhibit before its turn; the member may be NULL. Several
	 * threads prepare many at once, so it may change nothing else; the host is as the kinds
	 * before have left it. decode() finds the result in context->ready and may take parts of
	 * it; discard() gets what is left.
	 */
	void *(*prepare)(const struct exhibit *exhibit, const struct decode_host *host);
	void (*discard)(void *ready);
	/*
	 * Does what libraries do once, at their first use, before several threads prepare; may be
	 * NULL.
	 */
	void (*set_up)(void);
};

/* Returns the job that the evidence tells of, never NULL, even of no evidence; job_free() it. */
struct job *decode_job(const struct evidence *evidence) __attribute__((nonnull));
/*
 * Does the same, and also keeps what each thread was in over time (job->calls) and all ops that
 * rings still have. Drawing needs these, and they are many; verdicts need none of them.
 */
struct job *decode_job_with_calls(const struct evidence *evidence) __attribute__((nonnull));

#endif
