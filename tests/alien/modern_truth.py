"""What a modern alien drive really is, run by run, for judge_modern.py and for whoever else compares."""


def seeks(drive):
    """Milliseconds over distances in mm on one surface, inwards, without noise and the wait for a wedge."""
    arm = drive.config["arm"]
    disk = drive.config["disk"]
    stroke = disk["outer_mm"] - disk["inner_mm"]
    distance, points = disk["surfaces"][0]["pitch_nm"] * 1e-6, []
    while distance < stroke:
        points.append([distance, drive.arm.travel_ms(-distance) + arm["settle_ms"]])
        distance *= 1.5
    return points


def truth(drive):
    disks, config = drive.disks, drive.config
    runs = disks.runs
    return {
        "form": "alien modern truth 1",
        "vendor": config["vendor"], "product": config["product"], "serial": config["serial"],
        "blocks": disks.blocks, "block_bytes": config["disk"]["block_bytes"],
        "blocks_a_sector": disks.blocks_a_sector, "sectors": disks.sectors,
        "period_ns": drive.spindle.period, "wedges": disks.wedges, "burst_share": disks.burst,
        "surfaces": [{"tracks": s.tracks, "pitch_mm": s.pitch_mm, "zones": s.zones} for s in disks.surfaces],
        "tracks": sum(run.tracks for run in runs), "bands": disks.bands,
        "order": disks.order, "tracks_a_band": len(disks._tracks_of_band(0, 0)),
        # A run is a stretch of like tracks: number of its first sector, tracks, sectors a track, angle of
        # the first track and from track to track, surface, its first track there and +1 or -1.
        "runs": {name: [getattr(run, name) for run in runs]
                 for name in ("first", "tracks", "sectors", "angle", "angle_step", "surface", "track", "step")},
        "holes": [[i, [list(hole) for hole in run.holes]] for i, run in enumerate(runs) if run.holes],
        "moved": [[number, place.sectors, place.angle, place.sector]
                  for number, place in sorted(disks.moved.items())],
        "seek_mm_ms": seeks(drive), "arm": config["arm"], "overhead": config["overhead"],
        "cache": config["cache"], "scsi": config["scsi"], "noise": drive.noise,
        "spindle": config["spindle"] if drive.noise else [],
    }
