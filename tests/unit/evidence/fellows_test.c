/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders are of one job, by what is known of each. */
#include "evidence/agent/fellows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "tests/unit/unit.h"

#define S CLOCK_NS_PER_S

struct scene {
	struct jobs jobs;
	char names[16][8];
	struct jobs_entry entries[16];
};

/* A folder whose agent is at work, launched so many seconds after the first. */
static struct jobs_entry *add(struct scene *scene, int rank, int world_size, int64_t second)
{
	struct jobs_entry *entry = &scene->entries[scene->jobs.nr];
	char *name = scene->names[scene->jobs.nr];

	snprintf(name, sizeof(scene->names[0]), "f%02zu", scene->jobs.nr);
	*entry = (struct jobs_entry){.folder = name,
		.id = name,
		.name = name,
		.given = "",
		.keys = (char *)"",
		.launched = 1000 * S + second * S,
		.until = 1000 * S + second * S,
		.status = JOBS_RUNNING,
		.exit_status = -1,
		.agent_alive = true,
		.keeper = {.pid = 1000 + (uint32_t)scene->jobs.nr},
		.beat = clock_boottime_ns(),
		.fellow = {.rank = rank, .world_size = world_size, .starter = 77, .program = 5}};
	scene->jobs.items = scene->entries;
	scene->jobs.nr++;
	return entry;
}

static struct jobs_entry *at_port(struct scene *scene, int rank, int size, const char *port)
{
	struct jobs_entry *entry = add(scene, rank, size, rank);

	snprintf(entry->fellow.master, sizeof(entry->fellow.master), "127.0.0.1:%s", port);
	return entry;
}

static void end(struct jobs_entry *entry, int64_t second)
{
	entry->status = JOBS_ENDED;
	entry->agent_alive = false;
	entry->until = 1000 * S + second * S;
}

/* How many jobs there are; "0011": which folder is of which, by the first of each. */
static const char *settled(struct scene *scene)
{
	static char text[17];

	fellows_settle(&scene->jobs);
	for (size_t i = 0; i < scene->jobs.nr; i++) {
		size_t first = 0;

		while (!fellows_are(&scene->entries[first], &scene->entries[i]))
			first++;
		text[i] = (char)('0' + first);
	}
	text[scene->jobs.nr] = '\0';
	return text;
}

static size_t unsure(const struct scene *scene)
{
	size_t n = 0;

	for (size_t i = 0; i < scene->jobs.nr; i++)
		n += scene->entries[i].unsure;
	return n;
}

static void ranks_of_one_port_are_one_job(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 4; rank++)
		at_port(&scene, rank, 4, "29500");
	assert_string_equal(settled(&scene), "0000");
	assert_ptr_equal(fellows_speaker(&scene.jobs, &scene.entries[3]), &scene.entries[0]);
	assert_int_equal(unsure(&scene), 0);
}

/* Each of these tells two jobs apart, whatever else they have in common. */
static void what_differs_is_two_jobs(void **state)
{
	for (int what = 0; what < 7; what++) {
		struct scene scene = {0};
		struct jobs_entry *one = at_port(&scene, 0, 2, "29500");
		struct jobs_entry *other = at_port(&scene, 1, 2, "29500");

		assert_string_equal(settled(&scene), "00");
		strcpy(one->fellow.run, what == 0 ? "a" : "");
		strcpy(other->fellow.run, what == 0 ? "b" : "");
		strcpy(one->fellow.step, what == 1 ? "8.0" : "");
		strcpy(other->fellow.step, what == 1 ? "8.1" : "");
		strcpy(one->fellow.slurm, what == 2 ? "8" : "");
		strcpy(other->fellow.slurm, what == 2 ? "9" : "");
		one->given = what == 3 ? "a" : "";
		other->given = what == 3 ? "b" : "";
		other->owner = what == 4 ? 12345 : 0;
		other->fellow.world_size = what == 5 ? 3 : 2;
		other->fellow.rank = what == 6 ? 0 : 1;
		assert_string_equal(settled(&scene), "01");
	}
}

static void two_ports_are_two_jobs(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 4; rank++) {
		at_port(&scene, rank, 4, "29500");
		at_port(&scene, rank, 4, "29501");
	}
	assert_string_equal(settled(&scene), "01010101");
	assert_int_equal(unsure(&scene), 0);
}

/* A step, or an id of the launcher, joins those that tell no port. */
static void one_step_is_one_job(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 3; rank++)
		strcpy(add(&scene, rank, 3, rank)->fellow.step, "8841.0");
	assert_string_equal(settled(&scene), "000");
}

/* Where nothing names the job, who was started with whom does, unless that is two jobs. */
static void a_loop_without_names(void **state)
{
	struct scene scene = {0};

	add(&scene, 0, 4, 0);
	add(&scene, 1, 4, 0);
	add(&scene, 2, 4, 1);
	assert_string_equal(settled(&scene), "000");
	scene.entries[2].fellow.starter = 78;
	assert_string_equal(settled(&scene), "002");
	assert_int_equal(unsure(&scene), 3);
	scene.entries[2].fellow.program = 6;
	assert_string_equal(settled(&scene), "002");
	assert_int_equal(unsure(&scene), 0);
}

static void two_loops_without_names_are_not_guessed(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 2; rank++) {
		add(&scene, rank, 2, rank);
		add(&scene, rank, 2, rank);
	}
	assert_string_equal(settled(&scene), "0123");
	assert_true(unsure(&scene) >= 3);
}

/* ... but a communicator that two of them share tells, and so does one that they do not. */
static void communicators_tell(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 2; rank++)
		for (uint64_t job = 1; job <= 2; job++) {
			struct jobs_entry *entry = add(&scene, rank, 2, rank);

			*array_add(&entry->worlds) = (struct jobs_world){.key = job, .whole = true};
		}
	assert_string_equal(settled(&scene), "0101");
	assert_int_equal(unsure(&scene), 0);
	for (size_t i = 0; i < scene.jobs.nr; i++)
		array_release(&scene.entries[i].worlds);
}

static void two_holders_of_a_number_are_two_jobs(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 3; rank++)
		at_port(&scene, rank, 4, "29500");
	at_port(&scene, 1, 4, "29500")->launched = 1010 * S;
	assert_string_equal(settled(&scene), "0003");
	*array_add(&scene.entries[3].numbers) = 3;
	assert_string_equal(settled(&scene), "0000");
	array_release(&scene.entries[3].numbers);
}

static void one_that_looks_elsewhere_is_of_those_that_lack_it(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 4; rank++)
		at_port(&scene, rank, 4, rank == 2 ? "1" : "29500");
	assert_string_equal(settled(&scene), "0000");
	scene.entries[3].fellow.rank = 1;
	assert_string_equal(settled(&scene), "0023");
	scene.entries[3].fellow.rank = 3;
	scene.entries[2].fellow.starter = 78;
	assert_string_equal(settled(&scene), "0020");
}

/* The same port serves the next run, too. */
static void what_was_over_before_is_another_job(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 2; rank++)
		end(at_port(&scene, rank, 2, "29500"), 50);
	for (int rank = 0; rank < 2; rank++)
		at_port(&scene, rank, 2, "29500")->launched = 1100 * S + rank;
	assert_string_equal(settled(&scene), "0022");
	assert_ptr_equal(fellows_speaker(&scene.jobs, &scene.entries[3]), &scene.entries[2]);
	assert_null(fellows_speaker(&scene.jobs, &scene.entries[0]));
}

/* One that is over while the others run is a part, until another has its number. */
static void one_that_died_is_a_part(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 3; rank++)
		at_port(&scene, rank, 3, "29500");
	end(&scene.entries[0], 50);
	assert_string_equal(settled(&scene), "000");
	assert_ptr_equal(fellows_speaker(&scene.jobs, &scene.entries[0]), &scene.entries[1]);
	at_port(&scene, 0, 3, "29500")->launched = 1060 * S;
	assert_string_equal(settled(&scene), "0111");
}

static void the_speaker_is_at_work(void **state)
{
	struct scene scene = {0};

	for (int rank = 0; rank < 4; rank++)
		at_port(&scene, rank, 4, "29500");
	scene.entries[0].beat -= 60 * S;
	scene.entries[1].exit_status = 0;
	fellows_settle(&scene.jobs);
	assert_ptr_equal(fellows_speaker(&scene.jobs, &scene.entries[3]), &scene.entries[2]);
	scene.entries[1].exit_status = 1;
	assert_ptr_equal(fellows_speaker(&scene.jobs, &scene.entries[3]), &scene.entries[1]);
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Somebody has filled a place with folders: who lists jobs looks at pairs of them only. */
static void a_thousand_jobs_are_told_apart_in_time(void **state)
{
	enum { MANY = 2048 };
	struct jobs_entry *entries = calloc(MANY, sizeof(*entries));
	struct jobs jobs = {.items = entries, .nr = MANY};
	struct scene scene = {0};
	double begin;

	for (int i = 0; i < MANY; i++) {
		entries[i] = *add(&scene, i, MANY, 1000 * i);
		scene.jobs.nr = 0;
		snprintf(entries[i].fellow.run, sizeof(entries[i].fellow.run), "%d", i);
	}
	begin = cpu_s();
	fellows_settle(&jobs);
	assert_true(cpu_s() - begin < 1);
	assert_false(fellows_are(&entries[0], &entries[MANY - 1]));
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_one_port_are_one_job),
		cmocka_unit_test(what_differs_is_two_jobs),
		cmocka_unit_test(two_ports_are_two_jobs),
		cmocka_unit_test(one_step_is_one_job),
		cmocka_unit_test(a_loop_without_names),
		cmocka_unit_test(two_loops_without_names_are_not_guessed),
		cmocka_unit_test(communicators_tell),
		cmocka_unit_test(two_holders_of_a_number_are_two_jobs),
		cmocka_unit_test(one_that_looks_elsewhere_is_of_those_that_lack_it),
		cmocka_unit_test(what_was_over_before_is_another_job),
		cmocka_unit_test(one_that_died_is_a_part),
		cmocka_unit_test(the_speaker_is_at_work),
		cmocka_unit_test(a_thousand_jobs_are_told_apart_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
