/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/c10d-nccl.h"
#include "probes/group.h"
int bootstrap_waits(void) { return GROUP_NONE; }
void bootstrap_got(void) {}
void bootstrap_forget_all(void) {}
