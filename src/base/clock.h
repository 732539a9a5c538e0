// Wall clock time.
#ifndef FLY_BASE_CLOCK_H
#define FLY_BASE_CLOCK_H

double fly_clock(void);        // seconds from an arbitrary origin, monotone
double fly_clock_coarse(void); // the same, late by a few milliseconds, for those who ask all the time

#endif
