#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# one-gpu.sh COMMAND...: a rank, started by torchrun --no-python, which takes itself for a host.

export NCCL_HOSTID="rank$RANK"
exec "$@"
