#include "verify.h"

void verify_mechatronic(verify *v) { (void)v; }
void verify_formulations(verify *v) { (void)v; }
void verify_stability(verify *v) { (void)v; }
