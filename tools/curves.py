"""Curves over time as an SVG of its own: nothing else is needed to draw it.

    draw(file, [Panel("title", "label [unit]", [("name", times, values), ...]), ...], columns)
"""
import math

COLORS = ["#1f5fbf", "#c0392b", "#2e8b57", "#8e44ad", "#666666"]
WIDE, HIGH, LEFT, RIGHT, LOW, TOP = 640, 320, 70, 15, 40, 24


class Panel:
    """Curves (name, times, values) in one pair of axes."""

    def __init__(self, title, label, curves):
        self.title, self.label, self.curves = title, label, curves


def _text(x, y, anchor, words, more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (x, y, anchor, more, words)


def _grid(least, most):
    """Bottom, top and step of lines at round numbers, seven at most between the values."""
    step = next((m * 10**e for e in range(-15, 16) for m in (1, 2, 5) if (most - least) / (m * 10**e) <= 7), 1)
    bottom, top = step * math.floor(least / step), step * math.ceil(most / step)
    return bottom, top if top > bottom else bottom + step, step


def _panel(p):
    end = max(t[-1] for _, t, _ in p.curves)
    bottom, top, step = _grid(min(min(x) for _, _, x in p.curves), max(max(x) for _, _, x in p.curves))
    across = lambda t: LEFT + t / end * (WIDE - LEFT - RIGHT)
    up = lambda x: HIGH - LOW - (x - bottom) / (top - bottom) * (HIGH - LOW - TOP)
    lines = [_text((LEFT + WIDE - RIGHT) / 2, 15, "middle", p.title)]
    for k in range(round((top - bottom) / step) + 1):
        y = up(bottom + k * step)
        lines += ['<path d="M%d %.1fH%d" stroke="#ddd"/>' % (LEFT, y, WIDE - RIGHT), _text(LEFT - 6, y + 4, "end", "%g" % round(bottom + k * step, 15))]
    lines += [_text(across(end * k / 4), HIGH - LOW + 16, "middle", "%g" % (end * k / 4)) for k in range(5)]
    lines.append(_text(WIDE / 2, HIGH - 6, "middle", "time [s]"))
    lines.append('<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>' % (HIGH / 2 - 10, p.label))
    for k, (name, t, x) in enumerate(p.curves):
        color = COLORS[k % len(COLORS)]
        points = " ".join("%.1f,%.1f" % (across(a), up(b)) for a, b in zip(t, x))
        lines.append('<polyline fill="none" stroke="%s" points="%s"/>' % (color, points))
        lines.append(_text(WIDE - RIGHT - 5, TOP + 12 + 14 * k, "end", name, ' fill="%s"' % color))
    return lines


def draw(file, panels, columns=1):
    rows = (len(panels) + columns - 1) // columns
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (WIDE * columns, HIGH * rows),
             '<rect width="100%" height="100%" fill="white"/>']
    for k, p in enumerate(panels):
        lines += ['<g transform="translate(%d %d)">' % (WIDE * (k % columns), HIGH * (k // columns))] + _panel(p) + ["</g>"]
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(lines + ["</svg>", ""]))
