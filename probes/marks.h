/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.h: what a program's marks call (inquest.h finds each by its name). All return at once if
 * there is no ring.
 */
#ifndef PROBES_MARKS_H
#define PROBES_MARKS_H

#include "probes/hook.h"
#include "probes/inquest.h"

HOOK_EXPORT inquest_span_begin_fn inquest_probe_span_begin;
HOOK_EXPORT inquest_span_end_fn inquest_probe_span_end;
HOOK_EXPORT inquest_shard_fn inquest_probe_shard;
HOOK_EXPORT inquest_shard_shape_fn inquest_probe_shard_shape;
HOOK_EXPORT inquest_step_fn inquest_probe_step;
HOOK_EXPORT inquest_note_fn inquest_probe_note;

#endif
