# SPDX-License-Identifier: Apache-2.0
noinst_HEADERS = \
	%D%/cells.h \
	%D%/draw.h \
	%D%/keys.h \
	%D%/layout.h \
	%D%/pane.h \
	%D%/pyramid.h \
	%D%/requests.def \
	%D%/rows.h \
	%D%/state.h \
	%D%/style.h \
	%D%/svg.h \
	%D%/terminal.h \
	%D%/track.h \
	%D%/view.h
