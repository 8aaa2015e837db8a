/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/term/cells.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "words/escape.h"

/* The screen of a test: is it as it must be, whatever was drawn? */
static struct rect all_of(const struct cells *cells)
{
	return (struct rect){0, 0, cells->w, cells->h};
}

static void assert_sane(const struct cells *cells)
{
	for (int y = 0; y < cells->h; y++) {
		int columns = 0;

		for (int x = 0; x < cells->w; x++) {
			const char *text = cells->at[y * cells->w + x].text;
			size_t size;
			int32_t code = escape_decode(text, &size);

			if (!*text) {
				/* The right half of what stands before it. */
				assert_int_equal(columns, 2);
				columns = 0;
				continue;
			}
			assert_true(columns < 2);
			assert_true(escape_is_plain(code));
			assert_true(code < 0x80 || cells->utf8);
			columns = (int)escape_columns(code);
			assert_in_range(columns, 1, 2);
			for (text += size; *text; text += size) {
				code = escape_decode(text, &size);
				assert_true(escape_is_plain(code));
				assert_int_equal(escape_columns(code), 0);
			}
		}
		assert_true(columns < 2);
	}
}

static void assert_text(const struct cells *cells, const char *wanted)
{
	struct str text = {0};

	assert_sane(cells);
	cells_text(cells, &text);
	assert_string_equal(str_text(&text), wanted);
	str_release(&text);
}

static void a_screen_is_blank_and_at_least_a_cell(void **state)
{
	struct cells cells = {0};

	cells_reset(&cells, 3, 2, true);
	assert_text(&cells, "\n\n");
	cells_reset(&cells, 0, -7, false);
	assert_int_equal(cells.w, 1);
	assert_int_equal(cells.h, 1);
	cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "xy");
	assert_text(&cells, "x\n");
	cells_reset(&cells, 1 << 30, 1 << 30, false);
	assert_int_equal(cells.w, CELLS_W);
	assert_int_equal(cells.h, CELLS_H);
	cells_release(&cells);
	assert_null(cells.at);
}

static void text_stays_in_its_clip(void **state)
{
	struct cells cells = {0};
	struct rect clip = {2, 1, 5, 1};

	cells_reset(&cells, 10, 3, true);
	assert_int_equal(cells_put(&cells, clip, 1, 0, STYLE_ALARM, "rank 512"), 4);
	assert_int_equal(cells_put(&cells, clip, 0, 1, STYLE_ALARM, "below"), 5);
	assert_int_equal(cells_put(&cells, clip, 5, 0, STYLE_ALARM, "right"), 0);
	assert_int_equal(cells_put(&cells, clip, 99, 0, STYLE_ALARM, "right"), 0);
	assert_text(&cells, "\n   rank\n\n");
	assert_int_equal(cells.at[10 + 3].style, STYLE_ALARM);
	assert_int_equal(cells.at[10 + 2].style, STYLE_PLAIN);

	/* What begins left of it is cut there, and counts. */
	assert_int_equal(cells_put(&cells, clip, -2, 0, STYLE_PLAIN, "abcd"), 4);
	assert_text(&cells, "\n  cdank\n\n");

	/* A clip that hangs over the screen. */
	cells_reset(&cells, 4, 1, true);
	cells_put(&cells, (struct rect){2, 0, 100, 9}, 0, 0, STYLE_PLAIN, "abcd");
	cells_put(&cells, (struct rect){-2, 0, 4, 9}, 0, 0, STYLE_PLAIN, "wxyz");
	cells_put(&cells, (struct rect){0, -1, 4, 1}, 0, 0, STYLE_PLAIN, "no");
	cells_put(&cells, (struct rect){0, 7, 4, 1}, 0, 0, STYLE_PLAIN, "no");
	assert_text(&cells, "yzab\n");
	cells_release(&cells);
}

static void wide_characters_take_two_cells_and_are_never_halved(void **state)
{
	struct cells cells = {0};

	cells_reset(&cells, 6, 1, true);
	assert_int_equal(cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "a世界界"), 5);
	assert_text(&cells, "a世界\n");

	/* Written over its right half, or its left one, the rest is blank. */
	cells_put(&cells, all_of(&cells), 2, 0, STYLE_PLAIN, "x");
	assert_text(&cells, "a x界\n");
	cells_put(&cells, all_of(&cells), 3, 0, STYLE_PLAIN, "y");
	assert_text(&cells, "a xy\n");
	cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "世世世");
	cells_put(&cells, all_of(&cells), 1, 0, STYLE_PLAIN, "界界");
	assert_text(&cells, " 界界\n");
	cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "界界界");
	cells_fill(&cells, (struct rect){1, 0, 2, 1}, STYLE_PLAIN, '-');
	assert_text(&cells, " -- 界\n");

	/* Cut by a clip at its left, what is seen of it is blank. */
	cells_put(&cells, (struct rect){1, 0, 4, 1}, -1, 0, STYLE_PLAIN, "世a");
	assert_text(&cells, "  a 界\n");
	cells_release(&cells);
}

static void marks_stand_on_their_base_or_nowhere(void **state)
{
	struct cells cells = {0};

	cells_reset(&cells, 4, 1, true);
	assert_int_equal(
		cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "\u0301e\u0301\u0302x"), 2);
	assert_string_equal(cells.at[0].text, "e\u0301\u0302");
	assert_string_equal(cells.at[1].text, "x");
	/* The last column's marks come with it; a tower of them does not grow for ever. */
	cells_put(&cells, all_of(&cells), 3, 0, STYLE_PLAIN, "o\u0301");
	assert_string_equal(cells.at[3].text, "o\u0301");
	for (int i = 0; i < 2; i++)
		cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN,
			"z\u0301\u0301\u0301\u0301\u0301\u0301"
			"\u0301\u0301\u0301\u0301\u0301\u0301");
	assert_sane(&cells);
	cells_release(&cells);
}

/* What fonts show as nothing could hide in a name that two jobs seem to share. */
static void what_shows_nothing_is_shown(void **state)
{
	static const int32_t blanks[] = {0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180f, 0x200b,
		0x2800, 0x3164, 0xfeff, 0xffa0, 0x1bca0, 0x1d173, 0xe0020};

	(void)state;
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		assert_false(escape_is_plain(blanks[i]));
}

static void nothing_of_a_stranger_is_raw(void **state)
{
	static const char *const hostile[] = {
		"\x1b[2J\x1b]0;owned\x07", "a\nb\rc\td", "\x7f\xc2\x9b[31m", "\xff\xfe\x80",
		"\u202egnp.exe", "\u2066x\u2069", "\xed\xa0\x80", "\xc0\xaf", "\u200bzero\ufeff",
		"\xf4\x90\x80\x80", "\xf0\x9f\x98", "\U000e0041", "😀\ufe0f", "\xe4\xb8",
	};
	struct cells cells = {0};

	for (int utf8 = 0; utf8 < 2; utf8++)
		for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
			for (int x = -3; x < 22; x++) {
				struct rect clip = {1, 0, 20, 1};

				cells_reset(&cells, 24, 4, utf8);
				cells_put(&cells, clip, x, 0, STYLE_PLAIN, hostile[i]);
				clip.y = 1;
				cells_put_fit(&cells, clip, x, 0, 9, STYLE_PLAIN,
					hostile[i]);
				clip.y = 2;
				cells_put_middle(&cells, clip, x, 0, 9, STYLE_PLAIN,
					hostile[i]);
				clip.y = 3;
				cells_printf(&cells, clip, x, 0, STYLE_PLAIN, "%s", hostile[i]);
				assert_sane(&cells);
			}
	cells_reset(&cells, 30, 1, true);
	cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "a\x1b[2Jb\u202ec\t\xff");
	assert_text(&cells, "a\\x1b[2Jb\\u{202e}c \\xff\n");
	cells_reset(&cells, 30, 1, false);
	cells_put(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, "größe");
	assert_text(&cells, "gr\\u{f6}\\u{df}e\n");
	cells_release(&cells);
}

/* Any bytes, anywhere: the screen stays one. */
static void random_text_keeps_it_sane(void **state)
{
	struct cells cells = {0};

	srandom(41);
	for (int round = 0; round < 3000; round++) {
		char text[40] = "";
		struct rect clip = {(int)(random() % 20) - 5, (int)(random() % 8) - 2,
			(int)(random() % 20), (int)(random() % 6)};
		int x = (int)(random() % 20) - 6, y = (int)(random() % 6) - 1;
		int w = (int)(random() % 20) - 2;

		for (size_t i = 0; i + 4 < sizeof(text); i++)
			text[i] = (char)(random() % 3 ? random() : "\xe4\xb8\x96\xcc\x81z"[i % 6]);
		if (round % 100 == 0)
			cells_reset(&cells, 1 + (int)(random() % 16), 1 + (int)(random() % 5),
				round % 200 == 0);
		cells_put(&cells, clip, x, y, STYLE_PLAIN, text);
		cells_put_fit(&cells, clip, x, y + 1, w, STYLE_PLAIN, text);
		cells_put_middle(&cells, clip, x, y + 2, w, STYLE_PLAIN, text);
		cells_glyph(&cells, clip, x, y, STYLE_PLAIN, (enum glyph)(round % GLYPHS));
		cells_fill(&cells, clip, STYLE_PLAIN, text[0]);
		cells_reverse(&cells, clip);
		assert_sane(&cells);
	}
	cells_release(&cells);
}

static void long_text_is_cut_where_asked(void **state)
{
	struct cells cells = {0};
	char *huge = malloc(1 << 20);

	cells_reset(&cells, 16, 2, true);
	assert_int_equal(cells_put_fit(&cells, all_of(&cells), 0, 0, 10, STYLE_PLAIN,
		"inductor codegen"), 10);
	assert_int_equal(cells_put_middle(&cells, all_of(&cells), 0, 1, 12, STYLE_PLAIN,
		"[0-6,8-1023] 1023r"), 12);
	assert_text(&cells, "inducto...\n[0-6,...023r\n");

	cells_reset(&cells, 16, 3, true);
	assert_int_equal(cells_put_fit(&cells, all_of(&cells), 0, 0, 3, STYLE_PLAIN, "abcdef"), 3);
	assert_int_equal(
		cells_put_middle(&cells, all_of(&cells), 0, 1, 12, STYLE_PLAIN, "fits"), 4);
	/* Wide ones do not always fill it, and marks do not go to the dots. */
	cells_put_middle(&cells, all_of(&cells), 0, 2, 10, STYLE_PLAIN,
		"世界世界世x\u0301世界\u0301");
	assert_text(&cells, "abc\nfits\n世界...界\u0301\n");

	/* Of a huge one both ends are right. */
	memset(huge, 'm', (1 << 20) - 1);
	huge[(1 << 20) - 1] = '\0';
	memcpy(huge, "begin", 5);
	memcpy(huge + (1 << 20) - 5, "end!", 4);
	cells_reset(&cells, 16, 2, true);
	cells_put_middle(&cells, all_of(&cells), 0, 0, 13, STYLE_PLAIN, huge);
	cells_put_fit(&cells, all_of(&cells), 0, 1, 13, STYLE_PLAIN, huge);
	assert_text(&cells, "begin...mend!\nbeginmmmmm...\n");
	free(huge);
	cells_release(&cells);
}

static void glyphs_are_of_the_charset_and_reverse_turns_round(void **state)
{
	struct cells cells = {0};

	for (int utf8 = 0; utf8 < 2; utf8++) {
		cells_reset(&cells, GLYPHS, 1, utf8);
		for (int i = 0; i < GLYPHS; i++)
			cells_glyph(&cells, all_of(&cells), i, 0, STYLE_PLAIN, (enum glyph)i);
		cells_glyph(&cells, all_of(&cells), GLYPHS, 0, STYLE_PLAIN, GLYPH_OPEN);
		assert_sane(&cells);
	}
	cells_reverse(&cells, (struct rect){-1, -1, 3, 3});
	assert_true(cells.at[0].reverse && cells.at[1].reverse && !cells.at[2].reverse);
	cells_reverse(&cells, (struct rect){1, 0, 1, 1});
	assert_true(cells.at[0].reverse && !cells.at[1].reverse);
	cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_screen_is_blank_and_at_least_a_cell),
		cmocka_unit_test(text_stays_in_its_clip),
		cmocka_unit_test(wide_characters_take_two_cells_and_are_never_halved),
		cmocka_unit_test(marks_stand_on_their_base_or_nowhere),
		cmocka_unit_test(what_shows_nothing_is_shown),
		cmocka_unit_test(nothing_of_a_stranger_is_raw),
		cmocka_unit_test(random_text_keeps_it_sane),
		cmocka_unit_test(long_text_is_cut_where_asked),
		cmocka_unit_test(glyphs_are_of_the_charset_and_reverse_turns_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
