/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_WORDS_H
#define EVIDENCE_FLIGHT_WORDS_H

/*
 * Every text that is looked for in a Flight Recorder dump, sorted by strcmp(). One list has two
 * uses: the texts that decode/flight/flight-dump.h reads are those that flight-redact.h leaves
 * readable.
 */

#include <stddef.h>

#define FLIGHT_WORDS(X)                                                                            \
	X(collective_seq_id)                                                                       \
	X(comm_lib_version)                                                                        \
	X(completed)                                                                               \
	X(desc)                                                                                    \
	X(duration_ms)                                                                             \
	X(entries)                                                                                 \
	X(filename)                                                                                \
	X(frames)                                                                                  \
	X(hccl_version)                                                                            \
	X(input_dtypes)                                                                            \
	X(input_sizes)                                                                             \
	X(is_p2p)                                                                                  \
	X(last_completed_collective)                                                               \
	X(last_enqueued_collective)                                                                \
	X(last_started_collective)                                                                 \
	X(line)                                                                                    \
	X(name)                                                                                    \
	X(nccl_version)                                                                            \
	X(op_id)                                                                                   \
	X(output_dtypes)                                                                           \
	X(output_sizes)                                                                            \
	X(p2p_seq_id)                                                                              \
	X(pg_config)                                                                               \
	X(pg_id)                                                                                   \
	X(pg_status)                                                                               \
	X(process_group)                                                                           \
	X(profiling_name)                                                                          \
	X(ranks)                                                                                   \
	X(record_id)                                                                               \
	X(retired)                                                                                 \
	X(scheduled)                                                                               \
	X(started)                                                                                 \
	X(state)                                                                                   \
	X(thread_id)                                                                               \
	X(thread_name)                                                                             \
	X(time_created_ns)                                                                         \
	X(time_discovered_completed_ns)                                                            \
	X(time_discovered_started_ns)                                                              \
	X(timeout_ms)                                                                              \
	X(version)                                                                                 \
	X(xccl_version)

/*
 * Bytes of the longest dump: more than a ring of 300,000 entries has. A longer one is read as if it
 * were cut here.
 */
#define FLIGHT_MOST ((size_t)64 << 20)

#endif
