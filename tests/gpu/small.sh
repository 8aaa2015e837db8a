# SPDX-License-Identifier: Apache-2.0
#
# What lets eight ranks share one GPU. NCCL refuses two ranks on one GPU of one host; so each rank
# says that it is a host of its own (NCCL_HOSTID) and they talk by sockets. All the rest keeps it
# small: eight contexts share one GPU by time slices, an operation may take a fifth of a second.

export NCCL_NET=Socket NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=lo NCCL_P2P_DISABLE=1 \
	NCCL_SHM_DISABLE=1 NCCL_NVLS_ENABLE=0 NCCL_MNNVL_ENABLE=0 NCCL_COLLNET_ENABLE=0 \
	NCCL_MIN_NCHANNELS=1 NCCL_MAX_NCHANNELS=1 NCCL_MAX_P2P_NCHANNELS=1 NCCL_ALGO=Ring \
	NCCL_PROTO=Simple NCCL_BUFFSIZE=1048576 NCCL_SOCKET_NTHREADS=1 NCCL_NSOCKS_PERTHREAD=1 \
	NCCL_CGA_CLUSTER_SIZE=0 NCCL_RAS_ENABLE=0 CUDA_VISIBLE_DEVICES=0
