# SPDX-License-Identifier: LGPL-2.1-or-later
"""Without a board: two cameras from pictures of any scene in which the rig moves and turns.

SIFT features are matched between the views and from frame to frame. The essential matrix of all
views together (five-point algorithm, RANSAC) and the poses of the rig (PnP) start a bundle
adjustment (Levenberg-Marquardt, points eliminated by the Schur complement, Huber weights) of focal
lengths, centres, two radial coefficients, the pose of the right camera, the poses of the rig, and
the points. Its normal equations say how certain each number is. The distance between the cameras,
their height above a floor in view, or a thing of known length gives the scale.
"""
import collections
import itertools
import sys
import time

import cv2
import numpy as np

import solve

MOST_FRAMES = 24  # used for the fit
LEAST_FRAMES = 6
FOV = 70  # degrees across, to begin with
FLOW = 0.01  # of the width: by so much features move between frames that are used
STILL = 0.003  # less of it, over all frames: nothing moves
FEATURES = 1500  # in a picture
MOST_POINTS = 2500  # of all frames, those seen most often
ENOUGH_TURN = 12  # degrees: without it focal lengths and depths cannot be told apart
LEAST_MATCHES = 60  # between the views of a frame, in the median
PLANE = 0.85  # share of matches that one homography explains
ROUNDS, STEPS = 4, 12  # of leaving out, of the adjustment in each
HUBER = 1.5  # pixels
WORST_FOCAL, WORST_TURN = 0.02, 0.03  # share, degrees: more uncertain ones are refused
# Standard deviations of what is known beforehand: focal length (logarithm), centre (of the width),
# coefficients, ratio of both focal lengths (cameras of one kind), of a pixel's sides.
PRIOR_FOCAL, PRIOR_CENTRE, PRIOR_BEND, PRIOR_RATIO, PRIOR_SQUARE = 0.3, 0.03, 0.3, 0.02, 0.005
# A rig that hardly turns measures neither the focal length nor, as it moves ahead, the lens's bend.
HELD_FOCAL, HELD_BEND = 1e-4, 0.02
OWN = 6  # of a camera: f cx cy k1 k2, and the logarithm of fy over fx
FARTHEST = 1e4  # baselines: points beyond it are none
GLOBAL = 2 * OWN + 5  # of both, rotation, direction of the baseline

# Priors: pixels; the focal length and the deviation of its logarithm; that of coefficients.
Known = collections.namedtuple("Known", "size focal spread bend")
# For --camera-height: planes tried, cosine of most tilt, deviation as a share of the height, least
# share of all points.
PLANES, LEVEL, FLAT, LEAST_FLOOR = 2000, 0.85, 0.03, 0.05
# For --object: places along it, half a patch, least contrast (levels) and correlation of one,
# pixels by which disparities may differ from a line, deviation of all of them together, least
# places that agree, longest way without one, most deviation as a share.
ALONG, HALF, CONTRAST, ALIKE, NEAR, COMMON, AGREE, GAP, WORST_SCALE = (
    25, 8, 5, .8, .5, .4, 6, .34, .05)
# Points seen: which point, in which frame, by which camera, where.
Seen = collections.namedtuple("Seen", "point frame side place")
PAUSE = 5  # seconds between two lines of progress


class SceneError(Exception):
    """Why these pictures do not say what the cameras are."""


# ---- Features ------------------------------------------------------------------------------------

def flow(before, now):
    """By how many pixels most features move from one picture to another."""
    corners = cv2.goodFeaturesToTrack(before, 300, 0.01, 12)
    if corners is None:
        return 0.0
    moved, found, _ = cv2.calcOpticalFlowPyrLK(before, now, corners, None, winSize=(31, 31),
                                               maxLevel=5)
    good = found.ravel() == 1
    if good.sum() < 20:
        return float("inf")
    return float(np.median(np.linalg.norm((moved - corners)[good], axis=2)))


def choose(pairs):
    """Frames between which the picture moves, and how many there were."""
    kept, count, last, most = [], 0, None, 0.0
    for pair in pairs:
        count += 1
        moved = flow(last.left, pair.left) if last is not None else float("inf")
        most = max(most, moved if np.isfinite(moved) else 0)
        if last is None or moved > FLOW * pair.left.shape[1]:
            kept.append(pair)
            last = pair
        if len(kept) >= 2 * MOST_FRAMES:
            break
    return kept, count, most


def tell(what, pause=0):
    """Prints what comes next, unless something was printed within so many seconds."""
    if time.monotonic() >= tell.last + pause:
        print(f"stx-calibrate: {what}", file=sys.stderr, flush=True)
        tell.last = time.monotonic()


tell.last = 0


def features(picture):
    points, described = cv2.SIFT_create(FEATURES, contrastThreshold=0.02).detectAndCompute(
        picture, None)
    if described is None or len(points) < 2:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    return np.array([p.pt for p in points]), np.sqrt(described / (
        np.abs(described).sum(1, keepdims=True) + 1e-9))  # Hellinger's distance


def match(one, other):
    """Pairs of indices that are each other's best by far, and agree with one geometry."""
    if min(len(one[0]), len(other[0])) < 8:
        return np.zeros((0, 2), int)
    matcher = cv2.BFMatcher(cv2.NORM_L2)
    there = {m.queryIdx: m.trainIdx for m, n in matcher.knnMatch(one[1], other[1], 2)
             if m.distance < 0.8 * n.distance}
    back = {m.queryIdx: m.trainIdx for m, n in matcher.knnMatch(other[1], one[1], 2)
            if m.distance < 0.8 * n.distance}
    pairs = np.array([(i, j) for i, j in there.items() if back.get(j) == i], int).reshape(-1, 2)
    if len(pairs) < 8:
        return pairs[:0]
    mask = cv2.findFundamentalMat(one[0][pairs[:, 0]], other[0][pairs[:, 1]], cv2.FM_RANSAC, 3.0,
                                  0.999)[1]
    return pairs[mask.ravel() == 1] if mask is not None else pairs[:0]


def tracks(frames):
    """Finds what is seen of each point, and the matches between the views, frame by frame."""
    seen, stereo, ids, before, count = [], [], {}, None, 0
    for number, pair in enumerate(frames):
        tell(f"following points: frame {number + 1} of {len(frames)}", PAUSE)
        left, right = features(pair.left), features(pair.right)
        between = match(left, right)
        stereo.append((left[0][between[:, 0]], right[0][between[:, 1]]))
        now = {}
        if before is not None:
            now = {j: ids[i] for i, j in match(before, left) if i in ids}
        for i, j in between:
            if i not in now:
                now[i], count = count, count + 1
            seen.append((now[i], number, 1, *right[0][j]))
        seen += [(point, number, 0, *left[0][i]) for i, point in now.items()]
        ids, before = now, left
    rows = np.array(seen).reshape(-1, 5)
    return Seen(rows[:, 0].astype(int), rows[:, 1].astype(int), rows[:, 2].astype(int),
                rows[:, 3:]), stereo


# ---- The first guess -----------------------------------------------------------------------------

def check_stereo(stereo):
    """Refuses scenes that say nothing about two cameras."""
    counts = [len(one) for one, other in stereo]
    if np.median(counts) < LEAST_MATCHES:
        raise SceneError(
            f"{np.median(counts):.0f} points of a frame, in the median, are found in both views; "
            f"{LEAST_MATCHES} are needed: take a scene with texture, in focus, that both cameras "
            "see, and check that the recordings are of the same moments")
    flat = []
    for one, other in stereo:
        if len(one) >= 8:
            mask = cv2.findHomography(one, other, cv2.RANSAC, 3.0)[1]
            flat.append(mask.mean() if mask is not None else 0)
    if np.median(flat) > PLANE:
        raise SceneError(
            f"{100 * np.median(flat):.0f} % of the points lie in one plane, or all far away: show "
            "things near and far at once")


def first_pose(stereo, k):
    """R and the direction from the left to the right camera."""
    one, other = (np.concatenate([pair[i] for pair in stereo]) for i in (0, 1))
    essential, mask = cv2.findEssentialMat(one, other, k, cv2.USAC_MAGSAC, 0.999, 1.0)
    if essential is None or essential.shape != (3, 3):
        raise SceneError("no two cameras explain the matches between the views: are they of the "
                         "same moments?")
    inside, turn, t, *_ = cv2.recoverPose(essential, one, other, k, distanceThresh=FARTHEST,
                                          mask=mask.copy())
    share = inside / len(one)
    if share < 0.3:
        raise SceneError(f"{100 * share:.0f} % of the matches fit one pair of cameras: are the "
                         "recordings of the same moments, and of cameras that are fixed to each "
                         "other?")
    t = t.ravel()
    if abs(t[0]) < max(abs(t[1]), abs(t[2])):
        raise SceneError(f"the right camera stands in the direction {-t[0]:.2f}, {-t[1]:.2f}, "
                         f"{-t[2]:.2f} (right, down, ahead): stereo needs cameras side by side. "
                         "Or the recordings are of two moments: stx-check looks for the time "
                         "between")
    if t[0] > 0:
        raise SceneError("left and right are swapped: exchange the inputs, or add --swap")
    return turn, t / -t[0]


def triangulate(one, other, k, turn, t):
    flat = cv2.triangulatePoints(k @ np.eye(3, 4), k @ np.column_stack((turn, t)), one.T, other.T)
    return (flat[:3] / flat[3]).T


def first_poses(seen, frames, k, turn, t):
    """Poses of the rig, by points seen before, and places of points in the first frame's axes."""
    points, poses = {}, [(np.eye(3), np.zeros(3))]
    for number in range(frames):
        here = [dict(zip(seen.point[chosen], seen.place[chosen])) for chosen in
                ((seen.frame == number) & (seen.side == side) for side in (0, 1))]
        if number > 0:
            known = [point for point in here[0] if point in points]
            done = len(known) >= 8 and cv2.solvePnPRansac(
                np.array([points[p] for p in known]), np.array([here[0][p] for p in known]), k,
                None, iterationsCount=300, reprojectionError=4.0)
            if not done or not done[0]:
                break
            poses.append((cv2.Rodrigues(done[1])[0], done[2].ravel()))
        fresh = [point for point in here[1] if point in here[0] and point not in points]
        if fresh:
            places = triangulate(np.array([here[0][p] for p in fresh]),
                                 np.array([here[1][p] for p in fresh]), k, turn, t)
            world = (places - poses[-1][1]) @ poses[-1][0]
            points.update((p, at) for p, at, place in zip(fresh, world, places)
                          if 0 < place[2] < 500)
    return poses, points


# ---- Bundle adjustment ---------------------------------------------------------------------------

def cross(v):
    """The matrices of cross products with these vectors."""
    out = np.zeros((len(v), 3, 3))
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    return out - out.transpose(0, 2, 1)


class Rig:
    """The unknowns: cameras[2][OWN], the right camera's pose, poses of the rig, points."""

    def __init__(self, cameras, turn, slope, poses, points):
        self.cameras, self.turn, self.slope = cameras, turn, slope
        self.turns, self.shifts = (np.array([pose[i] for pose in poses]) for i in (0, 1))
        self.points = points

    def t(self, slope=None):
        """From the left to the right camera, of length 1."""
        y, z = self.slope if slope is None else slope
        return -np.array([1, y, z]) / np.sqrt(1 + y * y + z * z)

    def moved(self, step):
        """The unknowns a step further."""
        turn = cv2.Rodrigues(step[12:15])[0] @ self.turn
        poses, at = [(self.turns[0], self.shifts[0])], GLOBAL
        for turned, shift in zip(self.turns[1:], self.shifts[1:]):
            poses.append((cv2.Rodrigues(step[at:at + 3])[0] @ turned, shift + step[at + 3:at + 6]))
            at += 6
        return Rig(self.cameras + step[:2 * OWN].reshape(2, OWN), turn,
                   self.slope + step[15:17], poses, self.points + step[at:].reshape(-1, 3))

    def look(self, seen):
        """Residuals, and their slopes for the common unknowns, a pose, and a point."""
        count, right = len(seen.point), seen.side == 1
        turned = np.einsum("nij,nj->ni", self.turns[seen.frame], self.points[seen.point])
        at = turned + self.shifts[seen.frame]
        swung = at @ self.turn.T
        at = np.where(right[:, None], swung + self.t(), at)
        x, y, z = at.T
        f, cx, cy, k1, k2, square = self.cameras[seen.side].T
        focal = np.column_stack((f, f * np.exp(square)))
        x, y = x / z, y / z
        r2 = x * x + y * y
        bend, slope = 1 + r2 * (k1 + r2 * k2), 2 * (k1 + 2 * r2 * k2)
        off = focal * np.column_stack((x * bend, y * bend)) + np.column_stack((cx, cy)) - seen.place
        flat = np.empty((count, 2, 2))  # of the bent place for the place
        flat[:, 0, 0], flat[:, 1, 1] = bend + x * x * slope, bend + y * y * slope
        flat[:, 0, 1] = flat[:, 1, 0] = x * y * slope
        down = np.zeros((count, 2, 3))
        down[:, 0, 0] = down[:, 1, 1] = 1
        down[:, 0, 2], down[:, 1, 2] = -x, -y
        to_place = focal[:, :, None] * (flat @ down) / z[:, None, None]
        to_left = np.where(right[:, None, None], to_place @ self.turn, to_place)
        common = np.zeros((count, 2, GLOBAL))
        own = np.zeros((count, 2, OWN))
        for axis, value in enumerate((x, y)):
            own[:, axis, 0] = value * bend * focal[:, axis] / f
            own[:, axis, 1 + axis] = 1
            own[:, axis, 3] = focal[:, axis] * value * r2
            own[:, axis, 4] = focal[:, axis] * value * r2 * r2
        own[:, 1, 5] = focal[:, 1] * y * bend
        common[~right, :, :OWN], common[right, :, OWN:2 * OWN] = own[~right], own[right]
        common[right, :, 12:15] = -to_place[right] @ cross(swung[right])
        for i in (0, 1):
            further = self.slope + 1e-6 * np.eye(2)[i]
            common[right, :, 15 + i] = to_place[right] @ ((self.t(further) - self.t()) / 1e-6)
        pose = np.concatenate((-to_left @ cross(turned), to_left), 2)
        return off, common, pose, to_left @ self.turns[seen.frame], z


def priors(rig, known):
    """Residuals and slopes of what is known beforehand, in standard deviations."""
    start, size = rig.cameras, known.size
    rows = [np.eye(GLOBAL)[0] / start[0, 0] / known.spread]
    off = [np.log(start[0, 0] / known.focal) / known.spread]
    for side in (0, 1):
        for index, mean, deviation in (
                (1, (size[0] - 1) / 2, PRIOR_CENTRE * size[0]),
                (2, (size[1] - 1) / 2, PRIOR_CENTRE * size[0]), (3, 0, known.bend),
                (4, 0, known.bend), (5, 0, PRIOR_SQUARE)):
            rows.append(np.eye(GLOBAL)[OWN * side + index] / deviation)
            off.append((start[side, index] - mean) / deviation)
    f = start[:, 0]
    rows.append((np.eye(GLOBAL)[0] / f[0] - np.eye(GLOBAL)[OWN] / f[1]) / PRIOR_RATIO)
    off.append(np.log(f[0] / f[1]) / PRIOR_RATIO)
    return np.array(off), np.array(rows)


def cost(off, noise):
    away = np.linalg.norm(off, axis=1) / noise
    limit = HUBER / noise
    return float(np.where(away < limit, away ** 2, 2 * limit * away - limit ** 2).sum())


def equations(rig, seen, noise, beforehand):
    """The normal equations (of cameras and poses, mixed, of points), right sides, and cost."""
    off, common, pose, point, _ = rig.look(seen)
    away = np.linalg.norm(off, axis=1)
    weight = np.minimum(1, HUBER / np.maximum(away, 1e-9)) / noise ** 2
    known, slopes = priors(rig, beforehand)
    rows = np.zeros((len(off), 2, GLOBAL + 6 * (len(rig.turns) - 1)))
    rows[:, :, :GLOBAL] = common
    for number in range(1, len(rig.turns)):
        here = seen.frame == number
        at = GLOBAL + 6 * (number - 1)
        rows[here, :, at:at + 6] = pose[here]
    weighted = rows * weight[:, None, None]
    flat = rows.reshape(-1, rows.shape[2])
    a = weighted.reshape(flat.shape).T @ flat
    a[:GLOBAL, :GLOBAL] += slopes.T @ slopes
    right = -np.einsum("nij,ni->j", weighted, off)
    right[:GLOBAL] -= slopes.T @ known
    heavy = point * weight[:, None, None]
    starts = np.searchsorted(seen.point, np.arange(len(rig.points)))  # they are in order
    mixed, own, own_right = (np.add.reduceat(part, starts) for part in (
        sum(rows[:, i, :, None] * heavy[:, i, None, :] for i in (0, 1)),
        point.transpose(0, 2, 1) @ heavy,
        -np.einsum("nij,ni->nj", heavy, off)))
    return a, mixed, own, right, own_right, cost(off, noise) + float(known @ known)


def reduced(a, mixed, own):
    """The equations without the points."""
    through = mixed @ np.linalg.inv(own)
    wide = through.transpose(1, 0, 2).reshape(through.shape[1], -1)
    return a - wide @ mixed.transpose(1, 0, 2).reshape(wide.shape).T, through


def adjust(rig, seen, *known):
    """Levenberg and Marquardt's steps, until they change nothing."""
    damping = 1e-3
    a, mixed, own, right, own_right, best = equations(rig, seen, *known)
    for number in range(STEPS):
        tell(f"fitting: step {number + 1} of {STEPS} at most", PAUSE)
        grown = own + damping * own * np.eye(3) + 1e-9 * np.eye(3)
        smaller, through = reduced(a + damping * np.diag(np.diag(a)), mixed, grown)
        step = np.linalg.solve(smaller, right - np.einsum("njk,nk->j", through, own_right))
        rest = own_right - np.einsum("njk,j->nk", mixed, step)
        points = np.linalg.solve(grown, rest[..., None])
        further = rig.moved(np.concatenate((step, points.ravel())))
        found = equations(further, seen, *known)
        if not found[-1] < best:
            damping *= 10
            if damping > 1e6:
                break
            continue
        gain, rig, best, damping = best - found[-1], further, found[-1], damping / 5
        a, mixed, own, right, own_right, _ = found
        if gain < 1e-4 * best:
            break
    return rig


def only(seen, good):
    """Leaves points that are seen twice, numbered anew and in their order, and says which."""
    while True:
        kept = Seen(*(column[good] for column in seen))
        enough = np.bincount(kept.point, minlength=1 + seen.point.max())[kept.point] >= 2
        if enough.all():
            break
        indices = np.flatnonzero(good)
        good = good.copy()
        good[indices[~enough]] = False
    names, numbers = np.unique(kept.point, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    return Seen(numbers[order], *(column[order] for column in kept[1:])), names


def uncertainty(rig, seen, *known):
    """Standard deviations of the common unknowns."""
    a, mixed, own, *_ = equations(rig, seen, *known)
    return np.sqrt(np.diag(np.linalg.pinv(reduced(a, mixed, own + 1e-9 * np.eye(3))[0]))[:GLOBAL])


def turned_by(rig):
    """The largest rotation between two frames, degrees."""
    return max(np.degrees(np.linalg.norm(cv2.Rodrigues(one @ other.T)[0]))
               for one in rig.turns for other in rig.turns)


def deviation_of(off, rig):
    """A coordinate's, from residuals that the unknowns have made smaller; outliers do not count."""
    unknowns = GLOBAL + 6 * (len(rig.turns) - 1) + 3 * len(rig.points)
    free = max(off.size - unknowns, 1)
    return max(0.05, 1.4826 * float(np.median(np.abs(off))) * np.sqrt(off.size / free))


def often(seen):
    """The points that are seen most often."""
    counts = np.bincount(seen.point)
    best = np.argsort(-counts, kind="stable")[:MOST_POINTS]
    return np.isin(seen.point, best)


def fit(seen, stereo, size, fov):
    """The rig, the deviations of its common unknowns, of a coordinate, and how far it turned."""
    f = size[0] / 2 / np.tan(np.radians(fov) / 2)
    k = np.array([[f, 0, (size[0] - 1) / 2], [0, f, (size[1] - 1) / 2], [0, 0, 1]])
    turn, t = first_pose(stereo, k)
    poses, points = first_poses(seen, 1 + seen.frame.max(), k, turn, t / np.linalg.norm(t))
    seen, names = only(seen, np.isin(seen.point, list(points)) & (seen.frame < len(poses)) &
                       often(seen))
    rig = Rig(np.tile([f, k[0, 2], k[1, 2], 0, 0, 0], (2, 1)), turn, -t[1:], poses,
              np.array([points[name] for name in names]))
    noise, known = 1.0, Known(size, f, *((PRIOR_FOCAL, PRIOR_BEND) if turned_by(rig) >= ENOUGH_TURN
                                        else (HELD_FOCAL, HELD_BEND)))
    for number in range(ROUNDS):
        rig = adjust(rig, seen, noise, known)
        tell(f"fitting: round {number + 1} of {ROUNDS} is done")
        off, *_, z = rig.look(seen)
        noise = deviation_of(off, rig)
        seen, names = only(seen, (np.linalg.norm(off, axis=1) < max(3 * noise, 0.7)) & (z > 0))
        rig.points = rig.points[names]
    rig = adjust(rig, seen, noise, known)
    return rig, uncertainty(rig, seen, noise, known), noise, turned_by(rig)


# ---- Everything ----------------------------------------------------------------------------------

def check_certain(rig, deviation, turned, fov):
    f = deviation[[0, OWN]] / rig.cameras[:, 0]
    turn = np.degrees(deviation[12:15])
    known = None
    if turned < ENOUGH_TURN and fov is None:
        known = f"the rig turned by {turned:.0f} degrees, from which no focal length can be told"
    elif f.max() > WORST_FOCAL:
        known = (f"the focal length is known to {100 * f.max():.0f} % only; the rig turned by "
                 f"{turned:.0f} degrees")
    if known is not None:
        raise SceneError(f"{known}: turn it by 20 and more to each side, up and down, with things "
                         "near and far in view; or give the lens's horizontal angle of view as "
                         "--fov, which is then believed")
    if turn.max() > WORST_TURN:
        raise SceneError(f"the rotation between the cameras is known to {turn.max():.2f} degrees "
                         "only: move the rig further, and show more things, near and far, in all "
                         "parts of the pictures")


def baseline_of(rig, height):
    """The distance between the cameras of which the left one begins so high above the floor: RANSAC
    finds the plane with most points among those that lie below it like a floor."""
    below = rig.points[rig.points[:, 1] > 0]
    rng, best = np.random.default_rng(1), np.zeros(len(below), bool)
    for _ in range(PLANES if len(below) > 3 else 0):
        a, b, c = below[rng.choice(len(below), 3, replace=False)]
        normal = np.cross(b - a, c - a)
        if abs(normal[1]) > LEVEL * np.linalg.norm(normal):
            near = np.abs((below - a) @ normal) < FLAT * abs(a @ normal)
            best = near if near.sum() > best.sum() else best
    if best.sum() < max(LEAST_FLOOR * len(rig.points), 8):
        raise SceneError("no floor is in view from which --camera-height could tell lengths: tilt "
                         "the rig down, or measure the --baseline")
    normal = np.linalg.lstsq(below[best], np.ones(best.sum()), rcond=None)[0]
    return height * float(np.linalg.norm(normal))


def disparities_along(views, ends):
    """Shares of the way from one end to the other, and the disparities of patches there."""
    left, right = views
    found = []
    for x, y in np.rint(np.linspace(ends[0], ends[1], ALONG)).astype(int):
        patch = left[max(y - HALF, 0):y + HALF + 1, max(x - HALF, 0):x + HALF + 1]
        if patch.shape != (2 * HALF + 1,) * 2 or patch.std() < CONTRAST:
            continue
        row = cv2.matchTemplate(right[y - HALF:y + HALF + 1], patch, cv2.TM_CCOEFF_NORMED)[0]
        at = int(row[:x - HALF + 1].argmax())
        if 0 < at < len(row) - 1 and row[at] > ALIKE:
            before, best, after = row[at - 1:at + 2]
            at += (before - after) / (2 * (before - 2 * best + after) - 1e-9)
            found.append(((np.array([x, y]) - ends[0]) @ (ends[1] - ends[0]) /
                          ((ends[1] - ends[0]) @ (ends[1] - ends[0])), x - HALF - at))
    return np.array(found).reshape(-1, 2)


def baseline_by_object(pair, result, ends, length):
    """The distance between the cameras by a straight thing, and its deviation as a share: inverse
    depth is linear along its picture, so RANSAC finds a line of disparities."""
    views = [cv2.remap(view, *result.maps(side), cv2.INTER_LINEAR)
             for side, view in enumerate(pair[:2])]
    r1, _, p1, p2 = result.rectified
    ends = result.model.undistort(np.array(ends), result.k[0], result.d[0], r1, p1)
    found = disparities_along(views, ends)
    rows = np.column_stack((1 - found[:, 0], found[:, 0]))
    best = np.zeros(len(found), bool)
    for i, j in itertools.combinations(range(len(found)), 2):
        line = np.linalg.lstsq(rows[[i, j]], found[[i, j], 1], rcond=None)[0]
        near = np.abs(rows @ line - found[:, 1]) < NEAR
        best = near if near.sum() > best.sum() and line.min() > 1 else best
    gaps = np.diff(found[best, 0], prepend=0, append=1)
    if best.sum() < max(AGREE, len(found) / 2) or gaps.max() > GAP:
        raise SceneError("no line of depths is found along the --object: it has to be straight, "
                         "with texture from end to end, and in both views of the first pair")
    rows, found = rows[best], found[best, 1]
    line = np.linalg.lstsq(rows, found, rcond=None)[0]

    def long(disparities):
        depth = -p2[0, 3] / disparities
        one, other = np.column_stack((ends - p1[:2, 2], [p1[0, 0]] * 2)) * depth[:, None] / p1[0, 0]
        return np.linalg.norm(one - other)

    spread = np.linalg.inv(rows.T @ rows) * (rows @ line - found).var() + COMMON ** 2
    slope = [(long(line + .01 * np.eye(2)[i]) - long(line)) / .01 for i in (0, 1)]
    share = np.sqrt(slope @ spread @ slope) / long(line)
    if not share < WORST_SCALE:
        raise SceneError(f"the --object tells lengths to {100 * share:.0f} % only: take one that "
                         "is nearer, or longer in the picture")
    return length / long(line) * result.baseline, share


def result_of(rig, baseline, size):
    """The rig as a calibration, rectified."""
    numbers = []
    for f, cx, cy, k1, k2, square in rig.cameras:
        numbers += [np.array([[f, 0, cx], [0, f * np.exp(square), cy], [0, 0, 1]]),
                    np.array([k1, k2, 0, 0, 0])]
    result = solve.Result(solve.model_of("plumb-bob"), size,
                          numbers + [rig.turn, (baseline * rig.t()).reshape(3, 1)])
    result.rectify()
    return result


def rows_apart(pairs, result):
    """Differences of the rows of matches after rectification: median, 95 %."""
    r1, r2, p1, p2 = result.rectified
    off = []
    for pair in pairs:
        left, right = features(pair.left), features(pair.right)
        between = match(left, right)
        if len(between):
            places = [result.model.undistort(points, result.k[i], result.d[i], r, p)
                      for i, points, r, p in ((0, left[0][between[:, 0]], r1, p1),
                                              (1, right[0][between[:, 1]], r2, p2))]
            off.append(np.abs(places[0][:, 1] - places[1][:, 1]))
    off = np.concatenate(off) if off else np.zeros(1)
    return float(np.median(off)), float(np.percentile(off, 95))


def report(rig, deviation, result, noise, turned, rows, scale):
    lines = [f"moved  the rig turned by {turned:.0f} degrees: " + (
        "focal lengths are measured" if turned >= ENOUGH_TURN else
        "focal lengths are NOT measured, but those of --fov: distances are as right as it is")]
    for side, name in enumerate(("left", "right")):
        f, cx, cy, k1, k2, _ = rig.cameras[side]
        d = deviation[OWN * side:OWN * side + OWN]
        within = f" ± {d[0]:.2f} px" if turned >= ENOUGH_TURN else " px, as given"
        lines.append(f"{name:7}focal length {f:.2f}{within}, centre {cx:.1f} ± {d[1]:.1f}, "
                     f"{cy:.1f} ± {d[2]:.1f}; plumb_bob {k1:.4f} ± {d[3]:.4f}, {k2:.4f} ± "
                     f"{d[4]:.4f}")
    turn = np.degrees(cv2.Rodrigues(result.r)[0].ravel())
    spread = np.degrees(deviation[12:15])
    angles = ", ".join(f"{name} {value:.2f} ± {sigma:.2f}" for name, value, sigma in
                       zip(("pitch", "yaw", "roll"), turn, spread))
    lines += [
        f"pair   baseline {100 * result.baseline:.2f} cm{scale}; turned by {angles} degrees",
        f"fit    points {noise:.2f} px off in {len(rig.turns)} frames",
        f"rows   {rows[0]:.2f} px apart after rectification (median; 95 % below {rows[1]:.2f})"]
    return "\n".join(lines)


def scaled(rig, size, first, given):
    """The calibration, and by what it has its scale."""
    if given.baseline:
        return result_of(rig, given.baseline, size), " as given"
    if given.camera_height:
        return (result_of(rig, baseline_of(rig, given.camera_height), size),
                f" by the height of {given.camera_height:g} m")
    baseline, share = baseline_by_object(first, result_of(rig, 1, size), *given.object)
    return result_of(rig, baseline, size), f" ± {100 * share:.1f} % by the object"


def run(pairs, given, fov):
    """The cameras of these pairs, by the scale that is given, the report, the last pair."""
    tell("looking for frames that show the scene from elsewhere")
    kept, count, most = choose(pairs)
    if count == 0:
        raise SceneError("no pairs of pictures")
    size = kept[0].left.shape[::-1]
    if len(kept) < LEAST_FRAMES and fov is None:
        raise SceneError(
            f"{'nothing' if most < STILL * size[0] else 'too little'} moves in {count} frames: "
            f"{len(kept)} of them show the scene from elsewhere, {LEAST_FRAMES} are needed: move "
            "and turn the rig slowly, for a minute; or give the lens's angle of view as --fov")
    used = kept[:min(MOST_FRAMES, max(LEAST_FRAMES, len(kept) - len(kept) // 5))]
    tell(f"following points through {len(used)} of {count} frames")
    seen, stereo = tracks(used)
    check_stereo(stereo)
    tell(f"fitting both cameras to {len(seen.point)} places of points")
    rig, deviation, noise, turned = fit(seen, stereo, size, fov or FOV)
    check_certain(rig, deviation, turned, fov)
    result, scale = scaled(rig, size, kept[0], given)
    tell("comparing rows after rectification")
    rows = rows_apart(kept[len(used):] or used, result)
    return (result, report(rig, deviation, result, noise, turned, rows, scale), (noise, rows[0]),
            kept[-1])
