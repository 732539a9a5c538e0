// Wall clock time.
#ifndef FLY_BASE_CLOCK_H
#define FLY_BASE_CLOCK_H

double fly_clock(void); // seconds from an arbitrary origin, monotone

#endif
