// Cases of flyball bench by Simbody: joint coordinates in time that grows like the bodies, and loops closed by exact
// constraints. Integrators and accuracies are searched; the fastest that is precise enough counts.
#include <Simbody.h>

#include <memory>

#include "planar.h"

using namespace SimTK;

namespace {

struct Task {
  const peer_case *c;
  const planar_model *planar; // null: not one of those
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  State start;
  std::vector<MobilizedBodyIndex> body;
  std::string integrator;
  double accuracy = 1e-3;
  Task(const peer_case *of, const planar_model *model) : c(of), planar(model), matter(system), forces(system) {}
};

// ---------------------------------------------------------------------------------------- models

void makePendulum(Task &s) {
  Force::UniformGravity(s.forces, s.matter, Vec3(0, -9.81, 0));
  MobilizedBody::Pin bob(s.matter.Ground(), Transform(Vec3(0)),
                         Body::Rigid(MassProperties(1, Vec3(-1, 0, 0), Inertia(0, 1, 1))), Transform(Vec3(0)));
  s.body.push_back(bob.getMobilizedBodyIndex());
  s.start = s.system.realizeTopology();
}

Vec3 inPlane(double x, double y) { return Vec3(x, y, 0); }

void addForces(Task &s) {
  const planar_model *m = s.planar;
  if (m->gravity != 0)
    Force::UniformGravity(s.forces, s.matter, Vec3(0, -m->gravity, 0));
  if (m->torque != 0)
    Force::MobilityConstantForce(s.forces, s.matter.getMobilizedBody(s.body[0]), MobilizerUIndex(0), m->torque);
  if (m->stiffness > 0) {
    Force::MobilityLinearSpring(s.forces, s.matter.getMobilizedBody(s.body[1]), MobilizerQIndex(0), m->stiffness, 0);
    Force::MobilityLinearDamper(s.forces, s.matter.getMobilizedBody(s.body[1]), MobilizerUIndex(0), m->damping);
  }
  if (m->sprung >= 0)
    Force::TwoPointLinearSpring(s.forces, s.matter.Ground(), inPlane(m->cx, m->cy),
                                s.matter.getMobilizedBody(s.body[m->sprung]), inPlane(m->dx, m->dy), m->spring,
                                m->length);
}

// A pin that closes a loop in a plane: two planes of one body hold a point of the other.
void closeLoops(Task &s) {
  const planar_model *m = s.planar;
  for (int k = m->bodies; k < m->pins; k++) {
    const planar_pin *p = &m->pin[k];
    MobilizedBody a = s.matter.getMobilizedBody(s.body[p->a]), b = s.matter.getMobilizedBody(s.body[p->b]);
    Constraint::PointInPlane(a, UnitVec3(1, 0, 0), p->ax, b, inPlane(p->bx, p->by));
    Constraint::PointInPlane(a, UnitVec3(0, 1, 0), p->ay, b, inPlane(p->bx, p->by));
  }
}

void makePlanar(Task &s) {
  const planar_model *m = s.planar;
  s.body.resize(m->bodies);
  for (int k = 0; k < m->bodies; k++) {
    const planar_pin *p = &m->pin[k];
    const planar_body *b = &m->body[p->b];
    MobilizedBody parent = p->a < 0 ? MobilizedBody(s.matter.Ground()) : s.matter.getMobilizedBody(s.body[p->a]);
    MobilizedBody::Pin made(parent, Transform(inPlane(p->ax, p->ay)),
                            Body::Rigid(MassProperties(b->mass, Vec3(0), Inertia(b->inertia))),
                            Transform(inPlane(p->bx, p->by)));
    s.body[p->b] = made.getMobilizedBodyIndex();
  }
  addForces(s);
  closeLoops(s);
  s.start = s.system.realizeTopology();
  for (int k = 0; k < m->bodies; k++) {
    const planar_pin *p = &m->pin[k];
    const MobilizedBody &b = s.matter.getMobilizedBody(s.body[p->b]);
    b.setOneQ(s.start, 0, m->body[p->b].angle - (p->a < 0 ? 0 : m->body[p->a].angle));
    b.setOneU(s.start, 0, m->body[p->b].omega - (p->a < 0 ? 0 : m->body[p->a].omega));
  }
}

// examples/bricard.yaml: five rods in a row; of the sixth joint's five rows four are independent of the others.
void makeBricard(Task &s) {
  static const Vec3 joint[5] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(-1, 0, 0)};
  static const CoordinateAxis axis[5] = {YAxis, ZAxis, XAxis, YAxis, ZAxis};
  static const Vec3 centre[5] = {Vec3(0.5, 0, 0), Vec3(0, -0.5, 0), Vec3(0, 0, 0.5), Vec3(-0.5, 0, 0), Vec3(0, 0.5, 0)};
  const double w = 0.1, across = (1 + w * w) / 12, along = 2 * w * w / 12;
  Force::UniformGravity(s.forces, s.matter, Vec3(0, -9.81, 0));
  MobilizedBody last = s.matter.Ground();
  for (int k = 0; k < 5; k++) {
    Inertia own(centre[k][0] != 0 ? along : across, centre[k][1] != 0 ? along : across,
                centre[k][2] != 0 ? along : across);
    Rotation turned(UnitVec3(axis[k]), ZAxis);
    MobilizedBody::Pin rod(last, Transform(turned, joint[k]),
                           Body::Rigid(MassProperties(1, centre[k], own.shiftFromMassCenter(centre[k], 1))),
                           Transform(turned, Vec3(0)));
    s.body.push_back(rod.getMobilizedBodyIndex());
    last = rod;
  }
  Constraint::Ball(s.matter.Ground(), Vec3(0, 0, 1), last, Vec3(0, 1, 0));
  Constraint::ConstantAngle(s.matter.Ground(), UnitVec3(0, 1, 0), last, UnitVec3(1, 0, 0), Pi / 2);
  s.start = s.system.realizeTopology();
}

// ---------------------------------------------------------------------------------------- runs

std::unique_ptr<Integrator> makeIntegrator(const Task &s) {
  if (s.integrator == "Runge-Kutta-Merson")
    return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(s.system));
  if (s.integrator == "Runge-Kutta-Feldberg")
    return std::unique_ptr<Integrator>(new RungeKuttaFeldbergIntegrator(s.system));
  if (s.integrator == "Verlet")
    return std::unique_ptr<Integrator>(new VerletIntegrator(s.system));
  if (s.integrator == "CPodes Adams")
    return std::unique_ptr<Integrator>(new CPodesIntegrator(s.system, CPodes::Adams, CPodes::Functional));
  return std::unique_ptr<Integrator>(new CPodesIntegrator(s.system, CPodes::BDF));
}

void show(const Task &s, const State &at, peer_watch *w) {
  const planar_model *m = s.planar;
  double out[PEER_OUTPUTS] = {0};
  s.system.realize(at, Stage::Position);
  if (!m) {
    const Vec3 end = s.matter.getMobilizedBody(s.body[1]).findStationLocationInGround(at, Vec3(0, -1, 0));
    for (int k = 0; k < 3; k++)
      out[k] = end[k];
  } else if (m->angles > 0) {
    for (int k = 0; k < m->angles; k++)
      out[k] = (k > 0 ? out[k - 1] : 0) + s.matter.getMobilizedBody(s.body[k]).getOneQ(at, 0);
  } else {
    const Vec3 end =
        s.matter.getMobilizedBody(s.body.back()).findStationLocationInGround(at, inPlane(m->tip_x, m->tip_y));
    out[0] = end[0];
    out[1] = end[1];
  }
  peer_see_outputs(w, out);
}

void showEnergy(const Task &s, const State &at, peer_watch *w) {
  s.system.realize(at, Stage::Dynamics);
  peer_see_energy(w, s.system.calcEnergy(at));
}

long go(Task &s, peer_watch *w, double *seconds) {
  std::unique_ptr<Integrator> by = makeIntegrator(s);
  by->setAccuracy(s.accuracy);
  by->setConstraintTolerance(fmin(0.1 * s.accuracy, 1e-3));
  by->setFinalTime(s.c->end);
  by->setReturnEveryInternalStep(w && s.c->outputs == 0);
  by->initialize(s.start);
  const double begin = peer_processor_time();
  if (!w)
    while (by->getTime() < s.c->end * (1 - 1e-12)) // it comes back at the start too
      by->stepTo(s.c->end);
  else if (s.c->outputs == 0) {
    showEnergy(s, by->getState(), w);
    while (by->getTime() < s.c->end * (1 - 1e-12)) {
      by->stepTo(s.c->end);
      showEnergy(s, by->getState(), w);
      if (peer_processor_time() - begin > 5 * PEER_PATIENCE)
        return -1;
    }
  } else
    for (int row = 0; row < PEER_TIMES; row++) {
      while (by->getTime() < peer_time_of(s.c, row) * (1 - 1e-12))
        by->stepTo(peer_time_of(s.c, row));
      show(s, by->getState(), w);
      if (peer_processor_time() - begin > 5 * PEER_PATIENCE)
        return -1;
    }
  *seconds = peer_processor_time() - begin;
  return by->getNumStepsAttempted();
}

long run(void *of, peer_watch *w, double *seconds) {
  try {
    return go(*static_cast<Task *>(of), w, seconds);
  } catch (const std::exception &) {
    return -1; // steps that fail are part of the search
  }
}

void search(Task &s) {
  static const char *const list[] = {"Runge-Kutta-Merson", "Runge-Kutta-Feldberg", "CPodes Adams", "CPodes BDF",
                                     "Verlet"};
  peer_point best = {"", 0, 0, 0};
  for (const char *name : list) {
    const double begin = peer_processor_time();
    double error = HUGE_VAL;
    s.integrator = name;
    s.accuracy = 0.1;
    for (int k = 0; k < 22 && error > s.c->precision && peer_processor_time() - begin < PEER_PATIENCE;
         k++, s.accuracy /= sqrt(10)) {
      char setting[80];
      snprintf(setting, sizeof setting, "%s, accuracy %.1e", name, s.accuracy);
      error = peer_try(&best, s.c, setting, &s, run);
    }
  }
  peer_print(s.c, "simbody", &best);
}

} // namespace

int main(int argc, char **argv) {
  static planar_case list[PLANAR_CASES];
  const int count = planar_list(list, argc, argv);
  static peer_case pendulum = peer_case_make("pendulum", "J", 10, 5e-5 * peer_factor(argc, argv), 0);
  static peer_case bricard = peer_case_make("bricard", "m", 10, 3e-4 * peer_factor(argc, argv), 3);
  int major, minor, build;
  SimTK_version_simbody(&major, &minor, &build);
  char version[40];
  snprintf(version, sizeof version, "%d.%d", major, minor);
  peer_begin("simbody", version);
  if (peer_wants("pendulum", argc, argv)) {
    Task s(&pendulum, nullptr);
    makePendulum(s);
    search(s);
  }
  if (peer_wants("bricard", argc, argv) && peer_read_reference(&bricard, argc > 1 ? argv[1] : "")) {
    Task s(&bricard, nullptr);
    makeBricard(s);
    search(s);
  }
  for (int k = 0; k < count; k++) {
    if (list[k].there) {
      Task s(&list[k].c, &list[k].model);
      makePlanar(s);
      search(s);
    }
    planar_free(&list[k].model);
  }
  peer_end();
  return 0;
}
