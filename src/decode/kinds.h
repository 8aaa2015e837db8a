/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_KINDS_H
#define DECODE_KINDS_H

/* The decoders, one file each; the table in decode.c lists them. */

#include "decode/decode.h"

extern const struct decoder decode_gather;
extern const struct decoder decode_census;
extern const struct decoder decode_identity;
extern const struct decoder decode_rings;
extern const struct decoder decode_liveness;
extern const struct decoder decode_proc_stat;
extern const struct decoder decode_proc_status;
extern const struct decoder decode_proc_wchan;
extern const struct decoder decode_proc_io;
extern const struct decoder decode_proc_call;
extern const struct decoder decode_proc_locks;
extern const struct decoder decode_cgroup;
extern const struct decoder decode_exits;
extern const struct decoder decode_receipt;
extern const struct decoder decode_manifest;
extern const struct decoder decode_stderr;
extern const struct decoder decode_joblog;
extern const struct decoder decode_slurm_record;
extern const struct decoder decode_kernel_log;
extern const struct decoder decode_stack_text;
extern const struct decoder decode_ras;
extern const struct decoder decode_served;
extern const struct decoder decode_compile_log;
extern const struct decoder decode_history;
extern const struct decoder decode_error_file;
extern const struct decoder decode_module;
extern const struct decoder decode_stack_samples;
extern const struct decoder decode_flight;
extern const struct decoder decode_coverage;

struct decode_host;
struct decode_caches;
struct json_object;

/* Adds the list "caches" of a receipt, or of a worker in a history, to `into`. */
void decode_caches_list(struct decode_context *context, const struct json_object *object,
	struct decode_caches *into);

/*
 * Reads the text of a "cgroup" document (a group's path, then its counters; inquest-bundle(5)) into
 * the host's groups, as counters at launch or as later ones. Lines that make no sense are skipped.
 */
void decode_cgroup_text(struct decode_context *context, struct decode_host *host, const char *text,
	bool at_launch);

#endif
