// One lock for all of the library: for code of others that keeps numbers between calls.
#ifndef FLY_BASE_LOCK_H
#define FLY_BASE_LOCK_H

void fly_lock(void);
void fly_unlock(void);

#endif
