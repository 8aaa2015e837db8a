#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `make pictures': draws the README's pictures, as the command draws them, into the folder $1.

. "$srcdir/tests/viewer/viewer.sh"

picture() {
	screen "$2" "$3" --utf8,--screen-format=svg,--theme="$4" "$5" >"$into/$1.svg" ||
		fail "$1 cannot be drawn"
}

into=${1:?which folder}
mkdir -p "$into"
picture view-compile compile-skew 110x30 dark ''
picture view-death rank-death 110x30 dark 2
picture view-shard empty-shard-compile 110x30 light ''
