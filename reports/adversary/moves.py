"""Small changes of a set of free processors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

from ...instances import Site, Torus
from .ground import Ground, Sites

Mirror = Mapping[Site, Site]
"""A symmetry of the grid that is its own inverse."""


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


def mirrored(sites: Sites, mirror: Mirror) -> Sites:
    """Add to every site its image, where it is not there."""
    there = Counter(sites)
    images = Counter(mirror[site] for site in sites)
    return tuple(sorted((there | images).elements()))


def moved_with_image(
    ground: Ground, sites: Sites, mirror: Mirror, random: Random
) -> Sites | None:
    """Make a change and its image, so that the sites remain their own mirror image."""
    changed = moved(ground, sites, random)
    if changed is None:
        return None
    before, after = Counter(sites), Counter(changed)
    gone, new = before - after, after - before
    for one in (gone, new):
        for site, times in list(one.items()):
            one[mirror[site]] = max(one[mirror[site]], times)
    found = tuple(sorted(((before - gone) + new).elements()))
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
