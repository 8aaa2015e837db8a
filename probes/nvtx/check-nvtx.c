/* SPDX-License-Identifier: Apache-2.0 */
/* check-nvtx.c: our declarations against NVTX 3's real headers, as check-nccl.c does for NCCL's. */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#define NVTX_EXT_TYPES_GUARD
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>

#include "probes/nvtx/nvtx-abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a)
#define FIELD(ours, field, theirs, other)                                                          \
	SAME(offsetof(struct ours, field), offsetof(theirs, other));                               \
	SAME(sizeof(((struct ours *)0)->field), sizeof(((theirs *)0)->other))

SAME((int)NVTX_ETID_CALLBACKS, NVTX_ABI_ETID_CALLBACKS);
SAME((int)NVTX_CB_MODULE_CORE2, NVTX_ABI_MODULE_CORE2);
SAME((int)NVTX_CBID_CORE2_DomainRangePushEx, NVTX_ABI_RANGE_PUSH);
SAME((int)NVTX_CBID_CORE2_DomainRangePop, NVTX_ABI_RANGE_POP);
SAME((int)NVTX_CBID_CORE2_DomainRegisterStringA, NVTX_ABI_REGISTER_STRING);
SAME((int)NVTX_CBID_CORE2_DomainCreateA, NVTX_ABI_DOMAIN_CREATE);
SAME(NVTX_EXT_PAYLOAD_MODULEID, NVTX_ABI_MODULE_PAYLOAD);
SAME(NVTX3EXT_CBID_nvtxRangePopPayload, NVTX_ABI_POP_PAYLOAD);
SAME(NVTX_PAYLOAD_TYPE_EXT, NVTX_ABI_PAYLOAD_EXT);
SAME((int)NVTX_MESSAGE_TYPE_ASCII, NVTX_ABI_MESSAGE_ASCII);
SAME((int)NVTX_MESSAGE_TYPE_REGISTERED, NVTX_ABI_REGISTERED);

SAME(sizeof(struct nvtx_abi_callbacks), sizeof(NvtxExportTableCallbacks));
FIELD(nvtx_abi_callbacks, module_table, NvtxExportTableCallbacks, GetModuleFunctionTable);

SAME(sizeof(struct nvtx_abi_event), sizeof(nvtxEventAttributes_t));
FIELD(nvtx_abi_event, payload_type, nvtxEventAttributes_t, payloadType);
FIELD(nvtx_abi_event, payloads, nvtxEventAttributes_t, reserved0);
FIELD(nvtx_abi_event, payload, nvtxEventAttributes_t, payload);
FIELD(nvtx_abi_event, message_type, nvtxEventAttributes_t, messageType);
FIELD(nvtx_abi_event, message, nvtxEventAttributes_t, message);

SAME(sizeof(struct nvtx_abi_payload), sizeof(nvtxPayloadData_t));
FIELD(nvtx_abi_payload, schema, nvtxPayloadData_t, schemaId);
FIELD(nvtx_abi_payload, size, nvtxPayloadData_t, size);
FIELD(nvtx_abi_payload, bytes, nvtxPayloadData_t, payload);

SAME(sizeof(struct nvtx_abi_segment), sizeof(nvtxExtModuleSegment_t));
FIELD(nvtx_abi_segment, nr, nvtxExtModuleSegment_t, slotCount);
FIELD(nvtx_abi_segment, slots, nvtxExtModuleSegment_t, functionSlots);
SAME(sizeof(struct nvtx_abi_module), sizeof(nvtxExtModuleInfo_t));
FIELD(nvtx_abi_module, module, nvtxExtModuleInfo_t, moduleId);
FIELD(nvtx_abi_module, nsegments, nvtxExtModuleInfo_t, segmentsCount);
FIELD(nvtx_abi_module, segments, nvtxExtModuleInfo_t, segments);
