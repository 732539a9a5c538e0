#include "flyball/result.h" // it is public
