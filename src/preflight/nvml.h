/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvml.h: what NVIDIA's management library tells of this machine. It comes with the driver, is
 * loaded only when it is asked, and may hang with the driver: ask it in a process of its own.
 *
 * Numbers and structures are those of NVIDIA's nvml.h, ABI of driver 450 and later; what an older
 * library does not have stays unknown (-1).
 */
#ifndef PREFLIGHT_NVML_H
#define PREFLIGHT_NVML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"

#define NVML_GPUS_MOST 64
#define NVML_PIDS_MOST 8

/* How two GPUs are joined, the worst way last; names as `nvidia-smi topo -m` has them. */
enum nvml_way {
	NVML_WAY_UNKNOWN,
	NVML_WAY_NVLINK, /* NV: through so many links */
	NVML_WAY_BOARD,	 /* one board */
	NVML_WAY_PIX,	 /* one PCIe switch */
	NVML_WAY_PXB,	 /* several PCIe switches */
	NVML_WAY_PHB,	 /* a PCIe host bridge, which is in the CPU */
	NVML_WAY_NODE,	 /* host bridges of one NUMA node */
	NVML_WAY_SYS,	 /* from socket to socket */
};

/* One GPU. */
struct nvml_gpu {
	char name[96];
	char uuid[96];
	char bus[32];	    /* PCI address, 00000000:41:00.0 */
	bool lost;	    /* it has fallen off the bus: nothing else is known */
	int64_t memory;	    /* bytes; -1 */
	int64_t used;	    /* bytes; -1 */
	int links;	    /* NVLinks that are up; -1: it has none */
	int links_down;	    /* NVLinks that are there and not up */
	int mig;	    /* 1: it is split up (MIG); 0; -1 */
	int64_t ecc;	    /* errors since boot that memory could not correct; -1 */
	int remap_pending;  /* rows of memory wait for a reset to be replaced; -1 */
	int remap_failed;   /* rows could not be replaced; -1 */
	unsigned processes; /* that compute on it now */
	uint32_t pids[NVML_PIDS_MOST];
};

/* The way between two GPUs. */
struct nvml_pair {
	enum nvml_way way;
	int links; /* of NVML_WAY_NVLINK */
};

/* What the library knows of the machine. */
struct nvml_machine {
	char driver[80]; /* "" not known */
	int cuda;	 /* the newest CUDA that the driver runs, 13020 for 13.2; -1 */
	unsigned nr;
	struct nvml_gpu gpus[NVML_GPUS_MOST];
	struct nvml_pair pairs[NVML_GPUS_MOST][NVML_GPUS_MOST]; /* both halves */
};

/*
 * Asks the library, which is looked for as the dynamic loader does. 0; -ENOENT it is not installed,
 * which is no error on a machine without GPUs; -ENOSYS this build cannot load a library; -EIO it
 * does not start. With words.
 */
int nvml_read(struct nvml_machine *ret, struct complaint *why) __attribute__((nonnull(1)));

/* Returns "NV18", "SYS", "?". The text is borrowed, or in `room`. */
const char *nvml_way_name(const struct nvml_pair *pair, char room[static 8])
	__attribute__((nonnull));

#endif
