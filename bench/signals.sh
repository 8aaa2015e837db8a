#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How soon a signal to `inquest run' reaches the ranks: see signals_bench.py.
exec python3 "$srcdir/bench/signals_bench.py"
