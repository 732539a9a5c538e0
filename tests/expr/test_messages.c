// Bad expressions, each with the message it must get.
// labels: valgrind
#include "sample.h"

static const struct {
  const char *text, *message;
} rows[] = {
    {"", "column 1: the expression is empty"},
    {"   ", "column 1: the expression is empty"},
    {"1 +", "column 3: the expression ends where this operator needs a number"},
    {"* 2", "column 1: a number or a name is missing before '*'"},
    {"1 + * 2", "column 5: a number or a name is missing before '*'"},
    {"2 3", "column 3: an operator is missing before '3'"},
    {"2 r", "column 3: an operator is missing before 'r'"},
    {"r 2", "column 3: an operator is missing before '2'"},
    {"r(2)", "column 1: 'r' is a number, not a function: is an operator missing before the ( ?"},
    {"30deg", "column 1: '30deg' is no number; if a unit is meant, write the product, as in 30*deg"},
    {"2(3)", "column 2: an operator is missing before '('"},
    {"(1)(2)", "column 4: an operator is missing before '('"},
    {"sin", "column 1: 'sin' is a function: write sin(x)"},
    {"sin x", "column 1: 'sin' is a function: write sin(x)"},
    {"sin()", "column 1: sin takes 1 argument, sin(x), and got 0"},
    {"sin(1, 2)", "column 1: sin takes 1 argument, sin(x), and got 2"},
    {"step(time, 1, 2)", "column 1: step takes 5 arguments, step(x, x0, h0, x1, h1), and got 3"},
    {"poly(1)", "column 1: poly takes 3 or more arguments, poly(x, x0, a0, ...), and got 1"},
    {"max(1)", "column 1: max takes 2 or more arguments, max(a, b, ...), and got 1"},
    {"atan2(1)", "column 1: atan2 takes 2 arguments, atan2(y, x), and got 1"},
    {"if(1, 2)", "column 1: if takes 3 arguments, if(condition, a, b), and got 2"},
    {"sni(u1)", "column 1: unknown function 'sni'. Did you mean sin?"},
    {"SIN(u1)", "column 1: unknown function 'SIN'. Did you mean sin?"},
    {"ln(2)", "column 1: unknown function 'ln'. Did you mean log?"},
    {"arcsin(2)", "column 1: unknown function 'arcsin'. Did you mean asin?"},
    {"foo(3)", "column 1: unknown function 'foo'"},
    {"dz(crank.pin)", "column 1: unknown function 'dz'. Did you mean dx?"},
    {"dx(crank.pn, ground)", "column 4: there is no marker 'crank.pn'"},
    {"dx(crank.pin, ground)", "column 15: there is no marker 'ground'"},
    {"dx(u1*2)", "column 4: argument 1 of dx must be a name or a constant"},
    {"dx(1/0)", "column 5: division by zero: what follows this / is 0"},
    {"dx(1/0 + 2)", "column 5: division by zero: what follows this / is 0"},
    {"dx()", "column 1: 'dx' does not take these arguments"},
    {"distance(1)", "column 1: 'distance' does not take these arguments"},
    {"tme", "column 1: unknown word 'tme'. Did you mean time?"},
    {"TIME", "column 1: unknown word 'TIME'. Did you mean time?"},
    {"t", "column 1: unknown word 't'. Did you mean time?"},
    {"e", "column 1: unknown word 'e'. Did you mean exp(1)?"},
    {"PI", "column 1: unknown word 'PI'. Did you mean pi?"},
    {"spedd", "column 1: unknown word 'spedd'. Did you mean speed?"},
    {"degrees", "column 1: unknown word 'degrees'. Did you mean deg?"},
    {"xyzzy", "column 1: unknown word 'xyzzy'"},
    {"u1 -", "column 4: the expression ends where this operator needs a number"},
    {"left-wheel", "column 1: unknown word 'left' (A dash is a minus here.)"},
    {"sin(u1", "column 4: this ( is never closed. In YAML a call with commas inside {} or [] needs quotes"},
    {"step(time", "column 5: this ( is never closed. In YAML a call with commas inside {} or [] needs quotes"},
    {"max(1, (2 + 3)", "column 4: this ( is never closed. In YAML a call with commas inside {} or [] needs quotes"},
    {"(", "column 1: this ( is never closed. In YAML a call with commas inside {} or [] needs quotes"},
    {")", "column 1: this ) closes nothing. In YAML a call with commas inside {} or [] needs quotes"},
    {"1)", "column 2: this ) closes nothing. In YAML a call with commas inside {} or [] needs quotes"},
    {"1, 2)", "column 2: a comma separates the arguments of a function, and here is none. Decimals have a point"},
    {"(1, 2)", "column 3: a comma separates the arguments of a function, and here is none. Decimals have a point"},
    {"1, 2", "column 2: a comma separates the arguments of a function, and here is none. Decimals have a point"},
    {"max(1, , 2)", "column 8: an argument is missing before ','"},
    {"max(, 2)", "column 5: an argument is missing before ','"},
    {"max(1, 2,)", "column 10: an argument is missing before ')'"},
    {"()", "column 2: a number or a name is missing before ')'"},
    {"1/0", "column 2: division by zero: what follows this / is 0"},
    {"1/zero", "column 2: division by zero: what follows this / is 0"},
    {"u1/zero", "column 3: division by zero: what follows this / is 0"},
    {"u1/(2 - 2)", "column 3: division by zero: what follows this / is 0"},
    {"sqrt(-1)", "column 1: 'sqrt' of -1 is not a finite number"},
    {"log(0)", "column 1: 'log' of 0 is not a finite number"},
    {"asin(2)", "column 1: 'asin' of 2 is not a finite number"},
    {"1e308*10", "column 6: '*' of 1e+308 and 10 is not a finite number"},
    {"(-8)^0.5", "column 5: '^' of -8 and 0.5 is not a finite number"},
    {"0^-1", "column 2: '^' of 0 and -1 is not a finite number"},
    {"mod(1, 0)", "column 1: 'mod' of 1 and 0 is not a finite number"},
    {"tan(1e999)", "column 5: '1e999' is too large; the largest number is 1.8e308"},
    {"1e999", "column 1: '1e999' is too large; the largest number is 1.8e308"},
    {"1e-999", "column 1: '1e-999' is too small; the smallest number above 0 is 5e-324"},
    {"1.2.3", "column 1: '1.2.3' is not a number"},
    {"1..2", "column 1: '1..2' is not a number"},
    {".", "column 1: '.' has no meaning in an expression"},
    {"1 < 2 < 3", "column 7: comparisons do not chain before this '<': write a < b and b < c"},
    {"1 < u1 <= 3", "column 8: comparisons do not chain before this '<=': write a < b and b < c"},
    {"1 + not 2", "column 5: 'not' binds less than what stands before it: put it in parentheses, (not x)"},
    {"-not 2", "column 2: 'not' binds less than what stands before it: put it in parentheses, (not x)"},
    {"2^not 1", "column 3: 'not' binds less than what stands before it: put it in parentheses, (not x)"},
    {"not", "column 1: the expression ends where this operator needs a number"},
    {"and 1", "column 1: a number or a name is missing before 'and'"},
    {"1 and", "column 3: the expression ends where this operator needs a number"},
    {"1 or or 2", "column 6: a number or a name is missing before 'or'"},
    {"2**3", "column 2: '**' is not known here; a power is written ^"},
    {"1 || 2", "column 3: '||' is not known here; write or"},
    {"!u1", "column 1: '!' is not known here; write not"},
    {"u1 = 2", "column 4: '=' is not a comparison; write =="},
    {"u1 % 2", "column 4: '%' is not known here; write mod(a, b)"},
    {"u1 > 0 ? 1 : 2", "column 8: '?' is not known here; write if(condition, a, b)"},
    {"1; 2", "column 2: ';' is not known here; arguments are separated by commas"},
    {"[1]", "column 1: '[' is not known here; write ("},
    {"{1}", "column 1: '{' is not known here; write ("},
    {"'x'", "column 1: ''' is not known here; names are written without quotes"},
    {"\"x\"", "column 1: '\"' is not known here; names are written without quotes"},
    {"$x", "column 1: '$' has no meaning in an expression"},
    {"#1", "column 1: '#' has no meaning in an expression"},
    {"2\u22123", "column 2: '\u2212' is a printer's minus; write -"},
    {"2\u00B73", "column 2: '\u00B7' is not known here; write *"},
    {"2\u00D73", "column 2: '\u00D7' is not known here; write *"},
    {"30\u00B0", "column 3: '\u00B0' is not known here; write *deg"},
    {"u1\u00B2", "column 3: '\u00B2' is not known here; write ^2"},
    {"u1\u22642", "column 3: '\u2264' is not known here; write <="},
    {"\u221A2", "column 1: '\u221A' is not known here; write sqrt(x)"},
    {"\u03C0", "column 1: unknown word '\u03C0'. Did you mean pi?"},
    {"step(u1, 1, 0, 1, 1)", "column 16: x0 and x1 of step must differ"},
    {"step5(u1, r, 0, 0.15, 1)", "column 17: x0 and x1 of step5 must differ"},
    {"impact(u1, 0, 1, -1, 1, 1, 1)", "column 18: k of impact must not be negative, and is -1"},
    {"impact(u1, 0, 1, 1, 0, 1, 1)", "column 21: e of impact must be positive, and is 0"},
    {"impact(u1, 0, 1, 1, 1, -1, 1)", "column 24: cmax of impact must not be negative, and is -1"},
    {"impact(u1, 0, 1, 1, 1, 1, 0)", "column 27: d of impact must be positive, and is 0"},
    {"clamp(u1, 2, 1)", "column 14: high of clamp must not be below low"},
    {"bistop(u1, 0, 1, 0, 1, 1, 1, 1)", "column 18: x2 of bistop must not be below x1"},
    {"bistop(u1, 0, 0, 1, 1, 1, 1, 0)", "column 30: d of bistop must be positive, and is 0"},
    {"spline(u1)", "column 1: spline takes 2 arguments, spline(x, table), and got 1"},
    {"spline(u1, tabel)", "column 12: there is no table 'tabel'. Did you mean table?"},
    {"spline(u1, 3)", "column 12: argument 2 of spline is the name of a table"},
    {"spline(u1, table + 1)", "column 12: 'table' is a table: write akima(x, table)"},
    {"spline(table, table)", "column 8: 'table' is a table: write akima(x, table)"},
    {"table", "column 1: 'table' is a table: write akima(x, table)"},
    {"spline(u1, map)", "column 12: this table is a surface over x and y: linear2(x, y, table), cubic2(x, y, table)"},
    {"linear2(u1, u2, table)", "column 17: linear2 takes a table with x, y and values; this one is a curve"},
    {"noise(u1, 1.5, 1)", "column 11: seed of noise must be a whole number"},
    {"noise(u1, u2, 1)", "column 11: seed of noise must be a whole number"},
    {"noise(u1, 1, 0)", "column 14: dt of noise must be positive, and is 0"},
    {"spline(u1, r)", "column 12: there is no table 'r'"},
    {"time(3)", "column 1: 'time' is a number, not a function: is an operator missing before the ( ?"},
    {"deg(30)", "column 1: 'deg' is a number, not a function: is an operator missing before the ( ?"},
    {"u1 u2", "column 4: an operator is missing before 'u2'"},
    {"u1 (2)", "column 1: 'u1' is a number, not a function: is an operator missing before the ( ?"},
    {"2u1", "column 1: '2u1' is no number; if a unit is meant, write the product, as in 30*deg"},
    {"0x10", "column 1: '0x10' is no number; if a unit is meant, write the product, as in 30*deg"},
    {"akispl(u1, table)", "column 1: unknown function 'akispl'. Did you mean akima?"},
    {"k\u00F6rper + 1", "column 1: unknown word 'k\u00F6rper'"},
    {"\u20AC", "column 1: '\u20AC' has no meaning in an expression"},
    {"dx(crank.pin, 'x')", "column 15: ''' is not known here; names are written without quotes"},
    {"if(u1 > 0: 1: 2)", "column 10: ':' is not known here; arguments are separated by commas"},
    {"aVeryLongNameThatGoesOnAndOnAndOnAndOnAndOnUntilNobodyCanReadItAnyMore + 1",
     "column 1: unknown word 'aVeryLongNameThatGoesOnAndOnAndOnAndOnAndOnUntilNobodyCa...'"},
    {"u1 && u2", "column 4: '&&' is not known here; write and"},
    {"u1@y", "column 3: '@' has no meaning in an expression"},
    {"1,5*u1", "column 2: a comma separates the arguments of a function, and here is none. Decimals have a point"},
    {"dx", "column 1: 'dx' is a function: write dx( )"},
    {"sin(\xff)", "column 5: '\xff' is not UTF-8"},
    {"1 \x01", "column 3: '?' has no meaning in an expression"},
    {"max(\n  u1,\n  \u00E9)", "column 14: unknown word '\u00E9'"},
    {"k\u00F6rper*u1*", "column 1: unknown word 'k\u00F6rper'"},
    {"u1*\u03B1\u03B2 + 1", "column 4: unknown word '\u03B1\u03B2'"},
    {"gr\u00F6\u00DFe + sni(1)", "column 9: unknown function 'sni'. Did you mean sin?"},
    {"dx(crank.pin, 2, 3)", "column 15: there is no marker 'of a number'"},
    {"shf(u1, 2, u2/zero, 1, 1, 1)", "column 14: division by zero: what follows this / is 0"},
    {"u1\u00A0+ 1", "column 3: '\u00A0' is a space of another kind (U+00A0); write a plain one"},
};
enum { nrows = sizeof rows / sizeof rows[0] };

static void every_message(void **state) {
  const fly_expr_scope scope = sample_scope();
  int wrong = 0;
  for (int i = 0; i < nrows; i++) {
    fly_error error = {.message = "no error"};
    fly_expr *e = (fly_expr *)&error; // must be cleared
    const fly_status status = fly_expr_compile(&e, rows[i].text, &scope, &error);
    if (status != FLY_BAD_INPUT || e != NULL || error.status != status || strcmp(error.message, rows[i].message) != 0) {
      print_error("%s\n  gives  %s\n  not    %s\n", rows[i].text, error.message, rows[i].message);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
}

static void without_error_to_fill(void **state) {
  const fly_expr_scope scope = sample_scope();
  fly_expr *e;
  for (int i = 0; i < nrows; i++) {
    assert_int_equal(fly_expr_compile(&e, rows[i].text, &scope, NULL), FLY_BAD_INPUT);
    assert_null(e);
  }
}

// Any beginning of any text is either compiled, or refused with a message that names a column inside it.
static void beginnings_never_hurt(void **state) {
  const fly_expr_scope scope = sample_scope();
  char text[256];
  for (int i = 0; i < nrows; i++)
    for (size_t n = 0; n <= strlen(rows[i].text); n++) {
      memcpy(text, rows[i].text, n);
      text[n] = 0;
      fly_error error = {.message = ""};
      fly_expr *e;
      int column = 0;
      if (fly_expr_compile(&e, text, &scope, &error) != FLY_OK) {
        assert_int_equal(sscanf(error.message, "column %d: ", &column), 1);
        assert_true(column >= 1 && (size_t)column <= n + 1);
      }
      fly_expr_free(e);
    }
}

static int garbage(fly_expr_answer *answer, const fly_expr_reference *asked, void *user) {
  memset(answer->message, 'x', sizeof answer->message); // no end
  answer->argument = 1000;
  return FLY_EXPR_UNKNOWN;
}

static void resolvers_may_misbehave(void **state) {
  const fly_expr_scope scope = {.resolve = garbage};
  fly_error error;
  fly_expr *e;
  assert_int_equal(fly_expr_compile(&e, "1 + f(a, 3)", &scope, &error), FLY_BAD_INPUT);
  assert_memory_equal(error.message, "column 5: xxxxxx", 16);
  char text[256] = "f(1";
  for (int k = 0; k < 32; k++)
    strcat(text, ", 1");
  strcat(text, ")");
  assert_int_equal(fly_expr_compile(&e, text, &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "column 1: more than 32 arguments");
}

static void an_empty_scope_knows_time_and_functions(void **state) {
  const fly_expr_scope scope = {0};
  fly_error error;
  fly_expr *e;
  assert_int_equal(fly_expr_compile(&e, "sin(time)", &scope, &error), FLY_OK);
  fly_expr_free(e);
  assert_int_equal(fly_expr_compile(&e, "30*deg", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "column 4: unknown word 'deg'");
  assert_int_equal(fly_expr_compile(&e, "splin(time, a)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "column 1: unknown function 'splin'. Did you mean spline?");
  assert_int_equal(fly_expr_compile(&e, "spline(time, a)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "column 14: there is no table 'a'");
}

static void the_resolver_names_what_it_knows(void **state) {
  const char *const calls[] = {"alpha", "beta", "gamma", "delta", "epsilon", NULL}, *const words[] = {"omega", NULL};
  const fly_expr_scope scope = {.resolve = garbage, .calls = calls, .words = words};
  fly_error error;
  fly_expr *e;
  assert_int_equal(fly_expr_compile(&e, "2*epsilom(time)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message, "column 3: unknown function 'epsilom'. Did you mean epsilon?");
  assert_int_equal(fly_expr_compile(&e, "omega(time)", &scope, &error), FLY_BAD_INPUT);
  assert_string_equal(error.message,
                      "column 1: 'omega' is a number, not a function: is an operator missing before the ( ?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_message),
      cmocka_unit_test(without_error_to_fill),
      cmocka_unit_test(beginnings_never_hurt),
      cmocka_unit_test(resolvers_may_misbehave),
      cmocka_unit_test(an_empty_scope_knows_time_and_functions),
      cmocka_unit_test(the_resolver_names_what_it_knows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
