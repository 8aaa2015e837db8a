/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/screen-layout.h"

#include "tests/unit/unit.h"

#define PARTS 10

static void parts_of(const struct layout *layout, struct rect parts[PARTS])
{
	const struct rect all[PARTS] = {layout->title, layout->ruler, layout->minimap,
		layout->rows, layout->strip, layout->legend, layout->tabs, layout->pane,
		layout->rest, layout->status};

	for (int i = 0; i < PARTS; i++)
		parts[i] = all[i];
}

/* cmocka's asserts cost too much for so many. */
#define must(what)                                                                                 \
	do {                                                                                       \
		if (!(what))                                                                       \
			fail_msg("%dx%d, %zu rows: %s", w, h, nrows, #what);                       \
	} while (0)

static struct layout lay(int w, int h, size_t nrows, bool pane_only, bool timeline_only)
{
	return layout_of(&(struct layout_wish){.w = w,
		.h = h,
		.nrows = nrows,
		.pane_only = pane_only,
		.timeline_only = timeline_only});
}

static void check(int w, int h, size_t nrows, bool pane_only, bool timeline_only)
{
	struct layout layout = lay(w, h, nrows, pane_only, timeline_only);
	struct rect parts[PARTS], screen = {0, 0, w, h};

	parts_of(&layout, parts);
	for (int i = 0; i < PARTS; i++) {
		struct rect seen = rect_clip(parts[i], screen);

		must(parts[i].w >= 0 && parts[i].h >= 0);
		must(!parts[i].w || !parts[i].h ||
			(seen.w == parts[i].w && seen.h == parts[i].h));
		for (int j = 0; j < i; j++) {
			struct rect both = rect_clip(parts[i], parts[j]);

			must(!both.w || !both.h);
		}
	}
	must(layout.status.w == w && layout.status.h == 1);
	if (layout.kind == LAYOUT_TOO_SMALL) {
		must(w < LAYOUT_LEAST_W || h < LAYOUT_LEAST_H);
		must(!layout.rows.h && !layout.pane.h && !layout.title.h);
		return;
	}
	must(layout.title.h == 1 + (h >= 10) && layout.tabs.h == 1);
	must(pane_only ? layout.pane.h >= 5 && !layout.rows.h : layout.rows.h >= 1);
	must(pane_only || (layout.ruler.h == 1 + (h >= 24) && layout.legend.h == 1));
	must(!timeline_only || pane_only || !layout.pane.h);
	must(layout.label_w + layout.doing_w < layout.rows.w || !layout.rows.h);
	must(!layout.rest.h || layout.kind == LAYOUT_BESIDE);
	if (!pane_only && !timeline_only && layout.kind >= LAYOUT_BELOW)
		must(layout.pane.h >= 4 && layout.pane.w >= 50);
}

static void no_part_leaves_the_screen_or_overlaps_another(void **state)
{
	static const size_t rows[] = {0, 1, 8, 60, 10000, SIZE_MAX};

	for (int w = 1; w <= 400; w++)
		for (int h = 1; h <= 120; h++)
			for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
				for (int only = 0; only < 4; only++)
					check(w, h, rows[i], only & 1, only & 2);
	check(CELLS_W, CELLS_H, 10000, false, false);
}

/* Nothing of the screen is left over either, but the rule between timeline and panes. */
static void the_whole_screen_is_used(void **state)
{
	for (int w = LAYOUT_LEAST_W; w <= 400; w += 20)
		for (int h = LAYOUT_LEAST_H; h <= 120; h++) {
			struct layout layout = lay(w, h, 10000, false, false);
			struct rect parts[PARTS];
			int area = 0;

			parts_of(&layout, parts);
			for (int i = 0; i < PARTS; i++)
				area += parts[i].w * parts[i].h;
			if (layout.kind == LAYOUT_BESIDE)
				area += h - 1 - layout.title.h;
			assert_int_equal(area, w * h);
		}
}

static void sizes_choose_the_kind(void **state)
{
	assert_int_equal(lay(39, 24, 8, false, false).kind, LAYOUT_TOO_SMALL);
	assert_int_equal(lay(80, 7, 8, false, false).kind, LAYOUT_TOO_SMALL);
	assert_int_equal(lay(0, 0, 8, false, false).kind, LAYOUT_TOO_SMALL);
	assert_int_equal(lay(40, 8, 8, false, false).kind, LAYOUT_SINGLE);
	assert_int_equal(lay(59, 50, 8, false, false).kind, LAYOUT_SINGLE);
	assert_int_equal(lay(80, 24, 8, false, false).kind, LAYOUT_BELOW);
	assert_int_equal(lay(80, 8, 8, false, false).kind, LAYOUT_SINGLE);
	assert_int_equal(lay(140, 40, 8, false, false).kind, LAYOUT_BESIDE);
}

static void eight_ranks_are_eight_rows_at_80x24(void **state)
{
	struct layout layout = lay(80, 24, 8, false, false);

	assert_int_equal(layout.rows.h, 8);
	assert_true(layout.pane.h >= 7);
	assert_int_equal(layout.strip.h, 1);
	/* More of them than fit: the pane keeps its part. */
	layout = lay(80, 24, 1024, false, false);
	assert_true(layout.rows.h >= 8 && layout.pane.h >= 6);
	/* The least screen: title, ruler, rows, legend, tabs, status. */
	layout = lay(40, 8, 8, false, false);
	assert_true(layout.rows.h >= 3);
}

/* What belongs to the rows stands below them, also where there is more room than rows. */
static void few_rows_take_few_lines(void **state)
{
	for (int w = LAYOUT_LEAST_W; w <= 400; w += 60)
		for (int only = 0; only < 2; only++) {
			struct layout layout = lay(w, 60, 8, false, only);

			assert_int_equal(layout.rows.h, 8);
			assert_int_equal(layout.strip.y, layout.rows.y + 8);
			assert_int_equal(layout.legend.y, layout.strip.y + layout.strip.h);
		}
}

static void cells_get_what_labels_do_not_need(void **state)
{
	struct layout layout = lay(80, 24, 8, false, false);
	int label = layout.label_w;

	layout_fit_rows(&layout, 3, 13);
	assert_int_equal(layout.label_w, 3);
	assert_int_equal(layout.doing_w, 13);
	layout = lay(80, 24, 8, false, false);
	layout_fit_rows(&layout, 1000, -1);
	assert_int_equal(layout.label_w, label);
	assert_int_equal(layout.doing_w, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_part_leaves_the_screen_or_overlaps_another),
		cmocka_unit_test(the_whole_screen_is_used),
		cmocka_unit_test(sizes_choose_the_kind),
		cmocka_unit_test(eight_ranks_are_eight_rows_at_80x24),
		cmocka_unit_test(few_rows_take_few_lines),
		cmocka_unit_test(cells_get_what_labels_do_not_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
