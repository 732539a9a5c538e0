// What a contact takes in a model file.
#include "element/contact.h"
#include "element/list.h"
#include "element/table.h"

static const fly_parameter PARAMETERS[] = {
    {"bodies", FLY_BODIES, 0, "", NULL, false, ANY,
     "whose shapes touch: two, or more, each with each but those that a joint joins; ground may be one of them"},
    {"with", FLY_BODIES, 0, "", NULL, false, ANY, "instead of each other: what all of `bodies` touch"},
    {"materials", FLY_WORD, 2, "", NULL, false, ANY,
     "instead of `bodies`: all bodies of the one `material` touch all of the other, but for those that a joint joins"},
    {"except", FLY_BODIES, 0, "", NULL, false, ANY, "two of these do not touch each other by this contact"},
    {"shapes", FLY_NUMBER, 2, "", "[0, 0]", false, NOT_NEGATIVE,
     "which shape of `bodies` touches which of `with` (or of the first body which of the second), by their places in "
     "their lists: 1 is the first; 0: all"},
    {"pairs", FLY_WORD, 1, "", "near", false, KNOWS("near all found"),
     "looked at, of 16 or more: who can touch soon, or all; found: pairs are not listed but found as they come near, "
     "and have no channels of their own (so if nothing is said, of more than 10000 pairs and 8 a body)"},
    {"law", FLY_WORD, 1, "", "hunt-crossley", false, KNOWS("hunt-crossley hertz impact linear"), "how they press"},
    {"stiffness", FLY_NUMBER, 1, "N/m^exponent", NULL, false, POSITIVE, "force over depth^exponent; not of hertz"},
    {"exponent", FLY_NUMBER, 1, "", "1.5", false, 1, 10, NULL, "of the depth; of hertz 1.5, of linear 1"},
    {"young", FLY_NUMBER, 2, "Pa", NULL, false, POSITIVE,
     "of hertz: Young's moduli of both, in the order of `bodies`, then `with`"},
    {"poisson", FLY_NUMBER, 2, "", "[0.3, 0.3]", false, 0, 0.5, NULL, "of hertz: Poisson's ratios of both"},
    {"restitution", FLY_NUMBER, 1, "", NULL, false, 0, 1, NULL,
     "of hunt-crossley and hertz: speed behind a blow over the speed before it, at any speed above `slow`; it, or "
     "damping"},
    {"damping", FLY_NUMBER, 1, "N s/m, s/m", "0", false, NOT_NEGATIVE,
     "of impact and linear: force over the speed of approach; of the others: growth of the force with it"},
    {"depth", FLY_NUMBER, 1, "m", NULL, false, POSITIVE, "of impact: over which its damping is switched in; required"},
    {"slow", FLY_NUMBER, 1, "m/s", "0.01", false, POSITIVE,
     "with a restitution: slower blows are damped as those of this speed"},
    {"overlap", FLY_WORD, 1, "", "push", false, KNOWS("push relax"),
     "of shapes that overlap where the model is written down: they push from there, or relax: their surfaces are taken "
     "back by as much, so that they only touch"},
    {"rolling", FLY_NUMBER, 1, "m", "0", false, NOT_NEGATIVE,
     "resistance to rolling: moment over the normal force, by which that stands ahead of the spot"},
    {"spinning", FLY_NUMBER, 1, "m", "0", false, NOT_NEGATIVE, "likewise against a spin about the normal"},
    {"slow_turn", FLY_NUMBER, 1, "rad/s", "0.01", false, POSITIVE, "of both: slower turns are resisted less"},
    {"surface_velocity", FLY_NUMBER, 3, "m/s", "[0, 0, 0]", false, ANY,
     "with friction: how fast the surface of the first of `bodies` runs along itself, as a conveyor; in its axes"},
    {"friction", FLY_SETTINGS, 0, "", NULL, false,
     KNOWS("law mu mu_static stribeck_speed transition_speed stiffness damping"),
     "{mu: 0.3}: friction along the surface; law: stick (if not given), lugre or regularized"},
    SWITCH,
    END};

const fly_element_type fly_contacts_contact =
    FLY_ELEMENT("contacts", "contact", "shapes of two bodies press on each other where they touch, and rub",
                "bounce: {bodies: [ball, ground], stiffness: 1e6, restitution: 0.8}", .parameters = PARAMETERS,
                .force = &fly_contact_force);
