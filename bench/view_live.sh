#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a viewer that follows a job costs those who write: see view_live_bench.py.
exec python3 "$srcdir/bench/view_live_bench.py"
