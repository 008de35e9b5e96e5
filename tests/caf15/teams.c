/* Forms, changes and names teams as a program of gfortran 15 does. */

#include "accessors.h"

static int *number;  /* integer, save :: number[*] */
static void *number_token;
static int me, images;

__attribute__((constructor)) static void register_coarrays(void) {
    Array scalar = {0};
    _gfortran_caf_register(sizeof *number, coarray_static, &number_token, &scalar, NULL, NULL, 0);
    number = (int *)scalar.base;
}

/* number[image, TEAM=team] or number[image, TEAM_NUMBER=team_number] */
static int number_of(void *token, int image, void **team, int *team_number) {
    int value, *place = &value;
    _gfortran_caf_get_from_remote(token, NULL, NULL, image, sizeof(int), (void **)&place, NULL,
                                  NULL, false, at(get_scalar), NULL, 0, NULL, team, team_number);
    return *place;
}

static void indices_must_differ(void) {
    void *team = NULL;
    char message[80];
    int stat = 0, same = 1;
    _gfortran_caf_form_team(1, &team, &same, &stat, message, sizeof message);
    EXPECT(images == 1 ? stat == 0 : stat != 0 && team == NULL);
    if (images > 1) EXPECT(strncmp(message, "FORM TEAM: NEW_INDEX= must be 1 to", 34) == 0);
    _gfortran_caf_form_team(0, &team, NULL, &stat, message, sizeof message);
    EXPECT(stat != 0 && strncmp(message, "FORM TEAM: the number is 0", 26) == 0);
}

/* One part of the images wants indices, and the others get what is left. */
static void some_indices_may_be_left_open(void) {
    void *team = NULL;
    int first = 1;
    _gfortran_caf_form_team(3, &team, me == images ? &first : NULL, NULL, NULL, 0);
    EXPECT(_gfortran_caf_this_image(team) == me % images + 1);
}

/* CHANGE TEAM (team, other[*] => number) */
static void name_is_associated(int mine) {
    void *token = number_token;
    Array other = {.base = (char *)number};
    _gfortran_caf_register(sizeof(int), coarray_existing, &token, &other, NULL, NULL, 0);
    EXPECT(token != number_token && other.base == (char *)number);
    EXPECT(number_of(token, mine, NULL, NULL) == me);
    void *again = number_token;
    _gfortran_caf_register(sizeof(int), coarray_existing, &again, &other, NULL, NULL, 0);
    EXPECT(again == token);
    _gfortran_caf_deregister(&token, deregister_all, NULL, NULL, 0);
    EXPECT(number_of(number_token, mine, NULL, NULL) == me);
}

static void in_team(void *team, int which, int size) {
    const int mine = (images - me) / 2 + 1;
    int initial = -1, other = 3 - which;
    int32_t initial_level = 0, parent_level = 1, current_level = 2;
    EXPECT(_gfortran_caf_this_image(NULL) == mine && _gfortran_caf_num_images(NULL, NULL) == size);
    EXPECT(_gfortran_caf_team_number(NULL) == which);
    EXPECT(_gfortran_caf_get_team(NULL) == team && _gfortran_caf_get_team(&current_level) == team);
    void *whole = _gfortran_caf_get_team(&initial_level);
    EXPECT(whole == _gfortran_caf_get_team(&parent_level));
    EXPECT(_gfortran_caf_num_images(whole, NULL) == images);
    EXPECT(_gfortran_caf_num_images(NULL, &initial) == images);
    EXPECT(_gfortran_caf_this_image(whole) == me);
    EXPECT(number_of(number_token, mine, NULL, NULL) == me);
    EXPECT(number_of(number_token, images, &whole, NULL) == images);
    EXPECT(number_of(number_token, images, NULL, &initial) == images);
    if (images > 1) {
        /* An image of the other team, which has the last image of its kind first. */
        const int last = (images - 1) % 2 + 1 == other ? images : images - 1;
        EXPECT(_gfortran_caf_num_images(NULL, &other) == images - size);
        EXPECT(number_of(number_token, 1, NULL, &other) == last);
    }
    name_is_associated(mine);
    _gfortran_caf_sync_team(team, NULL, NULL, 0);
}

/* Odd and even images, in the opposite order. */
static void halves(void) {
    void *team = NULL;
    const int which = (me - 1) % 2 + 1;
    const int size = which == 1 ? (images + 1) / 2 : images / 2;
    int index = (images - me) / 2 + 1, stat = 7;
    _gfortran_caf_form_team(which, &team, &index, &stat, NULL, 0);
    EXPECT(stat == 0 && _gfortran_caf_team_number(team) == which);
    EXPECT(_gfortran_caf_this_image(team) == index && _gfortran_caf_this_image(NULL) == me);
    EXPECT(_gfortran_caf_num_images(team, NULL) == size);
    EXPECT(number_of(number_token, index, &team, NULL) == me);
    for (int i = 0; i < 3; ++i) {
        stat = 7;
        _gfortran_caf_change_team(team, &stat, NULL, 0);
        EXPECT(stat == 0);
        in_team(team, which, size);
        stat = 7;
        _gfortran_caf_end_team(&stat, NULL, 0);
        EXPECT(stat == 0 && _gfortran_caf_this_image(NULL) == me);
    }
}

int main(int argc, char **argv) {
    _gfortran_caf_init(&argc, &argv);
    me = _gfortran_caf_this_image(NULL);
    images = _gfortran_caf_num_images(NULL, NULL);
    *number = me;
    sync_all();
    EXPECT(_gfortran_caf_team_number(NULL) == -1);
    indices_must_differ();
    some_indices_may_be_left_open();
    halves();
    sync_all();
    if (me == 1) puts("ok");
    _gfortran_caf_finalize();
}
