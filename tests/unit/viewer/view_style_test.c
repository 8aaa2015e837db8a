/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours are computed, not believed: contrast as WCAG 2 has it, distances as CIE 1976 in L*a*b*,
 * colour blindness by the matrices of Machado, Oliveira and Fernandes (2009) at full severity.
 */
#include "viewer/term/style.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "viewer/timeline/track.h"
#include "words/escape.h"

struct color {
	double r, g, b; /* linear light, 0 to 1 */
};

static double linear(double c)
{
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct color color_of(uint32_t rgb)
{
	return (struct color){linear((rgb >> 16) / 255.0), linear((rgb >> 8 & 255) / 255.0),
		linear((rgb & 255) / 255.0)};
}

static double luminance(struct color c)
{
	return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static double contrast(uint32_t a, uint32_t b)
{
	double la = luminance(color_of(a)) + 0.05, lb = luminance(color_of(b)) + 0.05;

	return la > lb ? la / lb : lb / la;
}

enum vision { NORMAL, PROTAN, DEUTAN, TRITAN, VISIONS };

static struct color seen(struct color c, enum vision vision)
{
	static const double m[VISIONS][9] = {
		{1, 0, 0, 0, 1, 0, 0, 0, 1},
		{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116,
			1.051998},
		{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940,
			0.968881},
		{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
			0.303900},
	};
	const double *by = m[vision];
	struct color out = {by[0] * c.r + by[1] * c.g + by[2] * c.b,
		by[3] * c.r + by[4] * c.g + by[5] * c.b, by[6] * c.r + by[7] * c.g + by[8] * c.b};

	out.r = fmin(fmax(out.r, 0), 1);
	out.g = fmin(fmax(out.g, 0), 1);
	out.b = fmin(fmax(out.b, 0), 1);
	return out;
}

static double bend(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab(struct color c, double out[3])
{
	double x = bend((0.4124564 * c.r + 0.3575761 * c.g + 0.1804375 * c.b) / 0.95047);
	double y = bend(0.2126729 * c.r + 0.7151522 * c.g + 0.0721750 * c.b);
	double z = bend((0.0193339 * c.r + 0.1191920 * c.g + 0.9503041 * c.b) / 1.08883);

	out[0] = 116 * y - 16;
	out[1] = 500 * (x - y);
	out[2] = 200 * (y - z);
}

static double distance(uint32_t a, uint32_t b, enum vision vision)
{
	double la[3], lb[3];

	lab(seen(color_of(a), vision), la);
	lab(seen(color_of(b), vision), lb);
	return sqrt(pow(la[0] - lb[0], 2) + pow(la[1] - lb[1], 2) + pow(la[2] - lb[2], 2));
}

/* What the arithmetic must give where others have published it. */
static void the_measures_are_right(void **state)
{
	assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 0.001);
	assert_true(fabs(contrast(0x777777, 0xffffff) - 4.48) < 0.01);
	assert_true(fabs(distance(0x000000, 0xffffff, NORMAL) - 100) < 0.01);
	assert_true(distance(0x00ff00, 0xff0000, NORMAL) > 150);
	/* The naive pair that nobody with deuteranopia can tell. */
	assert_true(distance(style_rgb(2), style_rgb(9), DEUTAN) < 40);
}

/* The colour of a state; below 0: the terminal's own. */
static int color_number(int track, enum theme theme)
{
	return style_look((enum style)(STYLE_STATE + track), theme, 256).fg;
}

/* Both unknown: told apart by their glyphs, and meant to recede. */
static bool recedes(int track)
{
	return track == TRACK_NODATA || track == TRACK_LOST;
}

static void must_differ(int a, int b, enum theme theme)
{
	int ca = color_number(a, theme), cb = color_number(b, theme);

	if (ca < 0 || cb < 0 || ca == cb || recedes(a) || recedes(b))
		return;
	for (enum vision vision = NORMAL; vision < VISIONS; vision++) {
		double far = distance(style_rgb(ca), style_rgb(cb), vision);

		if (far < 33)
			fail_msg("%d and %d: %.1f (vision %d)", ca, cb, far, vision);
	}
}

static void states_differ_for_every_eye(void **state)
{
	for (int a = 0; a < TRACK_STATES; a++)
		for (int b = 0; b < a; b++) {
			must_differ(a, b, THEME_DARK);
			must_differ(a, b, THEME_LIGHT);
		}
}

static void every_style_can_be_read(void **state)
{
	static const uint32_t ground[] = {0x000000, 0xffffff};
	static const double least[] = {4.4, 3.0};

	for (enum theme theme = THEME_DARK; theme <= THEME_LIGHT; theme++)
		for (int style = 0; style < STYLES; style++) {
			struct look_of look = style_look((enum style)style, theme, 256);
			uint32_t under = look.bg < 0 ? ground[theme] : style_rgb(look.bg);
			double c;

			if (look.fg < 0)
				continue;
			c = contrast(style_rgb(look.fg), under);
			if (c < least[theme])
				fail_msg("style %d, theme %d: %.2f", style, theme, c);
		}
}

static bool same_look(struct look_of a, struct look_of b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.dim == b.dim &&
	       a.underline == b.underline && a.reverse == b.reverse;
}

/* A terminal gets no number that it does not have, and without colours none at all. */
static void looks_keep_to_the_colours_there_are(void **state)
{
	static const int many[] = {-1, 0, 2, 7, 8, 9, 15, 16, 88, 255, 256, 1 << 24};
	static const int least[] = {0, 0, 0, 0, 8, 8, 8, 16, 16, 16, 256, 256};

	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		for (int theme = 0; theme < THEMES; theme++)
			for (int style = 0; style < STYLES; style++) {
				struct look_of look = style_look(
					(enum style)style, (enum theme)theme, many[i]);

				assert_true(look.fg < (least[i] ? least[i] : 1) || !least[i]);
				assert_true(look.bg < (least[i] ? least[i] : 1) || !least[i]);
				if (theme == THEME_MONO || !least[i])
					assert_true(look.fg < 0 && look.bg < 0);
			}
	assert_true(same_look(style_look(STYLE_ALARM, THEME_DARK, 0),
		style_look(STYLE_ALARM, THEME_MONO, 256)));
	assert_true(same_look(style_look((enum style)STYLES, THEME_DARK, 256),
		style_look(STYLE_PLAIN, THEME_DARK, 256)));
}

/* Nothing is drawn in black or white, which is what the ground may be. */
static void no_ink_is_black_or_white(void **state)
{
	for (int theme = 0; theme < THEMES; theme++)
		for (int colors = 8; colors <= 256; colors = colors == 8 ? 16 : colors * 16)
			for (int style = 0; style < STYLES; style++) {
				struct look_of look = style_look(
					(enum style)style, (enum theme)theme, colors);
				uint32_t rgb = style_rgb(look.fg);

				if (look.fg >= 0 && look.bg < 0)
					assert_true(rgb && rgb != 0xffffff && look.fg != 7);
			}
}

/* Colour is never alone: no two states share a glyph, in either charset. */
static void every_state_has_its_own_glyph(void **state)
{
	for (int utf8 = 0; utf8 < 2; utf8++)
		for (int a = 0; a < TRACK_STATES; a++)
			for (int b = 0; b <= a; b++) {
				const char *ga = glyph_text((enum glyph)(GLYPH_STATE + a), utf8);
				const char *gb = glyph_text((enum glyph)(GLYPH_STATE + b), utf8);

				assert_int_equal(!strcmp(ga, gb), a == b);
			}
}

static void glyphs_are_one_column(void **state)
{
	for (int glyph = 0; glyph < GLYPHS + 3; glyph++) {
		const char *ascii = glyph_text((enum glyph)glyph, false);
		const char *utf8 = glyph_text((enum glyph)glyph, true);
		size_t size;
		int32_t code = escape_decode(utf8, &size);

		assert_int_equal(strlen(ascii), 1);
		assert_in_range(*ascii, '!', '~');
		assert_true(escape_is_plain(code));
		assert_int_equal(escape_columns(code), 1);
		assert_int_equal(strlen(utf8), size);
	}
}

static void the_cube_and_the_greys_are_xterms(void **state)
{
	assert_int_equal(style_rgb(16), 0x000000);
	assert_int_equal(style_rgb(166), 0xd75f00);
	assert_int_equal(style_rgb(231), 0xffffff);
	assert_int_equal(style_rgb(232), 0x080808);
	assert_int_equal(style_rgb(255), 0xeeeeee);
	assert_int_equal(style_rgb(-1), 0);
	assert_int_equal(style_rgb(256), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_measures_are_right),
		cmocka_unit_test(states_differ_for_every_eye),
		cmocka_unit_test(every_style_can_be_read),
		cmocka_unit_test(looks_keep_to_the_colours_there_are),
		cmocka_unit_test(no_ink_is_black_or_white),
		cmocka_unit_test(every_state_has_its_own_glyph),
		cmocka_unit_test(glyphs_are_one_column),
		cmocka_unit_test(the_cube_and_the_greys_are_xterms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
