// Everything public.
#ifndef FLYBALL_H
#define FLYBALL_H

#include "flyball/dae.h"
#include "flyball/model.h"
#include "flyball/modes.h"
#include "flyball/ode.h"
#include "flyball/profile.h"
#include "flyball/promise.h"
#include "flyball/reduce.h"
#include "flyball/report.h"
#include "flyball/result.h"
#include "flyball/run.h"
#include "flyball/soft.h"
#include "flyball/spec.h"
#include "flyball/status.h"
#include "flyball/words.h"

#endif
