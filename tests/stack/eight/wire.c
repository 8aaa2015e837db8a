/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store of PyTorch, as far as its stacks go: what waits for rank 0's unique id stands in these
 * functions, which have the names of the real ones.
 */
#include <sys/socket.h>

#define STORE_GET                                                                                  \
	"_ZN4c10d8TCPStore3getERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define BROADCAST_ID                                                                               \
	"_ZN4c10d16ProcessGroupNCCL21broadcastUniqueNCCLIDEP12ncclUniqueIdbRKNSt7__cxx1112basic_"  \
	"stringIcSt11char_traitsIcESaIcEEEi"

#define STANDS __attribute__((noinline))

STANDS long store_get(int fd, void *value, unsigned long size) __asm__(STORE_GET);
STANDS long broadcast_id(int fd, void *id, unsigned long size) __asm__(BROADCAST_ID);
__attribute__((visibility("default"))) long wait_for_id(int fd, void *id, unsigned long size);

/* No call may be the last thing that its caller does: its frame must stand. */
static volatile long got;

long store_get(int fd, void *value, unsigned long size)
{
	got = recv(fd, value, size, 0);
	return got;
}

long broadcast_id(int fd, void *id, unsigned long size)
{
	got = store_get(fd, id, size);
	return got;
}

long wait_for_id(int fd, void *id, unsigned long size)
{
	got = broadcast_id(fd, id, size);
	return got;
}
