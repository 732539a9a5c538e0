// Blocks: once all is read, what they are made of is added to the spec.
#include <string.h>

#include "io/reader.h"
#include "model/block.h"

static bool tell(fly_reader *r, int block, const fly_block_fault *fault) {
  const fly_tree_node *node = r->node[block];
  const fly_tree_entry *entry = fault->parameter != NULL ? fly_tree_find_entry(node, fault->parameter) : NULL;
  const fly_item *item = &r->spec->item[block];
  if (fault->no_memory)
    return fly_reader_no_memory(r);
  return fly_reader_fault(r, entry != NULL ? entry->value : node, "%s block '%.60s': %s", item->type->name, item->name,
                          fault->text);
}

bool fly_reader_blocks(fly_reader *r) {
  const int given = r->spec->nitem;
  bool good = true;
  for (int k = 0; k < given && fly_reader_goes_on(r); k++) {
    fly_block_fault fault;
    if (strcmp(r->spec->item[k].type->section, "blocks") != 0)
      continue;
    const int first = r->spec->nitem;
    if (!r->files && strcmp(r->spec->item[k].type->name, "plugin") == 0) {
      good = fly_reader_fault(r, r->node[k], "only a model in a file can name others.");
      continue;
    }
    good = (fly_block_make(r->spec, k, &fault) || tell(r, k, &fault)) && good;
    for (int i = first; i < r->spec->nitem && good; i++)
      good = fly_reader_keep_node(r, i, r->node[k]);
  }
  return good;
}
