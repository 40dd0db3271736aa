// Preload that makes every sync take SYNC_MS longer, like a disk that really persists its data.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
  static double ms = -1;
  if (ms < 0) ms = atof(getenv("SYNC_MS") ? getenv("SYNC_MS") : "0");
  struct timespec left = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk();
  return real(file);
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_disk();
  return real(file);
}
