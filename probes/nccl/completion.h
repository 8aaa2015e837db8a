/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h: learns whether the device has finished an op. An op that has returned is only
 * enqueued.
 *
 * THE CHOICE, and why. Behind each launch one 64-bit store is put into the same stream
 * (cuStreamWriteValue64): when the device reaches it, the op's index lands in the group's
 * `completed_word`, in the ring itself, where any reader finds it, also after our death. It takes
 * no thread, no event that would have to be destroyed (cudaEventDestroy can hang), no poll, and no
 * call of the runtime that could make a context. The price is one driver call per launch, and the
 * ring's page registered with the driver. The other way, events polled by a thread of the probe,
 * needs that thread to live inside the program's contexts and is not implemented:
 * INQUEST_COMPLETION=event counts as off.
 *
 * It stays OFF unless asked for (INQUEST_COMPLETION=write), as long as no real GPU has shown it
 * harmless; but on the stand-in driver, which is host memory and marked as such by the symbol
 * `standin_driver`, it is on. It is skipped where it would lie or disturb: under graph capture, and
 * where a non-blocking communicator has not enqueued yet. The first error switches it off for good.
 * Everything that is not followed is counted, and "completed" is then unknown, never "no".
 */
#ifndef PROBES_COMPLETION_H
#define PROBES_COMPLETION_H

#include "ring/ring-write.h"

/*
 * Makes the device report when op `e`, issued to `stream`, is done. `pending`: the launch itself is
 * not done yet. Call it directly after the real launch, on its thread.
 */
void completion_follow(
	struct ring_writer *ring, const struct ring_entered *e, void *stream, int pending);

/* Notes an op of unknown stream: if completions are followed, this one is lost. */
void completion_skip(struct ring_writer *ring);

#endif
