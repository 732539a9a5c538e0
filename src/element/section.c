// Sections: area, moments and torsion constant of what the user gave.
#include "element/section.h"

#include <math.h>

#include "math/constants.h"

// J = a b^3/3 (1 - 192 b/(pi^5 a) sum tanh(n pi a/2 b)/n^5), n = 1, 3, 5 ..., b the shorter side (Timoshenko and
// Goodier, Theory of Elasticity, section 109). Terms beyond the fortieth are below 1e-9.
double fly_section_rectangle_torsion(double a, double b) {
  const double longer = fmax(a, b), shorter = fmin(a, b), ratio = longer / shorter;
  double sum = 0;
  for (int n = 79; n > 0; n -= 2)
    sum += tanh(n * FLY_PI * ratio / 2) / pow(n, 5);
  return longer * pow(shorter, 3) / 3 * (1 - 192 / pow(FLY_PI, 5) / ratio * sum);
}

// Of a ring, or with inner = 0 of a circle.
static fly_section ring(double outer, double inner) {
  const double I = FLY_PI / 64 * (pow(outer, 4) - pow(inner, 4));
  return (fly_section){FLY_PI / 4 * (outer * outer - inner * inner), {I, I}, 2 * I};
}

static fly_section rectangle(double y, double z) {
  return (fly_section){y * z, {y * z * z * z / 12, z * y * y * y / 12}, fly_section_rectangle_torsion(y, z)};
}

static fly_section given(const fly_maker *from, int torsion) {
  double m[3];
  from->numbers(from, "moments", 3, m);
  return (fly_section){from->number(from, "area"), {m[torsion == 0 ? 1 : 0], m[torsion == 2 ? 1 : 2]}, m[torsion]};
}

fly_status fly_section_read(fly_section *s, const fly_maker *from, int torsion) {
  const bool circle = from->given(from, "circle"), tube = from->given(from, "tube");
  const bool box = from->given(from, "rectangle"), own = from->given(from, "area") && from->given(from, "moments");
  double sides[2] = {0};
  if (circle + tube + box + own != 1 ||
      ((circle || tube || box) && (from->given(from, "area") || from->given(from, "moments"))))
    return from->refuse(from,
                        "its section is one of `circle` (diameter), `tube` (outer and inner diameter), "
                        "`rectangle` (along y and z), or `area` with `moments`; %s.",
                        circle + tube + box + own > 0 ? "more than one is given" : "none is given");
  if (tube || box)
    from->numbers(from, tube ? "tube" : "rectangle", 2, sides);
  if (tube && !(sides[1] < sides[0]))
    return from->refuse(from, "`tube` takes the outer diameter and then the inner one, but %g m is not above %g m.",
                        sides[0], sides[1]);
  *s = circle ? ring(from->number(from, "circle"), 0)
       : tube ? ring(sides[0], sides[1])
       : box  ? rectangle(sides[0], sides[1])
              : given(from, torsion);
  return FLY_OK;
}
