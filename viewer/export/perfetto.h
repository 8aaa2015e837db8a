/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto.h: the timeline as a Perfetto trace (protobuf, perfetto/protos/perfetto/trace), for
 * ui.perfetto.dev and trace_processor: the intervals that the rows draw, and nothing that they do
 * not. A rank is a process, which has a track for what it does on its own and one for each group
 * that it calls; names are numbered with zeros in front, since the reader sorts them as texts.
 *
 * Times are realtime ns. What goes on at the end of the evidence ends there, and an instant says
 * that it went on. From each victim of the first verdict, where its life ends or the evidence does,
 * a flow leads to each of its culprits; where those are more than PERFETTO_FLOWS, the verdict's
 * instant says how many are left out.
 */
#ifndef VIEWER_PERFETTO_H
#define VIEWER_PERFETTO_H

#include "viewer/pane/pane.h"

#define PERFETTO_FLOWS 4096

/* Appends the whole trace. The same scene gives the same bytes. */
void perfetto_write(const struct scene *scene, struct str *into) __attribute__((nonnull));

#endif
