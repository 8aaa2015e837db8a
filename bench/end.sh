#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What `inquest run' costs at a good end: see end_bench.py.
exec python3 "$srcdir/bench/end_bench.py"
