#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the probe costs a short-lived child in CPU time, all in: of any kind, and of a tool, which is
# counted for its rank.
set -eu
: "${srcdir:?}" "${top_builddir:?}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -m 700 "$scratch/inquest" "$scratch/inquest/job"
export INQUEST_DIR="$scratch/inquest" INQUEST_JOB_DIR="$scratch/inquest/job" RANK=0
probe=$top_builddir/.libs/libinquest-probe.so
bench=$top_builddir/bench/children_bench
cp "$bench" "$scratch/plain"
cp "$bench" "$scratch/g++"

figure() {
	"$bench" "$2" "$3" 500 | {
		read -r plain more
		awk -v name="$1" -v plain="$plain" -v more="$more" -v bar="$4" 'BEGIN {
			printf "%-40s %9.1f  %-9s %7.2f x  <= %.2f  %s\n", name, more, "us more",
				more / plain, bar, more / plain <= bar ? "ok" : "OVER"
		}'
	}
}
echo "== Children"
# A process that stays, to own the tools.
env LD_PRELOAD="$probe" sleep 600 &
owner=$!
figure 'a child with the probe (x its own)' "$scratch/plain" "$probe" 0.5
figure 'a tool with the probe, counted' "$scratch/g++" "$probe" 0.5
INQUEST_DISABLE=1 figure 'a child with the probe switched off' "$scratch/plain" "$probe" 0.35
kill "$owner"
