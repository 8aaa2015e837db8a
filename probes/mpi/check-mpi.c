/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-mpi.c: our declarations against a real mpi.h, of Open MPI or of MPICH. Compiled, never
 * linked: where configure finds a header, a difference ends the build.
 */
#include <mpi.h>

#include "probes/mpi/mpi-abi.h"

#define MPI_N                                       int
#define MPI_D                                       int
#define MPI_CALL(n, Name, name, NAME, params, ...)  extern __typeof__(int params) MPI_##Name;
#define MPI_SIZED(n, Name, name, NAME, params, ...) extern __typeof__(int params) MPI_##Name;
#define MPI_BEGIN(n, nf, Name, name, NAME, params)  extern __typeof__(int params) MPI_##Name;
#define MPI_SPELL(n, nf, Name, name, NAME, params, ...)                                            \
	extern __typeof__(int params) MPI_##Name;
#include "probes/mpi/mpi.def"

#if MPI_VERSION >= 4
#undef MPI_N
#undef MPI_D
#define MPI_N MPI_Count
#define MPI_D MPI_Aint
#define MPI_CALL(n, Name, name, NAME, params, ...)
#define MPI_SIZED(n, Name, name, NAME, params, ...) extern __typeof__(int params) MPI_##Name##_c;
#define MPI_BEGIN(n, nf, Name, name, NAME, params)
#define MPI_SPELL(n, nf, Name, name, NAME, params, ...)
#include "probes/mpi/mpi.def"
#endif

#define SAME(a, b) _Static_assert((a) == (b), #a)

SAME(MPI_SUCCESS, MPI_ABI_SUCCESS);
SAME(sizeof(MPI_Fint), 4);
SAME(sizeof(MPI_Count), 8);
SAME(sizeof(MPI_Aint), sizeof(void *));
SAME(sizeof(MPI_Offset), sizeof(void *));
SAME(sizeof(MPI_File), sizeof(void *));

#ifdef OPEN_MPI
SAME(sizeof(MPI_Comm), sizeof(void *));
SAME(sizeof(MPI_Request), sizeof(void *));
SAME(sizeof(MPI_Win), sizeof(void *));
SAME(MPI_ANY_SOURCE, MPI_OPEN_ANY_SOURCE);
SAME(MPI_PROC_NULL, MPI_OPEN_PROC_NULL);

/* The objects that we look for by name are those that handles point to. */
#define TYPE(name, object, mpich, number) extern __typeof__(ompi_mpi_##object) ompi_mpi_##object;
#define OP(name, object, mpich, number)                                                            \
	extern __typeof__(ompi_mpi_op_##object) ompi_mpi_op_##object;
MPI_ABI_TYPES(TYPE)
MPI_ABI_OPS(OP)
extern __typeof__(ompi_mpi_comm_world) ompi_mpi_comm_world;
extern __typeof__(ompi_mpi_comm_self) ompi_mpi_comm_self;
extern __typeof__(ompi_mpi_comm_null) ompi_mpi_comm_null;
extern __typeof__(ompi_request_null) ompi_request_null;
extern __typeof__(ompi_mpi_datatype_null) ompi_mpi_datatype_null;
#else
SAME(sizeof(MPI_Comm), sizeof(int));
SAME(sizeof(MPI_Request), sizeof(int));
SAME(sizeof(MPI_Win), sizeof(int));
SAME(MPI_ANY_SOURCE, MPI_MPICH_ANY_SOURCE);
SAME(MPI_PROC_NULL, MPI_MPICH_PROC_NULL);
SAME(MPI_COMM_NULL, MPI_MPICH_COMM_NULL);
SAME(MPI_COMM_WORLD, MPI_MPICH_COMM_WORLD);
SAME(MPI_COMM_SELF, MPI_MPICH_COMM_SELF);
SAME(MPI_REQUEST_NULL, MPI_MPICH_REQUEST_NULL);
SAME(MPI_DATATYPE_NULL, MPI_MPICH_TYPE_NULL);
#define TYPE(name, object, mpich, number) SAME(name, mpich);
#define OP(name, object, mpich, number)   SAME(name, mpich);
MPI_ABI_TYPES(TYPE)
MPI_ABI_OPS(OP)
#endif
