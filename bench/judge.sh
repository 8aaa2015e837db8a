#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Very many ranks, judged: how long that takes, and how the work grows.
"$top_builddir/bench/judge_bench" && exec python3 "$srcdir/bench/judge_steps.py"
