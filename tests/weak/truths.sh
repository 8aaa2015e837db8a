#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# truths.sh FOLDER: the truth of each recorded job goes to FOLDER: they were drawn with seed 7. Who
# has a part in a job by its truth may be named where the whole evidence names another.

mkdir -p "$1" || exit 99
for bundle in "$srcdir"/fixtures/recorded/*.inq; do
	name=$(basename "$bundle" .inq)
	ranks=$("$INQUEST" diagnose --json "$bundle" | sed 's/.*"world_size":\([0-9]*\).*/\1/')
	rm -rf "$1/drawn"
	mkdir "$1/drawn"
	"$top_builddir/fixtures/scenarios/draw" --seed 7 --ranks "$ranks" "$name" "$1/drawn" \
		>/dev/null 2>&1
	mv "$1/drawn/truth.json" "$1/$name.inq.truth.json" || exit 1
done
rm -rf "$1/drawn"
