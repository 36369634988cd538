"""A model file of a modern alien's truth: what a perfect run would write. For the judge's own tests."""


def skips_of(truth):
    """Holes as slots; slots count the physical sectors of all runs in their order."""
    holes, ratio = dict(truth["holes"]), truth["blocks_a_sector"]
    skips, slot = [], 0
    for i, (tracks, sectors) in enumerate(zip(truth["runs"]["tracks"], truth["runs"]["sectors"])):
        skips += [{"first_slot": (slot + start) * ratio, "length": count * ratio}
                  for start, count in holes.get(i, ())]
        slot += tracks * sectors
    return skips


def model_of(truth, constant=0.0):
    """`constant` is where the model's index mark is thought to be."""
    runs, ratio = truth["runs"], truth["blocks_a_sector"]
    zones = [{"count": tracks, "cylinder": track, "cylinder_step": step, "head": surface,
              "angle_rev": (angle + constant) % 1.0, "angle_step_rev": angle_step, "sectors": sectors * ratio}
             for tracks, sectors, angle, angle_step, surface, track, step in
             zip(*(runs[name] for name in
                   ("tracks", "sectors", "angle", "angle_step", "surface", "track", "step")))]
    return {
        "schema": {"name": "platter-model", "version": "1.0"}, "platter": "0",
        "identity": {"name": truth["product"], "vendor": truth["vendor"], "product": truth["product"],
                     "revision": "", "serial": truth["serial"], "blocks": truth["blocks"],
                     "block_bytes": truth["block_bytes"],
                     "physical_block_bytes": truth["block_bytes"] * ratio,
                     "heads": len(truth["surfaces"]), "cylinders": max(s["tracks"] for s in truth["surfaces"])},
        "provenance": {"method": "imported", "source": "the drive's truth"},
        "rotation": {"numerator_ns": round(truth["period_ns"] * 1000), "denominator": 1000},
        "layout": {"zones": zones, "skips": skips_of(truth)}, "seek": {"points": []},
    }
