/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks whose last words are of a peer that is gone: while they tear down, and of whom they are. */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"
#include "tests/unit/judged.h"
#include "verdict/profiles/last-words.h"

#define CLOSED "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:29328"

/*
 * Rank 3 is done and gone; what its peers heard of it they raise, and work on while they tear down.
 * One of them is waited for elsewhere, by a rank that heard nothing.
 */
static void a_peer_that_works_while_it_tears_down_is_a_victim(void **state)
{
	struct facts *f = facts_new(4);
	int pair = facts_group_of(f, 2, 1, 2);

	f->group_makers[0] = f->group_makers[pair] = "gloo";
	facts_rounds(f, 0, 3, 20, 0.1);
	facts_end(f, 3, JOB_EXITED, 0, 85);
	facts_hold(f, pair, 1, JOB_OP_ALLREDUCE, 4096, 84);
	for (int i = 0; i < 3; i += 2) {
		facts_note(f, i, CLOSED, 85.1);
		facts_outside(f, i, 85.1);
		facts_cpu(f, i, 1.5, 2, 0);
	}
	facts_expect(f, VERDICT_EARLY_EXIT, "3", NULL);
	facts_free(f);
}

/*
 * A request to a server outside times out in rank 1, which never comes to the operation in which
 * the others then lose it: what it says of others is of none of them. So many ranks exit by that,
 * before anybody is told to end.
 */
static struct facts *asked_in_vain(double at, int ranks)
{
	struct facts *f = facts_new(4);

	f->group_makers[0] = "gloo";
	facts_rounds(f, 0, 10, 20, 0.5);
	for (int i = 0; i < ranks; i++) {
		if (i != 1)
			facts_enter(f, 0, i, JOB_OP_ALLREDUCE, 4096, 60)->completed = JOB_NO;
		facts_note(f, i, i == 1 ? "TimeoutError: The read operation timed out" : CLOSED,
			i == 1 ? at : 60.2 + 0.01 * i);
		facts_outside(f, i, 60.2);
		facts_end(f, i, JOB_EXITED, 1, 60.5 + 0.01 * i);
	}
	return f;
}

static void who_fails_ahead_of_what_others_die_in_is_a_guess(void **state)
{
	struct facts *f = asked_in_vain(60.1, 4);
	struct judged j = judge(f);

	assert_int_equal(j.first->class, VERDICT_RANK_DEATH);
	assert_int_equal(j.first->confidence, VERDICT_HYPOTHESIS);
	assert_int_equal(facts_culprits(f), 1 << 1);
	dismiss(j);
	facts_free(f);
	/* Behind the others it may be of them. */
	f = asked_in_vain(60.4, 4);
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
	/* So it may be where one of them had left in good order. */
	f = asked_in_vain(60.1, 3);
	facts_end(f, 3, JOB_EXITED, 0, 60.05);
	facts_expect(f, VERDICT_EARLY_EXIT, "3", NULL);
	facts_free(f);
	/* Or where it stood in an operation itself. */
	f = asked_in_vain(60.1, 4);
	facts_enter(f, facts_group_of(f, 2, 0, 1), 1, JOB_OP_ALLREDUCE, 4096, 60)->completed =
		JOB_NO;
	assert_int_equal(facts_culprits(f), 0);
	facts_free(f);
}

/* Whatever it is about: what libraries say where others are gone, and nobody else does. */
static const char *const of_others[] = {
	"RuntimeError: [pair.cc:547] Connection reset by peer [127.0.0.1]:1234",
	"RuntimeError: [pair.cc:425] writev [127.0.0.1]:2: Broken pipe",
	"RuntimeError: Socket Timeout",
	"RuntimeError: Read timeout [127.0.0.1]:1234",
	"RuntimeError: Rank 0 timed out in monitoredBarrier after 6000 ms",
	"torch.distributed.DistNetworkError: The client socket has failed to connect to any",
	"RuntimeError: store->get('0') got error: wait timeout after 300000ms, keys: /0//cuda//0",
	"[PG ID 0 PG GUID 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds",
	"[PG ID 0 PG GUID 0 Rank 1] Heartbeat monitor timed out!",
	"ncclRemoteError: A call failed possibly due to a network error or a remote process",
	"socketProgress: Connection closed by remote peer n2<45678>",
	"ConnectionResetError: [Errno 104] Connection reset by peer",
	"BrokenPipeError: [Errno 32] Broken pipe",
	"TimeoutError: timed out",
	"ValueError: step 7 failed: Connection closed by peer [127.0.0.1]:1234",
	"XlaRuntimeError: UNAVAILABLE: tasks are unhealthy (stopped sending heartbeats):",
	/* Whatever words a library or a program has for it. */
	"RuntimeError: peer 3 closed the connection",
	"RuntimeError: Lost connection to peer 3",
	"RuntimeError: peer is gone",
	"RuntimeError: peer failed",
	"RuntimeError: not all peers arrived",
	"CancelledError: RPC Request was cancelled by peer",
	"UCXError: <[Recv] Endpoint is unreachable: peer failed",
	"Open MPI detected an unexpected disconnect of peer [[1,1],2]",
	"RuntimeError: Socket connection broken",
	"RuntimeError: unexpected EOF on socket",
	"EOFError: socket: 0 bytes received",
	"RuntimeError: rank 3 missed too many heartbeats",
	"RuntimeError: heartbeat of rank 3 lost",
	"RuntimeError: Did not receive a heartbeat in 30 s",
	"RuntimeError: heartbeat expired for worker 3",
	"ConnectionAbortedError: [Errno 103] Software caused connection abort",
	"HorovodInternalError: Horovod has been shut down. This was caused by an exception on one",
	"UnavailableError: Collective ops is aborted by: failed to connect to all addresses",
	"MPID_nem_tcp_connpoll(1845): Communication error with rank 1",
	/* Who was told to end. */
	"RuntimeError: got signal 15, stopping",
	"Exception: Received signal: 15",
	"RuntimeError: handler called with signum=15",
	"RuntimeError: caught SIGUSR1: saving before the time limit",
	"PreemptionError: this job was preempted",
	/* Also of who raises over an answer that never came. */
	"ValueError: timed out waiting for rank 3",
	"FileNotFoundError: timed out waiting for /ckpt/done, which rank 0 writes",
};
/* Words that it shares with those, in what a program has and does. */
static const char *const of_itself[] = {
	"ValueError: heartbeat column missing",
	"FileNotFoundError: [Errno 2] No such file or directory: '/data/socket.json'",
	"KeyError: 'peer_id'",
	"RuntimeError: peer review is due",
	"KeyError: 'timeout'",
	"RuntimeError: heartbeat column missing",
	"RuntimeError: 2 sockets, 1 asked for",
	"RuntimeError: signal 150 of 200 is empty",
	"OSError: [Errno 28] No space left on device: '/ckpt/preempted.pt'",
	"RuntimeError: /data/preempted/5 is empty",
	"RuntimeError: a child received signal 11",
	"TypeError: __init__() got an unexpected keyword argument 'timeout'",
	"ImportError: libnccl.so.2: cannot open shared object file",
	"thread exception: KeyError: 'nccl'",
	"json.decoder.JSONDecodeError: timeout: line 1",
	"subprocess.TimeoutExpired: Command 'git' timed out after 30 seconds",
	"RuntimeError: DataLoader timed out after 30 seconds",
	"requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='hf.co'): Read timed out.",
	"torch.distributed.DistNetworkError: The server socket has failed to listen on [::]:29500",
	"KeyError",
	"",
};

static void what_names_others_may_be_of_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(of_others) / sizeof(*of_others); i++)
		if (!words_are_echo(of_others[i]))
			fail_msg("is of others: %s", of_others[i]);
	for (size_t i = 0; i < sizeof(of_itself) / sizeof(*of_itself); i++)
		if (words_are_echo(of_itself[i]))
			fail_msg("is of itself: %s", of_itself[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_that_works_while_it_tears_down_is_a_victim),
		cmocka_unit_test(who_fails_ahead_of_what_others_die_in_is_a_guess),
		cmocka_unit_test(what_names_others_may_be_of_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
