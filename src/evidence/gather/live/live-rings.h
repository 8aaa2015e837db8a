/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live-rings.h: the rings of a living job as exhibits, and which of them are not there.
 *
 * A ring is a file of the job's folder, or, where shared memory had no room, of a folder of the
 * same name elsewhere. Whoever owns it may cut it, replace it or make it as large as he likes
 * meanwhile: it is read by ring_snapshot(), within a meter, and what is wrong with it is a gap.
 */
#ifndef EVIDENCE_LIVE_RINGS_H
#define EVIDENCE_LIVE_RINGS_H

#include "base/meter.h"
#include "evidence/format/exhibit.h"
#include "evidence/format/folder.h"
#include "evidence/gather/live/live-proc.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/twins.h"

/* Where rings go, and what is known of those who write them. All borrowed. */
struct live_rings {
	struct evidence *into;
	const char *host;
	struct live_processes *processes; /* a ring that is found is due no more */
	struct twins *twins;
	struct meter *meter; /* of what rings may take in memory */
	const struct live_options *options;
};

/* Takes all rings of this folder of the job, and those of the job of that id that lie elsewhere. */
void live_rings_take(const struct live_rings *rings, const struct folder *folder, const char *id)
	__attribute__((nonnull));

/* Notes the rings that the census promised and no folder holds, each as a gap of its process. */
void live_rings_miss(const struct live_processes *processes, struct evidence *into,
	const char *host) __attribute__((nonnull));

#endif
