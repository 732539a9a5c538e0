// The problems that exist, as a table.
#include <string.h>

#include "problem.h"

static int widest(size_t offset, const char *title) {
  size_t width = strlen(title);
  for (const fly_problem_info *i = fly_problem_list; i->name != NULL; i++) {
    const char *text = *(const char *const *)((const char *)i + offset);
    width = strlen(text) > width ? strlen(text) : width;
  }
  return (int)width;
}

void problem_list(void) {
  const int name = widest(offsetof(fly_problem_info, name), "problem");
  const int source = widest(offsetof(fly_problem_info, source), "source");
  printf("%-*s  %-*s  %s\n", name, "problem", source, "source", "what it is");
  for (const fly_problem_info *i = fly_problem_list; i->name != NULL; i++) {
    printf("%-*s  %-*s  %s\n", name, i->name, source, i->source, i->summary);
    if (i->variants[0] != 0)
      printf("%-*s  %-*s  variants: %s\n", name, "", source, "", i->variants);
  }
  printf("\nNEWMARK: Gavrea, Negrut, Potra 2005. GENALPHA: Bruels, Arnold 2008. FAMILY: Koebis 2016.\n"
         "Run one with flyball problem NAME; flyball problem --help lists the options.\n");
}
