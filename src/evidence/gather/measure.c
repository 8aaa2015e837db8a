/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/measure.h"

#include "evidence/agent/agentfiles.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/*
 * Weight of a JSON document. A file of the agent is at most AGENT_FILE_CAP when it is gathered. In
 * JSON "{}," is 3 bytes and an object of json-c: evidence/format/json-get.c refuses a document that
 * would weigh more than this.
 */
#define JSON 48

static const struct measure measures[EXHIBIT_UNKNOWN_KIND + 1] = {
	[EXHIBIT_GATHER] = {64 * KIB, JSON},
	[EXHIBIT_CENSUS] = {4 * MIB, 32},
	[EXHIBIT_RING] = {256 * MIB, 24},
	[EXHIBIT_LIVENESS] = {64 * KIB, JSON},
	[EXHIBIT_PROC_STAT] = {64 * KIB, 4},
	[EXHIBIT_PROC_STATUS] = {64 * KIB, 4},
	[EXHIBIT_PROC_WCHAN] = {64 * KIB, 4},
	[EXHIBIT_PROC_IO] = {64 * KIB, 4},
	[EXHIBIT_PROC_CALL] = {64 * KIB, 4},
	[EXHIBIT_PROC_LOCKS] = {MIB, 8},
	[EXHIBIT_PROC_TASKS] = {64 * MIB, 1},
	[EXHIBIT_CGROUP] = {MIB, 512},
	[EXHIBIT_EXIT] = {AGENT_FILE_CAP, JSON},
	[EXHIBIT_RECEIPT] = {AGENT_FILE_CAP, JSON},
	[EXHIBIT_MANIFEST] = {AGENT_FILE_CAP, JSON},
	[EXHIBIT_STDERR] = {16 * MIB, 8},
	[EXHIBIT_JOB_LOG] = {64 * MIB, 8},
	[EXHIBIT_SLURM_RECORD] = {MIB, 8},
	[EXHIBIT_KERNEL_LOG] = {64 * MIB, 8},
	[EXHIBIT_STACK_TEXT] = {16 * MIB, 16},
	[EXHIBIT_RAS] = {16 * MIB, JSON},
	[EXHIBIT_SERVED] = {16 * MIB, 16},
	[EXHIBIT_COMPILE_LOG] = {64 * MIB, 8},
	[EXHIBIT_HISTORY] = {AGENT_FILE_CAP, JSON},
	[EXHIBIT_ERROR_FILE] = {16 * MIB, JSON},
	[EXHIBIT_IDENTITY] = {MIB, JSON},
	[EXHIBIT_MODULE] = {256 * MIB, 24},
	[EXHIBIT_STACKS] = {256 * MIB, 24},
	[EXHIBIT_COVERAGE] = {16 * MIB, JSON},
	[EXHIBIT_FLIGHT] = {256 * MIB, 40},
	[EXHIBIT_UNKNOWN_KIND] = {256 * MIB, 0},
};

const struct measure *measure_of(enum exhibit_kind kind)
{
	return &measures[kind < EXHIBIT_UNKNOWN_KIND ? kind : EXHIBIT_UNKNOWN_KIND];
}

uint64_t measure_cost(enum exhibit_kind kind, size_t len)
{
	return (uint64_t)len * measure_of(kind)->weight + MEASURE_FLOOR;
}
