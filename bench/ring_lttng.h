/* SPDX-License-Identifier: Apache-2.0 */
/* ring_lttng.h: the same payload as an event of LTTng-UST. (It asks to be included repeatedly.) */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER inquest_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/ring_lttng.h"

#if !defined(BENCH_RING_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_RING_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(inquest_bench, record,
	LTTNG_UST_TP_ARGS(uint64_t, meta, uint64_t, index, uint64_t, count, uint64_t, sig,
		uint64_t, aux, uint64_t, more),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, meta, meta)
		lttng_ust_field_integer(uint64_t, index, index)
		lttng_ust_field_integer(uint64_t, count, count)
		lttng_ust_field_integer(uint64_t, sig, sig)
		lttng_ust_field_integer(uint64_t, aux, aux)
		lttng_ust_field_integer(uint64_t, more, more)))

#endif

#include <lttng/tracepoint-event.h>
