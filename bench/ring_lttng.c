/* SPDX-License-Identifier: Apache-2.0 */
/* ring_lttng.so: one loop of LTTng-UST events, for ring_bench to call where this could be built. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include "bench/ring_lttng.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int lttng_loop(uint64_t n);

/* -1 where no session listens to the event. */
int lttng_loop(uint64_t n)
{
	if (!lttng_ust_tracepoint_enabled(inquest_bench, record))
		return -1;
	for (uint64_t i = 0; i < n; i++)
		lttng_ust_do_tracepoint(inquest_bench, record, i * 3, 0x1234, i, 4096, i ^ 7, 42);
	return 0;
}
