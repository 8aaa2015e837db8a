/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/last-words.h"

#include <stddef.h>
#include <signal.h>
#include <string.h>

#include "verdict/backends/backend.h"

bool words_tell_cuda_error(const char *text)
{
	static const char *const parts[] = {"CUDA error", "illegal memory access",
		"unspecified launch failure", "CUDA out of memory", "device-side assert",
		"ECC error", "cudaError", NULL};

	return backend_says(text, parts);
}

bool words_are_echo(const char *text)
{
	static const char *const parts[] = {/* Any library that talks to others. */
		"timeout", "timed out", "connection reset", "connection closed",
		"connection refused", "broken pipe", "socket", "peer", "heartbeat",
		/* torchelastic: agent/server/api.py, multiprocessing/api.py. */
		"SignalException", "ChildFailedError", "closing signal", "terminated by", "SIGTERM",
		/* JAX: xla/pjrt/distributed/client.h; TSL's coordination service and its agent. */
		"JAX distributed service detected fatal errors", "another task died",
		"coordination service", "CoordinationService", "coordinated shutdown",
		/* Ray: python/ray/exceptions.py ("The actor died unexpectedly before finishing this
		   task"), train/_internal/worker_group.py. */
		"RayActorError", "ActorDiedError", "ActorUnavailableError", "WorkerCrashedError",
		"NodeDiedError", "OwnerDiedError", "The actor died", "The actor is dead",
		"Worker group is not active",
		/* Slurm: src/srun, src/slurmd/slurmstepd ("srun: error: n3: task 5: Exited with
		   exit code 1", "*** STEP 7.0 ON n1 CANCELLED AT ..."). */
		"srun: error", "srun: Terminating", "Job step aborted", "slurmstepd: error",
		"CANCELLED AT", "DUE TO TIME LIMIT", "DUE TO TASK FAILURE", NULL};

	for (size_t i = 0; backends[i]; i++)
		if (backend_says(text, backends[i]->echoes))
			return true;
	return backend_says(text, parts);
}

bool words_tell_of_gone(const char *text)
{
	/* gloo: transport/tcp/pair.cc; NCCL: "remote process exited or there was a network
	   error". */
	static const char *const parts[] = {"closed by peer", "reset by peer", "connection reset",
		"connection closed", "broken pipe", "remote process exited", NULL};

	return backend_says(text, parts);
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
