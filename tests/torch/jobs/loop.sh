#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# loop.sh RANKS PYTHON SCRIPT: one process per rank, and nothing above them but this shell. Line N
# of the file "ports" is where rank N-1 looks for the others.
export WORLD_SIZE="$1" MASTER_ADDR=127.0.0.1
ranks=
rank=0
while [ $rank -lt "$WORLD_SIZE" ]; do
	RANK=$rank LOCAL_RANK=$rank MASTER_PORT=$(sed -n "$((rank + 1))p" ports) \
		"$2" -u "$3" &
	ranks="$ranks $!"
	rank=$((rank + 1))
done
trap 'kill $ranks' TERM
wait
