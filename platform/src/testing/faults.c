/* Faults of disk, memory and clock for processes, by LD_PRELOAD: FAULTS_FILE holds six 64-bit numbers that bench or test
 * writes, the errno of every sync, the errno of every write to a regular file, the seconds that the clock is ahead, how many
 * syncs of files are left until the process that asks for the last of them is killed in its place, and an errno with how many
 * calls of SQLite that can fail so are left until one of them does, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none[6];
static volatile int64_t *faults = none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_FILE");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at != MAP_FAILED) faults = at;
}

/* SQLite is in the driver, a library that Node loads by its name. */
static int fails_once(int with, void *caller) {
  Dl_info in;
  if (faults[4] != with || faults[5] <= 0 || !dladdr(caller, &in) || !strstr(in.dli_fname, ".node")) return 0;
  if (__atomic_sub_fetch(&faults[5], 1, __ATOMIC_SEQ_CST) != 0) return 0;
  errno = with;
  return 1;
}
#define FAILS_ONCE(with) fails_once(with, __builtin_return_address(0))

static int fails(int fd, int which) {
  struct stat s;
  if (!faults[which] || fstat(fd, &s) || !S_ISREG(s.st_mode)) return 0;
  errno = (int)faults[which];
  return 1;
}

static int sync_fails(int fd) {
  struct stat s;
  if (faults[3] > 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) && __atomic_sub_fetch(&faults[3], 1, __ATOMIC_SEQ_CST) == 0)
    kill(getpid(), SIGKILL);
  return fails(fd, 0);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int fsync(int fd) { REAL(fsync); return FAILS_ONCE(EIO) || sync_fails(fd) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return FAILS_ONCE(EIO) || sync_fails(fd) ? -1 : real(fd); }
ssize_t pread64(int fd, void *b, size_t n, off64_t o) { REAL(pread64); return FAILS_ONCE(EIO) ? -1 : real(fd, b, n, o); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { REAL(pwrite); return fails(fd, 1) ? -1 : real(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) {
  REAL(pwrite64);
  return FAILS_ONCE(EIO) || FAILS_ONCE(ENOSPC) || fails(fd, 1) ? -1 : real(fd, b, n, o);
}
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t o) { REAL(pwritev); return fails(fd, 1) ? -1 : real(fd, v, n, o); }
void *__libc_malloc(size_t n);
void *__libc_realloc(void *at, size_t n);
void *malloc(size_t n) { return FAILS_ONCE(ENOMEM) ? NULL : __libc_malloc(n); }
void *realloc(void *at, size_t n) { return FAILS_ONCE(ENOMEM) ? NULL : __libc_realloc(at, n); }
int clock_gettime(clockid_t id, struct timespec *t) {
  REAL(clock_gettime);
  int answer = real(id, t);
  if (answer == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) t->tv_sec += faults[2];
  return answer;
}
int gettimeofday(struct timeval *t, void *zone) {
  REAL(gettimeofday);
  int answer = real(t, zone);
  if (answer == 0) t->tv_sec += faults[2];
  return answer;
}
