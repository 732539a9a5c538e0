// Operator precedence parsing with two stacks of our own: operands, and operators and parentheses that wait for their
// operands. Nothing recurses, whatever the text.
#include "expr/parse.h"

#include <stdlib.h>
#include <string.h>

#include "expr/function.h"
#include "expr/lexer.h"
#include "expr/scope.h"
#include "expr/suggest.h"

enum {
  LONGEST_TEXT = 100000,
  DEEPEST = 200,
  MOST_ARGUMENTS = 32, // of a call the resolver answers
  MOST_INSIDE = 32,    // formulas that call each other in a chain
  MOST_CALLS = 20000,  // of formulas, all that lie behind an expression counted
  LEVEL_NOT = 3,
  LEVEL_COMPARISON = 4,
  LEVEL_SIGN = 7,
  LEVEL_POWER = 8,
};

static const char yaml[] = "In YAML a call with commas inside {} or [] needs quotes";

// Operators between two operands; level 0: it is none.
static const struct {
  int level;
  fly_op op;
  bool swapped; // a > b is b < a
} operators[FLY_TOKEN_KINDS] = {
    [FLY_TOKEN_OR] = {1, FLY_OP_OR, false},
    [FLY_TOKEN_AND] = {2, FLY_OP_AND, false},
    [FLY_TOKEN_LESS] = {LEVEL_COMPARISON, FLY_OP_LESS, false},
    [FLY_TOKEN_LESS_EQUAL] = {LEVEL_COMPARISON, FLY_OP_LESS_EQUAL, false},
    [FLY_TOKEN_GREATER] = {LEVEL_COMPARISON, FLY_OP_LESS, true},
    [FLY_TOKEN_GREATER_EQUAL] = {LEVEL_COMPARISON, FLY_OP_LESS_EQUAL, true},
    [FLY_TOKEN_EQUAL] = {LEVEL_COMPARISON, FLY_OP_EQUAL, false},
    [FLY_TOKEN_NOT_EQUAL] = {LEVEL_COMPARISON, FLY_OP_NOT_EQUAL, false},
    [FLY_TOKEN_PLUS] = {5, FLY_OP_ADD, false},
    [FLY_TOKEN_MINUS] = {5, FLY_OP_SUBTRACT, false},
    [FLY_TOKEN_TIMES] = {6, FLY_OP_MULTIPLY, false},
    [FLY_TOKEN_OVER] = {6, FLY_OP_DIVIDE, false},
    [FLY_TOKEN_POWER] = {LEVEL_POWER, FLY_OP_POWER, false},
};

typedef enum waiting_kind { PREFIX, BINARY, GROUP, CALL } waiting_kind;

// Something that waits for what follows it.
typedef struct waiting {
  waiting_kind kind;
  fly_token_kind token;         // of an operator
  int level;                    // of an operator; 0 for parentheses
  int offset;                   // of the operator or the (
  int name;                     // call: offset of its name
  const fly_function *function; // call: NULL if a formula or the resolver is to answer
  const fly_expr_formula *formula;
  int base;     // call: operands below its first argument
  int argument; // call: offset of the argument being read
} waiting;

typedef struct parser {
  fly_builder *b;
  char *words; // a copy of the text in which every word read so far is ended by 0
  fly_token token;
  bool want_operand;
  waiting *stack;       // (depth)
  fly_operand *operand; // (noperands)
  int depth, capacity, noperands, operand_capacity;
  int open; // parentheses
} parser;

// ---------------------------------------------------------------------------------- small steps

static bool failed(const parser *p) { return p->b->status != FLY_OK; }

static void advance(parser *p) { p->token = fly_token_at(p->b->text, p->token.offset + p->token.length); }

static const char *quote(const parser *p, char text[FLY_QUOTE_SIZE]) {
  return fly_build_quote(text, p->b->text + p->token.offset, p->token.length);
}

static const char *word_of(parser *p, fly_token t) {
  p->words[t.offset + t.length] = 0;
  return p->words + t.offset;
}

static void push_operand(parser *p, fly_operand x) {
  if (fly_build_reserve(p->b, &p->operand, &p->operand_capacity, p->noperands + 1, sizeof x))
    p->operand[p->noperands++] = x;
}

static void push(parser *p, waiting w) {
  if (fly_build_reserve(p->b, &p->stack, &p->capacity, p->depth + 1, sizeof w))
    p->stack[p->depth++] = w;
}

static waiting *top(parser *p) { return p->depth > 0 ? &p->stack[p->depth - 1] : NULL; }

// The call whose arguments are being read, if nothing of the present argument has been read yet.
static waiting *call_at_argument(parser *p) {
  waiting *w = top(p);
  return w != NULL && w->kind == CALL && w->argument == p->token.offset ? w : NULL;
}

// ---------------------------------------------------------------------------------- reducing

static void apply(parser *p, const waiting *w) {
  fly_builder *b = p->b;
  b->at = w->offset;
  fly_operand *y = &p->operand[p->noperands - 1];
  if (w->kind == PREFIX) {
    if (w->token != FLY_TOKEN_PLUS)
      *y = fly_build_unary(b, w->token == FLY_TOKEN_NOT ? FLY_OP_NOT : FLY_OP_NEGATE, *y);
    return;
  }
  fly_operand *x = y - 1;
  const bool swapped = operators[w->token].swapped;
  *x = fly_build_binary(b, operators[w->token].op, swapped ? *y : *x, swapped ? *x : *y);
  p->noperands--;
}

// Applies the operators on top of the stack that bind at least as tightly as a level.
static void reduce(parser *p, int level) {
  while (p->depth > 0 && top(p)->level >= level && top(p)->level > 0 && !failed(p)) {
    const waiting w = p->stack[--p->depth];
    apply(p, &w);
  }
}

static void read_operator(parser *p) {
  char text[FLY_QUOTE_SIZE];
  const int level = operators[p->token.kind].level;
  reduce(p, level == LEVEL_POWER || level == LEVEL_COMPARISON ? level + 1 : level);
  if (level == LEVEL_COMPARISON && p->depth > 0 && top(p)->level == LEVEL_COMPARISON) {
    fly_build_fail(p->b, p->token.offset, "comparisons do not chain before this '%s': write a < b and b < c",
                   quote(p, text));
    return;
  }
  push(p, (waiting){.kind = BINARY, .token = p->token.kind, .level = level, .offset = p->token.offset});
  p->want_operand = true;
  advance(p);
}

static void read_prefix(parser *p) {
  const int level = p->token.kind == FLY_TOKEN_NOT ? LEVEL_NOT : LEVEL_SIGN;
  if (level == LEVEL_NOT && p->depth > 0 && top(p)->level > LEVEL_NOT) {
    fly_build_fail(p->b, p->token.offset,
                   "'not' binds less than what stands before it: put it in parentheses, (not x)");
    return;
  }
  push(p, (waiting){.kind = PREFIX, .token = p->token.kind, .level = level, .offset = p->token.offset});
  advance(p);
}

// ---------------------------------------------------------------------------------- words

static bool wants_word(const waiting *call, int k) {
  return call->formula == NULL && (call->function == NULL || fly_function_wants_table(call->function, k));
}

// An argument that is one word, and may be a name: not looked up, but if it is a constant its value is kept.
static bool read_bare_word(parser *p, fly_token next) {
  const waiting *call = call_at_argument(p);
  const bool alone = next.kind == FLY_TOKEN_COMMA || next.kind == FLY_TOKEN_CLOSE;
  if (call == NULL || !alone || !wants_word(call, p->noperands - call->base))
    return false;
  const char *word = word_of(p, p->token);
  const fly_expr_number *number = fly_scope_number(p->b->scope, word);
  fly_operand x = {.kind = FLY_OPERAND_WORD};
  if (number != NULL)
    x = fly_build_constant(number->value);
  x.word = word;
  push_operand(p, x);
  return true;
}

// ---------------------------------------------------------------------------------- calls

static void open_parenthesis(parser *p, waiting w) {
  if (++p->open > DEEPEST) {
    fly_build_fail(p->b, p->token.offset, "parentheses nested deeper than %d", DEEPEST);
    return;
  }
  w.offset = p->token.offset;
  advance(p);
  w.argument = p->token.offset;
  w.base = p->noperands;
  push(p, w);
}

// At a word that a ( follows.
static void open_call(parser *p) {
  const int offset = p->token.offset;
  const char *name = word_of(p, p->token);
  const fly_function *f = fly_function_find(name);
  const fly_expr_formula *formula = f == NULL ? fly_scope_formula(p->b->scope, name) : NULL;
  advance(p);
  if (f == NULL && formula == NULL && !fly_scope_resolves_call(p->b->scope, name))
    fly_suggest(p->b, offset, name, FLY_SUGGEST_CALL);
  else
    open_parenthesis(p, (waiting){.kind = CALL, .name = offset, .function = f, .formula = formula});
}

static bool count_fits(parser *p, const waiting *w, int count) {
  bool any_more;
  const fly_expr_function *f = &w->function->shown;
  const int least = fly_expr_function_arguments(f, &any_more);
  if (count == least || (any_more && count > least))
    return true;
  fly_build_fail(p->b, w->name, "%s takes %d%s argument%s, %s(%s), and got %d", f->name, least,
                 any_more ? " or more" : "", least == 1 && !any_more ? "" : "s", f->name, f->arguments, count);
  return false;
}

// Replaces the name of a table by its number.
static void settle_table(parser *p, const waiting *w, int k) {
  fly_operand *x = &p->operand[w->base + k];
  x->index = x->word != NULL ? fly_scope_table(p->b->scope, x->word) : -1;
  if (x->word == NULL)
    fly_build_fail(p->b, x->offset, "argument %d of %s is the name of a table", k + 1, w->function->shown.name);
  else if (x->index < 0)
    fly_suggest(p->b, x->offset, x->word, FLY_SUGGEST_TABLE);
}

static fly_operand call_function(parser *p, const waiting *w, int count) {
  if (count_fits(p, w, count))
    for (int k = 0; k < count; k++)
      if (fly_function_wants_table(w->function, k))
        settle_table(p, w, k);
  if (failed(p))
    return fly_build_constant(0);
  p->b->at = w->name;
  return w->function->emit(p->b, w->function, p->operand + w->base, count);
}

static void check_constant(parser *p, const fly_operand *x, int k, const char *name) {
  if (x->kind == FLY_OPERAND_RESULT)
    fly_build_mark(p->b, *x); // 1/0 is its own complaint
  if (x->kind == FLY_OPERAND_RESULT || x->kind == FLY_OPERAND_INPUT)
    fly_build_fail(p->b, x->offset, "argument %d of %s must be a name or a constant", k + 1, name);
}

static fly_operand call_resolver(parser *p, const waiting *w, int count) {
  const char *name = p->words + w->name;
  fly_expr_argument argument[MOST_ARGUMENTS];
  int offset[MOST_ARGUMENTS];
  if (count > MOST_ARGUMENTS)
    fly_build_fail(p->b, w->name, "more than %d arguments", MOST_ARGUMENTS);
  for (int k = 0; k < count && !failed(p); k++) {
    const fly_operand *x = &p->operand[w->base + k];
    check_constant(p, x, k, name);
    argument[k] = (fly_expr_argument){x->word, x->kind == FLY_OPERAND_CONSTANT, x->value};
    offset[k] = x->offset;
  }
  if (failed(p))
    return fly_build_constant(0);
  const fly_expr_reference asked = {.name = name, .call = true, .count = count, .argument = argument};
  return fly_scope_ask(p->b, &asked, w->name, offset);
}

static void close_call(parser *p, const waiting *w) {
  const int count = p->noperands - w->base;
  const fly_operand y = w->function != NULL  ? call_function(p, w, count)
                        : w->formula != NULL ? fly_parse_inside(p->b, w->formula, p->operand + w->base, count, w->name)
                                             : call_resolver(p, w, count);
  p->noperands = w->base;
  push_operand(p, y);
}

// ---------------------------------------------------------------------------------- parentheses and commas

static void end_argument(parser *p, const waiting *w) { p->operand[p->noperands - 1].offset = w->argument; }

static void read_close(parser *p) {
  reduce(p, 1);
  if (failed(p))
    return;
  if (p->depth == 0) {
    fly_build_fail(p->b, p->token.offset, "this ) closes nothing. %s", yaml);
    return;
  }
  const waiting w = p->stack[--p->depth];
  p->open--;
  if (w.kind == CALL) {
    if (!p->want_operand)
      end_argument(p, &w);
    close_call(p, &w);
  }
  p->want_operand = false;
  advance(p);
}

static void read_comma(parser *p) {
  reduce(p, 1);
  if (failed(p))
    return;
  waiting *w = top(p);
  if (w == NULL || w->kind != CALL) {
    fly_build_fail(p->b, p->token.offset,
                   "a comma separates the arguments of a function, and here is none. Decimals have a point");
    return;
  }
  end_argument(p, w);
  advance(p);
  w->argument = p->token.offset;
  p->want_operand = true;
}

// ---------------------------------------------------------------------------------- the two states

static void complain_of_missing_operand(parser *p) {
  char text[FLY_QUOTE_SIZE];
  const waiting *w = top(p);
  const bool end = p->token.kind == FLY_TOKEN_END;
  if (end && p->depth == 0)
    fly_build_fail(p->b, 0, "the expression is empty");
  else if (end && (w->kind == CALL || w->kind == GROUP))
    fly_build_fail(p->b, w->offset, "this ( is never closed. %s", yaml);
  else if (end)
    fly_build_fail(p->b, w->offset, "the expression ends where this operator needs a number");
  else if (p->token.kind == FLY_TOKEN_CLOSE && p->open == 0)
    fly_build_fail(p->b, p->token.offset, "this ) closes nothing. %s", yaml);
  else if (w != NULL && w->kind == CALL)
    fly_build_fail(p->b, p->token.offset, "an argument is missing before '%s'", quote(p, text));
  else
    fly_build_fail(p->b, p->token.offset, "a number or a name is missing before '%s'", quote(p, text));
}

static void read_word(parser *p) {
  const fly_token next = fly_token_at(p->b->text, p->token.offset + p->token.length);
  if (next.kind == FLY_TOKEN_OPEN) {
    open_call(p);
    return;
  }
  if (!read_bare_word(p, next)) {
    const char *name = word_of(p, p->token);
    push_operand(p, fly_scope_word(p->b, name, p->token.offset));
  }
  p->want_operand = false;
  advance(p);
}

static void read_operand(parser *p) {
  const waiting *call = call_at_argument(p);
  switch (p->token.kind) {
  case FLY_TOKEN_NUMBER:
    push_operand(p, fly_build_constant(p->token.number));
    p->want_operand = false;
    advance(p);
    break;
  case FLY_TOKEN_WORD:
    read_word(p);
    break;
  case FLY_TOKEN_OPEN:
    open_parenthesis(p, (waiting){.kind = GROUP});
    break;
  case FLY_TOKEN_PLUS:
  case FLY_TOKEN_MINUS:
  case FLY_TOKEN_NOT:
    read_prefix(p);
    break;
  case FLY_TOKEN_CLOSE:
    if (call != NULL && call->base == p->noperands) // f()
      read_close(p);
    else
      complain_of_missing_operand(p);
    break;
  default:
    complain_of_missing_operand(p);
  }
}

static void finish(parser *p) {
  reduce(p, 1);
  if (p->depth > 0)
    fly_build_fail(p->b, top(p)->offset, "this ( is never closed. %s", yaml);
}

static void read_behind_operand(parser *p) {
  char text[FLY_QUOTE_SIZE];
  if (p->token.kind == FLY_TOKEN_CLOSE)
    read_close(p);
  else if (p->token.kind == FLY_TOKEN_COMMA)
    read_comma(p);
  else if (operators[p->token.kind].level > 0)
    read_operator(p);
  else
    fly_build_fail(p->b, p->token.offset, "an operator is missing before '%s'", quote(p, text));
}

static void read_all(parser *p) {
  char text[FLY_QUOTE_SIZE];
  p->want_operand = true;
  p->token = fly_token_at(p->b->text, 0);
  while (!failed(p)) {
    if (p->token.kind == FLY_TOKEN_BAD)
      fly_build_fail(p->b, p->token.offset, "'%s' %s", quote(p, text), p->token.why);
    else if (p->want_operand)
      read_operand(p);
    else if (p->token.kind != FLY_TOKEN_END)
      read_behind_operand(p);
    else
      break;
  }
  if (!failed(p))
    finish(p);
}

fly_operand fly_parse(fly_builder *b) {
  parser p = {.b = b};
  const size_t length = strlen(b->text);
  if (length > LONGEST_TEXT) {
    fly_build_fail(b, 0, "the expression has %zu characters; %d is the limit", length, LONGEST_TEXT);
    return fly_build_constant(0);
  }
  p.words = malloc(length + 1);
  if (p.words != NULL) {
    memcpy(p.words, b->text, length + 1);
    read_all(&p);
  } else {
    fly_build_no_memory(b);
  }
  const fly_operand result = b->status == FLY_OK && p.noperands > 0 ? p.operand[0] : fly_build_constant(0);
  free(p.words);
  free(p.stack);
  free(p.operand);
  return result;
}

// ---------------------------------------------------------------------------------- formulas

// Does the text of a formula lead back to it? Then it would never end.
static bool is_inside(const fly_builder *b, const fly_expr_formula *f) {
  for (const fly_inside *call = b->inside; call != NULL; call = call->outer)
    if (strcmp(call->formula->name, f->name) == 0)
      return true;
  return false;
}

static bool formula_fits(fly_builder *b, const fly_expr_formula *f, int count, int at) {
  int depth = 0;
  for (const fly_inside *call = b->inside; call != NULL; call = call->outer)
    depth++;
  if (count != f->count)
    fly_build_fail(b, at, "%s takes %d argument%s, and got %d", f->name, f->count, f->count == 1 ? "" : "s", count);
  else if (is_inside(b, f))
    fly_build_fail(b, at, "'%s' %s itself%s, and would never end", f->name, f->argument != NULL ? "calls" : "needs",
                   strcmp(b->inside->formula->name, f->name) == 0 ? "" : " through others");
  else if (depth == MOST_INSIDE || ++b->ncalls > MOST_CALLS)
    fly_build_fail(b, at, "functions that call each other stand behind this %s",
                   depth == MOST_INSIDE ? "more than 32 deep" : "more than 20000 times");
  return b->status == FLY_OK;
}

fly_operand fly_parse_inside(fly_builder *b, const fly_expr_formula *f, const fly_operand *argument, int count,
                             int at) {
  if (!formula_fits(b, f, count, at))
    return fly_build_constant(0);
  const fly_inside call = {f, argument, b->text, at, b->inside};
  b->inside = &call;
  b->text = f->text;
  const fly_operand y = fly_parse(b);
  b->inside = call.outer;
  b->text = call.text;
  return y;
}
