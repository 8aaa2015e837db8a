/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks at compile time that the ring's format and the job's model agree. The two floors do not
 * see each other, and decoding copies the one to the other without a table. Kinds of operations and
 * of spans come from lists that both include (lists/op.def, lists/span.def); what does not is
 * compared here, where both are seen: where they differ nothing compiles.
 */
#include "job/job.h"
#include "job/names.h"
#include "ring/ring.h"

#define AGREE(ring, job) _Static_assert((int)(ring) == (int)(job), #ring " is not " #job)

AGREE(RING_OPS, JOB_OP_KINDS);
AGREE(RING_SPAN_KINDS, JOB_SPAN_KINDS);
AGREE(RING_SIG_BYTES, JOB_DTYPE_BYTES);
