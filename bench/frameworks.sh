#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What `inquest run` costs a step of training of each framework that is here: see
# frameworks_bench.py. About half an hour; BENCH_PAIRS=3 takes a third of that.
exec python3 "$srcdir/bench/frameworks_bench.py" "$@"
