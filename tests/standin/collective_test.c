/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every collective, type and reduction against the scalar reference. Each rank can compute every
 * rank's input, so it checks its own result alone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "tests/standin/ranks.h"
#include "tests/standin/scalar.h"
#include "tests/unit/unit.h"

enum kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, BCAST, ALL_GATHER, ALL_TO_ALL, GATHER,
	    SCATTER, KINDS };
enum { PREMUL = 5, OPS = 6, GUARD = 32 };

struct run {
	struct crew *crew;
	int rank, ranks;
	ncclComm_t comm;
	cudaStream_t stream;
	/* the operation at hand */
	enum kind kind;
	ncclDataType_t type;
	int op, root;
	size_t count, width;
	bool in_place;
	uint64_t seed;
};

static size_t blocks_in(const struct run *run)
{
	bool each = run->kind == REDUCE_SCATTER || run->kind == ALL_TO_ALL || run->kind == SCATTER;

	return each ? (size_t)run->ranks : 1;
}

static size_t blocks_out(const struct run *run)
{
	bool each = run->kind == ALL_GATHER || run->kind == ALL_TO_ALL || run->kind == GATHER;

	return each ? (size_t)run->ranks : 1;
}

/* Element i of rank r's input. */
static void input(const struct run *run, int r, size_t i, void *ret)
{
	scalar_make(run->type, run->seed * 1000003 + (uint64_t)r * 7919 + i * 104729, ret);
}

static void premul_scalar(const struct run *run, int r, void *ret)
{
	scalar_make(run->type, run->seed + 77 + (uint64_t)r, ret);
}

/* The reduction of element i over all ranks, in their order. */
static void reduced(const struct run *run, size_t i, void *ret)
{
	ncclRedOp_t fold = run->op >= ncclAvg ? ncclSum : (ncclRedOp_t)run->op;
	char scalar[8];

	for (int r = 0; r < run->ranks; r++) {
		char element[8];

		input(run, r, i, element);
		if (run->op == ncclAvg)
			scalar_before_average(run->type, run->ranks, element);
		if (run->op == PREMUL) {
			premul_scalar(run, r, scalar);
			scalar_fold(run->type, ncclProd, element, scalar);
		}
		if (r)
			scalar_fold(run->type, fold, ret, element);
		else
			memcpy(ret, element, run->width);
	}
	if (run->op == ncclAvg)
		scalar_after_average(run->type, run->ranks, ret);
}

/* Element i of this rank's result. */
static void expected(const struct run *run, size_t i, void *ret)
{
	size_t block = i / run->count, at = i % run->count, mine = (size_t)run->rank * run->count;

	switch (run->kind) {
	case ALL_REDUCE:
	case REDUCE:
		reduced(run, i, ret);
		break;
	case REDUCE_SCATTER:
		reduced(run, mine + i, ret);
		break;
	case BROADCAST:
	case BCAST:
		input(run, run->root, i, ret);
		break;
	case SCATTER:
		input(run, run->root, mine + i, ret);
		break;
	case ALL_TO_ALL:
		input(run, (int)block, mine + at, ret);
		break;
	default:
		input(run, (int)block, at, ret);
	}
}

static ncclResult_t call(const struct run *run, const void *in, void *out, ncclRedOp_t op)
{
	switch (run->kind) {
	case ALL_REDUCE:
		return ncclAllReduce(in, out, run->count, run->type, op, run->comm, run->stream);
	case REDUCE:
		return ncclReduce(in, out, run->count, run->type, op, run->root, run->comm,
				  run->stream);
	case REDUCE_SCATTER:
		return ncclReduceScatter(in, out, run->count, run->type, op, run->comm,
					 run->stream);
	case BROADCAST:
		return ncclBroadcast(in, out, run->count, run->type, run->root, run->comm,
				     run->stream);
	case BCAST:
		return ncclBcast(out, run->count, run->type, run->root, run->comm, run->stream);
	case ALL_GATHER:
		return ncclAllGather(in, out, run->count, run->type, run->comm, run->stream);
	case ALL_TO_ALL:
		return ncclAlltoAll(in, out, run->count, run->type, run->comm, run->stream);
	case GATHER:
		return ncclGather(in, out, run->count, run->type, run->root, run->comm,
				  run->stream);
	default:
		return ncclScatter(in, out, run->count, run->type, run->root, run->comm,
				   run->stream);
	}
}

static ncclResult_t call_with_reduction(const struct run *run, const void *in, void *out)
{
	ncclRedOp_t op = (ncclRedOp_t)run->op;
	char scalar[8];
	ncclResult_t result;

	if (run->op != PREMUL)
		return call(run, in, out, op);
	premul_scalar(run, run->rank, scalar);
	WELL(ncclRedOpCreatePreMulSum(&op, scalar, run->type, ncclScalarHostImmediate, run->comm));
	result = call(run, in, out, op);
	WELL(ncclRedOpDestroy(op, run->comm));
	return result;
}

/* Where the input starts when it shares the output's memory, as NCCL defines "in place". */
static char *in_place_input(const struct run *run, char *big)
{
	bool own_block = run->kind == ALL_GATHER || (run->kind == GATHER && run->rank == run->root);

	return own_block ? big + (size_t)run->rank * run->count * run->width : big;
}

static char *in_place_output(const struct run *run, char *big)
{
	bool own_block = run->kind == REDUCE_SCATTER ||
			 (run->kind == SCATTER && run->rank == run->root);

	return own_block ? big + (size_t)run->rank * run->count * run->width : big;
}

static bool has_result(const struct run *run)
{
	return (run->kind != REDUCE && run->kind != GATHER) || run->rank == run->root;
}

static void check_result(const struct run *run, const char *out)
{
	char want[8];

	for (size_t i = 0; i < run->count * blocks_out(run); i++) {
		expected(run, i, want);
		if (scalar_equal(run->type, out + i * run->width, want))
			continue;
		fprintf(stderr, "rank %d of %d: kind %d type %d op %d root %d in place %d: "
			"element %zu of %zu differs\n", run->rank, run->ranks, run->kind, run->type,
			run->op, run->root, run->in_place, i, run->count);
		_exit(1);
	}
}

static void run_one(struct run *run)
{
	size_t in_bytes = run->count * blocks_in(run) * run->width;
	size_t out_bytes = run->count * blocks_out(run) * run->width;
	size_t big_bytes = in_bytes > out_bytes ? in_bytes : out_bytes;
	char *big = malloc(big_bytes + GUARD), *apart = malloc(in_bytes);
	char *out = run->in_place ? in_place_output(run, big) : big;
	char *in = run->in_place ? in_place_input(run, big) : apart;

	MUST(big && apart);
	memset(big, 0x5a, big_bytes + GUARD);
	for (size_t i = 0; i < run->count * blocks_in(run); i++)
		input(run, run->rank, i, in + i * run->width);
	WELL(call_with_reduction(run, in, out));
	WELL(cudaStreamSynchronize(run->stream));
	if (has_result(run))
		check_result(run, out);
	for (size_t i = 0; i < GUARD; i++)
		MUST(big[big_bytes + i] == 0x5a);
	free(apart);
	free(big);
}

static struct run run_begin(struct crew *crew, int rank)
{
	struct run run = { .crew = crew, .rank = rank, .ranks = crew->size };

	run.comm = rank_join(crew, rank, &run.stream);
	return run;
}

static void run_choose(struct run *run, enum kind kind, int type, int op)
{
	run->seed++;
	run->kind = kind;
	run->type = (ncclDataType_t)type;
	run->width = scalar_bytes(run->type);
	run->op = op;
	run->root = (int)(run->seed % (uint64_t)run->ranks);
	run->in_place = kind != ALL_TO_ALL && (kind == BCAST || run->seed % 2);
}

static void every_kind_type_and_reduction(struct crew *crew, int rank)
{
	struct run run = run_begin(crew, rank);

	for (int kind = 0; kind < KINDS; kind++) {
		for (int type = 0; type < ncclNumTypes; type++) {
			for (int op = 0; op < (kind <= REDUCE_SCATTER ? OPS : 1); op++) {
				run_choose(&run, (enum kind)kind, type, op);
				run.count = 1 + run.seed * 37 % 90;
				run_one(&run);
			}
		}
	}
	WELL(ncclCommDestroy(run.comm));
}

static void messages_of_many_steps(struct crew *crew, int rank)
{
	static const size_t counts[] = { 16384, 65537, 200001 };
	struct run run = run_begin(crew, rank);

	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			run_choose(&run, (enum kind)kind, i % 2 ? ncclInt64 : ncclInt8, ncclSum);
			run.count = counts[i];
			run_one(&run);
		}
	}
	WELL(ncclCommDestroy(run.comm));
}

static void all_agree_with_the_scalar_reference(void **state)
{
	assert_int_equal(crew_run(4, every_kind_type_and_reduction, NULL), 0);
	assert_int_equal(crew_run(3, every_kind_type_and_reduction, NULL), 0);
}

static void a_group_of_one_computes_alone(void **state)
{
	assert_int_equal(crew_run(1, every_kind_type_and_reduction, NULL), 0);
}

static void long_messages_go_in_steps(void **state)
{
	assert_int_equal(crew_run(3, messages_of_many_steps, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_agree_with_the_scalar_reference),
		cmocka_unit_test(a_group_of_one_computes_alone),
		cmocka_unit_test(long_messages_go_in_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
