/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nvtx/nvtx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/dl.h"
#include "probes/process.h"
#include "probes/text.h"
#include "probes/trait.h"

#define NVTX_GUESTS 16 /* copies of NCCL in one process */

typedef int nvtx_init(nvtx_abi_tables *tables);
typedef int nvtx_init_extension(struct nvtx_abi_module *module);

HOOK_EXPORT nvtx_init InitializeInjectionNvtx2;
HOOK_EXPORT nvtx_init_extension InitializeInjectionNvtxExtension;

const char nvtx_domain_nccl[] = "NCCL";
const char nvtx_domain_other[] = "other";
int nvtx_tells_payloads;

static void *nvtx_guest[NVTX_GUESTS]; /* where the libraries that we are attached to lie */

/* --- Who is let in --------------------------------------------------------------------------- */

/*
 * True if INQUEST_NVTX has this value: off closes the route, all opens it to every library's domain
 * "NCCL".
 */
static int nvtx_wish(const char *wish)
{
	const char *is = getenv("INQUEST_NVTX");

	return is && !strcmp(is, wish);
}

static const char *nvtx_basename(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/*
 * How names of libraries begin that have NCCL in them: NCCL's own, and TorchComms' extensions for
 * Python, into which it is linked, and need not be seen.
 */
static const char *const nvtx_files[] = {"libnccl", "_comms_nccl", NULL};

/*
 * Functions that show that NCCL is inside: by its own name, and by the one that TorchComms gives
 * it.
 */
static const char *const nvtx_functions[] = {
	"ncclGroupStart", "torchcomms_ncclGroupStart", NULL};

/* True if the function is the library's own. */
static int nvtx_has(const Dl_info *who, void *lib, const char *name)
{
	void *fn = dl_sym(lib, name);
	Dl_info found;

	return fn && dl_addr(fn, &found) && found.dli_fbase == who->dli_fbase;
}

/* True if the library has NCCL in it: by its name, or by NCCL's functions where they are seen. */
static int nvtx_is_nccl(const Dl_info *who)
{
	const char *file = nvtx_basename(who->dli_fname);
	int has = 0;
	void *lib;

	for (int i = 0; nvtx_files[i]; i++)
		if (!strncmp(file, nvtx_files[i], strlen(nvtx_files[i])))
			return 1;
	lib = dl_open(who->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	for (int i = 0; lib && !has && nvtx_functions[i]; i++)
		has = nvtx_has(who, lib, nvtx_functions[i]);
	if (lib)
		dl_close(lib);
	return has || nvtx_wish("all");
}

static int nvtx_is_guest(const void *base)
{
	for (int i = 0; i < NVTX_GUESTS; i++)
		if (__atomic_load_n(&nvtx_guest[i], __ATOMIC_ACQUIRE) == base)
			return 1;
	return 0;
}

static int nvtx_remember(void *base)
{
	for (int i = 0; i < NVTX_GUESTS; i++) {
		void *none = NULL;

		if (__atomic_compare_exchange_n(&nvtx_guest[i], &none, base, 0, __ATOMIC_ACQ_REL,
			    __ATOMIC_ACQUIRE) ||
			none == base)
			return 1;
	}
	return 0;
}

/* --- The tool that was there before ---------------------------------------------------------- */

/* Returns an entry of the library that INQUEST_NEXT_NVTX names; NULL if there is none but us. */
static void *nvtx_next(const char *entry, const void *ours)
{
	const char *path = getenv("INQUEST_NEXT_NVTX");
	void *lib = path && *path ? dl_open(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	void *fn = lib ? dl_sym(lib, entry) : NULL;

	return fn == ours ? NULL : fn;
}

/* Says that another tool took NCCL's ranges, which we then do not see. */
static void nvtx_claimed(void)
{
	char note[128];
	struct text t = text_into(note, sizeof(note));

	text_put(&t, "claimed by ");
	text_put(&t, nvtx_basename(getenv("INQUEST_NEXT_NVTX")));
	trait_put("nvtx", note, TRAIT_NO_NUMBER);
}

/* --- Domains and names ----------------------------------------------------------------------- */

static const void *nvtx_domain_create(const char *name)
{
	return name && !strcmp(name, nvtx_domain_nccl) ? nvtx_domain_nccl : nvtx_domain_other;
}

uint32_t nvtx_call_named(const char *name)
{
	if (!name || strncmp(name, "nccl", strlen("nccl")) != 0)
		return 0;
	for (uint32_t call = RING_CALL_ncclGetVersion; call < RING_CALL_cudaStreamSynchronize;
		call++) {
		const char *known = ring_call_name(call);

		if (known && !strcmp(known, name))
			return call;
	}
	return 0;
}

/*
 * Makes the number by which a string is handed back in each event: the call's id, made odd and not
 * 0.
 */
static const void *nvtx_register(const void *domain, const char *name)
{
	uintptr_t id = domain == nvtx_domain_nccl ? nvtx_call_named(name) : 0;

	return (const void *)(id << 1 | 1); /* NOLINT: only a number to us */
}

/* --- The route ------------------------------------------------------------------------------- */

static int nvtx_attach(nvtx_abi_tables *tables)
{
	const struct nvtx_abi_callbacks *callbacks = tables(NVTX_ABI_ETID_CALLBACKS);
	nvtx_abi_function **slots = NULL;
	unsigned nr = 0;

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks) ||
		!callbacks->module_table(NVTX_ABI_MODULE_CORE2, &slots, &nr) || !slots ||
		nr <= NVTX_ABI_DOMAIN_CREATE)
		return 0;
	*slots[NVTX_ABI_REGISTER_STRING] = (nvtx_abi_function)nvtx_register;
	*slots[NVTX_ABI_RANGE_PUSH] = (nvtx_abi_function)nvtx_range_push;
	*slots[NVTX_ABI_RANGE_POP] = (nvtx_abi_function)nvtx_range_pop;
	*slots[NVTX_ABI_DOMAIN_CREATE] = (nvtx_abi_function)nvtx_domain_create;
	return 1;
}

/*
 * Called by a library with NVTX in it at its first range. Returns 0 to leave it the no-ops that it
 * has without any tool.
 */
int InitializeInjectionNvtx2(nvtx_abi_tables *tables)
{
	nvtx_init *next = (nvtx_init *)nvtx_next(
		"InitializeInjectionNvtx2", (const void *)InitializeInjectionNvtx2);
	int saved = errno, taken = next ? next(tables) : 0;
	Dl_info who;

	if (dl_addr((const void *)tables, &who) && nvtx_is_nccl(&who)) {
		if (taken)
			nvtx_claimed();
		else if (process_view() != PROCESS_UNBORN && !nvtx_wish("off") &&
			 nvtx_remember(who.dli_fbase))
			taken = nvtx_attach(tables);
	}
	errno = saved;
	return taken;
}

static int nvtx_attach_payloads(struct nvtx_abi_module *module)
{
	if (module->module != NVTX_ABI_MODULE_PAYLOAD ||
		module->segments->nr <= NVTX_ABI_POP_PAYLOAD)
		return 0;
	module->segments->slots[NVTX_ABI_POP_PAYLOAD] = (intptr_t)nvtx_range_pop_payload;
	nvtx_tells_payloads = 1;
	return 1;
}

/*
 * Called likewise for an extension: by that of payloads NCCL says which communicator an init has
 * made.
 */
int InitializeInjectionNvtxExtension(struct nvtx_abi_module *module)
{
	nvtx_init_extension *next;
	int saved = errno, taken = 0;
	Dl_info who;

	if (!module || !module->nsegments || !module->segments || !module->segments->slots ||
		!dl_addr(module->segments->slots, &who))
		return 0;
	if (nvtx_is_guest(who.dli_fbase)) {
		taken = nvtx_attach_payloads(module);
	} else {
		next = (nvtx_init_extension *)nvtx_next("InitializeInjectionNvtxExtension",
			(const void *)InitializeInjectionNvtxExtension);
		taken = next ? next(module) : 0;
	}
	errno = saved;
	return taken;
}
