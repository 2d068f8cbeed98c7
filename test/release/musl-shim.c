// Debian has no C++ library for musl. With these functions of the GNU C library, its C++ library works on musl well enough
// to start an executable. Built as ld-linux-x86-64.so.2, which that library asks for.
#include <stddef.h>
#include <stdint.h>

extern long syscall(long number, ...);
extern size_t strftime(char *text, size_t size, const char *format, const void *time);

char __libc_single_threaded = 0;
unsigned __cpu_features2[4];
struct {
  unsigned fields[4];
} __cpu_model;

uint32_t arc4random(void) {
  uint32_t value;
  syscall(318, &value, sizeof value, 0);
  return value;
}

size_t __strftime_l(char *text, size_t size, const char *format, const void *time, void *locale) {
  return strftime(text, size, format, time);
}

int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library) { return 0; }
int _dl_find_object(void *address, void *result) { return -1; }
int __cpu_indicator_init(void) { return 0; }
