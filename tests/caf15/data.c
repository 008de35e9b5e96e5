/* Reads, writes and moves values of coarrays as a program of gfortran 15 does. */

#include "accessors.h"

static int *number;  /* integer, save :: number[*] */
static char *text;   /* character(5), save :: text[*] */
static Box *box;     /* type(box), save :: box[*] */
static Array array;  /* integer, allocatable :: array(:)[:] */
static void *number_token, *text_token, *box_token, *array_token;
static int me, images, next;

static void *new_static(size_t bytes, void **token) {
    Array scalar = {0};
    _gfortran_caf_register(bytes, coarray_static, token, &scalar, NULL, NULL, 0);
    memset(scalar.base, 0, bytes);
    return scalar.base;
}

__attribute__((constructor)) static void register_coarrays(void) {
    number = new_static(sizeof *number, &number_token);
    text = new_static(5, &text_token);
    box = new_static(sizeof *box, &box_token);
    box->values = integers(NULL, 0, 1);
    _gfortran_caf_register(0, component_register, &box->values_token, &box->values, NULL, NULL, 0);
}

static void allocate_array(void) {
    array = integers(NULL, 6, 1);
    array.dimensions[1] = (Dimension){0, 1, 0};
    _gfortran_caf_register(6 * sizeof(int), coarray_allocatable, &array_token, &array, NULL, NULL,
                           0);
    for (int i = 0; i < 6; ++i) *element(&array, i) = 100 * me + i + 1;
    sync_all();
}

/* number = number[image] */
static int number_of(int image, int *stat) {
    int value, *place = &value;
    _gfortran_caf_get_from_remote(number_token, NULL, NULL, image, sizeof(int), (void **)&place,
                                  NULL, NULL, false, at(get_scalar), NULL, 0, stat, NULL, NULL);
    return *place;
}

static void put_number(int image, int value) {
    _gfortran_caf_send_to_remote(number_token, NULL, NULL, image, sizeof(int), &value, NULL, NULL,
                                 at(put_scalar), NULL, 0, NULL, NULL, NULL);
}

static void scalars(void) {
    *number = 10 * me;
    sync_all();
    int stat = 7;
    EXPECT(number_of(next, &stat) == 10 * next && stat == 0);
    sync_all();
    put_number(next, 5 * me);
    sync_all();
    EXPECT(*number == 5 * ((me + images - 2) % images + 1));
    EXPECT(at(999) == -1);
}

/* into = array(subscripts)[next] */
static void get(Array *into, bool may_reallocate, enum Hash getter, Subscripts of) {
    void *place = into->base;
    _gfortran_caf_get_from_remote(array_token, &array, NULL, next,
                                  sizeof(int) * (size_t)count_of(into), &place, NULL, into,
                                  may_reallocate, at(getter), &of, sizeof of, NULL, NULL, NULL);
}

static void arrays_are_read(void) {
    Array whole = integers(NULL, 0, 1);
    get(&whole, true, get_whole, (Subscripts){0});
    EXPECT(count_of(&whole) == 6 && *element(&whole, 5) == 100 * next + 6);
    free(whole.base);

    const enum Hash getters[] = {get_section, get_without_copy};
    for (int g = 0; g < 2; ++g) {
        int memory[9] = {0};
        Array section = integers(memory, 3, 4);
        get(&section, false, getters[g], (Subscripts){2, 2, 3});
        EXPECT(section.base == (char *)memory && section.dimensions[0].stride == 4);
        for (int i = 0; i < 9; ++i) {
            EXPECT(memory[i] == (i % 4 == 0 ? 100 * next + 2 + i / 2 : 0));
        }
    }
    int memory[3];
    Array section = integers(memory, 3, 1);
    get(&section, false, get_asking_back, (Subscripts){0, 2, 0});
    EXPECT(memory[0] == 100 * next + 1 && memory[2] == 100 * next + 5);
    sync_all();
}

static void arrays_are_written(void) {
    int memory[] = {-1, 0, -2, 0, -3};
    Array source = integers(memory, 3, 2), target = array;
    Subscripts of = {1, 2, 3};
    _gfortran_caf_send_to_remote(array_token, &target, NULL, next, 3 * sizeof(int), &source.base,
                                 NULL, &source, at(put_section), &of, sizeof of, NULL, NULL, NULL);
    EXPECT(target.base == array.base);
    sync_all();
    for (int i = 0; i < 6; ++i) {
        EXPECT(*element(&array, i) == (i % 2 == 0 ? -1 - i / 2 : 100 * me + i + 1));
    }
    sync_all();
    /* array(2:6)[me] = array(1:5) */
    Array overlapping = integers((int *)array.base, 5, 1);
    of = (Subscripts){2, 1, 5};
    _gfortran_caf_send_to_remote(array_token, &target, NULL, me, 5 * sizeof(int),
                                 &overlapping.base, NULL, &overlapping, at(put_section), &of,
                                 sizeof of, NULL, NULL, NULL);
    EXPECT(*element(&array, 1) == -1 && *element(&array, 2) == 100 * me + 2);
    EXPECT(*element(&array, 3) == -2 && *element(&array, 5) == -3);
    sync_all();
}

static void send_values(const int *values, int count) {
    Array source = integers((int *)values, count, 1);
    _gfortran_caf_send_to_remote(box_token, NULL, NULL, next, sizeof(int) * (size_t)count,
                                 &source.base, NULL, &source, at(put_values), NULL, 0, NULL, NULL,
                                 NULL);
}

static int32_t has_next_values(void) {
    return _gfortran_caf_is_present_on_remote(box_token, next, at(has_values), NULL, 0);
}

static void components(void) {
    EXPECT(!has_next_values());
    EXPECT(_gfortran_caf_is_present_on_remote(array_token, next, at(is_allocated), NULL, 0));
    sync_all();
    const int values[] = {me, 2 * me, 3 * me, 4 * me, 5 * me};
    send_values(values, 2);
    send_values(values, 5); /* allocated anew */
    sync_all();
    EXPECT(has_next_values());
    const int before = (me + images - 2) % images + 1;
    EXPECT(count_of(&box->values) == 5 && *element(&box->values, 4) == 5 * before);
    Array read = integers(NULL, 0, 1);
    void *place = NULL;
    _gfortran_caf_get_from_remote(box_token, NULL, NULL, next, 0, &place, NULL, &read, true,
                                  at(get_values), NULL, 0, NULL, NULL, NULL);
    EXPECT(count_of(&read) == 5 && *element(&read, 1) == 2 * me);
    free(read.base);
    sync_all();
    _gfortran_caf_deregister(&box->values_token, deallocate_only, NULL, NULL, 0);
    box->values.base = NULL;
    sync_all();
    EXPECT(!has_next_values());
    sync_all();
}

static void strings(void) {
    const size_t length = 5, other_length = 3;
    _gfortran_caf_send_to_remote(text_token, NULL, &length, next, 1, "abc", &other_length, NULL,
                                 at(put_text), NULL, 0, NULL, NULL, NULL);
    sync_all();
    EXPECT(memcmp(text, "abc  ", 5) == 0);
    size_t got = length;
    char value[5], *place = value;
    _gfortran_caf_get_from_remote(text_token, NULL, &length, next, 1, (void **)&place, &got, NULL,
                                  false, at(get_text), NULL, 0, NULL, NULL, NULL);
    EXPECT(memcmp(place, "abc  ", 5) == 0);
    sync_all();
}

/* Image 1 moves values of the last image to the one before. */
static void transfers(void) {
    const int from = images, to = images > 1 ? images - 1 : 1;
    *number = 1000 + me;
    memcpy(text, me == from ? "from " : "other", 5);
    for (int i = 0; i < 6; ++i) *element(&array, i) = 100 * me + i + 1;
    sync_all();
    if (me == 1) {
        int stat = 7, other_stat = 7;
        size_t length = 5;
        Subscripts read = {2, 2, 2}, written = {4, 1, 2};
        Array target = array;
        _gfortran_caf_transfer_between_remotes(
            number_token, NULL, NULL, to, at(put_scalar), NULL, 0, number_token, NULL, NULL, from,
            at(get_scalar), NULL, 0, sizeof(int), true, &stat, &other_stat, NULL, NULL, NULL, NULL);
        EXPECT(stat == 0 && other_stat == 0);
        _gfortran_caf_transfer_between_remotes(
            text_token, NULL, &length, to, at(put_text), NULL, 0, text_token, NULL, &length, from,
            at(get_text), NULL, 0, 1, true, NULL, NULL, NULL, NULL, NULL, NULL);
        _gfortran_caf_transfer_between_remotes(
            array_token, &target, NULL, to, at(put_section), &written, sizeof written, array_token,
            &array, NULL, from, at(get_section), &read, sizeof read, 2 * sizeof(int), false, NULL,
            NULL, NULL, NULL, NULL, NULL);
    }
    sync_all();
    if (me != to) return;
    EXPECT(*number == 1000 + from && memcmp(text, "from ", 5) == 0);
    EXPECT(*element(&array, 2) == 100 * me + 3 && *element(&array, 5) == 100 * me + 6);
    EXPECT(*element(&array, 3) == 100 * from + 2 && *element(&array, 4) == 100 * from + 4);
}

/* ERRMSG= is passed itself here. */
static void messages(void) {
    char message[60];
    int wrong[] = {images + 1}, stat = 0;
    _gfortran_caf_sync_images(1, wrong, &stat, message, sizeof message);
    EXPECT(stat != 0 && strncmp(message, "SYNC IMAGES names", 17) == 0);
    _gfortran_caf_sync_images(-1, NULL, &stat, message, sizeof message);
    EXPECT(stat == 0);
    stat = 7;
    _gfortran_caf_sync_memory(&stat, message, sizeof message);
    EXPECT(stat == 0);
}

int main(int argc, char **argv) {
    _gfortran_caf_init(&argc, &argv);
    me = _gfortran_caf_this_image(NULL);
    images = _gfortran_caf_num_images(NULL, NULL);
    next = me % images + 1;
    scalars();
    allocate_array();
    arrays_are_read();
    arrays_are_written();
    components();
    strings();
    transfers();
    messages();
    sync_all();
    _gfortran_caf_deregister(&array_token, deregister_all, NULL, NULL, 0);
    EXPECT(!_gfortran_caf_is_present_on_remote(array_token, next, at(is_allocated), NULL, 0));
    if (me == 1) puts("ok");
    _gfortran_caf_finalize();
}
