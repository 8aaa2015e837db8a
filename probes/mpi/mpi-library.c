/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predefined types and reductions lie in two small tables by their handles, which are filled
 * once before they are shown: a lookup is on the way of each call. What is in neither is the
 * program's own.
 */
#include "probes/mpi/mpi-library.h"

#include <errno.h>
#include <string.h>

#include "probes/dl.h"
#include "probes/hook.h"
#include "probes/mpi/mpi-abi.h"
#include "ring/ring.h"

#define TYPES 128 /* powers of two, well above what is in them */
#define OPS   32

const char *const hook_mpi[] = {
	"libmpi.so.40",		 /* Open MPI 3 to 5 */
	"libmpich.so.12",	 /* MPICH, as Debian names it */
	"libmpi.so.12",		 /* MPICH, Intel MPI, MVAPICH */
	"libmpi_cray.so.12",	 /* Cray MPICH, by compiler */
	"libmpi_gnu.so.12", "libmpi.so.20", "libmpi.so", "libmpi_mpifh.so.40",
	"libmpi_usempif08.so.40", "libmpichfort.so.12", "libmpifort.so.12", NULL};

struct known {
	uint64_t handle; /* 0 free */
	unsigned number;
};

enum { UNLOOKED, LOOKING, KNOWN, STRANGE };

/* Writer: the thread that calls MPI_Init, before `state` says KNOWN. */
static struct {
	int state;
	struct mpi_library library;
	struct known types[TYPES];
	struct known ops[OPS];
} found;

/* --- Which it is ----------------------------------------------------------------------------- */

/*
 * Returns where an object of the library is. A program that is linked to a fixed place has a copy,
 * and that one counts.
 */
static uint64_t find_object(const char *name)
{
	void *at = dl_sym(RTLD_DEFAULT, name);

	for (const char *const *so = hook_mpi; !at && *so; so++) {
		void *lib = dl_open(*so, RTLD_LAZY | RTLD_NOLOAD);

		if (!lib)
			continue;
		at = dl_sym(lib, name);
		dl_close(lib);
	}
	return (uint64_t)(uintptr_t)at;
}

static unsigned place(uint64_t handle, unsigned size)
{
	return (unsigned)((handle ^ handle >> 32) * 0x9e3779b97f4a7c15ull >> 40) % size;
}

static void put(struct known *table, unsigned size, uint64_t handle, unsigned number)
{
	unsigned at = place(handle, size);

	for (unsigned i = 0; handle && i < size; i++, at = (at + 1) % size) {
		if (table[at].handle && table[at].handle != handle)
			continue;
		table[at] = (struct known){handle, number};
		return;
	}
}

/* Returns the number of a handle; -1 if the table has none. */
static int get(const struct known *table, unsigned size, uint64_t handle)
{
	unsigned at = place(handle, size);

	for (unsigned i = 0; i < size && table[at].handle; i++, at = (at + 1) % size)
		if (table[at].handle == handle)
			return (int)table[at].number;
	return -1;
}

static void look_at_open(void)
{
	found.library = (struct mpi_library){
		.open = 1,
		.any_source = MPI_OPEN_ANY_SOURCE,
		.proc_null = MPI_OPEN_PROC_NULL,
		.world = find_object("ompi_mpi_comm_world"),
		.self = find_object("ompi_mpi_comm_self"),
		.comm_null = find_object("ompi_mpi_comm_null"),
		.request_null = find_object("ompi_request_null"),
		.type_null = find_object("ompi_mpi_datatype_null"),
	};
#define TYPE(name, object, mpich, number)                                                          \
	put(found.types, TYPES, find_object("ompi_mpi_" #object), number);
#define OP(name, object, mpich, number)                                                            \
	put(found.ops, OPS, find_object("ompi_mpi_op_" #object), number);
	MPI_ABI_TYPES(TYPE)
	MPI_ABI_OPS(OP)
#undef TYPE
#undef OP
}

static void look_at_mpich(void)
{
	found.library = (struct mpi_library){
		.any_source = MPI_MPICH_ANY_SOURCE,
		.proc_null = MPI_MPICH_PROC_NULL,
		.world = MPI_MPICH_COMM_WORLD,
		.self = MPI_MPICH_COMM_SELF,
		.comm_null = MPI_MPICH_COMM_NULL,
		.request_null = MPI_MPICH_REQUEST_NULL,
		.type_null = MPI_MPICH_TYPE_NULL,
	};
#define TYPE(name, object, mpich, number) put(found.types, TYPES, mpich, number);
#define OP(name, object, mpich, number)   put(found.ops, OPS, mpich, number);
	MPI_ABI_TYPES(TYPE)
	MPI_ABI_OPS(OP)
#undef TYPE
#undef OP
}

/*
 * True if the library is MPICH or its kin. MPI 5 has an ABI for all, with handles of its own, in
 * libraries of another name.
 */
static int is_mpich(void)
{
	static void *slot;
	void *version = hook_borrow(&slot, "PMPI_Get_library_version", hook_mpi);
	Dl_info where;

	return version && dl_addr(version, &where) && where.dli_fname &&
	       !strstr(where.dli_fname, "libmpi_abi");
}

int mpi_library_find(void)
{
	int unlooked = UNLOOKED, saved = errno;

	if (__atomic_compare_exchange_n(&found.state, &unlooked, LOOKING, 0, __ATOMIC_ACQUIRE,
		    __ATOMIC_RELAXED)) {
		int open = find_object("ompi_mpi_comm_world") != 0;
		int known = open || is_mpich();

		if (known && open)
			look_at_open();
		else if (known)
			look_at_mpich();
		__atomic_store_n(&found.state, known ? KNOWN : STRANGE, __ATOMIC_RELEASE);
	}
	errno = saved;
	return mpi_library() != NULL;
}

const struct mpi_library *mpi_library(void)
{
	return __atomic_load_n(&found.state, __ATOMIC_ACQUIRE) == KNOWN ? &found.library : NULL;
}

/* --- Questions ------------------------------------------------------------------------------- */

#define BORROW(type, name)                                                                         \
	static void *slot;                                                                         \
	type ask = (type)hook_borrow(&slot, name, hook_mpi)

typedef uint64_t (*mpi_convert)(int32_t);
typedef int (*mpi_ask_number)(uint64_t, int *);
typedef int (*mpi_ask_handle)(uint64_t, uint64_t *);
typedef int (*mpi_free_handle)(uint64_t *);
typedef int (*mpi_include)(uint64_t, int, const int *, uint64_t *);
typedef int (*mpi_translate)(uint64_t, int, const int *, uint64_t, int *);

uint64_t mpi_from_fortran(enum mpi_kind kind, int32_t handle)
{
	static const char *const names[MPI_KINDS] = {"PMPI_Comm_f2c", "PMPI_Type_f2c",
		"PMPI_Op_f2c", "PMPI_Request_f2c", "PMPI_Win_f2c", "PMPI_File_f2c"};
	static void *slots[MPI_KINDS];
	mpi_convert convert;

	if (!found.library.open && kind != MPI_KIND_FILE)
		return (uint32_t)handle;
	convert = (mpi_convert)hook_borrow(&slots[kind], names[kind], hook_mpi);
	return convert ? convert(handle) : 0;
}

uint64_t mpi_bytes(uint64_t type, uint64_t count)
{
	int size = 0;
	BORROW(mpi_ask_number, "PMPI_Type_size");

	if (!ask || !type || type == found.library.type_null || ask(type, &size) || size < 0)
		return UINT64_MAX;
	return count * (unsigned)size;
}

unsigned mpi_dtype(uint64_t type, uint64_t *count)
{
	int number = get(found.types, TYPES, type);

	if (number >= 0)
		return (unsigned)number;
	*count = mpi_bytes(type, *count);
	return RING_SIG_BYTES;
}

unsigned mpi_redop(uint64_t op)
{
	int number = get(found.ops, OPS, op);

	return number < 0 ? RING_SIG_UNKNOWN : (unsigned)number;
}

int mpi_ask_size(uint64_t comm, int *ret)
{
	BORROW(mpi_ask_number, "PMPI_Comm_size");

	return ask && !ask(comm, ret) ? 0 : -1;
}

int mpi_ask_rank(uint64_t comm, int *ret)
{
	BORROW(mpi_ask_number, "PMPI_Comm_rank");

	return ask && !ask(comm, ret) ? 0 : -1;
}

static int group_of_comm(uint64_t comm, uint64_t *ret)
{
	BORROW(mpi_ask_handle, "PMPI_Comm_group");

	*ret = 0; /* the library may write an int: then half of this stays */
	return ask && !ask(comm, ret) ? 0 : -1;
}

static void free_group(uint64_t *group)
{
	BORROW(mpi_free_handle, "PMPI_Group_free");

	if (ask)
		ask(group);
}

/* Makes a group of n of the world, side by side. */
static int some_of_world(uint64_t world, int from, int n, uint64_t *ret)
{
	BORROW(mpi_include, "PMPI_Group_incl");
	int ranks[MPI_ASKED];

	for (int i = 0; i < n; i++)
		ranks[i] = from + i;
	*ret = 0;
	return ask && !ask(world, n, ranks, ret) ? 0 : -1;
}

static int translate(uint64_t group, int from, int n, uint64_t other, int *ret)
{
	BORROW(mpi_translate, "PMPI_Group_translate_ranks");
	int seats[MPI_ASKED];

	for (int i = 0; i < n; i++)
		seats[i] = from + i;
	return ask && !ask(group, n, seats, other, ret) ? 0 : -1;
}

int mpi_ask_members(struct mpi_question *q, uint64_t comm)
{
	*q = (struct mpi_question){.row = 1};
	if (mpi_ask_size(found.library.world, &q->size) || group_of_comm(comm, &q->group))
		return -1;
	if (!group_of_comm(found.library.world, &q->world))
		return 0;
	free_group(&q->group);
	return -1;
}

void mpi_ask_no_more(struct mpi_question *q)
{
	free_group(&q->world);
	free_group(&q->group);
}

/*
 * Tells of those seats as many as belong to the ranks that would come next, one behind the other.
 * Returns how many.
 */
static int ask_in_a_row(struct mpi_question *q, int seat, int n, int *ret)
{
	uint64_t few;
	int told = 0;

	n = n < q->row ? n : q->row;
	n = n < q->size - q->next ? n : q->size - q->next;
	q->row = 1; /* a guess that fails costs little, one that holds makes the next bolder */
	if (n <= 0 || some_of_world(q->world, q->next, n, &few))
		return 0;
	if (translate(q->group, seat, n, few, ret))
		ret[0] = -1;
	free_group(&few);
	for (; told < n && ret[told] == told; told++)
		ret[told] += q->next;
	q->next += told;
	if (told == n)
		q->row = 2 * n < MPI_ASKED ? 2 * n : MPI_ASKED;
	return told;
}

int mpi_ask_seats(struct mpi_question *q, int seat, int n, int *ret)
{
	int told = found.library.open ? ask_in_a_row(q, seat, n, ret) : 0;

	if (told)
		return told;
	if (found.library.open)
		n = 1;
	if (translate(q->group, seat, n, q->world, ret) || ret[0] < 0)
		return -1;
	q->next = ret[n - 1] + 1;
	return n;
}
