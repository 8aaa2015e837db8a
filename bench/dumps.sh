#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Flight Recorder dumps of 1024 ranks: see dumps_bench.py.
exec python3 "$srcdir/bench/dumps_bench.py"
