// The front end, one HTML page without data (web/), embedded in the library.
#ifndef FLY_REPORT_PAGE_H
#define FLY_REPORT_PAGE_H

#include <stddef.h>

extern const char fly_page[]; // ended by a 0

// Where the data go, once in the page (web/README.md).
#define FLY_PAGE_HEAD "<script type=\"application/json\" id=\"flyball-head\">null</script>"

#endif
