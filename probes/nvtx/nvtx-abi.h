/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvtx-abi.h: the few declarations of NVTX 3 that the probe needs, our own: what an injection
 * library is handed, and what NCCL says through it. check-nvtx.c compares them with the real
 * headers where configure finds them.
 */
#ifndef PROBES_NVTX_ABI_H
#define PROBES_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_ABI_ETID_CALLBACKS	 1
#define NVTX_ABI_MODULE_CORE2	 5
#define NVTX_ABI_RANGE_PUSH	 4 /* slots of CORE2 */
#define NVTX_ABI_RANGE_POP	 5
#define NVTX_ABI_REGISTER_STRING 10
#define NVTX_ABI_DOMAIN_CREATE	 12
#define NVTX_ABI_MODULE_PAYLOAD	 2 /* of the extensions */
#define NVTX_ABI_POP_PAYLOAD	 4 /* its slot */
#define NVTX_ABI_PAYLOAD_EXT	 ((int32_t)0xdfbd0009)
#define NVTX_ABI_MESSAGE_ASCII	 1
#define NVTX_ABI_REGISTERED	 3

typedef void (*nvtx_abi_function)(void);
typedef const void *nvtx_abi_tables(uint32_t table);

/* The table that nvtx_abi_tables(NVTX_ABI_ETID_CALLBACKS) points at. */
struct nvtx_abi_callbacks {
	size_t struct_size;
	int (*module_table)(int module, nvtx_abi_function ***ret_slots, unsigned *ret_nr);
};

struct nvtx_abi_event {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t payloads; /* reserved0: how many, where the type is PAYLOAD_EXT */
	union {
		uint64_t word;
		const struct nvtx_abi_payload *ext;
	} payload;
	int32_t message_type;
	union {
		const char *ascii;
		const void *registered;
	} message;
};

struct nvtx_abi_payload {
	uint64_t schema;
	size_t size;
	const void *bytes;
};

struct nvtx_abi_segment {
	size_t id;
	size_t nr;
	intptr_t *slots;
};

/* An extension module asks to be attached. */
struct nvtx_abi_module {
	uint16_t nvtx;
	uint16_t struct_size;
	uint16_t module;
	uint16_t compat;
	size_t nsegments;
	struct nvtx_abi_segment *segments;
	intptr_t (*get_export)(uint32_t function);
	const void *info;
};

#endif
