C     SPDX-License-Identifier: Apache-2.0
C     Ranks in Fortran 77, by mpif.h: each call must be recorded once.
      program old
      implicit none
      include 'mpif.h'
      integer me, n, ierr, part, done, requests(2)
      integer counts(2)
      double precision mine(8), all(16)
      logical flag
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      mine = 1
      counts = 3
      call MPI_ALLREDUCE(mine, all, 5, MPI_DOUBLE_PRECISION, MPI_MAX,
     &    MPI_COMM_WORLD, ierr)
      call MPI_IRECV(all, 8, MPI_DOUBLE_PRECISION, 1 - me, 0,
     &    MPI_COMM_WORLD, requests(1), ierr)
      call MPI_ISEND(mine, 8, MPI_DOUBLE_PRECISION, 1 - me, 0,
     &    MPI_COMM_WORLD, requests(2), ierr)
      call MPI_WAITALL(2, requests, MPI_STATUSES_IGNORE, ierr)
      call MPI_REDUCE_SCATTER(mine, all, counts, MPI_INTEGER, MPI_SUM,
     &    MPI_COMM_WORLD, ierr)
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, me, part, ierr)
      call MPI_IBARRIER(part, done, ierr)
      flag = .false.
      do while (.not. flag)
        call MPI_TEST(done, flag, MPI_STATUS_IGNORE, ierr)
      end do
      call MPI_COMM_FREE(part, ierr)
      call MPI_FINALIZE(ierr)
      if (ierr .ne. MPI_SUCCESS) stop 1
      end
