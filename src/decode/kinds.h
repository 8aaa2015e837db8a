/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_KINDS_H
#define DECODE_KINDS_H

/* The decoders, one file each; the table in decode.c lists them. */

#include "decode/decode.h"

extern const struct decoder decode_gather;
extern const struct decoder decode_census;
extern const struct decoder decode_rings;
extern const struct decoder decode_liveness;
extern const struct decoder decode_proc_stat;
extern const struct decoder decode_proc_wchan;
extern const struct decoder decode_proc_io;
extern const struct decoder decode_cgroup;
extern const struct decoder decode_exits;
extern const struct decoder decode_receipt;
extern const struct decoder decode_manifest;
extern const struct decoder decode_stderr;
extern const struct decoder decode_history;

/* Text "cgroup" of a host, at launch or later (JOB_UNKNOWN marks what is not told). */
struct decode_host;
void decode_cgroup_text(struct decode_context *context, struct decode_host *host, const char *text,
	bool at_launch);

#endif
