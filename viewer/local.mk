# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libviewer.la
viewer_libviewer_la_SOURCES = \
	%D%/axis.c %D%/axis.h \
	%D%/cells.c %D%/cells.h \
	%D%/draw-pane.c \
	%D%/draw.c %D%/draw.h \
	%D%/export.c %D%/export.h \
	%D%/folds.c %D%/folds.h \
	%D%/guard.c %D%/guard.h \
	%D%/help.c \
	%D%/keys.c %D%/keys.h %D%/requests.def \
	%D%/layout.c %D%/layout.h \
	%D%/lates.c %D%/lates.h \
	%D%/legend.c \
	%D%/pane-alike.c %D%/pane-alike.h \
	%D%/pane-events.c \
	%D%/pane-goals.c \
	%D%/pane-groups.c \
	%D%/pane-lastwords.c \
	%D%/pane-lines.c %D%/pane.h \
	%D%/pane-receipt.c \
	%D%/pane-seats.c %D%/pane-seats.h \
	%D%/pane-stacks.c \
	%D%/pane-verdict.c \
	%D%/pane-words.c %D%/pane-words.h \
	%D%/pane.c \
	%D%/pyramid-census.c %D%/pyramid-census.h \
	%D%/pyramid-slots.c %D%/pyramid-slots.h \
	%D%/pyramid.c %D%/pyramid.h \
	%D%/row-words.c \
	%D%/rows-filter.c %D%/rows-filter.h \
	%D%/rows-keys.c %D%/rows-keys.h \
	%D%/rows.c %D%/rows.h \
	%D%/ruler.c \
	%D%/state-cites.c \
	%D%/state-command.c \
	%D%/state-count.c \
	%D%/state-edges.c \
	%D%/state-else.c \
	%D%/state-help.c \
	%D%/state-lines.c \
	%D%/state-move.c \
	%D%/state-pane.c \
	%D%/state-private.h \
	%D%/state-prompt.c \
	%D%/state-rows.c \
	%D%/state-search.c \
	%D%/state-verdict.c \
	%D%/state-window.c \
	%D%/state.c %D%/state.h \
	%D%/strip.c \
	%D%/style.c %D%/style.h \
	%D%/svg.c %D%/svg.h \
	%D%/terminal-keys.c %D%/terminal-keys.h \
	%D%/terminal.c %D%/terminal.h \
	%D%/timeline-cells.c \
	%D%/timeline-ends.c \
	%D%/timeline.c %D%/timeline.h \
	%D%/title.c \
	%D%/track-cites.c \
	%D%/track-events.c \
	%D%/track-make.h \
	%D%/track-names.c \
	%D%/track-now.c \
	%D%/track-spans.c \
	%D%/track-wait.c \
	%D%/track.c %D%/track.h \
	%D%/treelines.c %D%/treelines.h \
	%D%/view.c %D%/view.h \
	%D%/window.c %D%/window.h

viewer_libviewer_la_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS)

UNIT_TESTS += tests/unit/view_cells_test
tests_unit_view_cells_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_keys_test
tests_unit_view_keys_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_layout_test
tests_unit_view_layout_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_manual_test
tests_unit_view_manual_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_style_test
tests_unit_view_style_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS) -lm
UNIT_TESTS += tests/unit/view_svg_test
tests_unit_view_svg_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_window_test
tests_unit_view_window_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

# Tests of tracks and rows stand on jobs made by hand (tests/unit/facts.h).
UNIT_TESTS += tests/unit/view_track_test
tests_unit_view_track_test_SOURCES = tests/unit/view_track_test.c tests/unit/report_job.c \
	tests/unit/report_job.h $(FACTS)
tests_unit_view_track_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_pyramid_test
tests_unit_view_pyramid_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_rows_test
tests_unit_view_rows_test_SOURCES = tests/unit/view_rows_test.c $(FACTS)
tests_unit_view_rows_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_pane_test
tests_unit_view_pane_test_SOURCES = tests/unit/view_pane_test.c \
	tests/unit/pane_look.c tests/unit/pane_look.h $(FACTS)
tests_unit_view_pane_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_pane_many_test
tests_unit_view_pane_many_test_SOURCES = tests/unit/view_pane_many_test.c \
	tests/unit/many_ranks.c tests/unit/many_ranks.h \
	tests/unit/pane_look.c tests/unit/pane_look.h $(FACTS)
tests_unit_view_pane_many_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

# Tests of state and screens: keys in, text out.
VIEW_SCREEN = tests/unit/view_screen.c tests/unit/view_screen.h $(FACTS)
UNIT_TESTS += tests/unit/view_axis_test
tests_unit_view_axis_test_SOURCES = tests/unit/view_axis_test.c $(VIEW_SCREEN)
tests_unit_view_axis_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_state_test
tests_unit_view_state_test_SOURCES = tests/unit/view_state_test.c $(VIEW_SCREEN)
tests_unit_view_state_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_find_test
tests_unit_view_find_test_SOURCES = tests/unit/view_find_test.c $(VIEW_SCREEN)
tests_unit_view_find_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_draw_test
tests_unit_view_draw_test_SOURCES = tests/unit/view_draw_test.c $(VIEW_SCREEN)
tests_unit_view_draw_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/view_marks_test
tests_unit_view_marks_test_SOURCES = tests/unit/view_marks_test.c $(VIEW_SCREEN)
tests_unit_view_marks_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
