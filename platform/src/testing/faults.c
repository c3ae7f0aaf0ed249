/* Faults of disk and clock for processes, by LD_PRELOAD: FAULTS_FILE holds four 64-bit numbers that bench or test writes,
 * the errno of every sync, the errno of every write to a regular file, the seconds that the clock is ahead, and how many
 * syncs of files are left until the process that asks for the last of them is killed in its place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none[4];
static volatile int64_t *faults = none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_FILE");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at != MAP_FAILED) faults = at;
}

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

int fsync(int fd) { REAL(fsync); return sync_fails(fd) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return sync_fails(fd) ? -1 : real(fd); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { REAL(pwrite); return fails(fd, 1) ? -1 : real(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { REAL(pwrite64); return fails(fd, 1) ? -1 : real(fd, b, n, o); }
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t o) { REAL(pwritev); return fails(fd, 1) ? -1 : real(fd, v, n, o); }
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
