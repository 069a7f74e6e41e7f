"""Damage to JSON documents, seeded: keys and values dropped, replaced, of another kind, far too large, or repeated."""

import copy
import random
from typing import Any

STRANGE = (None, True, -1, 0, 1, 7, 10**6, 2**70, -0.5, 1e308, "", "x", "constructor", "__proto__", "\u2028</script>")
CONTAINERS = ([], {}, [[]], [None], {"length": 3}, [0, 1], ["a", "b", "c"])


def mutated(document: Any, seed: int) -> Any:
    """A copy with one to three places damaged."""
    rng, found = random.Random(seed), copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        places = list(places_of(found))
        damage(*rng.choice(places), rng)
    return found


def places_of(value: Any):
    """Every (container, key) of a document; of long lists of numbers only the ends, which are like the rest."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if len(keys) > 12 and isinstance(value, list):
        keys = keys[:6] + keys[-6:]
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places_of(value[key])


def damage(container: Any, key: Any, rng: random.Random) -> None:
    """Change one value in place."""
    value = container[key]
    kind = rng.choice(("drop", "replace", "retype", "extend", "nudge", "swap"))
    if kind == "drop":
        del container[key]
    elif kind == "replace":
        container[key] = copy.deepcopy(rng.choice(STRANGE))
    elif kind == "retype":
        container[key] = (
            copy.deepcopy(rng.choice(CONTAINERS)) if not isinstance(value, dict | list) else str(value)[:50]
        )
    elif kind == "swap":
        other = rng.choice(list(container) if isinstance(container, dict) else range(len(container)))
        container[key], container[other] = container[other], container[key]
    else:
        container[key] = extended(value, rng) if kind == "extend" else nudged(value, rng)


def extended(value: Any, rng: random.Random) -> Any:
    """A longer value of its own kind."""
    if isinstance(value, list):
        return value + copy.deepcopy(value[-1:] if rng.random() < 0.5 else value)
    if isinstance(value, dict):
        return {**value, "unknown": rng.choice(STRANGE)}
    return value + " <img src=x onerror=alert(1)>" if isinstance(value, str) else [value]


def nudged(value: Any, rng: random.Random) -> Any:
    """A value next to it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.choice((-1, 1, 100, -0.001))
    if isinstance(value, list | str):
        return value[1:]
    return value
