#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# all.sh FOLDER: every weakening of every job there is: the recorded ones, each of the demo's
# scenarios played anew (its bundle and truth go to FOLDER), and what lies in $INQUEST_WEAK_BUNDLES,
# as `make check-torch' leaves it there. Prints the counts, and violations with the command that
# repeats each. INQUEST_SEED draws otherwise; INQUEST_WEAK_SAMPLE=N tries about every Nth only.

folder=$1
weaken=$top_builddir/tests/weak/weaken
draw=$top_builddir/fixtures/scenarios/draw
seed=${INQUEST_SEED:-7}
mkdir -p "$folder" || exit 99

# One scenario; its bundle is FOLDER/NAME.inq, with the truth beside it.
play() {
	[ -s "$folder/$1.inq" ] && return
	rm -rf "$folder/$1.d"
	mkdir "$folder/$1.d"
	"$draw" --seed "$seed" --ranks 4 "$1" "$folder/$1.d" >"$folder/$1.log" 2>&1
	if [ $? = 77 ]; then
		echo "$1 cannot be played here: $(tail -n 1 "$folder/$1.log")"
	elif "$INQUEST" demo --seed "$seed" --ranks 4 -o "$folder/$1.d" "$1" >>"$folder/$1.log" 2>&1
	then
		mv "$folder/$1.d/truth.json" "$folder/$1.inq.truth.json"
		mv "$folder/$1.d"/*.inq "$folder/$1.inq"
	else
		echo "FAIL: $1 was not played to its truth: see $folder/$1.log"
		touch "$folder/failed"
	fi
	rm -rf "$folder/$1.d"
}

rm -f "$folder/failed"
names=$("$draw" --list | cut -f 1)
# Two at a time: every other scenario each.
(set -- $names; while [ $# -gt 0 ]; do play "$1"; shift; shift 2>/dev/null; done) &
(set -- $names; shift; while [ $# -gt 0 ]; do play "$1"; shift; shift 2>/dev/null; done)
wait
"$srcdir/tests/weak/truths.sh" "$folder/truths" || exit 99
set -- "$srcdir"/fixtures/recorded/*.inq "$srcdir"/fixtures/recorded/*-64 "$folder"/*.inq
if [ -n "$INQUEST_WEAK_BUNDLES" ]; then
	set -- "$@" $(find "$INQUEST_WEAK_BUNDLES" -name '*.inq' | LC_ALL=C sort)
fi
"$weaken" --truths "$folder/truths" --sample "${INQUEST_WEAK_SAMPLE:-1}" "$@"
status=$?
[ ! -e "$folder/failed" ] && exit $status
exit 1
