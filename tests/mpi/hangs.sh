# SPDX-License-Identifier: Apache-2.0
#
# Jobs on real MPI that hang, and who is found to be the cause: live, and from the bundle. Sourced
# by a test for each library, which says which one by `only`: ranks spin while they wait, so that
# each way takes half a minute beside other tests. Five are in check; all are in check-mpi.
. "${srcdir:?}/tests/mpi/mpi.sh"

# hangs N PATTERN NAME WORD...
hangs() {
	n=$1 pattern=$2 name=$3
	shift 3
	job "$n" "$@"
	verdict "$pattern" "$name"
	over
}

for mpi in $found; do
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; 2 ranks wait' 'a rank in its own code' \
		allreduce=1 2:stay allreduce=1
	hangs 3 '^RANK 2 ISSUED ANOTHER OPERATION' 'another root' \
		allreduce=1 2:bcast=1 '!2:bcast=0' barrier stay
	hangs 3 '^RANK 0 WAITS IN ANOTHER ORDER; 2 ranks wait' 'two communicators' \
		dup world dup 0:made=0 0:allreduce=1 0:made=1 0:allreduce=1 \
		'!0:made=1' '!0:allreduce=1' '!0:made=0' '!0:allreduce=1' stay
	hangs 3 '^RANK 2 HA[SD] AN UNEVEN SHARD' 'an uneven Alltoallv' \
		allreduce=1 2:alltoallv=4 '!2:alltoallv=3' stay
	grep -q '^ 2 .*gives rank 0 32 B in AlltoAll' "$scratch/verdict" ||
		fail "$mpi: not told: $(cat "$scratch/verdict")"
	hangs 4 '^RANK 2 IS IN ITS OWN CODE.*; [123] ranks? waits?' 'begun and not waited for' \
		allreduce=1 ibarrier 2:stay wait stay
	grep -q '^ 2 .*began Barrier #2 world, and is in no call' "$scratch/verdict" ||
		fail "$mpi: not told: $(cat "$scratch/verdict")"
	# What came in another order than it was sent is no fault; what has another tag comes never.
	hangs 2 '^OPERATIONS DIFFER: RANK 1 / 0; 2 ranks wait' 'another tag' \
		allreduce=1 tag=1 0:isend=1 tag=2 0:isend=1 1:recv=0 tag=1 1:recv=0 0:waitall \
		0:tag=5 1:tag=6 0:big_send=1 1:recv=0
	grep -Eq 'the (Send|Recv) there has tag [56]' "$scratch/verdict" ||
		fail "$mpi: not told: $(cat "$scratch/verdict")"
	# What is begun for the next step, and not waited for yet, keeps nobody.
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; 1 rank waits' 'begun for later' \
		allreduce=1 0:tag=5 0:irecv=1 0:tag=0 0:irecv=2 0:irecv_apart=2 0:waitall=2 stay
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; 2 ranks wait' 'looked at' \
		allreduce=1 0:irecv=2 0:look 2:stay barrier
	[ -n "${INQUEST_MPI_ALL:-}" ] || continue
	hangs 4 '^RANK 2 IS IN ITS OWN CODE.*; 3 ranks wait' 'a fence' \
		allreduce=1 window fence 2:stay fence stay
	grep -q '^ 2 .*never entered Fence #2 ' "$scratch/verdict" ||
		fail "$mpi: not told: $(cat "$scratch/verdict")"
	hangs 4 '^RANK 2 IS IN ITS OWN CODE.*; 3 ranks wait' 'a file' \
		allreduce=1 open write=9 2:stay write=100000 close stay
	# Who waits for a lock is neither outside of all nor late.
	hangs 4 '^RANK 0 IS IN ITS OWN CODE.*; [123] ranks? waits?' 'a lock of a window' \
		allreduce=1 window 0:lock=1 barrier 0:stay 2:lock=1 barrier stay
	! grep -Eq '^(also )?.*RANK 2 ' "$scratch/verdict" ||
		fail "$mpi: rank 2 only waits: $(cat "$scratch/verdict")"
	hangs 3 '^RANK 2 HA[SD] AN UNEVEN SHARD .#2: count 5; peers 4' 'another count' \
		allreduce=1 2:allreduce=5 '!2:allreduce=4' stay
	hangs 3 'RANK 2 ISSUED ANOTHER OPERATION' 'another type' \
		allreduce=1 2:ints=8 '!2:allreduce=4' 2:stay barrier
	hangs 3 'RANK 2 ISSUED ANOTHER OPERATION' 'another reduction' \
		allreduce=1 2:max=4 '!2:allreduce=4' 2:stay barrier
	hangs 2 '^OPERATIONS WAIT IN A CIRCLE: RANK 0 / 1' 'send and send' \
		0:big_send=1 1:big_send=0 0:recv=1 1:recv=0
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; 1 rank waits' 'a message that never comes' \
		allreduce=1 2:stay 0:recv=2 1:stay
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; 2 ranks wait' 'finalize' allreduce=1 2:stay finalize
	hangs 2 '^RANK 1 IS IN ITS OWN CODE.*; 1 rank waits' 'received ahead' \
		allreduce=1 0:irecv=1 1:irecv=0 0:allreduce=1 stay
	hangs 4 '^RANK 2 IS IN ITS OWN CODE.*; [123] ranks? waits?' 'a ring of requests' \
		allreduce=1 0:irecv=3 1:irecv=0 2:irecv=1 3:irecv=2 2:stay \
		0:isend=1 1:isend=2 3:isend=0 waitall stay
	hangs 3 '^RANK 1 IS IN ITS OWN CODE.*; 2 ranks wait' 'a halo' \
		allreduce=1 0:irecv=1 1:irecv=2 2:irecv=0 1:stay barrier stay
	hangs 2 '^RANK 1 IS IN ITS OWN CODE.*; 1 rank waits' 'a persistent request' \
		allreduce=1 0:described_recv=1 1:described_recv=0 begin 0:allreduce=1 stay
	hangs 3 '^RANK 2 IS IN ITS OWN CODE.*; [12] ranks? waits?' 'asked for once' \
		allreduce=1 iallreduce=900000 2:test_once 2:stay test stay
done
