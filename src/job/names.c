/* SPDX-License-Identifier: Apache-2.0 */
#include "job/names.h"

#include <stddef.h>

static const char *const ops[JOB_OP_KINDS] = {
	[JOB_OP_NONE] = "operation",
	[JOB_OP_ALLREDUCE] = "AllReduce",
	[JOB_OP_BROADCAST] = "Broadcast",
	[JOB_OP_REDUCE] = "Reduce",
	[JOB_OP_ALLGATHER] = "AllGather",
	[JOB_OP_REDUCESCATTER] = "ReduceScatter",
	[JOB_OP_ALLTOALL] = "AlltoAll",
	[JOB_OP_GATHER] = "Gather",
	[JOB_OP_SCATTER] = "Scatter",
	[JOB_OP_SEND] = "Send",
	[JOB_OP_RECV] = "Recv",
	[JOB_OP_PUT] = "PutSignal",
	[JOB_OP_WAITSIGNAL] = "WaitSignal",
	[JOB_OP_OTHER] = "operation",
	[JOB_OP_BARRIER] = "Barrier",
};

static const char *const dtypes[] = {"int8", "uint8", "int32", "uint32", "int64", "uint64",
	"float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};

static const char *const redops[] = {"sum", "prod", "max", "min", "avg"};

const char *job_op_name(uint8_t op)
{
	return ops[op < JOB_OP_KINDS ? op : JOB_OP_NONE];
}

const char *job_dtype_name(uint8_t dtype)
{
	if (dtype == JOB_DTYPE_BYTES)
		return "bytes";
	return dtype < sizeof(dtypes) / sizeof(dtypes[0]) ? dtypes[dtype] : NULL;
}

const char *job_redop_name(uint8_t redop)
{
	return redop < sizeof(redops) / sizeof(redops[0]) ? redops[redop] : NULL;
}

bool job_op_is_p2p(uint8_t op)
{
	return op >= JOB_OP_SEND && op <= JOB_OP_WAITSIGNAL;
}

bool job_op_is_rooted(uint8_t op)
{
	return op == JOB_OP_BROADCAST || op == JOB_OP_REDUCE || op == JOB_OP_GATHER ||
	       op == JOB_OP_SCATTER;
}
