#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the Python route costs: a start with it and without, in pairs; events that are none of ours;
# a mark. With the python3 in PATH, or those in $INQUEST_PYTHONS.
echo "== Python route"
for python in ${INQUEST_PYTHONS:-python3}; do
	command -v "$python" >/dev/null || continue
	"$python" "$srcdir/bench/python_bench.py" || exit 1
done
