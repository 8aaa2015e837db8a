#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `make screens': draws all screens that screens.test wants to see, as they are now.

. "$srcdir/tests/viewer/viewer.sh"

mkdir -p "$srcdir/tests/viewer/screens"
draw() {
	screen "$2" "$3" "$4" "$5" >"$srcdir/tests/viewer/screens/$1.txt" ||
		fail "$1 cannot be drawn"
}

each_case draw
