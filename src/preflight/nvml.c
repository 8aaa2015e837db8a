/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/nvml.h"

#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"

/* --- Its ABI --------------------------------------------------------------------------------- */

#define LINKS_MOST 36 /* NVML_NVLINK_MAX_LINKS */

enum { NVML_SUCCESS = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7, NVML_ERROR_GPU_IS_LOST = 15 };
enum { REMOTE_GPU = 0, REMOTE_SWITCH = 2 };
enum { ECC_UNCORRECTED = 1, ECC_SINCE_BOOT = 0 };

typedef struct nvml_device *device_t;

struct pci_info {
	char bus_legacy[16];
	unsigned domain, bus, device, id, subsystem;
	char bus_id[32];
};

struct memory_info {
	unsigned long long total, free, used;
};

struct process_info {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
};

/* The library. Each function, as it is called; NULL where the library has none. */
struct door {
	void *library;
	int (*init)(void);
	const char *(*error)(int);
	int (*driver)(char *, unsigned);
	int (*cuda)(int *);
	int (*count)(unsigned *);
	int (*by_index)(unsigned, device_t *);
	int (*name)(device_t, char *, unsigned);
	int (*uuid)(device_t, char *, unsigned);
	int (*pci)(device_t, struct pci_info *);
	int (*memory)(device_t, struct memory_info *);
	int (*mig)(device_t, unsigned *, unsigned *);
	int (*ecc)(device_t, int, int, unsigned long long *);
	int (*remapped)(device_t, unsigned *, unsigned *, unsigned *, unsigned *);
	int (*processes)(device_t, unsigned *, struct process_info *);
	int (*link_state)(device_t, unsigned, unsigned *);
	int (*link_remote)(device_t, unsigned, int *);
	int (*link_pci)(device_t, unsigned, struct pci_info *);
	int (*ancestor)(device_t, device_t, int *);
};

#ifdef ONE_FILE

/* Says that there is no way to load it. */
static int open_door(struct door *door, struct complaint *why)
{
	(void)door;
	return complaint_errno(why, ENOSYS, "the one file cannot load %s", NVML_LIBRARY);
}

#else

/* The functions, and where each goes; without one that is needed nothing works. */
static const struct {
	const char *name;
	size_t at;
	bool needed;
} functions[] = {
	{"nvmlInit_v2", offsetof(struct door, init), true},
	{"nvmlErrorString", offsetof(struct door, error), true},
	{"nvmlDeviceGetCount_v2", offsetof(struct door, count), true},
	{"nvmlDeviceGetHandleByIndex_v2", offsetof(struct door, by_index), true},
	{"nvmlSystemGetDriverVersion", offsetof(struct door, driver), false},
	{"nvmlSystemGetCudaDriverVersion_v2", offsetof(struct door, cuda), false},
	{"nvmlDeviceGetName", offsetof(struct door, name), false},
	{"nvmlDeviceGetUUID", offsetof(struct door, uuid), false},
	{"nvmlDeviceGetPciInfo_v3", offsetof(struct door, pci), false},
	{"nvmlDeviceGetMemoryInfo", offsetof(struct door, memory), false},
	{"nvmlDeviceGetMigMode", offsetof(struct door, mig), false},
	{"nvmlDeviceGetTotalEccErrors", offsetof(struct door, ecc), false},
	{"nvmlDeviceGetRemappedRows", offsetof(struct door, remapped), false},
	{"nvmlDeviceGetComputeRunningProcesses_v3", offsetof(struct door, processes), false},
	{"nvmlDeviceGetNvLinkState", offsetof(struct door, link_state), false},
	{"nvmlDeviceGetNvLinkRemoteDeviceType", offsetof(struct door, link_remote), false},
	{"nvmlDeviceGetNvLinkRemotePciInfo_v2", offsetof(struct door, link_pci), false},
	{"nvmlDeviceGetTopologyCommonAncestor", offsetof(struct door, ancestor), false},
};

/*
 * Loads the library. It stays loaded: the process that asks it ends soon. 0, or negative with
 * words.
 */
static int open_door(struct door *door, struct complaint *why)
{
	door->library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!door->library)
		return complaint_errno(why, ENOENT, "%s", NVML_LIBRARY);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(door->library, functions[i].name);

		if (!function && functions[i].needed) {
			complaint_set(why, "%s has no %s", NVML_LIBRARY, functions[i].name);
			return -EIO;
		}
		memcpy((char *)door + functions[i].at, &function, sizeof(function));
	}
	return 0;
}

#endif

/* --- One GPU --------------------------------------------------------------------------------- */

/* Reads the GPU's name, its UUID and its address. */
static void read_texts(const struct door *door, device_t device, struct nvml_gpu *gpu)
{
	struct pci_info pci = {0};

	if (door->name)
		door->name(device, gpu->name, sizeof(gpu->name) - 1);
	if (door->uuid)
		door->uuid(device, gpu->uuid, sizeof(gpu->uuid) - 1);
	if (door->pci && door->pci(device, &pci) == NVML_SUCCESS)
		snprintf(gpu->bus, sizeof(gpu->bus), "%.31s", pci.bus_id);
}

/*
 * Reads its memory, its errors, and whether it is split up; -1 each that the library does not tell.
 */
static void read_health(const struct door *door, device_t device, struct nvml_gpu *gpu)
{
	unsigned corrected, uncorrected, pending, failed, mig, next;
	unsigned long long errors;
	struct memory_info memory;

	gpu->memory = gpu->used = gpu->ecc = -1;
	gpu->mig = gpu->remap_pending = gpu->remap_failed = -1;
	if (door->memory && door->memory(device, &memory) == NVML_SUCCESS) {
		gpu->memory = (int64_t)memory.total;
		gpu->used = (int64_t)memory.used;
	}
	if (door->mig && door->mig(device, &mig, &next) == NVML_SUCCESS)
		gpu->mig = mig == 1;
	if (door->ecc &&
		door->ecc(device, ECC_UNCORRECTED, ECC_SINCE_BOOT, &errors) == NVML_SUCCESS)
		gpu->ecc = (int64_t)errors;
	if (door->remapped && door->remapped(device, &corrected, &uncorrected, &pending, &failed) ==
				      NVML_SUCCESS) {
		gpu->remap_pending = pending != 0;
		gpu->remap_failed = failed != 0;
	}
}

/* Reads who computes on it now. */
static void read_processes(const struct door *door, device_t device, struct nvml_gpu *gpu)
{
	struct process_info list[NVML_PIDS_MOST];
	unsigned nr = NVML_PIDS_MOST;
	int error;

	if (!door->processes)
		return;
	error = door->processes(device, &nr, list);
	if (error != NVML_SUCCESS && error != NVML_ERROR_INSUFFICIENT_SIZE)
		return;
	gpu->processes = nr;
	for (unsigned i = 0; error == NVML_SUCCESS && i < nr && i < NVML_PIDS_MOST; i++)
		gpu->pids[i] = list[i].pid;
}

/* --- The ways between them ------------------------------------------------------------------- */

/* NVLinks of one GPU: how many lead into a switch, and to which GPUs others lead. */
struct links {
	int to_switch;
	int to[NVML_GPUS_MOST];
};

/* Returns the GPU at that PCI address; -1: none. */
static int index_of_bus(const struct nvml_machine *machine, const char *bus)
{
	for (unsigned i = 0; i < machine->nr; i++)
		if (*bus && !strcasecmp(machine->gpus[i].bus, bus))
			return (int)i;
	return -1;
}

/* Counts the GPU's NVLinks, and where each leads. */
static void read_links(const struct door *door, device_t device,
	const struct nvml_machine *machine, struct nvml_gpu *gpu, struct links *ret)
{
	gpu->links = -1;
	for (unsigned i = 0; door->link_state && i < LINKS_MOST; i++) {
		int remote = REMOTE_GPU, other;
		struct pci_info pci = {0};
		unsigned up = 0;

		if (door->link_state(device, i, &up) != NVML_SUCCESS)
			continue;
		if (gpu->links < 0)
			gpu->links = 0;
		if (!up) {
			gpu->links_down++;
			continue;
		}
		gpu->links++;
		if (door->link_remote && door->link_remote(device, i, &remote) == NVML_SUCCESS &&
			remote == REMOTE_SWITCH) {
			ret->to_switch++;
			continue;
		}
		if (door->link_pci && door->link_pci(device, i, &pci) == NVML_SUCCESS) {
			pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
			other = index_of_bus(machine, pci.bus_id);
			if (other >= 0)
				ret->to[other]++;
		}
	}
}

/* Returns the way that a level of the library's nvmlGpuTopologyLevel_t means. */
static enum nvml_way way_of_level(int level)
{
	static const struct {
		int level;
		enum nvml_way way;
	} ways[] = {{0, NVML_WAY_BOARD}, {10, NVML_WAY_PIX}, {20, NVML_WAY_PXB},
		{30, NVML_WAY_PHB}, {40, NVML_WAY_NODE}, {50, NVML_WAY_SYS}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (ways[i].level == level)
			return ways[i].way;
	return NVML_WAY_UNKNOWN;
}

/*
 * Returns the way between two GPUs: the links to each other and those through switches, else how
 * PCIe joins them.
 */
static struct nvml_pair pair_of(const struct door *door, const device_t devices[],
	const struct links links[], unsigned a, unsigned b)
{
	int through = links[a].to_switch < links[b].to_switch ? links[a].to_switch
							       : links[b].to_switch;
	int direct = links[a].to[b] > 0 ? links[a].to[b] : links[b].to[a];
	int level;

	if (direct + through > 0)
		return (struct nvml_pair){NVML_WAY_NVLINK, direct + through};
	if (door->ancestor && devices[a] && devices[b] &&
		door->ancestor(devices[a], devices[b], &level) == NVML_SUCCESS)
		return (struct nvml_pair){way_of_level(level), 0};
	return (struct nvml_pair){NVML_WAY_UNKNOWN, 0};
}

/* Reads all GPUs, then the ways between any two. */
static void read_gpus(const struct door *door, struct nvml_machine *ret)
{
	struct links links[NVML_GPUS_MOST] = {0};
	device_t devices[NVML_GPUS_MOST] = {0};

	for (unsigned i = 0; i < ret->nr; i++) {
		struct nvml_gpu *gpu = &ret->gpus[i];
		int error = door->by_index(i, &devices[i]);

		gpu->lost = error != NVML_SUCCESS;
		gpu->links = -1;
		if (gpu->lost)
			continue;
		read_texts(door, devices[i], gpu);
		read_health(door, devices[i], gpu);
		read_processes(door, devices[i], gpu);
	}
	for (unsigned i = 0; i < ret->nr; i++)
		if (!ret->gpus[i].lost)
			read_links(door, devices[i], ret, &ret->gpus[i], &links[i]);
	for (unsigned a = 0; a < ret->nr; a++)
		for (unsigned b = 0; b < ret->nr; b++)
			if (a != b)
				ret->pairs[a][b] = pair_of(door, devices, links, a, b);
}

int nvml_read(struct nvml_machine *ret, struct complaint *why)
{
	struct door door = {0};
	int error = open_door(&door, why);

	memset(ret, 0, sizeof(*ret));
	ret->cuda = -1;
	if (error)
		return error;
	error = door.init();
	if (error == NVML_SUCCESS)
		error = door.count(&ret->nr);
	if (error != NVML_SUCCESS) {
		complaint_set(why, "%s does not start: %s", NVML_LIBRARY, door.error(error));
		return -EIO;
	}
	if (door.driver)
		door.driver(ret->driver, sizeof(ret->driver) - 1);
	if (door.cuda && door.cuda(&ret->cuda) != NVML_SUCCESS)
		ret->cuda = -1;
	if (ret->nr > NVML_GPUS_MOST)
		ret->nr = NVML_GPUS_MOST;
	read_gpus(&door, ret);
	return 0;
}

const char *nvml_way_name(const struct nvml_pair *pair, char room[static 8])
{
	static const char *const names[] = {[NVML_WAY_UNKNOWN] = "?",
		[NVML_WAY_NVLINK] = "NV", [NVML_WAY_BOARD] = "one board", [NVML_WAY_PIX] = "PIX",
		[NVML_WAY_PXB] = "PXB", [NVML_WAY_PHB] = "PHB", [NVML_WAY_NODE] = "NODE",
		[NVML_WAY_SYS] = "SYS"};

	if (pair->way != NVML_WAY_NVLINK)
		return names[pair->way];
	snprintf(room, 8, "NV%d", pair->links);
	return room;
}
