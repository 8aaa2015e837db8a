#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# all.sh BENCH...: runs each, from the build's folder, and ends with 1 where a figure is over its
# bar, and says which; with 2 where a benchmark failed. BENCH_REPORT=1 prints the figures only. A
# figure over its bar on a machine that others use proves little: the load is printed before.
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT

echo "load $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors," \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
	"before anything has begun: on a quiet machine, near 0"
failed=
for bench; do
	[ -x "./$bench" ] || bench=$srcdir/$bench
	case $bench in
	/*) command=$bench ;;
	*) command=./$bench ;;
	esac
	# What it prints is seen at once, and kept; its own status must not be lost in the pipe.
	{ "$command"; echo "status $?" >>"$said"; } | tee -a "$said"
	[ "$(grep '^status ' "$said" | tail -n 1)" = "status 0" ] || failed="$failed $bench"
done
if [ "$failed" ]; then
	echo "FAILED:$failed"
	exit 2
fi
over=$(grep -E '  OVER( |$)' "$said")
[ "$over" ] || exit 0
echo "== Over their bars"
echo "$over"
[ "${BENCH_REPORT:-}" = 1 ] || exit 1
