# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libviewer.la
viewer_libviewer_la_SOURCES = \
	%D%/pane-lines.c %D%/pane.h \
	%D%/window.c %D%/window.h

noinst_HEADERS = \
	%D%/cells.h \
	%D%/draw.h \
	%D%/keys.h \
	%D%/layout.h \
	%D%/pyramid.h \
	%D%/requests.def \
	%D%/rows.h \
	%D%/state.h \
	%D%/style.h \
	%D%/svg.h \
	%D%/terminal.h \
	%D%/track.h \
	%D%/view.h

UNIT_TESTS += tests/unit/view_window_test
tests_unit_view_window_test_LDADD = $(VIEWER_FLOORS) $(CMOCKA_LIBS)
