/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI: Open MPI, MPICH, Intel MPI. The host waits in its operations, and mostly spins there. It
 * has no timeout: a job ends when its launcher ends it.
 */
#include "verdict/backend.h"
#include "verdict/activity-line.h"

static const struct activity_line lines[] = {
	DECIDES(INIT, "*MPI_Init*", NULL, "MPI_Init"),
	DECIDES(COLLECTIVE, "MPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, "PMPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libmpi*.so*", NULL),
};

static const struct stackfacts_place calls[] = {{"MPI_*", NULL}};
static const char *const prefixes[] = {"MPI_", "PMPI_", NULL};
static const char *const hides[] = {"mpi_lib*", "MPI.*", NULL};
static const char *const spins[] = {
	"libmpi*.so*", "libopen-*.so*", "libpmix.so*", "MPI.*.so*", NULL};

static const char *const echoes[] = {
	/* Open MPI: orte/tools/orterun and PRRTE's help-prun.txt, help-mpi-api.txt. */
	"noticed that process rank", "MPI_ABORT was invoked", "PMIX", "has lost communication",
	"non-zero exit code", "exiting improperly",
	/* MPICH, Intel MPI: Hydra's "YOUR APPLICATION TERMINATED", "BAD TERMINATION". */
	"APPLICATION TERMINATED", "BAD TERMINATION", NULL};

const struct backend backend_mpi = {
	.lines = lines,
	.nlines = N_OF(lines),
	.calls = calls,
	.ncalls = N_OF(calls),
	.prefixes = prefixes,
	.hides = hides,
	.spins = spins,
	.echoes = echoes,
};
