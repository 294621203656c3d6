/* Loaded before the C library: writes, fsyncs and locks of files below FAILING_ROOT fail, once `arm` has said which.
   Everything in the process that writes goes through it, SQLite too. Where FAILING_ROOM names a file, its first eight
   bytes are the bytes that can still be written there, by all processes together. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, SYNC, LOCK };
static int armed = -1, error_number, countdown;

/* Calls of one kind fail with an error from the so-manieth on, counted from 0; a negative kind ends that. */
void arm(int kind, int number, int first) { armed = kind; error_number = number; countdown = first; }

static int is_below_root(int file) {
    char link[64], path[4096];
    const char *root = getenv("FAILING_ROOT");
    if (!root) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return !strncmp(path, root, strlen(root));
}

static int fails(int file, int kind) {
    if (kind != armed || !is_below_root(file)) return 0;
    if (countdown-- > 0) return 0;
    countdown = 0;
    errno = error_number;
    return 1;
}

static int has_no_room(int file, size_t count) {
    static long *room;
    const char *path = getenv("FAILING_ROOM");
    if (!path || !is_below_root(file)) return 0;
    if (!room) {
        int held = open(path, O_RDWR | O_CLOEXEC);
        if (held < 0) return 0;
        room = mmap(NULL, sizeof *room, PROT_READ | PROT_WRITE, MAP_SHARED, held, 0);
        close(held);
        if (room == MAP_FAILED) abort();
    }
    if (__atomic_sub_fetch(room, (long)count, __ATOMIC_SEQ_CST) >= 0) return 0;
    __atomic_add_fetch(room, (long)count, __ATOMIC_SEQ_CST);
    errno = ENOSPC;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int file, const void *data, size_t count) {
    return fails(file, WRITE) || has_no_room(file, count) ? -1 : REAL(write)(file, data, count);
}
ssize_t pwrite(int file, const void *data, size_t count, off_t place) {
    return fails(file, WRITE) || has_no_room(file, count) ? -1 : REAL(pwrite)(file, data, count, place);
}
ssize_t pwrite64(int file, const void *data, size_t count, off64_t place) {
    return fails(file, WRITE) || has_no_room(file, count) ? -1 : REAL(pwrite64)(file, data, count, place);
}
int fsync(int file) { return fails(file, SYNC) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(file, SYNC) ? -1 : REAL(fdatasync)(file); }
int flock(int file, int how) { return fails(file, LOCK) ? -1 : REAL(flock)(file, how); }
int fcntl64(int file, int command, ...) {
    va_list given;
    va_start(given, command);
    void *more = va_arg(given, void *);
    va_end(given);
    int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK;
    return locks && fails(file, LOCK) ? -1 : REAL(fcntl64)(file, command, more);
}
int fcntl(int file, int command, ...) __attribute__((alias("fcntl64")));
