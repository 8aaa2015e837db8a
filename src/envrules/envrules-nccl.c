/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that NCCL reads, and the interfaces that gloo is given the same way. "NCCL env" is the
 * page Environment Variables of NCCL's user guide, 2.28.
 */
#include <string.h>

#include "envrules/envrules-lists.h"

/*
 * True if this word is one of the text, blanks between. Where not exact a word that begins so will
 * do.
 */
static bool has_interface(const char *all, const char *name, size_t len, bool exact)
{
	while (*(all += strspn(all, " "))) {
		size_t size = strcspn(all, " ");

		if (!strncmp(all, name, len) && (!exact || size == len) && size >= len)
			return true;
		all += size;
	}
	return false;
}

/*
 * True if no interface here is meant, in NCCL's form: a list of prefixes; "=" before it: of whole
 * names; "^": of what not to use.
 */
static bool names_no_interface(const struct envrules_launch *launch, const char *value)
{
	bool exact = value && *value == '=';

	if (!value || !*value || !launch->interfaces || *value == '^')
		return false;
	for (value += exact; *value; value += *value == ',') {
		size_t len = strcspn(value, ",");

		if (len && has_interface(launch->interfaces, value, len, exact))
			return false;
		value += len;
	}
	return true;
}

/*
 * True if one that is named is not here, in Gloo's form: a list of whole names, each of which must
 * be there.
 */
static bool names_a_lost_interface(const struct envrules_launch *launch, const char *value)
{
	if (!value || !*value || !launch->interfaces)
		return false;
	for (; *value; value += *value == ',') {
		size_t len = strcspn(value, ",");

		if (len && !has_interface(launch->interfaces, value, len, true))
			return true;
		value += len;
	}
	return false;
}

/* True if it is on, and there may be several GPUs. */
static bool is_on_among_gpus(const struct envrules_launch *launch, const char *value)
{
	return envrules_is_on(launch, value) && launch->ranks != 1;
}

/* True if it is on, and there may be several hosts. */
static bool is_on_among_hosts(const struct envrules_launch *launch, const char *value)
{
	return envrules_is_on(launch, value) && launch->hosts != 1;
}

/* True if LL128 is forced, and not merely left out. */
static bool forces_ll128(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return value && *value != '^' && strcasestr(value, "LL128");
}

/* True if all ranks write one file. */
static bool is_all_in_one_file(const struct envrules_launch *launch, const char *value)
{
	return value && *value && !strstr(value, "%p") && launch->ranks != 1;
}

/* True for the levels at which NCCL prints a lot. */
static bool prints_much(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return value && (!strcasecmp(value, "INFO") || !strcasecmp(value, "TRACE"));
}

static const struct envrule rules[] = {
	{"NCCL_SOCKET_IFNAME", ENVRULE_FAIL, names_no_interface,
		"no interface of this machine is meant by it: NCCL's init fails",
		"name one that `ip link` shows", "NCCL env"},
	{"GLOO_SOCKET_IFNAME", ENVRULE_FAIL, names_a_lost_interface,
		"an interface of it is not on this machine: init of a gloo group fails",
		"name one that `ip link` shows",
		"PyTorch init.cpp, ProcessGroupGloo::createDeviceForInterface"},
	{"NCCL_P2P_DISABLE", ENVRULE_WARN, is_on_among_gpus,
		"GPUs of this machine do not reach each other directly, NVLink neither",
		"unset it", "NCCL env"},
	{"NCCL_SHM_DISABLE", ENVRULE_WARN, is_on_among_gpus,
		"ranks of one machine that have no direct way go by the network", "unset it",
		"NCCL env"},
	{"NCCL_IB_DISABLE", ENVRULE_WARN, is_on_among_hosts,
		"hosts reach each other by TCP sockets, not by InfiniBand or RoCE",
		"unset it, unless there is none", "NCCL env"},
	{"NCCL_MNNVL_ENABLE", ENVRULE_WARN, envrules_is_on,
		"multi-node NVLink is forced: init fails where the fabric is not there",
		"unset it: NCCL finds out by itself", "NCCL env, since 2.21"},
	{"NCCL_NVLS_ENABLE", ENVRULE_NOTE, envrules_is_set,
		"NVLink SHARP is forced on or off, not as NCCL would choose", NULL,
		"NCCL env, since 2.17"},
	{"NCCL_PROTO", ENVRULE_WARN, forces_ll128,
		"LL128 is forced: where the hardware does not keep 128 bytes whole, data is "
		"corrupted",
		"unset it: NCCL uses LL128 where it is safe", "NCCL env"},
	{"NCCL_PROTO", ENVRULE_NOTE, envrules_is_set,
		"protocols are forced, not as NCCL would choose", NULL, "NCCL env"},
	{"NCCL_ALGO", ENVRULE_NOTE, envrules_is_set,
		"algorithms are forced, not as NCCL would choose by size", NULL, "NCCL env"},
	{"NCCL_DEBUG_FILE", ENVRULE_WARN, is_all_in_one_file,
		"all ranks write one file, over each other", "put %h and %p into its name",
		"NCCL env"},
	{"NCCL_DEBUG", ENVRULE_NOTE, prints_much, "NCCL prints much at each init", NULL,
		"NCCL env"},
	{"NCCL_CUMEM_ENABLE", ENVRULE_NOTE, envrules_is_off,
		"connections are made at init, not at first use: the first collective is another",
		NULL, "NCCL 2.28 init.cc, runtimeConn"},
	{"NCCL_RUNTIME_CONNECT", ENVRULE_NOTE, envrules_is_off,
		"connections are made at init, not at first use: the first collective is another",
		NULL, "NCCL 2.28 init.cc, runtimeConn"},
	{"NCCL_RAS_ENABLE", ENVRULE_WARN, envrules_is_off,
		"a hanging job cannot be asked by ncclras", "unset it", "NCCL env, since 2.24"},
	{"NCCL_NVTX_DISABLE", ENVRULE_WARN, envrules_is_set,
		"a NCCL that is linked statically or renamed tells nobody of its calls", "unset it",
		"NCCL 2.28 init_nvtx.cc"},
	{"NCCL_TIMEOUT", ENVRULE_WARN, envrules_is_set,
		"nobody reads it: a collective's limit is what init_process_group(timeout=) says",
		"unset it, and say the limit there",
		"NCCL env has no such variable, nor has PyTorch"},
};

const struct envrules_list envrules_of_nccl = {rules, sizeof(rules) / sizeof(rules[0])};
