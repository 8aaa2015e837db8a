/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.cc: one rank of a small job on torchlike, for tests of what the probe writes about it.
 *
 *	RANK=n WORLD_SIZE=n ranks DIR [WORD...]
 *
 * Words are done in order by all ranks; one that begins with "2:" or "0,3:" only by those, with
 * "!2:" only by the others. An op may have its number of elements behind a "=": allreduce=0. At
 * the end a rank creates DIR/done.RANK; where the last word is `stay` it sleeps until it is killed.
 * Results are checked: a rank that computes something wrong exits with 9.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "fixtures/torchlike/nccl.hh"

using namespace c10d;
using Words = std::vector<std::string>;

static struct {
	std::string dir;
	int rank, size;        /* in the world */
	int seat, seats;       /* in the current group */
	milliseconds timeout{600000};
	c10::intrusive_ptr<Store> store;
	c10::intrusive_ptr<ProcessGroupGloo> world, group;
	c10::intrusive_ptr<ProcessGroupNCCL> nccl;
	c10::intrusive_ptr<nccl2::ProcessGroupNCCL> nccl2;
	std::vector<WorkPtr> pending;
	int groups = 0;
	bool async = false;
	bool catching = false;
	bool failing = false; /* results are not what they would be */
} me;

static void expect(bool holds, const char *what)
{
	if (holds || me.failing)
		return;
	fprintf(stderr, "rank %d: wrong: %s\n", me.rank, what);
	_exit(9);
}

/* What a program does with the Work of an op: waits, or keeps it for later. */
static bool done(const WorkPtr &work)
{
	if (me.async)
		me.pending.push_back(work);
	else
		work->wait();
	return !me.async;
}

static std::vector<int> numbers(const std::string &text)
{
	std::vector<int> all;
	std::istringstream in(text);

	for (std::string one; std::getline(in, one, ',');)
		all.push_back(std::stoi(one));
	return all;
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* As torch.distributed nests its stores. */
static c10::intrusive_ptr<Store> store_of(const std::string &name)
{
	auto group = c10::make_intrusive<PrefixStore>(name + "/", me.store);

	return c10::make_intrusive<PrefixStore>("cpu/", c10::intrusive_ptr<Store>(group));
}

static c10::intrusive_ptr<ProcessGroupGloo> group_of(const std::string &name, int seat, int seats)
{
	auto options = c10::make_intrusive<ProcessGroupGloo::Options>(me.timeout);

	return c10::make_intrusive<ProcessGroupGloo>(store_of(name), seat, seats, options);
}

static void go_to(const c10::intrusive_ptr<ProcessGroupGloo> &group)
{
	me.group = group;
	me.seat = group.get() ? group->getRank() : -1;
	me.seats = group.get() ? group->getSize() : 0;
}

static void init(const std::string &name)
{
	auto files = c10::make_intrusive<FileStore>(me.dir, me.size);

	me.store = c10::make_intrusive<PrefixStore>(name, c10::intrusive_ptr<Store>(files));
	me.store->timeout = me.timeout;
	go_to(me.world = group_of("0", me.rank, me.size));
}

/* A store at that port, as rank 0 serves it: all meet there, or it stays for ever. */
static void tcp(const std::string &port)
{
	TCPStoreOptions options;

	options.port = (uint16_t)std::stoi(port);
	options.isServer = me.rank == 0;
	options.numWorkers = (size_t)me.size;
	options.timeout = me.timeout;
	c10::make_intrusive<TCPStore>(me.dir, options);
}

static void sub(const std::string &list)
{
	std::vector<int> ranks = numbers(list);
	std::string name = std::to_string(++me.groups);

	for (size_t i = 0; i < ranks.size(); i++)
		if (ranks[i] == me.rank)
			return go_to(group_of(name, (int)i, (int)ranks.size()));
	go_to({});
}

/* --- Ops ------------------------------------------------------------------------------------- */

static void allreduce(size_t n)
{
	Tensors t{at::Tensor(n, me.seat + 1)};
	AllreduceOptions opts;

	if (done(me.group->allreduce(t, opts)) && n)
		expect(t[0].data()[n - 1] == me.seats * (me.seats + 1) / 2, "allreduce");
}

static void broadcast(size_t n)
{
	Tensors t{at::Tensor(n, me.seat)};
	BroadcastOptions opts;

	opts.rootRank = me.seats - 1;
	if (done(me.group->broadcast(t, opts)))
		expect(t[0].data()[0] == me.seats - 1, "broadcast");
}

static void reduce(size_t n)
{
	Tensors t{at::Tensor(n, me.seat)};
	ReduceOptions opts{ReduceOp::MAX, 1};

	if (done(me.group->reduce(t, opts)) && me.seat == 1)
		expect(t[0].data()[0] == me.seats - 1, "reduce");
}

static void allgather(size_t n)
{
	std::vector<Tensors> out(1, Tensors());
	Tensors in{at::Tensor(n, me.seat)};
	AllgatherOptions opts;

	for (int i = 0; i < me.seats; i++)
		out[0].emplace_back(n);
	if (done(me.group->allgather(out, in, opts)) && n)
		expect(out[0][1].data()[0] == 1, "allgather");
}

static void all_gather_single(size_t n)
{
	at::Tensor in(n, me.seat), out(n * (size_t)me.seats);
	AllgatherOptions opts;

	if (done(me.group->all_gather_single(out, in, opts)))
		expect(out.data()[n] == 1, "all_gather_single");
}

static void reduce_scatter_single(size_t n)
{
	at::Tensor in(n * (size_t)me.seats, 2), out(n);
	ReduceScatterOptions opts;

	if (done(me.group->reduce_scatter_single(out, in, opts)))
		expect(out.data()[0] == 2 * me.seats, "reduce_scatter_single");
}

static void reduce_scatter(size_t n)
{
	std::vector<Tensors> in(1, Tensors());
	Tensors out{at::Tensor(n)};
	ReduceScatterOptions opts;

	for (int i = 0; i < me.seats; i++)
		in[0].emplace_back(n, i);
	if (done(me.group->reduce_scatter(out, in, opts)))
		expect(out[0].data()[0] == me.seat * me.seats, "reduce_scatter");
}

/* Parts of different sizes: rank r sends r + i to rank i. */
static void all_to_all_single(size_t)
{
	std::vector<int64_t> to, from;
	AllToAllOptions opts;
	size_t n = 0;

	for (int i = 0; i < me.seats; i++) {
		to.push_back(me.seat + i);
		from.push_back(me.seat + i);
		n += (size_t)(me.seat + i);
	}
	at::Tensor in(n, me.seat), out(n);
	if (done(me.group->all_to_all_single(out, in, from, to, opts)))
		expect(out.numel() == n, "all_to_all_single");
}

static void alltoall(size_t n)
{
	AllToAllOptions opts;
	Tensors in, out;

	for (int i = 0; i < me.seats; i++) {
		in.emplace_back(n, me.seat);
		out.emplace_back(n);
	}
	if (done(me.group->alltoall(out, in, opts)))
		expect(out[1].data()[0] == 1, "alltoall");
}

static void gather(size_t n)
{
	std::vector<Tensors> out;
	Tensors in{at::Tensor(n, me.seat)};
	GatherOptions opts;

	if (!me.seat)
		out.push_back(Tensors((size_t)me.seats));
	for (int i = 0; !me.seat && i < me.seats; i++)
		out[0][(size_t)i] = at::Tensor(n);
	if (done(me.group->gather(out, in, opts)) && !me.seat && n)
		expect(out[0][1].data()[0] == 1, "gather");
}

static void scatter(size_t n)
{
	std::vector<Tensors> in;
	Tensors out{at::Tensor(n)};
	ScatterOptions opts;

	if (!me.seat)
		in.push_back(Tensors());
	for (int i = 0; !me.seat && i < me.seats; i++)
		in[0].emplace_back(n, i);
	if (done(me.group->scatter(out, in, opts)))
		expect(out[0].data()[0] == me.seat, "scatter");
}

/* Everything that takes several tensors at once. */
static void coalesced(size_t n)
{
	Tensors t{at::Tensor(n, 1), at::Tensor(n, 1)}, out{at::Tensor(n), at::Tensor(n)};
	Tensors wide;
	std::vector<Tensors> lists((size_t)me.seats, out);
	AllreduceCoalescedOptions all;
	AllgatherOptions gathering;
	ReduceScatterOptions scattering;

	for (int i = 0; i < 2; i++)
		wide.emplace_back(n * (size_t)me.seats, 1);
	done(me.group->allreduce_coalesced(t, all));
	done(me.group->allgather_coalesced(lists, t, gathering));
	done(me.group->all_gather_single_coalesced(wide, t, gathering));
	done(me.group->reduce_scatter_single_coalesced(out, wide, scattering));
	AllreduceOptions sparse;
	done(me.group->allreduce_sparse(t, sparse));
	if (!me.async)
		expect(t[0].data()[0] == me.seats * me.seats, "coalesced");
}

/* To the next, from the one before; sent first, waited for last. */
static void ring(size_t n)
{
	Tensors out{at::Tensor(n, me.seat)}, in{at::Tensor(n)};
	int next = (me.seat + 1) % me.seats, before = (me.seat + me.seats - 1) % me.seats;
	WorkPtr sent = me.group->send(out, next, 0), got = me.group->recv(in, before, 0);

	got->wait();
	sent->wait();
	expect(in[0].data()[0] == before, "ring");
}

static void from_anybody(size_t n)
{
	Tensors out{at::Tensor(n, me.seat)}, in{at::Tensor(n)};

	WorkPtr sent = me.group->send(out, (me.seat + 1) % me.seats, 0);
	me.group->recvAnysource(in, 0)->wait();
	sent->wait();
}

static void receive(size_t from)
{
	Tensors in{at::Tensor(1)};

	done(me.group->recv(in, (int)from, 0));
}

/* Sent and never waited for. */
static void send(size_t to)
{
	Tensors out{at::Tensor(1)};

	me.group->send(out, (int)to, 0);
}

static void barrier(size_t)
{
	BarrierOptions opts;

	done(me.group->barrier(opts));
}

static void monitored(size_t)
{
	BarrierOptions opts;

	me.group->monitoredBarrier(opts, false);
}

/* An op that is refused before it begins. */
static void refused(size_t)
{
	Tensors t{at::Tensor(1)};
	BroadcastOptions opts;

	opts.rootRank = 99;
	me.group->broadcast(t, opts);
}

/* --- NCCL ------------------------------------------------------------------------------------ */

static void reduce_on_nccl(size_t n)
{
	Tensors t{at::Tensor(n, 1)};
	AllreduceOptions opts;

	if (!me.nccl.get())
		me.nccl = c10::make_intrusive<ProcessGroupNCCL>(store_of("nccl"), me.rank,
			me.size, c10::make_intrusive<ProcessGroupNCCL::Options>());
	me.nccl->allreduce(t, opts)->wait();
	expect(t[0].data()[0] == me.size, "nccl");
}

static void reduce_on_nccl2(size_t n)
{
	Tensors t{at::Tensor(n, 1)};
	AllreduceOptions opts;

	if (!me.nccl2.get())
		me.nccl2 = c10::make_intrusive<nccl2::ProcessGroupNCCL>(store_of("nccl2"),
			me.rank, me.size, c10::make_intrusive<ProcessGroupNCCL::Options>());
	me.nccl2->allreduce(t, opts)->wait();
	expect(t[0].data()[0] == me.size, "nccl2");
}

/* Ranks 0 and 1 make a communicator of their own. */
static void pair_on_nccl(size_t n)
{
	Tensors t{at::Tensor(n, me.rank)};

	if (!me.nccl.get())
		me.nccl = c10::make_intrusive<ProcessGroupNCCL>(store_of("nccl"), me.rank,
			me.size, c10::make_intrusive<ProcessGroupNCCL::Options>());
	(me.rank ? me.nccl->recv(t, 0, 0) : me.nccl->send(t, 1, 0))->wait();
}

/* --- Ends ------------------------------------------------------------------------------------ */

static void *meet_all(void *)
{
	monitored(0);
	return NULL;
}

/* A thread is cancelled in the middle of an op: one of those that can bear it. */
static void cancelled(size_t)
{
	pthread_t thread;

	pthread_create(&thread, NULL, meet_all, NULL);
	usleep(300000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void pending(size_t)
{
	for (WorkPtr &work : me.pending)
		work->wait();
	me.pending.clear();
}

/* Asks the last of them, as often as it takes. */
static void polled(size_t)
{
	while (!me.pending.back()->isCompleted())
		usleep(10000);
	me.pending.pop_back();
}

static void word(const std::string &name, const std::string &arg)
{
	static const std::map<std::string, void (*)(size_t)> ops = {{"allreduce", allreduce},
		{"broadcast", broadcast}, {"reduce", reduce}, {"allgather", allgather},
		{"all_gather_single", all_gather_single}, {"reduce_scatter", reduce_scatter},
		{"reduce_scatter_single", reduce_scatter_single},
		{"all_to_all_single", all_to_all_single}, {"alltoall", alltoall},
		{"gather", gather}, {"scatter", scatter}, {"coalesced", coalesced},
		{"ring", ring}, {"anybody", from_anybody}, {"recv", receive}, {"send", send},
		{"barrier", barrier}, {"monitored", monitored}, {"refused", refused},
		{"nccl", reduce_on_nccl}, {"nccl2", reduce_on_nccl2}, {"pair", pair_on_nccl},
		{"cancelled", cancelled}, {"pending", pending},
		{"polled", polled}};

	if (ops.count(name))
		ops.at(name)(arg.empty() ? 16 : (size_t)std::stoul(arg));
	else if (name == "init")
		init(arg.empty() ? "default_pg" : arg);
	else if (name == "tcp")
		tcp(arg);
	else if (name == "sub")
		sub(arg);
	else if (name == "world")
		go_to(me.world);
	else if (name == "destroy")
		me.world.reset(), go_to({});
	else if (name == "drop")
		go_to({});
	else if (name == "timeout")
		me.timeout = milliseconds(std::stoi(arg));
	else if (name == "async")
		me.async = arg != "off";
	else if (name == "catch")
		me.catching = me.failing = true;
	else if (name == "key")
		me.store->wait({arg}, me.timeout);
	else if (name == "sleep")
		usleep((useconds_t)std::stoi(arg) * 1000);
	else if (name == "kill")
		raise(SIGKILL);
	else if (name == "stay")
		for (;;)
			pause();
	else
		throw std::logic_error("no such word: " + name);
}

/* Whether this rank does the word; what is before it is taken away. */
static bool is_mine(std::string &text)
{
	size_t colon = text.find(':');
	bool others = text[0] == '!', listed = false;

	if (colon == std::string::npos)
		return true;
	for (int rank : numbers(text.substr(others, colon - others)))
		listed |= rank == me.rank;
	text.erase(0, colon + 1);
	return listed != others;
}

static void run(std::string text)
{
	size_t equals;

	if (!is_mine(text))
		return;
	equals = text.find('=');
	try {
		word(text.substr(0, equals),
			equals == std::string::npos ? "" : text.substr(equals + 1));
	} catch (const std::runtime_error &error) {
		if (!me.catching)
			throw;
		printf("rank %d caught from %s: %s\n", me.rank, text.c_str(), error.what());
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *rank = getenv("RANK"), *size = getenv("WORLD_SIZE");

	if (argc < 2)
		return 2;
	me.dir = argv[1];
	/* As a program that spawns its ranks: no environment tells. */
	me.rank = atoi(rank ? rank : getenv("SEAT"));
	me.size = atoi(size ? size : getenv("SEATS"));
	for (int i = 2; i < argc; i++) {
		if (i == argc - 1 && !strcmp(argv[i], "stay"))
			std::ofstream(me.dir + "/done." + std::to_string(me.rank));
		run(argv[i]);
	}
	std::ofstream(me.dir + "/done." + std::to_string(me.rank));
	return 0;
}
