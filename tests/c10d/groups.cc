/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.cc: process groups of torchlike for a program in Python, by ctypes (scope.py). They live
 * as long as the process.
 */
#include "fixtures/torchlike/nccl.hh"

using namespace c10d;

/* Makes a group of gloo in the store of that folder, by that name, as torch.distributed does. */
extern "C" void groups_gloo(const char *dir, const char *name, int seat, int seats, int size)
{
	auto files = c10::make_intrusive<FileStore>(dir, size);
	auto group = c10::make_intrusive<PrefixStore>(
		std::string(name) + "/", c10::intrusive_ptr<Store>(files));
	auto store = c10::make_intrusive<PrefixStore>("cpu/", c10::intrusive_ptr<Store>(group));
	auto options = c10::make_intrusive<ProcessGroupGloo::Options>(milliseconds(600000));

	new c10::intrusive_ptr<ProcessGroupGloo>(c10::make_intrusive<ProcessGroupGloo>(
		c10::intrusive_ptr<Store>(store), seat, seats, options));
}
