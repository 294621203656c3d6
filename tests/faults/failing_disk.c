/* Loaded before the C library: writes and fsyncs of files below FAILING_ROOT fail, once `arm` has said which.
   Everything in the process that writes goes through it, SQLite too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, SYNC };
static int armed = -1, error_number, countdown;

/* Calls of one kind fail with an error from the so-manieth on, counted from 0; a negative kind ends that. */
void arm(int kind, int number, int first) { armed = kind; error_number = number; countdown = first; }

static int fails(int file, int kind) {
    char link[64], path[4096];
    const char *root = getenv("FAILING_ROOT");
    if (kind != armed || !root) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, root, strlen(root))) return 0;
    if (countdown-- > 0) return 0;
    countdown = 0;
    errno = error_number;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int file, const void *data, size_t count) {
    return fails(file, WRITE) ? -1 : REAL(write)(file, data, count);
}
ssize_t pwrite(int file, const void *data, size_t count, off_t place) {
    return fails(file, WRITE) ? -1 : REAL(pwrite)(file, data, count, place);
}
ssize_t pwrite64(int file, const void *data, size_t count, off64_t place) {
    return fails(file, WRITE) ? -1 : REAL(pwrite64)(file, data, count, place);
}
int fsync(int file) { return fails(file, SYNC) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(file, SYNC) ? -1 : REAL(fdatasync)(file); }
