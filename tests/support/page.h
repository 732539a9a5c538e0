// A page taken apart again, as a browser would: its head as a tree, its columns as numbers.
#ifndef FLY_TESTS_SUPPORT_PAGE_H
#define FLY_TESTS_SUPPORT_PAGE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/tree.h"

enum { PAGE_BLOCKS = 20 };

typedef struct page {
  char *text;
  fly_tree *head;
  int nblock;
  unsigned char *block[PAGE_BLOCKS];
  size_t size[PAGE_BLOCKS];
} page;

void page_open(page *p, const char *path); // checks that its head is JSON and has no < in it
void page_close(page *p);
char *page_read_file(const char *path); // all of a file, the caller's to free

const fly_tree_node *page_get(const fly_tree_node *node, const char *key); // fails if it is not there
double page_number(const fly_tree_node *node, const char *key);
const fly_tree_node *page_result(const page *p, int k);
bool page_notes(const fly_tree_node *result, const char *part);                 // one of its notes has this part
const fly_tree_node *page_table(const fly_tree_node *result, const char *kind); // NULL: none
// A column of a table, -1 is time; in memory that the caller frees. NULL: the channel is not in it.
double *page_column(const page *p, const fly_tree_node *table, int channel);

#endif
