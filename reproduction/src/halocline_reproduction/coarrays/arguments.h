/* Arguments name=value of the programs in C, as arguments.f90 has them, and the clock of MPI.
 *
 * A program asks for every name that it knows, then calls end_arguments, which refuses the others.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 32

static const char* known_arguments[MOST_ARGUMENTS];
static int number_of_arguments = 0;

static const char* word_argument(int argc, char** argv, const char* name, const char* otherwise) {
    size_t length = strlen(name);
    known_arguments[number_of_arguments++] = name;
    for (int i = 1; i < argc; ++i)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            otherwise = argv[i] + length + 1;
    return otherwise;
}

static inline double real_argument(int argc, char** argv, const char* name, double otherwise) {
    const char* word = word_argument(argc, argv, name, NULL);
    return word == NULL ? otherwise : atof(word);
}

static inline int argument(int argc, char** argv, const char* name, int otherwise) {
    return (int)real_argument(argc, argv, name, otherwise);
}

/* Ends all ranks. A launcher that is told to stop may drop words that have not come to it yet. */
static void refuse(const char* words) {
    double said;
    fprintf(stderr, "%s\n", words);
    for (said = MPI_Wtime(); MPI_Wtime() < said + 0.2;) continue;
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end_arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        int found = 0;
        for (int k = 0; k < number_of_arguments; ++k) {
            size_t length = strlen(known_arguments[k]);
            found |= strncmp(argv[i], known_arguments[k], length) == 0 && argv[i][length] == '=';
        }
        if (!found) refuse("an argument is not known");
    }
}

/* The longest time of all ranks. */
static inline double longest(double seconds) {
    double all;
    MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}
