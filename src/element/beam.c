#include "element/beam.h"

enum { X, Y, Z, PHI_X, PHI_Y, PHI_Z };

static void set(double *K, int i, int j, double k) { K[6 * i + j] = K[6 * j + i] = k; }

// Bending in a plane: displacement u, turn phi; side is the sign of their coupling.
static void bend(double *K, int u, int phi, double side, double EI, double Phi, double L) {
  double c = EI / (L * L * L * (1 + Phi));
  set(K, u, u, 12 * c);
  set(K, u, phi, side * 6 * L * c);
  set(K, phi, phi, (4 + Phi) * L * L * c);
}

fly_bushing fly_beam_bushing(const fly_beam *b) {
  fly_bushing k = {.free = {b->length}};
  double L = b->length, EI_y = b->young * b->moment[0], EI_z = b->young * b->moment[1];
  double GAL2 = b->shear * b->area * L * L;
  set(k.stiffness, X, X, b->young * b->area / L);
  set(k.stiffness, PHI_X, PHI_X, b->shear * b->torsion / L);
  bend(k.stiffness, Y, PHI_Z, -1.0, EI_z, 12 * EI_z * b->shear_ratio[0] / GAL2, L);
  bend(k.stiffness, Z, PHI_Y, 1.0, EI_y, 12 * EI_y * b->shear_ratio[1] / GAL2, L);
  for (int i = 0; i < 36; i++)
    k.damping[i] = b->damping * k.stiffness[i];
  return k;
}
