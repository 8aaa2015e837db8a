/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells a child by the name that it gave itself first, since a forked worker has the command line
 * of its parent. PyTorch gives names to its workers since 2.7. Of programs and modules the path
 * tells.
 */
#include "decode/exhibits/child-kind.h"

#include <string.h>

/* A name, or a part of a command line, and what it tells. */
struct child_kind {
	const char *part;
	const char *what;
};

static const struct child_kind child_kind_comms[] = {
	{"pt_data_worker", "DataLoader worker"},
	{"pt_data_pin", "DataLoader pin-memory worker"},
	{"torch_shm_manag", "torch_shm_manager"},
	{"cc1plus", "compiler"},
	{"cc1", "compiler"},
	{"cicc", "compiler"},
	{"ptxas", "compiler"},
	{"nvcc", "compiler"},
};

static const struct child_kind child_kind_commands[] = {
	{"torch/_inductor/compile_worker", "inductor compile worker"},
	{"torch/bin/torch_shm_manager", "torch_shm_manager"},
	{"multiprocessing.resource_tracker", "resource tracker"},
	{"multiprocessing.forkserver", "fork server"},
	{"multiprocessing.spawn", "multiprocessing worker"},
};

const char *child_kind_name(const char *comm, const char *command)
{
	for (size_t i = 0; comm && i < sizeof(child_kind_comms) / sizeof(child_kind_comms[0]); i++)
		if (!strcmp(comm, child_kind_comms[i].part))
			return child_kind_comms[i].what;
	for (size_t i = 0;
		command && i < sizeof(child_kind_commands) / sizeof(child_kind_commands[0]); i++)
		if (strstr(command, child_kind_commands[i].part))
			return child_kind_commands[i].what;
	return "";
}
