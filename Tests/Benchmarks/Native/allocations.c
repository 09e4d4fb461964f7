// Counts heap allocations of the program that it is preloaded into: the number stands, eight bytes long, at the
// beginning of the file that COUNTERSIGN_ALLOCATIONS names, and another process may read it at any time.

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t before_start;
static _Atomic uint64_t *counter = &before_start;

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("COUNTERSIGN_ALLOCATIONS");
    int descriptor = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    if (ftruncate(descriptor, sizeof *counter) == 0) {
        void *memory = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (memory != MAP_FAILED) counter = memory;
    }
    close(descriptor);
    ++*counter;
}

void *malloc(size_t size) {
    ++*counter;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    ++*counter;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    ++*counter;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    ++*counter;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *out = memory;
    return 0;
}
