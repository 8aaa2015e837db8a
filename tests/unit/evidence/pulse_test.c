/* SPDX-License-Identifier: Apache-2.0 */
/* What a feeling of the pulse tells of rings that move, that stand, and that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "evidence/agent/pulse.h"
#include "ring/census.h"
#include "ring/ring.h"

/* A ring of one lane and one group, as far as the pulse looks at it. */
struct small {
	struct ring_header header;
	struct ring_lane lane;
	struct ring_group group;
};

struct scene {
	char folder[64];
	struct pulse pulse;
	struct small one, two;
};

static void put(const struct scene *scene, const char *name, const void *bytes, size_t len)
{
	struct str path = {0};

	str_printf(&path, "%s/%s", scene->folder, name);
	assert_int_equal(file_write(path.text, bytes, len, 0600, NULL), 0);
	str_release(&path);
}

static void put_rings(const struct scene *scene)
{
	put(scene, "1.1.1.ring", &scene->one, sizeof(scene->one));
	put(scene, "2.1.1.ring", &scene->two, sizeof(scene->two));
}

static void expect(struct scene *scene, size_t moved, size_t still, bool others)
{
	struct pulse_news news = pulse_take(
		&scene->pulse, (const char *const[]){scene->folder}, 1);

	assert_int_equal(news.moved, moved);
	assert_int_equal(news.still, still);
	assert_int_equal(news.others, others);
}

static int begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct small *one = &scene->one;

	strcpy(scene->folder, "/tmp/pulse_test.XXXXXX");
	if (!mkdtemp(scene->folder))
		return -1;
	one->header.magic = RING_MAGIC;
	one->header.section[0] = (struct ring_section){RING_S_LANES, sizeof(one->lane),
		offsetof(struct small, lane), 1};
	one->header.section[1] = (struct ring_section){RING_S_GROUPS, sizeof(one->group),
		offsetof(struct small, group), 1};
	one->group.seq = 2;
	scene->two = *one;
	put_rings(scene);
	expect(scene, 0, 0, true);
	*state = scene;
	return 0;
}

static int end(void **state)
{
	static const char *const names[] = {"1.1.1.ring", "2.1.1.ring", CENSUS_FILE};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str path = {0};

		str_printf(&path, "%s/%s", scene->folder, names[i]);
		unlink(path.text);
		str_release(&path);
	}
	rmdir(scene->folder);
	pulse_release(&scene->pulse);
	free(scene);
	return 0;
}

static void test_stands(void **state)
{
	expect(*state, 0, 2, false);
	expect(*state, 0, 2, false);
}

static void test_a_call_moves_a_ring(void **state)
{
	struct scene *scene = *state;

	scene->one.lane.head++;
	put_rings(scene);
	expect(scene, 1, 1, false);
}

static void test_what_a_device_completes_moves_it(void **state)
{
	struct scene *scene = *state;

	scene->two.group.completed_word = 7;
	put_rings(scene);
	expect(scene, 1, 1, false);
}

/* A watchdog asks "done?" for ever: the same words, in the one half and the other. */
static void test_asking_again_is_no_progress(void **state)
{
	struct scene *scene = *state;

	scene->one.lane.board[0] = (struct ring_slot){.seq = 2, .tsc = 10, .meta = 5, .index = 3};
	scene->one.lane.board[1] = (struct ring_slot){.seq = 4, .tsc = 11, .meta = 6, .index = 3};
	put_rings(scene);
	expect(scene, 1, 1, false);
	scene->one.lane.board[1] = (struct ring_slot){.seq = 8, .tsc = 20, .meta = 5, .index = 3};
	scene->one.lane.board[0] = (struct ring_slot){.seq = 6, .tsc = 21, .meta = 6, .index = 3};
	put_rings(scene);
	expect(scene, 0, 2, false);
	scene->one.lane.board[1].index = 4;
	put_rings(scene);
	expect(scene, 1, 1, false);
}

static void test_rings_and_slots_come_and_go(void **state)
{
	struct {
		struct census_header header;
		struct census_slot slot;
	} census = {.header = {.magic = CENSUS_MAGIC, .high = 1}};
	struct scene *scene = *state;
	struct str path = {0};

	str_printf(&path, "%s/2.1.1.ring", scene->folder);
	unlink(path.text);
	str_release(&path);
	expect(scene, 0, 1, true);
	census.slot.state = CENSUS_CANDIDATE;
	put(scene, CENSUS_FILE, &census, sizeof(census));
	expect(scene, 0, 1, true);
	/* That the agent lives is its own business. */
	census.header.agent_beat = 99;
	put(scene, CENSUS_FILE, &census, sizeof(census));
	expect(scene, 0, 1, false);
}

/* Cut anywhere, or with sections that lie nowhere: it tells something, and nothing breaks. */
static void test_strangers_rings(void **state)
{
	struct scene *scene = *state;

	scene->two.header.section[0].offset = UINT64_MAX - 3;
	scene->two.header.section[0].count = UINT64_MAX;
	scene->two.header.section[1].elem_size = 0;
	scene->two.header.section[1].count = UINT64_MAX;
	put(scene, "1.1.1.ring", &scene->one, 100);
	put(scene, "2.1.1.ring", &scene->two, sizeof(scene->two));
	expect(scene, 2, 0, false);
	expect(scene, 0, 2, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stands, begin, end),
		cmocka_unit_test_setup_teardown(test_a_call_moves_a_ring, begin, end),
		cmocka_unit_test_setup_teardown(test_what_a_device_completes_moves_it, begin, end),
		cmocka_unit_test_setup_teardown(test_asking_again_is_no_progress, begin, end),
		cmocka_unit_test_setup_teardown(test_rings_and_slots_come_and_go, begin, end),
		cmocka_unit_test_setup_teardown(test_strangers_rings, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
