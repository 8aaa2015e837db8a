/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/last-words.h"

#include <ctype.h>
#include <stddef.h>
#include <signal.h>
#include <string.h>

#include "verdict/backends/backend.h"

/* What Python's names of exceptions are made of, with their modules. */
#define NAME                                                                                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

bool words_tell_cuda_error(const char *text)
{
	static const char *const parts[] = {"CUDA error", "illegal memory access",
		"unspecified launch failure", "CUDA out of memory", "device-side assert",
		"ECC error", "cudaError", NULL};

	return backend_says(text, parts);
}

/*
 * Returns where the name of the exception begins that a text is of, and its length without modules:
 * 10 of "json.ValueError: words". The length is 0 where a text names none.
 */
static const char *exception_of(const char *text, size_t *ret_len)
{
	static const char *const before[] = {"thread exception: ", "handling: "};
	const char *end, *at;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(text, before[i], strlen(before[i])))
			text += strlen(before[i]);
	at = end = text + strspn(text, NAME);
	while (at > text && at[-1] != '.')
		at--;
	*ret_len = *end && *end != ':' ? 0 : (size_t)(end - at);
	return at;
}

/*
 * True for an exception that Python, or a program itself, raises over what it has, and no library
 * over what others sent: whatever it names, it is the rank's own.
 */
static bool is_of_program(const char *text)
{
	static const char *const names[] = {"ValueError", "TypeError", "KeyError", "IndexError",
		"LookupError", "AttributeError", "NameError", "UnboundLocalError", "ImportError",
		"ModuleNotFoundError", "SyntaxError", "IndentationError", "NotImplementedError",
		"ZeroDivisionError", "OverflowError", "FloatingPointError", "RecursionError",
		"MemoryError", "FileNotFoundError", "FileExistsError", "PermissionError",
		"IsADirectoryError", "NotADirectoryError", "UnicodeDecodeError",
		"UnicodeEncodeError", "JSONDecodeError", "TimeoutExpired", "OutOfMemoryError"};
	size_t len;
	const char *name = exception_of(text, &len);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(name, names[i], len))
			return true;
	return false;
}

/* True for words that only the one says whom others wait for, though others are in them. */
static bool is_of_itself(const char *text)
{
	/* c10d's socket.cpp, of the rank that keeps the store; torch/utils/data, of workers of the
	   rank's own; what talks to somebody outside of the job. */
	static const char *const parts[] = {"failed to listen on", "address already in use",
		"DataLoader timed out", "HTTPSConnectionPool(", "botocore.exceptions.", NULL};

	return backend_says(text, parts);
}

/* True if a line tells, in the words of the system or of a library, that somebody else is gone. */
static bool tells_of_lost(const char *text)
{
	static const char *const parts[] = {/* strerror(): ECONNRESET, ECONNREFUSED, EPIPE. */
		"connection reset", "connection refused", "broken pipe", "connection closed",
		"connection abort", "endpoint is not connected",
		/* Libraries that join ranks. */
		"closed by peer", "by remote peer", "peer closed", "peer disconnected",
		"peer failure",
		"socket closed", "socket unexpectedly closed", "socket is closed", "SocketError",
		"socket.timeout", NULL};

	return backend_says(text, parts);
}

/* True for a program's own exception over an answer that never came. */
static bool waited_in_vain(const char *text)
{
	static const char *const parts[] = {"timed out", "timeout waiting", NULL};

	return !strstr(text, "TimeoutExpired") && backend_says(text, parts);
}

/*
 * True if a line tells that a peer, a socket or a beat of others was lost, or may do: libraries
 * have many words for that, and who is in doubt is not accused. A "heartbeat column" is none.
 */
static bool tells_of_lack(const char *text)
{
	static const char *const whose[] = {"peer", "socket", "heartbeat", NULL};
	/* NCCL's watchdog ("Heartbeat monitor timed out!"); rendezvous of torchelastic ("failed to
	   send a keep-alive heartbeat"); TSL's coordination service ("stopped sending heartbeats");
	   Ray ("missed too many heartbeats"); Open MPI ("unexpected disconnect of peer"). */
	static const char *const what[] = {"clos", "lost", "lose", "gone", "away", "die", "dead",
		"dying", "connect", "reach", "missed", "missing too", "missing heartbeat",
		"no heartbeat", "too many", "stop", "expire", "stale", "abort", "cancel",
		"hung up", "broken", "EOF", "end of ", "wait", "arrive", "join", "exit", "crash",
		"0 bytes", "recv", "receiv", "sent", "send", "respon", "answer", "shut", "fail",
		"socket error", "unexpected", "monitor", "keep-alive", "beat to", "beat from",
		NULL};

	return backend_says(text, whose) && backend_says(text, what);
}

/* True if the text has that word, and not only in a file's name ("/ckpt/preempted.pt"). */
static bool says_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strcasestr(text, word); at; at = strcasestr(at + len, word)) {
		bool led = at > text && strchr("/_-", at[-1]);
		const char *behind = at + len + (at[len] == '.');
		bool goes_on = (*behind && strchr("/_-", *behind)) ||
			       (at[len] == '.' && isalnum((unsigned char)*behind));

		if (!led && !goes_on)
			return true;
	}
	return false;
}

/*
 * True for what a program raises when it is told to end: by its signal's name or number, as its
 * handler has it, or by why a scheduler sends it.
 */
static bool tells_of_order(const char *text)
{
	static const char *const parts[] = {"SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2",
		"due to preemption", "preemption signal", "preemption notice", NULL};
	static const char *const numbers[] = {"ignal 15", "ignal: 15", "ignum 15", "ignum=15"};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *at = strstr(text, numbers[i]);

		if (at && !strspn(at + strlen(numbers[i]), "0123456789"))
			return true;
	}
	return says_word(text, "preempted") || backend_says(text, parts);
}

bool words_are_echo(const char *text)
{
	static const char *const parts[] = {/* Any library that talks to others. */
		"timeout", "timed out", "lost peer", "from peer", "peer rank", "peer process",
		/* torchelastic: agent/server/api.py, multiprocessing/api.py. */
		"SignalException", "ChildFailedError", "closing signal", "terminated by",
		/* JAX: xla/pjrt/distributed/client.h; TSL's coordination service and its agent. */
		"JAX distributed service detected fatal errors", "another task died",
		"coordination service", "CoordinationService", "coordinated shutdown",
		/* Ray: python/ray/exceptions.py ("The actor died unexpectedly before finishing this
		   task"), train/_internal/worker_group.py. */
		"RayActorError", "ActorDiedError", "ActorUnavailableError", "WorkerCrashedError",
		"NodeDiedError", "OwnerDiedError", "The actor died", "The actor is dead",
		"Worker group is not active", "LocalRayletDiedError",
		/* Horovod; TensorFlow, base_collective_executor; rendezvous of
		   torchelastic, whose store is at one of the nodes. */
		"Horovod has been shut down", "Collective ops is aborted by",
		"RendezvousConnectionError", "RendezvousClosedError",
		/* Slurm: src/srun, src/slurmd/slurmstepd ("srun: error: n3: task 5: Exited with
		   exit code 1", "*** STEP 7.0 ON n1 CANCELLED AT ..."). */
		"srun: error", "srun: Terminating", "Job step aborted", "slurmstepd: error",
		"CANCELLED AT", "DUE TO TIME LIMIT", "DUE TO TASK FAILURE", NULL};

	if (is_of_itself(text))
		return false;
	if (tells_of_lost(text))
		return true;
	if (is_of_program(text))
		return waited_in_vain(text);
	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->echoes))
			return true;
	return tells_of_lack(text) || tells_of_order(text) || backend_says(text, parts);
}

bool words_tell_of_gone(const char *text)
{
	/* gloo: transport/tcp/pair.cc; NCCL: "remote process exited or there was a network
	   error". */
	static const char *const parts[] = {"closed by peer", "reset by peer", "connection reset",
		"connection closed", "broken pipe", "remote process exited", NULL};

	return !is_of_itself(text) && backend_says(text, parts);
}

bool words_tell_of_vain_wait(const char *text)
{
	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->vain))
			return true;
	return false;
}

bool words_blame_child(const char *text)
{
	return strstr(text, "DataLoader worker") &&
	       (strstr(text, "killed by signal") || strstr(text, "exited unexpectedly"));
}

/* The words of torch/utils/data, followed by those of strsignal(). */
int words_child_signal(const char *text)
{
	static const struct {
		const char *words;
		int signo;
	} said[] = {{"killed by signal: Killed", SIGKILL}, {"killed by signal: Bus error", SIGBUS}};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (strstr(text, said[i].words))
			return said[i].signo;
	return 0;
}

bool words_tell_mismatch(const char *text)
{
	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->mismatches))
			return true;
	return false;
}

bool words_may_tell_mismatch(const char *text)
{
	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->enforces))
			return true;
	return words_tell_mismatch(text);
}

bool words_tell_abort_call(const char *text)
{
	for (size_t i = 0; backends[i]; i++)
		for (size_t k = 0; backends[i]->aborts && backends[i]->aborts[k]; k++)
			if (!strncmp(text, backends[i]->aborts[k], strlen(backends[i]->aborts[k])))
				return true;
	return false;
}

bool words_tell_no_memory(const char *text)
{
	return strcasestr(text, "out of memory") != NULL;
}

/* True if a library that joins ranks has written the text. */
static bool is_backends(const char *text)
{
	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->speaks))
			return true;
	return false;
}

bool words_tell_own_abort(const char *text)
{
	/* glibc, of a spoilt heap or stack, and of what a program asserts. */
	static const char *const own[] = {"double free or corruption", "malloc(): ", "realloc(): ",
		"free(): ", "munmap_chunk(): ", "corrupted size", "corrupted double-linked list",
		"stack smashing detected", "buffer overflow detected", "Fatal glibc error: ",
		"Assertion ", NULL};

	if (words_are_echo(text) || words_tell_mismatch(text))
		return false;
	/* libstdc++: what an exception tells that nobody caught; not one of what joins ranks. */
	return backend_says(text, own) || (!strncmp(text, "what(): ", 8) && !is_backends(text));
}

bool words_lack_gil(const char *text)
{
	return strstr(text, "acquire GIL") != NULL;
}

enum words_note words_of_note(const char *text)
{
	static const char thread[] = "thread exception: ", handling[] = "handling: ";

	if (!strncmp(text, thread, strlen(thread)))
		return WORDS_THREAD;
	if (!strncmp(text, handling, strlen(handling)))
		return WORDS_HANDLING;
	return strstr(text, "pool of compile workers died") ? WORDS_POOL : WORDS_OTHER;
}
