! The Fortran side of messages.c: a few calls of MPI through the C interface of the language.
!
! Ranks count from 0.  Buffers of messages_send and messages_receive must stay as they are until
! messages_wait; they have to be contiguous, and asynchronous or a target where that matters.
module messages
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  public

  interface
    subroutine messages_start() bind(c)
    end subroutine messages_start

    subroutine messages_stop() bind(c)
    end subroutine messages_stop

    subroutine messages_abort() bind(c)
    end subroutine messages_abort

    integer(c_int) function messages_rank() bind(c)
      import :: c_int
    end function messages_rank

    integer(c_int) function messages_size() bind(c)
      import :: c_int
    end function messages_size

    real(c_double) function messages_time() bind(c)
      import :: c_double
    end function messages_time

    subroutine messages_barrier() bind(c)
    end subroutine messages_barrier

    subroutine messages_send(data, count, rank, tag) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in), asynchronous :: data(*)
      integer(c_int), intent(in), value :: count, rank, tag
    end subroutine messages_send

    subroutine messages_receive(data, count, rank, tag) bind(c)
      import :: c_double, c_int
      real(c_double), intent(inout), asynchronous :: data(*)
      integer(c_int), intent(in), value :: count, rank, tag
    end subroutine messages_receive

    subroutine messages_wait() bind(c)
    end subroutine messages_wait

    integer(c_int64_t) function messages_sum_integer(value) bind(c)
      import :: c_int64_t
      integer(c_int64_t), intent(in), value :: value
    end function messages_sum_integer

    integer(c_int64_t) function messages_max_integer(value) bind(c)
      import :: c_int64_t
      integer(c_int64_t), intent(in), value :: value
    end function messages_max_integer

    real(c_double) function messages_sum(value) bind(c)
      import :: c_double
      real(c_double), intent(in), value :: value
    end function messages_sum

    real(c_double) function messages_max(value) bind(c)
      import :: c_double
      real(c_double), intent(in), value :: value
    end function messages_max
  end interface

end module messages
