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
		printf '%-40s %9.1f  %-9s (of %.0f)\n' "$1" "$more" 'us more' "$plain"
	}
}
echo "== Children"
# A process that stays, to own the tools.
env LD_PRELOAD="$probe" sleep 600 &
owner=$!
figure 'a child with the probe' "$scratch/plain" "$probe"
figure 'a tool with the probe, counted' "$scratch/g++" "$probe"
INQUEST_DISABLE=1 figure 'a child with the probe switched off' "$scratch/plain" "$probe"
kill "$owner"
