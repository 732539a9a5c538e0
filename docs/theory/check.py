#!/usr/bin/env python3
"""Checks the constants and the growth factors of newmark.md by brute force. Needs nothing but Python; takes a second.

    python3 docs/theory/check.py
"""
import math
import random
import sys

FAILED = []


def near(what, value, expected, tolerance):
    ok = abs(value - expected) <= tolerance * max(1.0, abs(expected))
    print("%-62s %12.6g %12.6g  %s" % (what, value, expected, "ok" if ok else "WRONG"))
    if not ok:
        FAILED.append(what)


# ---------------------------------------------------------------------------------------------- the family

def order_two(alpha_m, alpha_f, beta):
    return alpha_m, alpha_f, beta, 0.5 - alpha_m + alpha_f


def ch(rho):
    return order_two((2 * rho - 1) / (rho + 1), rho / (rho + 1), 1 / (1 + rho) ** 2)


def hht(alpha):
    return order_two(0.0, -alpha, (1 - alpha) ** 2 / 4)


def wbz(rho):
    return order_two((rho - 1) / (rho + 1), 0.0, 1 / (1 + rho) ** 2)


MEMBERS = {"CH(0.6)": ch(0.6), "CH(0.7)": ch(0.7), "CH(0.9)": ch(0.9), "HHT(-0.3)": hht(-0.3), "WBZ(0.6)": wbz(0.6)}


def recursion_constant(m, f):
    """w_n = x'(t_n + d h) + c h^2 x''' once the start is forgotten: this is c."""
    d = m - f
    return 0.5 * ((1 - f) - (1 - m) * (1 + d) ** 2 - m * d * d)


def state_constant(m, f, theta):
    """As in newmark.c."""
    d = m - f
    return 1 / 6 - 0.5 * ((1 - theta) * d * d + theta * (1 + d) ** 2) - recursion_constant(m, f)


# ---------------------------------------------------------------------------------------------- local errors

def check_accelerations():
    """a_n = v'(t_n + d_alpha h): run (N-acceleration) on v' = sin t and look."""
    h, n = 1e-3, 2000
    for name, (am, af, _, _) in MEMBERS.items():
        a = math.sin((am - af) * h)
        for k in range(n):
            a = ((1 - af) * math.sin((k + 1) * h) + af * math.sin(k * h) - am * a) / (1 - am)
        t = n * h
        near("%s: (a_n - v'(t_n)) / (h v'')" % name, (a - math.sin(t)) / (h * math.cos(t)), am - af, 2e-3)


def check_positions():
    """One step from exact values of q = sin t: (q(t1) - q1) / (h^3 v'')."""
    h, t = 1e-3, 0.7
    for name, (am, af, beta, _) in MEMBERS.items():
        d = am - af
        a0, a1 = -math.sin(t + d * h), -math.sin(t + (1 + d) * h)
        q1 = math.sin(t) + h * math.cos(t) + h * h * ((0.5 - beta) * a0 + beta * a1)
        near("%s: local position error" % name, (math.sin(t + h) - q1) / (-math.cos(t) * h ** 3),
             (1 - 6 * beta - 3 * d) / 6, 2e-3)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def check_rotation():
    """theta' = T(theta)^-1 omega, omega = w + s w' + s^2/2 w'': what theta(h) has beyond h w + h^2/2 w' + h^3/6 w''."""
    w, wd, wdd, h, n = [0.3, -1.1, 0.7], [0.9, 0.4, -0.8], [-0.5, 1.3, 0.2], 1e-2, 200

    def slope(s, th):
        om = [w[i] + s * wd[i] + s * s / 2 * wdd[i] for i in range(3)]
        c1 = cross(th, om)
        c2 = cross(th, c1)
        return [om[i] + c1[i] / 2 + c2[i] / 12 for i in range(3)]

    th, ds = [0.0] * 3, h / n
    for k in range(n):
        s = k * ds
        k1 = slope(s, th)
        k2 = slope(s + ds / 2, [th[i] + ds / 2 * k1[i] for i in range(3)])
        k3 = slope(s + ds / 2, [th[i] + ds / 2 * k2[i] for i in range(3)])
        k4 = slope(s + ds, [th[i] + ds * k3[i] for i in range(3)])
        th = [th[i] + ds / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in range(3)]
    expected = cross(w, wd)
    for i in range(3):
        rest = th[i] - h * w[i] - h * h / 2 * wd[i] - h ** 3 / 6 * wdd[i]
        near("rotation: component %d of rest / h^3, against (w x w')/12" % i, rest / h ** 3, expected[i] / 12, 1e-2)


def check_states():
    """Global error of x' = -0.7 x + sin t against h^2 C int e^(-0.7 (T-s)) x'''(s) ds."""
    lam, h, n = -0.7, 5e-3, 400
    b = -1 / (1 + lam * lam)
    a, amplitude = lam * b, 1 - b
    exact = lambda t: amplitude * math.exp(lam * t) + a * math.sin(t) + b * math.cos(t)
    third = lambda t: amplitude * lam ** 3 * math.exp(lam * t) - a * math.cos(t) + b * math.sin(t)
    slope = lambda t, x: lam * x + math.sin(t)
    for name, m, f in (("trapezoid", 0.0, 0.0), ("BDF2 (rho = 0)", -0.5, 0.0), ("rho = 0.6", 0.25, 0.375),
                       ("rho = 0.8", 1.4 / 3.6, 0.8 / 1.8), ("delta_m 0.1, delta_f 0.3", 0.1, 0.3)):
        theta, d = 0.5 - m + f, m - f
        x, xd, t = exact(0.0), slope(0.0, exact(0.0)), 0.0
        w = slope(d * h, exact(d * h)) + recursion_constant(m, f) * h * h * third(0.0)
        kappa = (1 - f) / (1 - m)
        for _ in range(n):
            past, t = (f * xd - m * w) / (1 - m), t + h
            x = (x + h * (1 - theta) * w + h * theta * (kappa * math.sin(t) + past)) / (1 - h * theta * kappa * lam)
            xd = slope(t, x)
            w = kappa * xd + past
        cells = 2000
        integral = sum(math.exp(lam * (t - s)) * third(s) for s in ((i + 0.5) * t / cells for i in range(cells))) * t / cells
        near("states, %s: error / (h^2 integral)" % name, (exact(t) - x) / (h * h * integral),
             state_constant(m, f, theta), 2e-3)
        near("states, %s: constant in closed form" % name, state_constant(m, f, theta), d * (0.5 - f) - 1 / 12, 1e-14)


# ---------------------------------------------------------------------------------------------- where v'' comes from

def weights_apart(h, past):
    """As in predictor.c: weights of the derivative through up to three of the last four points, a fifth of a step apart."""
    t = [-sum(past[:k]) for k in range(4)]
    use = [0]
    for k in range(1, 4):
        if len(use) < 3 and t[use[-1]] - t[k] >= 0.2 * max(h, past[0]):
            use.append(k)
    if len(use) == 1:
        use.append(3)
    d1 = -t[use[1]]
    w = [1 / d1, -1 / d1]
    if len(use) > 2:
        d2, d12 = -t[use[2]], t[use[1]] - t[use[2]]
        w = [1 / d1 + 1 / d2, -d2 / (d1 * d12), d1 / (d2 * d12)]
    return list(zip(use, w))


def growth(member, steps, formulation, source, rounds=300):
    """Growth per step of an error of v', a, v on the fully constrained mass q = 0, steps taken in turn (newmark.md 10)."""
    am, af, beta, gamma = member
    d = am - af
    E = (1 - 6 * beta - 3 * d) / 6
    rng = random.Random(3)
    v, a, u = rng.random(), rng.random(), [rng.random() for _ in range(4)]
    past, logs = [steps[-1 - k % len(steps)] for k in range(3)], []
    for _ in range(rounds):
        for h in steps:
            h0, a0, v0 = past[0], a, v
            if abs(h - h0) > 1e-12 and source != "none":
                d1, d2, d12 = past[0], past[0] + past[1], past[1]
                jerk = 0.0  # the field knows only q and the clean v, which carry no error here
                if source == "differences":
                    jerk = (1 / d1 + 1 / d2) * u[0] - d2 / (d1 * d12) * u[1] + d1 / (d2 * d12) * u[2]
                if source == "apart":
                    jerk = sum(w * u[k] for k, w in weights_apart(h, past))
                a0, v0 = a + d * (h - h0) * jerk, h * h * E * jerk
            if formulation == "index 3":
                a1 = -(v0 / h + (0.5 - beta) * a0) / beta
            else:
                v0, a1 = 0.0, -(1 - gamma) / gamma * a0
            v, a = v0 + h * ((1 - gamma) * a0 + gamma * a1), a1
            u = [((1 - am) * a1 + am * a0 - af * u[0]) / (1 - af), u[0], u[1], u[2]]
            past = [h, past[0], past[1]]
        size = max(abs(v), abs(a), max(map(abs, u)))
        logs.append(math.log(size))
        v, a, u = v / size, a / size, [x / size for x in u]
    tail = logs[rounds // 2:]
    return math.exp(sum(tail) / len(tail) / len(steps))


SEQUENCES = {"0.3, 0.7": (0.3, 0.7), "0.1, 0.9": (0.1, 0.9), "0.05, 0.95": (0.05, 0.95),
             "nine of 1, one of 1/20": (1.0,) * 9 + (0.05,)}


def show_growth():
    print("\nGrowth per step (> 1: unstable)\n%-24s %-10s %9s %9s %9s %9s" % (
        "steps", "method", "i3 field", "i3 diff", "ggl field", "ggl diff"))
    for label, steps in SEQUENCES.items():
        for name in ("CH(0.6)", "CH(0.7)", "HHT(-0.3)", "WBZ(0.6)"):
            row = [growth(MEMBERS[name], steps, form, source)
                   for form in ("index 3", "ggl") for source in ("field", "differences")]
            print("%-24s %-10s %9.2f %9.2f %9.2f %9.2f" % ((label, name) + tuple(row)))
            if row[0] >= 1:
                FAILED.append("the field's derivative is unstable in index 3: %s, %s" % (name, label))


def check_apart():
    """Points a fifth of a step apart (fly_history_jerk): differences in the stabilized formulation decay for all sequences."""
    worst = 0.0
    for steps in [(x, 1 - x) for x in (0.3, 0.1, 0.05, 0.02, 0.01, 0.005)] + [SEQUENCES["nine of 1, one of 1/20"]]:
        for member in MEMBERS.values():
            worst = max(worst, growth(member, steps, "ggl", "apart"))
    print("\nggl, differences of points apart, 0.3, 0.7 to 0.005, 0.995: largest growth per step %.2f" % worst)
    if worst >= 1:
        FAILED.append("differences of points apart are unstable")


def check_adaptive():
    """Step sequences the step control can make (factors 0.2 to 2): differences in the stabilized formulation decay."""
    rng = random.Random(7)
    factors = (0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
    worst = 0.0
    for _ in range(1500):
        steps = [1.0]
        for _ in range(rng.randint(1, 6)):
            steps.append(steps[-1] * rng.choice(factors))
        if len(steps) > 1 and 0.2 <= steps[0] / steps[-1] <= 2:
            for member in MEMBERS.values():
                worst = max(worst, growth(member, tuple(steps), "ggl", "differences", 60))
    print("\nggl, differences, 1500 sequences with factors 0.2 to 2: largest growth per step %.2f" % worst)
    if worst >= 1:
        FAILED.append("an adaptive sequence is unstable")


def noise_gain(member, steps=1000):
    """As in newmark.c: v' left by one rounding error of a position, root of the sum of squares."""
    am, af, beta, gamma = member
    v = a = u = total = 0.0
    for k in range(steps):
        a1 = ((1.0, -1.0)[k] if k < 2 else 0.0)
        a1 = (a1 - v - (0.5 - beta) * a) / beta
        v += (1 - gamma) * a + gamma * a1
        u = ((1 - am) * a1 + am * a - af * u) / (1 - af)
        a = a1
        total += u * u
    return math.sqrt(total)


def check_noise():
    """A mass held at q = 0 by a constraint that is rounded: deviation of v' over that of the rounding errors (N-gain)."""
    rng = random.Random(11)
    for name, member in MEMBERS.items():
        am, af, beta, gamma = member
        v = a = u = r0 = total = 0.0
        n = 40000
        for _ in range(n):
            r1 = rng.uniform(-0.5, 0.5)
            a1 = (r1 - r0 - v - (0.5 - beta) * a) / beta
            v += (1 - gamma) * a + gamma * a1
            u = ((1 - am) * a1 + am * a - af * u) / (1 - af)
            a, r0 = a1, r1
            total += u * u
        near("%s: noise of v' over noise of g/h^2" % name, math.sqrt(12 * total / n) / noise_gain(member), 1, 0.05)
        print("%62s %12.4g" % ("K =", noise_gain(member)))


def main():
    check_accelerations()
    check_positions()
    check_rotation()
    check_states()
    check_noise()
    show_growth()
    check_apart()
    check_adaptive()
    for what in FAILED:
        print("WRONG: " + what)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
