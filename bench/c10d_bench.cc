/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d_bench.cc: a recorded call of gloo's process group beside the same call made past the probe,
 * in turns, in one process. The op is a receive, which but makes its Work, so that what is timed is
 * the call (and the end of the Work before it). The wait is for a Work that has ended.
 */
#include <dlfcn.h>

#include "bench/figure.h"
#include "fixtures/torchlike/c10d.hh"

#define ROUNDS 4000
#define BAR    20 /* readings of the clock */

using namespace c10d;
using Receive = WorkPtr (*)(ProcessGroupGloo *, Tensors &, int, int);
using Wait = bool (*)(Work *, milliseconds);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

template <class F> static double timed(F f)
{
	double from = now();

	f();
	return now() - from;
}

template <class F, class G> static void compare(const char *name, F past, G recorded)
{
	static double one[ROUNDS], two[ROUNDS], added[ROUNDS];
	double first;

	for (int i = 0; i < ROUNDS; i++) {
		one[i] = past();
		two[i] = recorded();
		added[i] = two[i] - one[i];
	}
	first = figure_median(one, ROUNDS);
	struct figure past_it = {name, first, "ns", 0, 0, FIGURE_AT_MOST};
	figure_print(&past_it);
	struct figure with_it = {"  recorded", figure_median(two, ROUNDS), "ns", 0, 0,
		FIGURE_AT_MOST};
	figure_print(&with_it);
	struct figure more = {"  added, in readings of the clock", figure_median(added, ROUNDS),
		"ns", figure_median(added, ROUNDS) / figure_rdtsc_ns(), BAR, FIGURE_AT_MOST};
	figure_print(&more);
}

int main(int argc, char **argv)
{
	void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
	auto files = c10::make_intrusive<FileStore>(argc > 1 ? argv[1] : ".", 1);
	c10::intrusive_ptr<Store> store =
		c10::make_intrusive<PrefixStore>("default_pg", c10::intrusive_ptr<Store>(files));
	auto group = c10::make_intrusive<ProcessGroupGloo>(
		store, 0, 1, c10::make_intrusive<ProcessGroupGloo::Options>());
	Tensors to{at::Tensor(1)};
	AllreduceOptions opts;
	WorkPtr work;

	auto receive = (Receive)dlsym(
		torch, "_ZN4c10d16ProcessGroupGloo4recvERSt6vectorIN2at6TensorESaIS3_EEii");
	auto wait = (Wait)dlsym(
		torch, "_ZN4c10d4Work4waitENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
	if (!receive || !wait)
		return 2;
	compare(
		"call of a receive",
		[&] { return timed([&] { work = receive(group.get(), to, 0, 0); }); },
		[&] { return timed([&] { work = group->recv(to, 0, 0); }); });
	work = group->allreduce(to, opts);
	work->wait();
	compare(
		"wait for what has ended",
		[&] { return timed([&] { wait(work.get(), milliseconds(0)); }); },
		[&] { return timed([&] { work->wait(); }); });
	return 0;
}
