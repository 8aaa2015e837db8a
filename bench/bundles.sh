#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bundles of the nodes of 16,384 ranks: see bundles_bench.py.
exec python3 "$srcdir/bench/bundles_bench.py"
