# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libviewer.la
viewer_libviewer_la_SOURCES = \
	%D%/timeline/axis.c %D%/timeline/axis.h \
	%D%/term/cells.c %D%/term/cells.h \
	%D%/draw-pane.c \
	%D%/draw.c %D%/draw.h \
	%D%/export/export.c %D%/export/export.h \
	%D%/export/html-data.c %D%/export/html-data.h \
	%D%/export/html.c %D%/export/html.h \
	%D%/export/intern.c %D%/export/intern.h \
	%D%/export/perfetto.c %D%/export/perfetto.h \
	%D%/export/proto.c %D%/export/proto.h \
	%D%/timeline/folds.c %D%/timeline/folds.h \
	%D%/term/guard.c %D%/term/guard.h \
	%D%/help.c \
	%D%/state/keys.c %D%/state/keys.h %D%/state/requests.def \
	%D%/screen-layout.c %D%/screen-layout.h \
	%D%/timeline/lates.c %D%/timeline/lates.h \
	%D%/timeline/legend.c \
	%D%/pane/pane-alike.c %D%/pane/pane-alike.h \
	%D%/pane/pane-events.c \
	%D%/pane/pane-goals.c \
	%D%/pane/pane-groups.c \
	%D%/pane/pane-lastwords.c \
	%D%/pane/pane-lines.c %D%/pane/pane.h \
	%D%/pane/pane-receipt.c \
	%D%/pane/pane-seats.c %D%/pane/pane-seats.h \
	%D%/pane/pane-section.c \
	%D%/pane/pane-stacks.c \
	%D%/pane/pane-verdict.c \
	%D%/pane/pane-words.c %D%/pane/pane-words.h \
	%D%/pane/pane.c \
	%D%/timeline/pyramid-tally.c %D%/timeline/pyramid-tally.h \
	%D%/timeline/pyramid-slots.c %D%/timeline/pyramid-slots.h \
	%D%/timeline/pyramid.c %D%/timeline/pyramid.h \
	%D%/timeline/row-words.c \
	%D%/state/range.c %D%/state/range.h \
	%D%/state/rows-filter.c %D%/state/rows-filter.h \
	%D%/state/rows-keys.c %D%/state/rows-keys.h \
	%D%/state/rows.c %D%/state/rows.h \
	%D%/timeline/minimap.c \
	%D%/timeline/ruler.c \
	%D%/state/state-command.c \
	%D%/state/state-copy.c \
	%D%/state/state-count.c \
	%D%/state/state-edges.c \
	%D%/state/state-else.c \
	%D%/state/state-help.c \
	%D%/state/state-lines.c \
	%D%/state/state-move.c \
	%D%/state/state-pane.c \
	%D%/state/state-private.h \
	%D%/state/state-prompt.c \
	%D%/state/state-rows.c \
	%D%/state/state-search.c \
	%D%/state/state-verdict.c \
	%D%/state/state-window.c \
	%D%/state/state.c %D%/state/state.h \
	%D%/timeline/strip.c \
	%D%/term/style.c %D%/term/style.h \
	%D%/term/svg.c %D%/term/svg.h \
	%D%/term/terminal-keys.c %D%/term/terminal-keys.h \
	%D%/term/terminal.c %D%/term/terminal.h \
	%D%/timeline/timeline-cells.c \
	%D%/timeline/timeline-ends.c \
	%D%/timeline/timeline.c %D%/timeline/timeline.h \
	%D%/title.c \
	%D%/timeline/track-cites.c \
	%D%/timeline/track-events.c \
	%D%/timeline/track-make.h \
	%D%/timeline/track-marks.c \
	%D%/timeline/track-names.c \
	%D%/timeline/track-now.c \
	%D%/timeline/track-room.c \
	%D%/timeline/track-spans.c \
	%D%/timeline/track.c %D%/timeline/track.h \
	%D%/pane/treelines.c %D%/pane/treelines.h \
	%D%/viewer.c %D%/viewer.h \
	%D%/timeline/window.c %D%/timeline/window.h

# The page for browsers, as texts.
HTML_PAGE = $(srcdir)/%D%/export/html-page.html $(srcdir)/%D%/export/html-page.css \
	$(srcdir)/%D%/export/html-page.js
nodist_viewer_libviewer_la_SOURCES = %D%/export/html-page.inc
%D%/export/html-page.inc: %D%/export/embed.awk $(HTML_PAGE)
	$(AM_V_GEN)$(MKDIR_P) %D%/export && \
	LC_ALL=C $(AWK) -f $(srcdir)/%D%/export/embed.awk $(HTML_PAGE) >$@-t && mv $@-t $@
BUILT_SOURCES += %D%/export/html-page.inc
# Who makes one program only, in a clean tree, has no BUILT_SOURCES.
$(viewer_libviewer_la_OBJECTS): | %D%/export/html-page.inc
CLEANFILES += %D%/export/html-page.inc %D%/export/html-page.inc-t
EXTRA_DIST += %D%/export/embed.awk $(HTML_PAGE)

viewer_libviewer_la_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSESW_CFLAGS)

UNIT_TESTS += tests/unit/viewer/view_cells_test
tests_unit_viewer_view_cells_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_export_test
tests_unit_viewer_view_export_test_SOURCES = tests/unit/viewer/view_export_test.c $(FACTS)
tests_unit_viewer_view_export_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_keys_test
tests_unit_viewer_view_keys_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_layout_test
tests_unit_viewer_view_layout_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_manual_test
tests_unit_viewer_view_manual_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_style_test
tests_unit_viewer_view_style_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS) -lm
UNIT_TESTS += tests/unit/viewer/view_svg_test
tests_unit_viewer_view_svg_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_window_test
tests_unit_viewer_view_window_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

# Tests of tracks and rows stand on jobs made by hand (tests/unit/facts.h).
UNIT_TESTS += tests/unit/viewer/view_track_test
TSAN_TESTS += tests/unit/viewer/view_track_test tests/unit/viewer/view_state_test
tests_unit_viewer_view_track_test_SOURCES = tests/unit/viewer/view_track_test.c \
	tests/unit/report_job.c \
	tests/unit/report_job.h $(FACTS)
tests_unit_viewer_view_track_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_pyramid_test
tests_unit_viewer_view_pyramid_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_rows_test
tests_unit_viewer_view_rows_test_SOURCES = tests/unit/viewer/view_rows_test.c $(FACTS)
tests_unit_viewer_view_rows_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_pane_test
tests_unit_viewer_view_pane_test_SOURCES = tests/unit/viewer/view_pane_test.c \
	tests/unit/pane_look.c tests/unit/pane_look.h $(FACTS)
tests_unit_viewer_view_pane_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_pane_many_test
tests_unit_viewer_view_pane_many_test_SOURCES = tests/unit/viewer/view_pane_many_test.c \
	tests/unit/many_ranks.c tests/unit/many_ranks.h \
	tests/unit/pane_look.c tests/unit/pane_look.h $(FACTS)
tests_unit_viewer_view_pane_many_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

# Tests of state and screens: keys in, text out.
VIEW_SCREEN = tests/unit/view_screen.c tests/unit/view_screen.h $(FACTS)
UNIT_TESTS += tests/unit/viewer/view_axis_test
tests_unit_viewer_view_axis_test_SOURCES = tests/unit/viewer/view_axis_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_axis_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_state_test
tests_unit_viewer_view_state_test_SOURCES = tests/unit/viewer/view_state_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_state_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_copy_test
tests_unit_viewer_view_copy_test_SOURCES = tests/unit/viewer/view_copy_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_copy_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_find_test
tests_unit_viewer_view_find_test_SOURCES = tests/unit/viewer/view_find_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_find_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_mouse_test
tests_unit_viewer_view_mouse_test_SOURCES = tests/unit/viewer/view_mouse_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_mouse_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_lates_test
tests_unit_viewer_view_lates_test_SOURCES = tests/unit/viewer/view_lates_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_lates_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_draw_test
tests_unit_viewer_view_draw_test_SOURCES = tests/unit/viewer/view_draw_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_draw_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/viewer/view_seats_test
tests_unit_viewer_view_seats_test_SOURCES = tests/unit/viewer/view_seats_test.c
tests_unit_viewer_view_seats_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)

UNIT_TESTS += tests/unit/viewer/view_marks_test
tests_unit_viewer_view_marks_test_SOURCES = tests/unit/viewer/view_marks_test.c $(VIEW_SCREEN)
tests_unit_viewer_view_marks_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
