/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/last-words.h"

#include <stddef.h>
#include <signal.h>
#include <string.h>

static bool contains_any(const char *text, const char *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(text, parts[i]))
			return true;
	return false;
}

#define CONTAINS(text, parts) contains_any(text, parts, sizeof(parts) / sizeof(*(parts)))

bool words_tell_cuda_error(const char *text)
{
	static const char *const parts[] = {"CUDA error", "illegal memory access",
		"unspecified launch failure", "CUDA out of memory", "device-side assert",
		"ECC error", "cudaError"};

	return CONTAINS(text, parts);
}

bool words_are_echo(const char *text)
{
	static const char *const parts[] = {/* Any library that talks to others. */
		"timeout", "timed out", "connection reset", "connection closed",
		"connection refused", "broken pipe", "socket", "peer", "heartbeat",
		/* PyTorch: c10d's exceptions and its stores. */
		"DistBackendError", "DistNetworkError", "DistStoreError", "TCPStore",
		"connection was likely closed", "failed to recv", "monitoredBarrier",
		/* PyTorch: ProcessGroupNCCL.cpp; NCCL's own "remote process exited". */
		"nccl", "remote process", "watchdog", "taking the entire process down",
		/* gloo: transport/tcp/pair.cc ("Connection closed by peer [", "Timed out waiting
		   %ld ms for send/recv operation to complete"), ProcessGroupGloo.cpp. */
		"connectFullMesh", "Timed out waiting",
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
		/* Open MPI: orte/tools/orterun and PRRTE's help-prun.txt, help-mpi-api.txt. */
		"noticed that process rank", "MPI_ABORT was invoked", "PMIX",
		"has lost communication", "non-zero exit code", "exiting improperly",
		/* MPICH, Intel MPI: Hydra's "YOUR APPLICATION TERMINATED", "BAD TERMINATION". */
		"APPLICATION TERMINATED", "BAD TERMINATION",
		/* Slurm: src/srun, src/slurmd/slurmstepd ("srun: error: n3: task 5: Exited with
		   exit code 1", "*** STEP 7.0 ON n1 CANCELLED AT ..."). */
		"srun: error", "srun: Terminating", "Job step aborted", "slurmstepd: error",
		"CANCELLED AT", "DUE TO TIME LIMIT", "DUE TO TASK FAILURE"};

	return CONTAINS(text, parts);
}

bool words_blame_child(const char *text)
{
	return strstr(text, "DataLoader worker") &&
	       (strstr(text, "killed by signal") || strstr(text, "exited unexpectedly"));
}

/* torch/utils/data: the words of strsignal() behind it. */
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

/* gloo's transport/tcp/pair.cc: more came than the operation here has room for. */
bool words_tell_mismatch(const char *text)
{
	static const char *const parts[] = {
		"distributed collective mismatch", "op.preamble.length <= op.nbytes"};

	return CONTAINS(text, parts);
}
