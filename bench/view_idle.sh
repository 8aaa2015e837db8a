#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the viewer costs while nobody touches it, and while it follows a job: see view_idle_bench.py.
exec python3 "$srcdir/bench/view_idle_bench.py"
