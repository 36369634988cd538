"""A fleet of virtual drives of one product: model files, each a drive of its own as real ones are (serial number, speed,
seeks, head switch, defects, noise), and some that are not like the others."""

import copy
import json
import random

BASE = "virtual:spare-zone"
BLOCKS = 20_000_000  # of each drive, whatever its defects
SPARES = 1500        # sectors at the end of each zone
# what an outlier has: times, times, cylinders by which a zone's border lies elsewhere, blocks that have grown bad
OUTLIERS = {"slow head": 1.4, "long seeks": 1.12, "zones that differ": 150, "grown defects": 60}


def drive(base, number, what=None, seed=1):
    """Drive `number` of the fleet, after the model file's content `base` (platter truth BASE). From drive to drive seeks
    differ by 0.5 %, head switches by 1 %, the speed by 20 ppm (standard deviations), some 300 sectors were slipped
    and some 3 blocks have grown bad. `what`: its trouble, of OUTLIERS."""
    drawn = random.Random(f"{seed}:{number}")
    made = copy.deepcopy(base)
    made["identity"].update(serial=f"FLEET{seed:03}{number:04}", blocks=BLOCKS)
    slower = drawn.gauss(1, 0.005) * (OUTLIERS[what] if what == "long seeks" else 1)
    for point in made["seek"]["points"]:
        point["time_ms"] = round(point["time_ms"] * slower, 6)
    made["head_switch"]["value"] *= drawn.gauss(1, 0.01) * (OUTLIERS[what] if what == "slow head" else 1)
    rotation = made["rotation"]
    period_ns = round(rotation["numerator_ns"] / rotation["denominator"] * drawn.gauss(1, 20e-6))
    rotation.update(numerator_ns=period_ns, denominator=1)
    rotation.pop("rpm", None)
    rotation["period"]["value"] = float(period_ns)
    slipped, grown = round(drawn.gauss(300, 17)), sum(drawn.random() < 0.03 for _ in range(100))
    lay_out(made["layout"], made["identity"]["heads"], drawn, slipped,
            grown + (OUTLIERS[what] if what == "grown defects" else 0),
            OUTLIERS[what] if what == "zones that differ" else 0)
    made["imperfections"]["seed"] = drawn.randrange(1, 2 ** 31)
    return made


def lay_out(layout, heads, drawn, slipped, grown, shift):
    """Defects of its own, and the border between the third and the fourth zone further in by `shift` cylinders."""
    zones = layout["zones"]
    zones[2]["count"] += shift
    zones[3]["cylinder"] += shift
    zones[3]["count"] -= shift
    ends, slot = [], 0
    for zone in zones:
        slot += zone["count"] * heads * zone["children"][0]["sectors"]
        ends.append(slot)
    spares = [(end - SPARES, SPARES) for end in ends]
    singles = set()
    while len(singles) < slipped:
        place = drawn.randrange(ends[-1] - 100_000)
        if not any(first <= place < first + length for first, length in spares):
            singles.add(place)
    left_over = ends[-1] - sum(length for _, length in spares) - slipped - BLOCKS
    assert 0 <= left_over < 90_000
    spares[-1] = (spares[-1][0] - left_over, SPARES + left_over)
    layout["skips"] = sorted([{"first_slot": place} for place in singles]
                             + [{"first_slot": first, "length": length} for first, length in spares],
                             key=lambda skip: skip["first_slot"])
    layout["remaps"] = []
    used = [0] * len(zones)
    for lbn in sorted(drawn.sample(range(BLOCKS), grown)):
        # before the spares of its zone there are as many slots as blocks and slips
        zone = next(i for i, (first, _) in enumerate(spares)
                    if lbn < first - SPARES * i - sum(place < first for place in singles))
        layout["remaps"].append({"lbn": lbn, "slot": spares[zone][0] + used[zone]})
        used[zone] += 1


def write(path, made):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(made, file)
