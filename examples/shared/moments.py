# SPDX-License-Identifier: LGPL-2.1-or-later
"""The time between two videos, by the motion in both. A video has the `times` of its frames, in
nanoseconds, and how much moved until each (`motion`)."""
import math

# The search: seconds to either side, seconds that both must show, and the least correlation.
APART, SEEN, ALIKE = 5, 2, .6
SECOND = 10**9


def intervals(view):
    """From each frame to the next, and the usual one of these."""
    took = [later - time for time, later in zip(view.times, view.times[1:])] or [0]
    return took, sorted(took)[len(took) // 2]


def on_grid(view, step):
    """The motion in equal steps of time; None where frames are missing: then more has moved."""
    (took, usual), values, at = intervals(view), [], 1
    for number in range(int((view.times[-1] - view.times[1]) / step) + 1):
        while at + 1 < len(view.times) and view.times[at] - view.times[1] < (number - .5) * step:
            at += 1
        values.append(view.motion[at] if took[at - 1] < 1.5 * usual else None)
    return values


def correlation(ours, theirs):
    """Pearson's, of two series of one length, if an eighth is known of both."""
    pairs = [pair for pair in zip(ours, theirs) if None not in pair]
    if 8 * len(pairs) < len(ours):
        return 0
    a, b = (sum(series) / len(pairs) for series in zip(*pairs))
    pairs = [(x - a, y - b) for x, y in pairs]
    scale = (sum(x * x for x, _ in pairs) * sum(y * y for _, y in pairs)) ** .5
    return sum(x * y for x, y in pairs) / scale if scale > 0 else 0


def find_offset(left, right):
    """Seconds by which the right video started before the left one, how alike the motion in both is
    then, and by how many seconds that may be wrong: where the correlation is within its standard
    deviation (Fisher's); 0 if it cannot be told, or is nothing."""
    if min(len(left.times), len(right.times)) < 3:
        return 0, 0, 0
    step = min((view.times[-1] - view.times[0]) / (len(view.times) - 1) for view in (left, right))
    ours, theirs, found = on_grid(left, step), on_grid(right, step), {}
    most = round(APART * SECOND / step)
    for lag in range(-most, most + 1):
        a, b = ours[max(0, -lag):], theirs[max(0, lag):]
        n = min(len(a), len(b))
        if n * step >= SEEN * SECOND:
            found[lag] = correlation(a[:n], b[:n])
    best = max(found, key=found.get, default=0)
    if best == 0 or found[best] < max(ALIKE, found.get(0, 0) + .1):
        return 0, 0, 0
    number = min(len(ours), len(theirs)) - abs(best)
    least = math.tanh(math.atanh(min(found[best], .9999)) - 1 / max(number - 3, 1) ** .5)
    within = max(1, *(abs(lag - best) for lag in found if found[lag] > least)) * step
    return ((best * step + right.times[0] - left.times[0]) / SECOND, found[best], within / SECOND)
