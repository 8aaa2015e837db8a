/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that drives all devices (ncclCommInitAll): one rank with several seats of one group.
 * Whose of them a call was that only its diary tells, nobody knows: it is drawn for each.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "job/names.h"
#include "job/seal/build.h"
#include "viewer/timeline/track.h"

#define CALLS 300
#define SEATS 8
#define MS    INT64_C(1000000)

static const struct job_who who = {"h", 100, 5};
static const uint64_t key = 77;

static void add_people(struct job_builder *b)
{
	const struct job_identity identity = {
		.world_rank = {0}, .promoted = true, .knows = JOB_KNOWS_RING};
	struct job_process process = job_process_unknown;
	struct job_host host = job_host_unknown;

	host.name = "h";
	host.cite = "host";
	job_add_host(b, &host);
	process.host = JOB_NONE;
	process.pid = 100;
	process.start_time = 5;
	process.role = JOB_ROLE_RANK;
	process.end = JOB_ALIVE;
	process.born = 1000 * MS;
	process.cite = "census:0";
	job_add_process(b, who, &process, &identity);
	for (uint32_t i = 0; i < SEATS; i++) {
		const struct job_group group = {
			.key = key, .name = "g", .maker = "nccl", .size = SEATS, .cite = "ring"};
		struct job_member member = job_member_unknown;

		member.seat = group_rank(i);
		member.state = JOB_MEMBER_READY;
		member.head_known = true;
		member.head = CALLS;
		member.cite = "ring";
		job_add_member(b, who, &group, &member);
	}
}

static void add_calls(struct job_builder *b)
{
	struct job_call calls[CALLS];

	for (int i = 0; i < CALLS; i++)
		calls[i] = (struct job_call){.name = "ncclAllReduce",
			.kind = JOB_CALL_INSIDE,
			.sig = {.op = JOB_OP_ALLREDUCE, .peer = NO_GROUP_RANK, .count = 4},
			.index = (uint64_t)i + 1,
			.entered = 2000 * MS + i * MS,
			.returned = 2000 * MS + i * MS + MS / 2,
			.cite = "ring"};
	job_add_calls(b, who, calls, CALLS, &key, 1);
}

static void each_call_is_drawn_for_each_seat(void **state)
{
	struct job_builder *b = job_builder_new();
	struct verdicts *verdicts;
	struct tracks *tracks;
	struct job *job;
	size_t entries = 0;

	job_want_calls(b);
	job_add_identity(b, "j", "t");
	add_people(b);
	add_calls(b);
	job = job_seal(b);
	assert_int_equal(job->nmembers, SEATS);
	assert_int_equal(job->ncalls, CALLS);
	verdicts = verdicts_of(job);
	tracks = tracks_new(verdicts);
	for (size_t i = 0; i < tracks->at[0].nevents; i++)
		entries += tracks->at[0].events[i].kind == TRACK_ENTER;
	assert_int_equal(entries, CALLS * SEATS);
	tracks_free(tracks);
	verdicts_free(verdicts);
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_drawn_for_each_seat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
