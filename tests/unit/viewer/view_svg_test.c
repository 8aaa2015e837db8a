/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/term/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "viewer/timeline/track.h"

static struct rect all_of(const struct cells *cells)
{
	return (struct rect){0, 0, cells->w, cells->h};
}

static size_t count(const struct str *text, const char *what)
{
	size_t n = 0;

	for (const char *at = str_text(text); (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* Python reads the document and must say what is wanted of it; false where there is no Python. */
static bool python_says(const struct str *svg, const char *program, const char *wanted)
{
	char name[] = "/tmp/view_svg_XXXXXX";
	char command[600], said[200] = "";
	FILE *file = fdopen(mkstemp(name), "w"), *python;

	assert_non_null(file);
	fwrite(str_text(svg), 1, svg->len, file);
	fclose(file);
	snprintf(command, sizeof(command),
		"command -v python3 >/dev/null || { echo none; exit; }; python3 -c '"
		"import sys, xml.etree.ElementTree as E\n"
		"root = E.parse(sys.argv[1]).getroot()\n"
		"texts = [t for t in root.iter() if t.tag.endswith(\"}text\")]\n"
		"%s' %s 2>&1",
		program, name);
	python = popen(command, "r");
	assert_non_null(python);
	said[fread(said, 1, sizeof(said) - 1, python)] = '\0';
	pclose(python);
	unlink(name);
	if (!strcmp(said, "none\n"))
		return false;
	assert_string_equal(said, wanted);
	return true;
}

static void it_is_xml_whatever_stands_in_the_cells(void **state)
{
	struct cells cells = {0};

	for (enum theme theme = THEME_DARK; theme < THEMES; theme++) {
		struct str svg = {0};

		cells_reset(&cells, 40, 3, true);
		cells_put(&cells, all_of(&cells), 0, 0, STYLE_ALARM, "<a href=\"&x;\">]]> 'q' --");
		cells_put(&cells, all_of(&cells), 0, 1, STYLE_PLAIN,
			"e\u0301 世界 \x1b[2J \xff\xfe \u202e & \ufffe");
		svg_write(&cells, theme, &svg);
		if (!python_says(&svg, "print(\"\".join(texts[0].itertext()))",
			    "<a href=\"&x;\">]]> 'q' --\n"))
			skip();
		str_release(&svg);
	}
	cells_release(&cells);
}

/* Each text says how wide it is: cells of 9 pixels, and no text runs into the next. */
static void columns_stand_where_they_are(void **state)
{
	struct cells cells = {0};
	struct str svg = {0};

	cells_reset(&cells, 30, 2, true);
	cells_put(&cells, all_of(&cells), 2, 0, STYLE_PLAIN, "rank 3   世界 x");
	cells_put(&cells, all_of(&cells), 2, 1, STYLE_ALARM, "KILL");
	cells_put(&cells, all_of(&cells), 6, 1, STYLE_PLAIN, "now");
	svg_write(&cells, THEME_DARK, &svg);
	if (!python_says(&svg,
		    "print([(int(t.get(\"x\"))//9, int(t.get(\"textLength\"))//9, t.text) "
		    "for t in texts])",
		    "[(2, 6, 'rank 3'), (11, 6, '世界 x'), (2, 4, 'KILL'), (6, 3, 'now')]\n"))
		skip();
	assert_int_equal(count(&svg, "width=\"270\" height=\"36\""), 2);
	str_release(&svg);
	cells_release(&cells);
}

/* A row of blocks is one shape, and no letter; a reversed cell has its ground drawn. */
static void blocks_are_shapes(void **state)
{
	struct cells cells = {0};
	struct str svg = {0};

	cells_reset(&cells, 20, 2, true);
	for (int x = 0; x < 20; x++)
		cells_glyph(&cells, all_of(&cells), x, 0, (enum style)(STYLE_STATE + TRACK_COMPUTE),
			(enum glyph)(GLYPH_STATE + TRACK_COMPUTE));
	svg_write(&cells, THEME_DARK, &svg);
	assert_int_equal(count(&svg, "<text"), 0);
	assert_int_equal(count(&svg, "<rect"), 2);
	assert_int_equal(count(&svg, "<rect x=\"0\" y=\"0\" width=\"180\" height=\"17\""), 1);

	str_cut(&svg, 0);
	cells_reverse(&cells, (struct rect){3, 1, 2, 1});
	svg_write(&cells, THEME_DARK, &svg);
	assert_int_equal(count(&svg, "<rect x=\"27\" y=\"18\" width=\"18\" height=\"18\""), 1);

	/* Every glyph of ours, each in its style: a shape or a text. */
	for (int glyph = 0; glyph < GLYPHS; glyph++) {
		str_cut(&svg, 0);
		cells_reset(&cells, 1, 1, true);
		cells_glyph(&cells, all_of(&cells), 0, 0, STYLE_PLAIN, (enum glyph)glyph);
		svg_write(&cells, THEME_LIGHT, &svg);
		assert_true(count(&svg, "<rect") + count(&svg, "<text") > 1);
	}
	str_release(&svg);
	cells_release(&cells);
}

static void themes_have_their_colours(void **state)
{
	struct cells cells = {0};
	struct str svg = {0};

	cells_reset(&cells, 8, 1, true);
	cells_put(&cells, all_of(&cells), 0, 0, (enum style)(STYLE_STATE + TRACK_BLOCKED), "hung");
	svg_write(&cells, THEME_DARK, &svg);
	assert_int_equal(count(&svg, "fill=\"#d75f00\""), 1);
	str_cut(&svg, 0);
	svg_write(&cells, THEME_LIGHT, &svg);
	assert_int_equal(count(&svg, "fill=\"#870000\""), 1);
	str_cut(&svg, 0);
	svg_write(&cells, THEME_MONO, &svg);
	/* Reversed: light on dark. */
	assert_int_equal(count(&svg, "fill=\"#ffffff\""), 2);
	str_release(&svg);
	cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_xml_whatever_stands_in_the_cells),
		cmocka_unit_test(columns_stand_where_they_are),
		cmocka_unit_test(blocks_are_shapes),
		cmocka_unit_test(themes_have_their_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
