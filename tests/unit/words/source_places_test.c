/* SPDX-License-Identifier: Apache-2.0 */
/* Places in sources among words: what is long is cut in the middle, and nothing else is touched. */
#include "tests/unit/unit.h"

#include <string.h>

#include "words/source-places.h"

#define MOST 32

static void long_places_lose_their_middle(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"", ""},
		{"no place at all", "no place at all"},
		{"[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by "
		 "peer [127.0.0.1]:36181",
			"[/pytorch/.../tcp/pair.cc:534] Connection closed by peer "
			"[127.0.0.1]:36181"},
		{"at ../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81 it",
			"at .../tcp/unbound_buffer.cc:81 it"},
		{"/usr/local/lib/python3.12/dist-packages/torch/distributed/a_very_long_name.py:3",
			"/usr/.../a_very_long_name.py:3"},
		{"/a/the_name_alone_is_longer_than_there_is_room.py:88",
			"/a/the_name_alone_is_longer_than_there_is_room.py:88"},
		{"torch/distributed/launch.py:88", "torch/distributed/launch.py:88"},
		/* No place of a source: it may be wanted whole. */
		{"cannot open /home/somebody/data/sets/number/four/shard-00017.tar",
			"cannot open /home/somebody/data/sets/number/four/shard-00017.tar"},
		{"https://docs.example/a/very/long/path/of/a/page/that/has:no/line",
			"https://docs.example/a/very/long/path/of/a/page/that/has:no/line"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str shown = {0};

		source_places_add(&shown, cases[i].text, MOST);
		assert_string_equal(str_text(&shown), cases[i].shown);
		str_release(&shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_places_lose_their_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
