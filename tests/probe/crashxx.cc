/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crashxx.cc: a rank in C++: exceptions that are caught, across libraries, and such as are not.
 *
 *	crashxx [rank] (catch|throw|rethrow|noexcept|unrelated)
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include <nccl.h>

namespace job {
struct bad_batch : std::runtime_error {
	using std::runtime_error::runtime_error;
};
} // namespace job

static void become_rank()
{
	ncclUniqueId id;
	ncclComm_t comm;

	if (ncclGetUniqueId(&id) != ncclSuccess || ncclCommInitRank(&comm, 1, id, 0) != ncclSuccess)
		exit(9);
}

__attribute__((noinline)) static int throws(const void *a, const void *b)
{
	if (a != b)
		throw job::bad_batch("out of rows");
	return 0;
}

/* Through a frame of libc's, and through one of std::thread's. */
static void catches()
{
	int caught = 0, rows[] = {2, 1, 3};

	try {
		qsort(rows, 3, sizeof(*rows), throws);
	} catch (const std::exception &e) {
		caught += !strcmp(e.what(), "out of rows");
	}
	std::thread([&caught] {
		try {
			throws(&caught, nullptr);
		} catch (const job::bad_batch &) {
			caught++;
		}
	}).join();
	printf("caught %d\n", caught);
}

static void rethrows()
{
	std::exception_ptr kept;

	try {
		throws(&kept, nullptr);
	} catch (...) {
		kept = std::current_exception();
	}
	std::rethrow_exception(kept);
}

static void promises() noexcept
{
	throws("", nullptr);
}

/* An abort that has nothing to do with the exception that was handled well before. */
static void aborts()
{
	catches();
	abort();
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const std::string word = argv[i];

		if (word == "rank")
			become_rank();
		else if (word == "catch")
			catches();
		else if (word == "throw")
			throws(argv, nullptr);
		else if (word == "rethrow")
			rethrows();
		else if (word == "noexcept")
			promises();
		else if (word == "unrelated")
			aborts();
		else
			return 2;
	}
	return 0;
}
