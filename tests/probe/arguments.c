/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c: what NCCL answers without a GPU: versions, unique ids, arguments it must refuse.
 * Prints every answer, so that two runs can be compared. Works on the real library and on the
 * stand-in.
 */
#include <nccl.h>
#include <stdio.h>
#include <string.h>

#define SAY(call) printf("%s: %d\n", #call, (int)(call))

int main(void)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclComm_t comm = NULL, other = NULL;
	ncclUniqueId id, second;
	ncclResult_t error;
	int n = 0;

	SAY(ncclGetVersion(&n));
	printf("version %d\n", n);
	SAY(ncclGetVersion(NULL));
	SAY(ncclGetUniqueId(&id));
	SAY(ncclGetUniqueId(&second));
	printf("two ids differ: %d\n", !!memcmp(&id, &second, sizeof(id)));
	SAY(ncclCommInitRank(&comm, 2, id, 5));
	SAY(ncclCommInitRank(&comm, 0, id, 0));
	SAY(ncclCommInitRank(NULL, 2, id, 0));
	SAY(ncclCommInitRankConfig(&comm, 2, id, -1, &config));
	printf("comm: %d\n", comm != NULL);
	SAY(ncclAllReduce(NULL, NULL, 4, ncclFloat, ncclSum, NULL, NULL));
	SAY(ncclSend(NULL, 4, ncclFloat, 1, NULL, NULL));
	SAY(ncclBcast(NULL, 4, ncclFloat, 0, NULL, NULL));
	SAY(ncclGroupStart());
	SAY(ncclAllGather(NULL, NULL, 4, ncclFloat, NULL, NULL));
	SAY(ncclGroupEnd());
	SAY(ncclGroupEnd());
	SAY(ncclCommSplit(NULL, 0, 0, &other, NULL));
	SAY(ncclCommGetAsyncError(NULL, &error));
	SAY(ncclCommCount(NULL, &n));
	SAY(ncclCommFinalize(NULL));
	SAY(ncclCommDestroy(NULL));
	SAY(ncclCommAbort(NULL));
	printf("%s\n", ncclGetErrorString(ncclInvalidArgument));
	return 0;
}
