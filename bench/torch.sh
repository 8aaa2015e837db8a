#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the whole probe costs a training step of PyTorch, where there is one: see torch_bench.py.
exec python3 "$srcdir/bench/torch_bench.py"
