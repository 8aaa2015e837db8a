/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers that a ring's records carry and those of the job's facts are two lists, since neither
 * floor sees the other; decoding copies them from one to the other without a table. Here both are
 * seen: where they differ nothing compiles. A kind that one of them gets needs a line here, and the
 * ends of both lists see to that.
 */
#include "job/job.h"
#include "job/names.h"
#include "ring/ring.h"

#define AGREE(ring, job) _Static_assert((int)(ring) == (int)(job), #ring " is not " #job)
#define OP(name)         AGREE(RING_OP_##name, JOB_OP_##name)
#define SPAN(name)       AGREE(RING_SPAN_##name, JOB_SPAN_##name)

OP(NONE);
OP(ALLREDUCE);
OP(BROADCAST);
OP(REDUCE);
OP(ALLGATHER);
OP(REDUCESCATTER);
OP(ALLTOALL);
OP(GATHER);
OP(SCATTER);
OP(SEND);
OP(RECV);
OP(PUT);
OP(WAITSIGNAL);
OP(OTHER);
OP(BARRIER);
AGREE(RING_OPS, JOB_OP_KINDS);

SPAN(COMPILE);
SPAN(INPUT);
SPAN(CHECKPOINT);
SPAN(USER);
SPAN(DEVICE);
AGREE(RING_SPAN_KINDS, JOB_SPAN_DEVICE + 1);

AGREE(RING_SIG_BYTES, JOB_DTYPE_BYTES);
