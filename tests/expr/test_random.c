// Random expressions, written as text and evaluated a second time by walking their tree with dual numbers.
#include "sample.h"

enum { INPUTS = 4, DEEPEST = 6 };

// ---------------------------------------------------------------------------------- trees

typedef enum kind {
  NUMBER,
  INPUT,
  NEGATE,
  NOT,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  LESS,
  GREATER_EQUAL,
  EQUAL,
  AND,
  OR,
  SIN,
  EXP,
  TANH,
  ABS,
  MIN,
  MAX,
  IF,
  KINDS
} kind;

// How each is written, how tightly it binds (functions and leaves: 9), and its operands.
static const struct {
  const char *text;
  int level, operands;
} shape[KINDS] = {
    [NUMBER] = {"", 9, 0},   [INPUT] = {"", 9, 0},     [NEGATE] = {"-", 7, 1},         [NOT] = {"not ", 3, 1},
    [ADD] = {"+", 5, 2},     [SUBTRACT] = {"-", 5, 2}, [MULTIPLY] = {"*", 6, 2},       [DIVIDE] = {"/", 6, 2},
    [POWER] = {"^", 8, 2},   [LESS] = {"<", 4, 2},     [GREATER_EQUAL] = {">=", 4, 2}, [EQUAL] = {"==", 4, 2},
    [AND] = {" and ", 2, 2}, [OR] = {" or ", 1, 2},    [SIN] = {"sin", 9, 1},          [EXP] = {"exp", 9, 1},
    [TANH] = {"tanh", 9, 1}, [ABS] = {"abs", 9, 1},    [MIN] = {"min", 9, 2},          [MAX] = {"max", 9, 2},
    [IF] = {"if", 9, 3},
};

typedef struct tree {
  kind kind;
  double number;
  int input;
  struct tree *operand[3];
} tree;

typedef struct forest {
  tree node[2000];
  int count;
  uint64_t seed;
} forest;

static tree *grow(forest *f, int depth) {
  tree *t = &f->node[f->count++];
  *t = (tree){.kind = (kind)random_int(&f->seed, depth == 0 ? INPUT + 1 : KINDS)};
  t->number = round(8 * random_double(&f->seed)) / 4;
  if (t->number < 0) // the sign is an operator
    t->number = -t->number;
  t->input = random_int(&f->seed, INPUTS);
  for (int k = 0; k < shape[t->kind].operands; k++)
    t->operand[k] = grow(f, depth - 1 - random_int(&f->seed, 2) * (depth > 1));
  return t;
}

// ---------------------------------------------------------------------------------- writing

typedef struct writer {
  char text[60000];
  size_t length;
  uint64_t *seed;
} writer;

static void put(writer *w, const char *text) {
  w->length += (size_t)snprintf(w->text + w->length, sizeof w->text - w->length, "%s", text);
  while (random_int(w->seed, 10) == 0)
    w->text[w->length++] = ' ';
  w->text[w->length] = 0;
}

static void write_tree(writer *w, const tree *t, bool parentheses);

static void write_leaf(writer *w, const tree *t) {
  char text[40];
  if (t->kind == NUMBER)
    snprintf(text, sizeof text, "%g", t->number);
  else if (t->input == FLY_EXPR_TIME)
    snprintf(text, sizeof text, "time");
  else
    snprintf(text, sizeof text, "u%d", t->input);
  put(w, text);
}

static void write_call(writer *w, const tree *t) {
  put(w, shape[t->kind].text);
  put(w, "(");
  for (int k = 0; k < shape[t->kind].operands; k++) {
    put(w, k > 0 ? "," : "");
    write_tree(w, t->operand[k], false);
  }
  put(w, ")");
}

// Parentheses only where they are needed: a looser operator inside a tighter one, the wrong side of one as tight.
static bool needs_parentheses(const tree *t, int side) {
  assert_non_null(t->operand[side]);
  const int outer = shape[t->kind].level, inner = shape[t->operand[side]->kind].level;
  const kind k = t->operand[side]->kind;
  if (t->kind == NEGATE || t->kind == NOT)
    return inner < outer;
  if (t->kind == POWER) // a sign may stand in the exponent
    return side == 0 ? inner <= outer : inner < outer && k != NEGATE;
  if (outer == 4)
    return inner <= outer;
  if (k == NOT && outer > 3)
    return true;
  return side == 0 ? inner < outer : inner <= outer;
}

static void write_operator(writer *w, const tree *t) {
  const bool prefix = shape[t->kind].operands == 1;
  if (!prefix)
    write_tree(w, t->operand[0], needs_parentheses(t, 0));
  put(w, shape[t->kind].text);
  write_tree(w, t->operand[!prefix], needs_parentheses(t, !prefix));
}

static void write_tree(writer *w, const tree *t, bool parentheses) {
  assert_non_null(t);
  parentheses = parentheses || random_int(w->seed, 12) == 0;
  if (parentheses)
    put(w, "(");
  if (t->kind <= INPUT)
    write_leaf(w, t);
  else if (shape[t->kind].level == 9)
    write_call(w, t);
  else
    write_operator(w, t);
  if (parentheses)
    put(w, ")");
}

// ---------------------------------------------------------------------------------- evaluating

// A value, its gradient, and a bound on what rounding may have done to each.
typedef struct dual {
  double v, error;
  double d[INPUTS], d_error[INPUTS];
  bool depends; // on some input
  bool fragile; // a decision fell that rounding could have turned, or a kink was met
} dual;

// y = f(a, b) with partial derivatives fa, fb; and how much fa and fb move by rounding.
static dual chain(double y, dual a, double fa, double fa_error, dual b, double fb, double fb_error) {
  const double eps = 4e-16;
  dual r = {.v = y, .depends = a.depends || b.depends, .fragile = a.fragile || b.fragile};
  r.error = fabs(fa) * a.error + fabs(fb) * b.error + eps * fabs(y);
  for (int k = 0; k < INPUTS; k++) {
    const double ta = a.d[k] == 0 || fa == 0 ? 0 : fa * a.d[k], tb = b.d[k] == 0 || fb == 0 ? 0 : fb * b.d[k];
    r.d[k] = ta + tb;
    r.d_error[k] = fabs(fa) * a.d_error[k] + fabs(fb) * b.d_error[k] + fa_error * fabs(a.d[k]) +
                   fb_error * fabs(b.d[k]) + 4 * eps * (fabs(ta) + fabs(tb));
  }
  return r;
}

static dual choose(bool first, dual a, dual b, bool close) {
  dual r = first ? a : b;
  r.depends = a.depends || b.depends;
  r.fragile = a.fragile || b.fragile || close;
  return r;
}

static dual decide(bool yes, dual a, dual b, bool close) {
  return (dual){.v = yes, .depends = a.depends || b.depends, .fragile = a.fragile || b.fragile || close};
}

static dual power(dual a, dual b) {
  const double y = pow(a.v, b.v), l = log(fabs(a.v));
  const double fa = b.v * pow(a.v, b.v - 1), fb = b.depends ? y * l : 0;
  dual r = chain(y, a, fa, fabs(fa) * (fabs((b.v - 1) / a.v) * a.error + (1 + fabs(l)) * b.error), b, fb,
                 fabs(fb) * (fabs(b.v / a.v) * a.error + fabs(l) * b.error) + fabs(y / a.v) * a.error);
  r.fragile = r.fragile || a.v == 0 || (a.v < 0 && b.depends); // conventions of their own, tested elsewhere
  return r;
}

static dual evaluate(const tree *t, const double *inputs);

static dual evaluate_operator(kind k, dual a, dual b) {
  const bool close = fabs(a.v - b.v) <= 4 * (a.error + b.error);
  switch (k) {
  case ADD:
    return chain(a.v + b.v, a, 1, 0, b, 1, 0);
  case SUBTRACT:
    return chain(a.v - b.v, a, 1, 0, b, -1, 0);
  case MULTIPLY:
    return chain(a.v * b.v, a, b.v, b.error, b, a.v, a.error);
  case DIVIDE:
    return chain(a.v / b.v, a, 1 / b.v, b.error / (b.v * b.v), b, -a.v / (b.v * b.v),
                 a.error / (b.v * b.v) + 2 * fabs(a.v) * b.error / fabs(b.v * b.v * b.v));
  case POWER:
    return power(a, b);
  case LESS:
    return decide(a.v < b.v, a, b, close && (a.error > 0 || b.error > 0));
  case GREATER_EQUAL:
    return decide(a.v >= b.v, a, b, close && (a.error > 0 || b.error > 0));
  case EQUAL:
    return decide(a.v == b.v, a, b, close && (a.error > 0 || b.error > 0));
  case AND:
    return decide(a.v != 0 && b.v != 0, a, b, fabs(a.v) < a.error || fabs(b.v) < b.error);
  case OR:
    return decide(a.v != 0 || b.v != 0, a, b, fabs(a.v) < a.error || fabs(b.v) < b.error);
  case MIN:
    return choose(a.v <= b.v || isnan(a.v), a, b, close);
  default:
    return choose(a.v >= b.v || isnan(a.v), a, b, close);
  }
}

static dual evaluate_function(kind k, dual a) {
  const dual none = {0};
  const double x = a.v, t = tanh(x);
  switch (k) {
  case NEGATE:
    return chain(-x, a, -1, 0, none, 0, 0);
  case NOT:
    return decide(x == 0, a, a, fabs(x) < a.error);
  case SIN:
    return chain(sin(x), a, cos(x), a.error + 1e-16, none, 0, 0);
  case EXP:
    return chain(exp(x), a, exp(x), exp(x) * a.error, none, 0, 0);
  case TANH:
    return chain(t, a, 1 - t * t, 2 * a.error + 4e-16, none, 0, 0);
  default: {
    dual r = chain(fabs(x), a, x >= 0 ? 1 : -1, 0, none, 0, 0);
    r.fragile = r.fragile || fabs(x) <= a.error;
    return r;
  }
  }
}

static dual evaluate(const tree *t, const double *inputs) {
  dual r = {0};
  if (t->kind == NUMBER) {
    r.v = t->number;
    return r;
  }
  if (t->kind == INPUT) {
    r.v = inputs[t->input];
    r.d[t->input] = 1;
    r.depends = true;
    return r;
  }
  const dual a = evaluate(t->operand[0], inputs);
  if (shape[t->kind].operands == 1)
    return evaluate_function(t->kind, a);
  if (t->kind == IF) { // the branch not taken is not even looked at
    r = evaluate(t->operand[a.v != 0 ? 1 : 2], inputs);
    r.depends = true; // it may
    r.fragile = r.fragile || a.fragile || fabs(a.v) < a.error;
    return r;
  }
  return evaluate_operator(t->kind, a, evaluate(t->operand[1], inputs));
}

// ---------------------------------------------------------------------------------- the comparison

static bool compare(const fly_expr *e, const tree *t, const char *text, const double *inputs) {
  double value, gradient[INPUTS], full[INPUTS] = {0};
  int n;
  const int *list = fly_expr_inputs(e, &n);
  const dual expected = evaluate(t, inputs);
  if (expected.fragile || !isfinite(expected.v) || !isfinite(expected.error))
    return false;
  fly_expr_gradient(e, inputs, &value, gradient);
  const double again = fly_expr_value(e, inputs);
  assert_memory_equal(&value, &again, sizeof value);
  if (!(fabs(value - expected.v) <= 4 * expected.error))
    fail_msg("%s = %.17g, not %.17g (allowed %g)", text, value, expected.v, expected.error);
  for (int k = 0; k < n; k++)
    full[list[k]] = gradient[k];
  for (int k = 0; k < INPUTS; k++)
    if (isfinite(expected.d[k]) && isfinite(expected.d_error[k]) &&
        !(fabs(full[k] - expected.d[k]) <= 10 * expected.d_error[k] + 1e-300))
      fail_msg("%s: derivative %d is %.17g, not %.17g (allowed %g)", text, k, full[k], expected.d[k],
               expected.d_error[k]);
  return true;
}

static void random_expressions(void **state) {
  static forest f;
  static writer w;
  const fly_expr_scope scope = sample_scope();
  int compared = 0, refused = 0;
  f.seed = 7;
  for (int i = 0; i < 20000; i++) {
    f.count = 0;
    const tree *t = grow(&f, random_int(&f.seed, DEEPEST));
    w.length = 0;
    w.seed = &f.seed;
    write_tree(&w, t, false);
    fly_error error;
    fly_expr *e;
    if (fly_expr_compile(&e, w.text, &scope, &error) != FLY_OK) { // 1/0 and its like
      if (strstr(error.message, "finite number") == NULL && strstr(error.message, "division by zero") == NULL)
        fail_msg("%s: %s", w.text, error.message);
      refused++;
      continue;
    }
    for (int n = 0; n < 4; n++) {
      double inputs[INPUTS];
      for (int k = 0; k < INPUTS; k++)
        inputs[k] = n == 0 ? round(2 * random_double(&f.seed)) : 3 * random_double(&f.seed);
      compared += compare(e, t, w.text, inputs);
    }
    fly_expr_free(e);
  }
  if (getenv("FLY_SHOW_RESIDUALS") != NULL)
    printf("%d compared, %d refused\n", compared, refused);
  assert_true(compared > 40000);
  assert_true(refused < 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
