#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the agent of `inquest run' costs while its job hangs or runs well: see agent_bench.py.
exec python3 "$srcdir/bench/agent_bench.py"
