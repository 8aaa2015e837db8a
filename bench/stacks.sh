#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Stacks of eight processes of 30 threads, ours beside others': see stacks_bench.py.
exec python3 "$srcdir/bench/stacks_bench.py"
