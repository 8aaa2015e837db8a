/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-abi.h: the few declarations of MPI that the probe needs, our own, since MPI is never needed
 * to build. There are two ABIs, and one probe for both:
 *
 *	Open MPI	handles are pointers, the predefined ones to objects that libmpi exports
 *	MPICH		and its kin (Intel MPI, MVAPICH, Cray's): handles are ints, the predefined
 *			ones constants
 *
 * A handle is a word here. Which of the two it is, and so how much of the word counts, is known
 * when the program initialises MPI (mpi-library.h). check-mpi.c compares each function of mpi.def,
 * and each constant here, with the real headers of both where configure finds them.
 */
#ifndef PROBES_MPI_ABI_H
#define PROBES_MPI_ABI_H

#define MPI_ABI_SUCCESS   0
/* The answer of a wrapper if there is no MPI behind it: an error without a class of its own. */
#define MPI_ABI_MISSING 15

/* Constants of Open MPI. */
#define MPI_OPEN_ANY_SOURCE (-1)
#define MPI_OPEN_PROC_NULL  (-2)

/* Constants of MPICH. */
#define MPI_MPICH_ANY_SOURCE   (-2)
#define MPI_MPICH_PROC_NULL    (-1)
#define MPI_MPICH_COMM_NULL    0x04000000
#define MPI_MPICH_COMM_WORLD   0x44000000
#define MPI_MPICH_COMM_SELF    0x44000001
#define MPI_MPICH_REQUEST_NULL 0x2c000000
#define MPI_MPICH_TYPE_NULL    0x0c000000

/*
 * Data types that rings have a number for (lists/sig.def): MPI_ABI_TYPE(C name, Open MPI's object
 * behind ompi_mpi_, MPICH's handle, number). Of all others a record has bytes.
 */
#define MPI_ABI_TYPES(MPI_ABI_TYPE)                                                                \
	MPI_ABI_TYPE(MPI_CHAR, char, 0x4c000101, 0)                                                \
	MPI_ABI_TYPE(MPI_SIGNED_CHAR, signed_char, 0x4c000118, 0)                                  \
	MPI_ABI_TYPE(MPI_INT8_T, int8_t, 0x4c000137, 0)                                            \
	MPI_ABI_TYPE(MPI_CHARACTER, character, 0x4c00011a, 0)                                      \
	MPI_ABI_TYPE(MPI_UNSIGNED_CHAR, unsigned_char, 0x4c000102, 1)                              \
	MPI_ABI_TYPE(MPI_UINT8_T, uint8_t, 0x4c00013b, 1)                                          \
	MPI_ABI_TYPE(MPI_BYTE, byte, 0x4c00010d, 1)                                                \
	MPI_ABI_TYPE(MPI_INT, int, 0x4c000405, 2)                                                  \
	MPI_ABI_TYPE(MPI_INT32_T, int32_t, 0x4c000439, 2)                                          \
	MPI_ABI_TYPE(MPI_INTEGER, integer, 0x4c00041b, 2)                                          \
	MPI_ABI_TYPE(MPI_INTEGER4, integer4, 0x4c000430, 2)                                        \
	MPI_ABI_TYPE(MPI_UNSIGNED, unsigned, 0x4c000406, 3)                                        \
	MPI_ABI_TYPE(MPI_UINT32_T, uint32_t, 0x4c00043d, 3)                                        \
	MPI_ABI_TYPE(MPI_LONG, long, 0x4c000807, 4)                                                \
	MPI_ABI_TYPE(MPI_LONG_LONG_INT, long_long_int, 0x4c000809, 4)                              \
	MPI_ABI_TYPE(MPI_INT64_T, int64_t, 0x4c00083a, 4)                                          \
	MPI_ABI_TYPE(MPI_INTEGER8, integer8, 0x4c000831, 4)                                        \
	MPI_ABI_TYPE(MPI_AINT, aint, 0x4c000843, 4)                                                \
	MPI_ABI_TYPE(MPI_OFFSET, offset, 0x4c000844, 4)                                            \
	MPI_ABI_TYPE(MPI_COUNT, count, 0x4c000845, 4)                                              \
	MPI_ABI_TYPE(MPI_UNSIGNED_LONG, unsigned_long, 0x4c000808, 5)                              \
	MPI_ABI_TYPE(MPI_UNSIGNED_LONG_LONG, unsigned_long_long, 0x4c000819, 5)                    \
	MPI_ABI_TYPE(MPI_UINT64_T, uint64_t, 0x4c00083e, 5)                                        \
	MPI_ABI_TYPE(MPI_FLOAT, float, 0x4c00040a, 7)                                              \
	MPI_ABI_TYPE(MPI_REAL, real, 0x4c00041c, 7)                                                \
	MPI_ABI_TYPE(MPI_REAL4, real4, 0x4c000427, 7)                                              \
	MPI_ABI_TYPE(MPI_DOUBLE, double, 0x4c00080b, 8)                                            \
	MPI_ABI_TYPE(MPI_DOUBLE_PRECISION, dblprec, 0x4c00081f, 8)                                 \
	MPI_ABI_TYPE(MPI_REAL8, real8, 0x4c000829, 8)

/* Reductions, likewise: MPI_ABI_OP(C name, behind ompi_mpi_op_, MPICH's handle, number). */
#define MPI_ABI_OPS(MPI_ABI_OP)                                                                    \
	MPI_ABI_OP(MPI_SUM, sum, 0x58000003, 0)                                                    \
	MPI_ABI_OP(MPI_PROD, prod, 0x58000004, 1)                                                  \
	MPI_ABI_OP(MPI_MAX, max, 0x58000001, 2)                                                    \
	MPI_ABI_OP(MPI_MIN, min, 0x58000002, 3)                                                    \
	MPI_ABI_OP(MPI_LAND, land, 0x58000005, 192)                                                \
	MPI_ABI_OP(MPI_BAND, band, 0x58000006, 193)                                                \
	MPI_ABI_OP(MPI_LOR, lor, 0x58000007, 194)                                                  \
	MPI_ABI_OP(MPI_BOR, bor, 0x58000008, 195)                                                  \
	MPI_ABI_OP(MPI_LXOR, lxor, 0x58000009, 196)                                                \
	MPI_ABI_OP(MPI_BXOR, bxor, 0x5800000a, 197)                                                \
	MPI_ABI_OP(MPI_MINLOC, minloc, 0x5800000b, 198)                                            \
	MPI_ABI_OP(MPI_MAXLOC, maxloc, 0x5800000c, 199)

#endif
