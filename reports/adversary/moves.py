"""Small changes of a set of free processors."""

from __future__ import annotations

from random import Random

from ...instances import Site, Torus
from .ground import Ground, Sites


def moved(ground: Ground, sites: Sites, random: Random) -> Sites | None:
    """Change one processor, or shift all on one side of a line by a step.

    Of ten changes four move a processor by a step or a few along an axis, two to
    anywhere, two shift all beyond a coordinate, one adds and one drops a processor.

    Returns
    -------
    tuple or None
        The new sites, sorted; None where the change cannot be made.
    """
    kind = random.randrange(10)
    changed = list(sites)
    i = random.randrange(len(changed))
    if kind == 0:
        changed.append(random.choice(ground.places))
    elif kind == 1:
        del changed[i]
    elif kind <= 3 or not ground.shape:
        changed[i] = random.choice(ground.places)
    elif kind <= 7:
        to = _stepped(ground, changed[i], random)
        if to is None:
            return None
        changed[i] = to
    else:
        axis = random.randrange(len(ground.shape))
        line, step = changed[i][axis], random.choice((-1, 1))
        for j, site in enumerate(changed):
            if (site[axis] - line) * step >= 0:
                to = _along(ground, site, axis, step)
                if to is None:
                    return None
                changed[j] = to
    found = tuple(sorted(changed))
    return found if found != sites and ground.holds(found) else None


def _stepped(ground: Ground, site: Site, random: Random) -> Site | None:
    axis = random.randrange(len(ground.shape))
    step = random.choice((-1, 1))
    while random.random() < 0.3:
        step *= 2
    return _along(ground, site, axis, step)


def _along(ground: Ground, site: Site, axis: int, step: int) -> Site | None:
    """Go some steps along an axis; None where that leads out of the grid."""
    side = ground.shape[axis]
    x = site[axis] + step
    if isinstance(ground.topology, Torus):
        x %= side
    if not 0 <= x < side:
        return None
    return (*site[:axis], x, *site[axis + 1 :])
