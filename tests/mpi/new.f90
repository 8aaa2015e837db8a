! SPDX-License-Identifier: Apache-2.0
! The same by the module mpi_f08.
program new
  use mpi_f08
  implicit none
  integer :: me, n, counts(2)
  double precision :: mine(8), all(16)
  type(MPI_Comm) :: part
  type(MPI_Request) :: done, requests(2)
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  mine = 1
  counts = 3
  call MPI_Allreduce(mine, all, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call MPI_Irecv(all, 8, MPI_DOUBLE_PRECISION, 1 - me, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(mine, 8, MPI_DOUBLE_PRECISION, 1 - me, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Reduce_scatter(mine, all, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, me, part)
  call MPI_Ibarrier(part, done)
  flag = .false.
  do while (.not. flag)
     call MPI_Test(done, flag, MPI_STATUS_IGNORE)
  end do
  call MPI_Comm_free(part)
  call MPI_Finalize()
end program new
