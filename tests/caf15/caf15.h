/* What gfortran 15 knows of its coarray library, and helpers of the programs that play its part. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { coarray_static, coarray_allocatable, component_register = 7, component_allocate,
       coarray_existing };
enum { deregister_all, deallocate_only };
enum { integer = 1, character = 6 };

typedef struct {
    ptrdiff_t stride, lower, upper;
} Dimension;

typedef struct {
    char *base;
    size_t offset;
    struct {
        size_t bytes;
        int version;
        signed char rank, type;
        short attribute;
    } type;
    ptrdiff_t span;
    Dimension dimensions[2];  /* of a rank of 1, and a codimension */
} Array;

typedef void (*Accessor)(void *, const int *, void **, int32_t *, void *, void *, const size_t,
                         size_t *, const size_t *);

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_finalize(void);
void _gfortran_caf_error_stop(int, bool) __attribute__((noreturn));
int _gfortran_caf_this_image(void *);
int _gfortran_caf_num_images(void *, int32_t *);
void _gfortran_caf_register(size_t, int, void **, Array *, int *, char *, size_t);
void _gfortran_caf_deregister(void **, int, int *, char *, size_t);
void _gfortran_caf_sync_all(int *, char *, size_t);
void _gfortran_caf_sync_memory(int *, char *, size_t);
void _gfortran_caf_sync_images(int, int[], int *, char *, size_t);
void _gfortran_caf_register_accessor(int, Accessor);
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int);
void _gfortran_caf_get_from_remote(void *, const Array *, const size_t *, int, size_t, void **,
                                   size_t *, Array *, bool, int, void *, size_t, int *, void **,
                                   int *);
int32_t _gfortran_caf_is_present_on_remote(void *, int, int, void *, size_t);
void _gfortran_caf_send_to_remote(void *, Array *, const size_t *, int, size_t, const void *,
                                  const size_t *, const Array *, int, void *, size_t, int *,
                                  void **, int *);
void _gfortran_caf_transfer_between_remotes(void *, Array *, size_t *, int, int, void *, size_t,
                                            void *, const Array *, const size_t *, int, int, void *,
                                            size_t, size_t, bool, int *, int *, void **, int *,
                                            void **, int *);
void _gfortran_caf_form_team(int, void **, int *, int *, char *, size_t);
void _gfortran_caf_change_team(void *, int *, char *, size_t);
void _gfortran_caf_end_team(int *, char *, size_t);
void _gfortran_caf_sync_team(void *, int *, char *, size_t);
int _gfortran_caf_team_number(void *);
void *_gfortran_caf_get_team(int32_t *);

/* Ends all images unless something is so. */
#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "Image %d: line %d: %s\n", _gfortran_caf_this_image(NULL), \
                    __LINE__, #condition);                                             \
            _gfortran_caf_error_stop(1, true);                                         \
        }                                                                              \
    } while (0)

/* An array of integers in some memory, of which each so-many-th is an element. */
static inline Array integers(int *memory, ptrdiff_t count, ptrdiff_t stride) {
    Array array = {.base = (char *)memory, .offset = (size_t)-stride,
                   .type = {sizeof(int), 0, 1, integer, 0}, .span = sizeof(int)};
    array.dimensions[0] = (Dimension){stride, 1, count};
    return array;
}

static inline ptrdiff_t count_of(const Array *array) {
    const Dimension *dimension = array->dimensions;
    return dimension->upper < dimension->lower ? 0 : dimension->upper - dimension->lower + 1;
}

/* The element i of an array of integers, from 0. */
static inline int *element(const Array *array, ptrdiff_t i) {
    return (int *)(array->base + i * array->dimensions[0].stride * array->span);
}

static inline void sync_all(void) {
    _gfortran_caf_sync_all(NULL, NULL, 0);
}
