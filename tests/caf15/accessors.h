/* Accessors as gfortran 15 makes them of expressions with an image selector. */

#include "caf15.h"

/* type :: box;  integer :: number;  integer, allocatable :: values(:);  end type */
typedef struct {
    int number;
    Array values;
    void *values_token;
} Box;

/* What accessors need of the image that calls them. */
typedef struct {
    int first, step, count;
} Subscripts;

enum Hash { get_scalar = 71, get_whole, get_section, get_without_copy, get_values, get_text,
            get_asking_back, get_step, put_scalar, put_section, put_values, put_text, has_values,
            is_allocated };

/* What 'buffer = expression' does with an allocatable dummy argument; whether it allocated. */
static int32_t assign(Array *buffer, const Array *from, Subscripts of) {
    void *old = buffer->base;
    if (old == NULL || count_of(buffer) != of.count) {
        free(old);
        *buffer = integers(malloc(sizeof(int) * (size_t)of.count + 1), of.count, 1);
    }
    for (int i = 0; i < of.count; ++i) {
        *element(buffer, i) = *element(from, of.first - 1 + i * of.step);
    }
    return buffer->base != old;
}

static void getter_of_scalar(void *extra, const int *image, void **to, int32_t *free_it,
                             void *from) {
    (void)extra, (void)image;
    *to = from;
    *free_it = 0;
}

static void getter_of_whole(void *extra, const int *image, Array *to, int32_t *free_it,
                            const Array *from) {
    (void)extra, (void)image;
    *free_it = assign(to, from, (Subscripts){1, 1, (int)count_of(from)});
}

static void getter_of_section(Subscripts *of, const int *image, Array *to, int32_t *free_it,
                              const Array *from) {
    (void)image;
    *free_it = assign(to, from, *of);
}

/* One that gives the elements where they are. */
static void getter_without_copy(Subscripts *of, const int *image, Array *to, int32_t *free_it,
                                const Array *from) {
    (void)image;
    *to = integers(element(from, of->first - 1), of->count, from->dimensions[0].stride * of->step);
    *free_it = 0;
}

static void getter_of_values(void *extra, const int *image, Array *to, int32_t *free_it,
                             const Box *from) {
    getter_of_whole(extra, image, to, free_it, &from->values);
}

/* One that asks the calling image for a part of what it needs. */
static void getter_asking_back(void *extra, const int *image, Array *to, int32_t *free_it,
                               const Array *from, void *extra_token) {
    (void)extra;
    int unused, *step = &unused;
    _gfortran_caf_get_from_remote(extra_token, NULL, NULL, *image, sizeof(int), (void **)&step,
                                  NULL, NULL, false,
                                  _gfortran_caf_get_remote_function_index(get_step), NULL, 0, NULL,
                                  NULL, NULL);
    *free_it = assign(to, from, (Subscripts){1, *step, 3});
}

static void getter_of_step(void *extra, const int *image, int **to, int32_t *free_it,
                           Subscripts *from) {
    (void)extra, (void)image;
    *to = &from->step;
    *free_it = 0;
}

static void receiver_of_scalar(void *extra, const int *image, int *to, const int *from) {
    (void)extra, (void)image;
    *to = *from;
}

static void receiver_of_section(Subscripts *of, const int *image, Array *to, const Array *from) {
    (void)image;
    for (int i = 0; i < of->count; ++i) {
        *element(to, of->first - 1 + i * of->step) = *element(from, i);
    }
}

static void receiver_of_values(void *extra, const int *image, Box *to, const Array *from) {
    (void)extra, (void)image;
    const ptrdiff_t count = count_of(from);
    if (to->values.base != NULL && count_of(&to->values) != count) {
        _gfortran_caf_deregister(&to->values_token, deallocate_only, NULL, NULL, 0);
        to->values.base = NULL;
    }
    if (to->values.base == NULL) {
        _gfortran_caf_register(sizeof(int) * (size_t)count, component_allocate, &to->values_token,
                               &to->values, NULL, NULL, 0);
        to->values.dimensions[0] = (Dimension){1, 1, count};
        to->values.span = sizeof(int);
    }
    for (ptrdiff_t i = 0; i < count; ++i) *element(&to->values, i) = *element(from, i);
}

static void receiver_of_text(void *extra, const int *image, char *to, const char *from,
                             void *extra_token, size_t extra_bytes, const size_t *to_length,
                             const size_t *from_length) {
    (void)extra, (void)image, (void)extra_token, (void)extra_bytes;
    const size_t copied = *from_length < *to_length ? *from_length : *to_length;
    memmove(to, from, copied);
    memset(to + copied, ' ', *to_length - copied);
}

static void presence_of_values(void *extra, const int *image, int32_t *result, const Box *box) {
    (void)extra, (void)image;
    *result = box->values.base != NULL;
}

static void presence_of_array(void *extra, const int *image, int32_t *result, const Array *array) {
    (void)extra, (void)image;
    *result = array->base != NULL && count_of(array) == 6;
}

#define REGISTER(hash, function) _gfortran_caf_register_accessor(hash, (Accessor)(void *)function)

__attribute__((constructor)) static void register_accessors(void) {
    REGISTER(get_scalar, getter_of_scalar);
    REGISTER(get_whole, getter_of_whole);
    REGISTER(get_section, getter_of_section);
    REGISTER(get_without_copy, getter_without_copy);
    _gfortran_caf_register_accessors_finish();
    /* Another file of the program. */
    REGISTER(get_values, getter_of_values);
    REGISTER(get_text, getter_of_scalar);
    REGISTER(get_asking_back, getter_asking_back);
    REGISTER(get_step, getter_of_step);
    REGISTER(put_scalar, receiver_of_scalar);
    REGISTER(put_section, receiver_of_section);
    REGISTER(put_values, receiver_of_values);
    REGISTER(put_text, receiver_of_text);
    REGISTER(has_values, presence_of_values);
    REGISTER(is_allocated, presence_of_array);
    _gfortran_caf_register_accessors_finish();
}

static inline int at(enum Hash hash) {
    return _gfortran_caf_get_remote_function_index(hash);
}
