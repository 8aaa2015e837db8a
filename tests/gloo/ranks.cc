/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.cc: one rank of a small job that calls gloo itself, on the library that is installed, for
 * tests of what the probe writes about it.
 *
 *	RANK=n WORLD_SIZE=n ranks DIR [WORD...]
 *	ranks DIR as=n,n [WORD...]
 *
 * Words are done in order by all ranks; one that begins with "2:" or "0,3:" only by those, with
 * "!2:" only by the others. An op may have a number behind a "=": elements, or the other rank of a
 * message. Results are checked: a rank that computes something wrong exits with 9, one that gloo
 * throws at with 7.
 */
#include <csignal>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gloo/algorithm.h>
#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

using Numbers = std::vector<int>;
using Context = std::shared_ptr<gloo::Context>;

/* A store of the program's own: what it is called is nobody's business. */
class Own : public gloo::rendezvous::Store {
public:
	explicit Own(const std::string &path) : files(path) {}
	void set(const std::string &key, const std::vector<char> &data) override
	{
		files.set(key, data);
	}
	std::vector<char> get(const std::string &key) override { return files.get(key); }
	void wait(const std::vector<std::string> &keys) override { files.wait(keys); }
	void wait(const std::vector<std::string> &keys,
		const std::chrono::milliseconds &timeout) override
	{
		files.wait(keys, timeout);
	}

private:
	gloo::rendezvous::FileStore files;
};

static struct {
	std::string dir;
	int rank, size; /* in the world */
	int groups = 0;
	std::chrono::milliseconds timeout{600000};
	std::shared_ptr<gloo::transport::Device> device;
	Context world, group;
	std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
	Numbers memory = Numbers(1024);
} me;

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "rank %d: wrong: %s\n", me.rank, what);
	_exit(9);
}

static Numbers numbers(const std::string &text)
{
	Numbers all;
	std::istringstream in(text);

	for (std::string one; std::getline(in, one, ',');)
		all.push_back(std::stoi(one));
	return all;
}

/* Who this is, where no launcher says it. */
static void be(const Numbers &rank_and_size)
{
	me.rank = rank_and_size.at(0);
	me.size = rank_and_size.at(1);
}

static size_t seats() { return (size_t)me.group->size; }
static int seat() { return me.group->rank; }

/* --- Contexts -------------------------------------------------------------------------------- */

static Context connected(gloo::rendezvous::Store &store, int rank, int size)
{
	auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);

	context->setTimeout(me.timeout);
	context->connectFullMesh(store, me.device);
	return context;
}

static Context named(const std::string &name, int rank, int size)
{
	gloo::rendezvous::FileStore files(me.dir);
	gloo::rendezvous::PrefixStore store(name, files);

	return connected(store, rank, size);
}

static void init(size_t)
{
	me.group = me.world = named("world" + std::to_string(me.groups++), me.rank, me.size);
}

static void init_by_own(size_t)
{
	Own store(me.dir);

	me.group = me.world = connected(store, me.rank, me.size);
}

static int seat_in(const Numbers &ranks)
{
	auto at = std::find(ranks.begin(), ranks.end(), me.rank);

	return at == ranks.end() ? -1 : (int)(at - ranks.begin());
}

static void sub(const std::string &list)
{
	Numbers ranks = numbers(list);
	std::string name = "sub" + std::to_string(++me.groups);

	me.group = nullptr;
	if (seat_in(ranks) >= 0)
		me.group = named(name, seat_in(ranks), (int)ranks.size());
}

static void sub_by_own(const std::string &list)
{
	Numbers ranks = numbers(list);
	std::string folder = me.dir + "/own" + std::to_string(++me.groups) + "-" + list;

	me.group = nullptr;
	if (seat_in(ranks) < 0)
		return;
	mkdir(folder.c_str(), 0700);
	Own store(folder);
	me.group = connected(store, seat_in(ranks), (int)ranks.size());
}

static void make(size_t)
{
	gloo::rendezvous::ContextFactory factory(me.world);

	me.group = factory.makeContext(me.device);
}

static void free_all(size_t)
{
	me.buffer = nullptr;
	me.group = me.world = nullptr;
}

/* --- Ops ------------------------------------------------------------------------------------- */

static void allreduce(size_t n)
{
	gloo::AllreduceOptions opts(me.group);
	Numbers data(n, seat() + 1);

	opts.setOutput(data.data(), n);
	opts.setReduceFunction(
		static_cast<void (*)(void *, const void *, const void *, size_t)>(&gloo::sum<int>));
	gloo::allreduce(opts);
	expect(!n || data[n - 1] == (int)(seats() * (seats() + 1) / 2), "allreduce");
}

static void broadcast(size_t root)
{
	gloo::BroadcastOptions opts(me.group);
	Numbers data(3, seat());

	opts.setOutput(data.data(), data.size());
	opts.setRoot((int)root);
	gloo::broadcast(opts);
	expect(data[2] == (int)root, "broadcast");
}

static void reduce(size_t n)
{
	gloo::ReduceOptions opts(me.group);
	Numbers data(n, seat());

	opts.setOutput(data.data(), n);
	opts.setRoot(1);
	opts.setReduceFunction(
		static_cast<void (*)(void *, const void *, const void *, size_t)>(&gloo::max<int>));
	gloo::reduce(opts);
	expect(seat() != 1 || data[0] == (int)seats() - 1, "reduce");
}

static void allgather(size_t n)
{
	gloo::AllgatherOptions opts(me.group);
	Numbers in(n, seat()), out(n * seats());

	opts.setInput(in.data(), n);
	opts.setOutput(out.data(), out.size());
	gloo::allgather(opts);
	expect(out[n] == 1, "allgather");
}

static void allgather_in_place(size_t n)
{
	gloo::AllgatherOptions opts(me.group);
	Numbers out(n * seats(), seat());

	opts.setOutput(out.data(), out.size());
	gloo::allgather(opts);
	expect(out[n] == 1, "allgather in place");
}

static void allgatherv(size_t)
{
	gloo::AllgathervOptions opts(me.group);
	std::vector<size_t> each;
	size_t all = 0;

	for (size_t i = 0; i < seats(); i++)
		each.push_back(i + 1), all += i + 1;
	Numbers in((size_t)seat() + 1, seat()), out(all);
	opts.setInput(in.data(), in.size());
	opts.setOutput(out.data(), each);
	gloo::allgatherv(opts);
	expect(out[all - 1] == (int)seats() - 1, "allgatherv");
}

static void alltoall(size_t n)
{
	gloo::AlltoallOptions opts(me.group);
	Numbers in(n * seats(), seat()), out(n * seats());

	opts.setInput(in.data(), in.size());
	opts.setOutput(out.data(), out.size());
	gloo::alltoall(opts);
	expect(out[n] == 1, "alltoall");
}

/* Rank r gives seat i r + i elements; one whose number is `more' gives seat 0 one beyond that. */
static void alltoallv(size_t more)
{
	gloo::AlltoallvOptions opts(me.group);
	std::vector<int64_t> to, from;
	size_t gives = 0, awaits = 0;

	for (size_t i = 0; i < seats(); i++) {
		to.push_back((int64_t)((size_t)seat() + i + (!i ? more : 0)));
		from.push_back((int64_t)((size_t)seat() + i));
		gives += (size_t)to.back();
		awaits += (size_t)from.back();
	}
	Numbers in(gives, seat()), out(awaits);
	opts.setInput(in.data(), to);
	opts.setOutput(out.data(), from);
	gloo::alltoallv(opts);
	expect(out[awaits - 1] == (int)seats() - 1, "alltoallv");
}

static void gather(size_t n)
{
	gloo::GatherOptions opts(me.group);
	Numbers in(n, seat()), out(n * seats());

	opts.setInput(in.data(), n);
	if (!seat())
		opts.setOutput(out.data(), out.size());
	opts.setRoot(0);
	gloo::gather(opts);
	expect(seat() || out[n] == 1, "gather");
}

static void scatter(size_t n)
{
	gloo::ScatterOptions opts(me.group);
	std::vector<Numbers> in;
	std::vector<int *> parts;
	Numbers out(n);

	for (size_t i = 0; i < seats(); i++)
		in.emplace_back(n, (int)i);
	for (auto &part : in)
		parts.push_back(part.data());
	if (!seat())
		opts.setInputs(parts, n);
	opts.setOutput(out.data(), n);
	opts.setRoot(0);
	gloo::scatter(opts);
	expect(out[0] == seat(), "scatter");
}

static void barrier(size_t)
{
	gloo::BarrierOptions opts(me.group);

	gloo::barrier(opts);
}

/* --- Messages -------------------------------------------------------------------------------- */

static std::unique_ptr<gloo::transport::UnboundBuffer> &buffer()
{
	if (!me.buffer)
		me.buffer = me.group->createUnboundBuffer(
			me.memory.data(), me.memory.size() * sizeof(int));
	return me.buffer;
}

static void begin_send(size_t to) { buffer()->send((int)to, 7, 0, 32); }
/* In another slot: no receive of ours meets it. */
static void begin_send_apart(size_t to) { buffer()->send((int)to, 8, 0, 32); }
static void begin_recv(size_t from) { buffer()->recv((int)from, 7, 64, 32); }
static void wait_send(size_t) { buffer()->waitSend(); }
static void wait_recv(size_t) { buffer()->waitRecv(); }

static void send(size_t to)
{
	begin_send(to);
	wait_send(0);
}

static void recv(size_t from)
{
	begin_recv(from);
	wait_recv(0);
}

static void recv_any(size_t)
{
	Numbers all;
	int from = -1;

	for (int i = 0; i < (int)seats(); i++)
		if (i != seat())
			all.push_back(i);
	buffer()->recv(all, 7, 64, 32);
	buffer()->waitRecv(&from);
	expect(from >= 0 && from != seat(), "recv_any");
}

/* --- Threads --------------------------------------------------------------------------------- */

/* An op in a thread of its own, as TorchComms runs what is not waited for at once. */
static void threaded(size_t n)
{
	std::thread([n] { allreduce(n); }).join();
}

/*
 * As many at once, of unlike sizes, each on a thread of its own and with a tag of its own: which is
 * first, differs from rank to rank.
 */
static void flight(size_t n)
{
	std::vector<std::thread> all;
	static uint32_t tags;

	for (size_t i = 0; i < n; i++) {
		uint32_t tag = ++tags;
		size_t elements = 8 * (i + 1);
		int late = (int)((i + (size_t)seat() * 3) % n) * 1000;

		all.emplace_back([tag, elements, late] {
			gloo::AllreduceOptions opts(me.group);
			Numbers data(elements, seat() + 1);

			usleep((useconds_t)late);
			opts.setTag(tag);
			opts.setOutput(data.data(), elements);
			opts.setReduceFunction(static_cast<void (*)(void *, const void *,
					const void *, size_t)>(&gloo::sum<int>));
			gloo::allreduce(opts);
			expect(data[0] == (int)(seats() * (seats() + 1) / 2), "flight");
		});
	}
	for (auto &one : all)
		one.join();
}

static void stay(size_t)
{
	for (;;)
		pause();
}

static void nap(size_t ms) { usleep((useconds_t)ms * 1000); }
static void stop(size_t) { raise(SIGSTOP); }
static void patience(size_t ms) { me.timeout = std::chrono::milliseconds(ms); }

/* An allreduce of its own tag, which no other meets. */
static void tagged(size_t tag)
{
	gloo::AllreduceOptions options(me.group);
	Numbers data(8, seat() + 1);

	options.setTag((uint32_t)tag);
	options.setOutput(data.data(), data.size());
	options.setReduceFunction(
		static_cast<void (*)(void *, const void *, const void *, size_t)>(&gloo::sum<int>));
	gloo::allreduce(options);
}

static void aside(size_t tag) { std::thread([tag] { tagged(tag); }).detach(); }

/* --- Words ----------------------------------------------------------------------------------- */

static const std::map<std::string, std::pair<void (*)(size_t), size_t>> words = {
	{"init", {init, 0}}, {"init_by_own", {init_by_own, 0}}, {"make", {make, 0}},
	{"free", {free_all, 0}}, {"allreduce", {allreduce, 16}}, {"broadcast", {broadcast, 0}},
	{"reduce", {reduce, 16}}, {"allgather", {allgather, 16}},
	{"allgather_in_place", {allgather_in_place, 16}}, {"allgatherv", {allgatherv, 0}},
	{"alltoall", {alltoall, 16}}, {"alltoallv", {alltoallv, 0}}, {"gather", {gather, 16}},
	{"scatter", {scatter, 16}}, {"barrier", {barrier, 0}},
	{"send", {send, 0}}, {"recv", {recv, 0}}, {"recv_any", {recv_any, 0}},
	{"begin_send", {begin_send, 0}}, {"begin_recv", {begin_recv, 0}},
	{"begin_send_apart", {begin_send_apart, 0}}, {"stop", {stop, 0}},
	{"tagged", {tagged, 1}}, {"aside", {aside, 99}},
	{"wait_send", {wait_send, 0}}, {"wait_recv", {wait_recv, 0}},
	{"threaded", {threaded, 16}}, {"flight", {flight, 8}}, {"stay", {stay, 0}}, {"sleep", {nap, 100}},
	{"timeout", {patience, 1000}},
};

static void do_word(const std::string &word)
{
	size_t equals = word.find('=');
	std::string name = word.substr(0, equals);
	std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
	auto known = words.find(name);

	if (name == "as")
		return be(numbers(value));
	if (name == "sub")
		return sub(value);
	if (name == "sub_by_own")
		return sub_by_own(value);
	if (known == words.end()) {
		fprintf(stderr, "ranks: no such word: %s\n", name.c_str());
		_exit(2);
	}
	known->second.first(value.empty() ? known->second.second : (size_t)std::stoul(value));
}

/* "2:word" and "!2:word": is it this rank's? */
static bool is_mine(std::string &word)
{
	size_t colon = word.find(':');
	bool others = word[0] == '!', named;

	if (colon == std::string::npos)
		return true;
	named = seat_in(numbers(word.substr(others, colon - others))) >= 0;
	word = word.substr(colon + 1);
	return named != others;
}

int main(int argc, char **argv)
{
	gloo::transport::tcp::attr attr("127.0.0.1");

	if (argc < 2)
		return 2;
	me.dir = argv[1];
	me.rank = atoi(getenv("RANK") ? getenv("RANK") : "-1");
	me.size = atoi(getenv("WORLD_SIZE") ? getenv("WORLD_SIZE") : "0");
	me.device = gloo::transport::tcp::CreateDevice(attr);
	try {
		for (int i = 2; i < argc; i++) {
			std::string word = argv[i];

			if (is_mine(word))
				do_word(word);
		}
	} catch (const std::exception &e) {
		fprintf(stderr, "rank %d: %s\n", me.rank, e.what());
		_exit(7);
	}
	return 0;
}
