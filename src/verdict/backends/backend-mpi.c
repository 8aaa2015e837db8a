/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI: Open MPI, MPICH, Intel MPI. The host waits in its operations, and mostly spins there. It
 * has no timeout: a job ends when its launcher ends it.
 */
#include "verdict/activities/activity-line.h"
#include "verdict/backends/backend.h"

static const struct activity_line lines[] = {
	DECIDES(INIT, "*MPI_Init*", NULL, "MPI_Init"),
	DECIDES(COLLECTIVE, "MPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, "PMPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libmpi*.so*", NULL),
};

/*
 * Further in are progress loops, and functions of the library without a telling name. Any name may
 * have a P before it: both are one function. A request may be of a collective; but a wait for one
 * does not show which, so nothing is concluded from where others are.
 */
/*
 * The innermost frame of the library is often one of its own; the function that the program called
 * lies further out, with or without a P before its name. What a request is of, a wait for it does
 * not say: it counts as a send or receive, and is compared with nobody's collective.
 */
static const struct activity_line better[] = {
	DECIDES(INIT, "*MPI_Init*", NULL, "MPI_Init"),
	DECIDES(P2P, "MPI_Send*", NULL, NULL),
	DECIDES(P2P, "PMPI_Send*", NULL, NULL),
	DECIDES(P2P, "MPI_Ssend*", NULL, NULL),
	DECIDES(P2P, "PMPI_Ssend*", NULL, NULL),
	DECIDES(P2P, "MPI_Rsend*", NULL, NULL),
	DECIDES(P2P, "PMPI_Rsend*", NULL, NULL),
	DECIDES(P2P, "MPI_Bsend*", NULL, NULL),
	DECIDES(P2P, "PMPI_Bsend*", NULL, NULL),
	DECIDES(P2P, "MPI_Recv*", NULL, NULL),
	DECIDES(P2P, "PMPI_Recv*", NULL, NULL),
	DECIDES(P2P, "MPI_Mrecv*", NULL, NULL),
	DECIDES(P2P, "PMPI_Mrecv*", NULL, NULL),
	DECIDES(P2P, "MPI_Probe*", NULL, NULL),
	DECIDES(P2P, "PMPI_Probe*", NULL, NULL),
	DECIDES(P2P, "MPI_Mprobe*", NULL, NULL),
	DECIDES(P2P, "PMPI_Mprobe*", NULL, NULL),
	DECIDES(P2P, "MPI_Wait*", NULL, NULL),
	DECIDES(P2P, "PMPI_Wait*", NULL, NULL),
	/* Open MPI's MPI_Init and MPI_Finalize jump there: they have no frame of their own. */
	DECIDES(INIT, "ompi_mpi_init*", NULL, "MPI_Init"),
	DECIDES(COLLECTIVE, "ompi_mpi_finalize*", NULL, "MPI_Finalize"),
};

static const struct stackfacts_place calls[] = {{"MPI_*", NULL}, {"PMPI_*", NULL}};
static const char *const prefixes[] = {"MPI_", "PMPI_", NULL};
static const char *const hides[] = {"mpi_lib*", "MPI.*", NULL};
static const char *const spins[] = {
	"libmpi*.so*", "libopen-*.so*", "libpmix.so*", "MPI.*.so*", NULL};

static const char *const echoes[] = {
	/* Open MPI: orte/tools/orterun and PRRTE's help-prun.txt, help-mpi-api.txt. */
	"noticed that process rank", "MPI_ABORT was invoked", "PMIX", "has lost communication",
	"non-zero exit code", "exiting improperly", "peer MPI process",
	/* MPICH, Intel MPI: Hydra's "YOUR APPLICATION TERMINATED", "BAD TERMINATION". */
	"APPLICATION TERMINATED", "BAD TERMINATION", "Communication error with rank",
	/* MPI 5's errors of a communicator of which a process is gone. */
	"MPI_ERR_PROC_FAILED", "MPI_ERR_REVOKED", NULL};

static const char *const aborts[] = {"MPI_Abort(", NULL};

const struct backend backend_mpi = {
	.name = "mpi",
	.lines = lines,
	.nlines = N_OF(lines),
	.better = better,
	.nbetter = N_OF(better),
	.calls = calls,
	.ncalls = N_OF(calls),
	.prefixes = prefixes,
	.hides = hides,
	.spins = spins,
	.echoes = echoes,
	.aborts = aborts,
};
