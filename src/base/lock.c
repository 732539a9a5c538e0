#define _POSIX_C_SOURCE 200809L
#include "base/lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fly_lock(void) { pthread_mutex_lock(&lock); }
void fly_unlock(void) { pthread_mutex_unlock(&lock); }
