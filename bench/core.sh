#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A core of 256 MB: our walk, our whole verdict, and others' stacks of it: see core_bench.py.
exec python3 "$srcdir/bench/core_bench.py"
