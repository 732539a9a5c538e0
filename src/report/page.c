// The assembler puts the file FLY_PAGE_FILE (CMakeLists.txt) into the program as it is: 1 MB as an array of numbers is
// 5 MB of source.
#include "report/page.h"

#if defined(__APPLE__)
#define SECTION ".section __TEXT,__const\n"
#define NAME "_fly_page"
#define AGAIN ".text\n"
#else
#define SECTION ".pushsection .rodata,\"a\",%progbits\n"
#define NAME "fly_page"
#define AGAIN ".popsection\n"
#endif

__asm__(SECTION ".globl " NAME "\n" NAME ":\n.incbin \"" FLY_PAGE_FILE "\"\n.byte 0\n" AGAIN);
