"""Whatever a file holds, it is read or refused soon: 10 s of processor time and 1 GB of memory are for the
largest, 64 MiB; what is no file is refused and not waited for."""

import json
import os
import subprocess

from harness import BAD_INPUT, OK, PLATTER, PlatterTest

DRIVE = "virtual:hp-c2247?seed=1"
MOST_SECONDS, MOST_BYTES = 10.0, 10**9
LARGEST = 64 << 20
MOST_TRACKS = 24_000_000  # of a model


class Limits(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "model.json")
        self.model = self.read_json("model.json")

    def taken(self, statuses, *arguments):
        """Runs within the limits; returns what it said."""
        with open(self.path("said"), "wb") as said:
            process = subprocess.Popen([PLATTER, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=said, stdin=subprocess.DEVNULL, env=self.environment)
            _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        with open(self.path("said"), encoding="utf-8") as said:
            sentence = said.read()
        self.assertIn(process.returncode, statuses, (arguments, sentence))
        self.assertLess(usage.ru_utime + usage.ru_stime, MOST_SECONDS, arguments)
        self.assertLess(usage.ru_maxrss * 1024, MOST_BYTES, arguments)
        return sentence

    def with_layout(self, name, zones, blocks, heads, skips=(), remaps=()):
        model = json.loads(json.dumps(self.model))
        model["identity"]["heads"] = heads
        model["layout"].update(zones=zones, skips=list(skips), remaps=list(remaps))
        model["layout"].pop("not_understood", None)
        model.pop("firmware", None)
        model.pop("imperfections", None)
        model["identity"]["blocks"] = blocks
        self.write(name, json.dumps(model))

    def test_small_models_of_huge_drives(self):
        most = MOST_TRACKS
        cylinders = [{"count": most // 16, "cylinder_step": 1,
                      "children": [{"count": 16, "head_step": 1, "sectors": 500}]}]
        self.with_layout("tracks.json", cylinders, 490 * most, 16,
                         [{"first_slot": 490, "length": 10, "count": most, "stride": 500}])
        cylinders[0]["children"][0]["sectors"] = 1 << 18
        self.with_layout("skipped.json", cylinders, most, 16,
                         [{"first_slot": 0, "length": (1 << 18) - 1, "count": most, "stride": 1 << 18}])
        self.with_layout("defects.json", cylinders, 1000, 16,
                         [{"first_slot": 5, "length": 1, "count": 1 << 38, "stride": 3}])
        wide = json.loads(json.dumps(self.model))
        wide["identity"]["cylinders"] = 1 << 30
        self.write("wide.json", json.dumps(wide))
        for name in ("tracks.json", "skipped.json", "wide.json"):
            self.taken((OK,), "show", name)
            self.taken((OK,), "layout", name, "--lbn", "0", "999")
            self.taken((OK,), "diff", name, name)
            self.taken((OK,), "emit", "table", name, "-o", "x.ptab")
            self.taken((OK, 9), "emit", "disksim", name, "-o", "disksim")
            self.taken((OK, BAD_INPUT, 9), "inspect", "virtual:" + name)
        self.assertIn("layout.skips[0]", self.taken((BAD_INPUT,), "show", "defects.json"))
        cylinders[0]["count"] *= 2
        self.with_layout("more.json", cylinders, 1000, 16)
        self.assertIn("layout.zones", self.taken((BAD_INPUT,), "show", "more.json"))

    def test_many_zones_defects_and_remaps(self):
        zones = [{"cylinder": i, "count": 4, "head_step": 1, "sectors": 7} for i in range(200_000)]
        self.with_layout("zones.json", zones, 5_000_000, 4)
        # 600,000 sectors slipped, and 200,000 remapped to spares at the end.
        self.with_layout("defects.json", [{"count": 1_000_000, "cylinder_step": 1, "sectors": 1000}], 800_000_000, 1,
                         [*({"first_slot": 1500 * i + 5} for i in range(600_000)),
                          {"first_slot": 990_000_000, "length": 10_000_000}],
                         [{"lbn": 11 * i + 3, "slot": 990_000_000 + 7 * i} for i in range(200_000)])
        for name in ("zones.json", "defects.json"):
            self.taken((OK,), "show", name)
            self.taken((OK,), "layout", name, "--pbn", "1,0,0")
            self.taken((OK,), "diff", name, name)
            self.taken((OK,), "inspect", "virtual:" + name)
        self.taken((OK,), "emit", "table", "zones.json", "-o", "x.ptab")
        self.taken((OK,), "publish", "defects.json", "--registry", "registry")

    def test_json_of_64_mib(self):
        for begin, middle, end in (("[", "{},", "0]"), ("[", "0,", "0]"), ("[", '{"":0},', "0]"), ("", "[", ""),
                                   ('{"schema":"', "a", '"}'), ("[", '"aaaaaaaaaaaaaaaa",', "0]"),
                                   ('{"a":[', '{"a":', "")):
            self.write("large.json", begin + middle * ((LARGEST - 100) // len(middle)) + end)
            self.taken((BAD_INPUT,), "show", "large.json")
        self.write("members.json", "{" + ",".join(f'"{i:x}":0' for i in range(5_000_000)) + "}")
        self.taken((BAD_INPUT,), "show", "members.json")
        self.write("deep.parv", "disksim_disk X { a = " + "[" * 1_000_000)
        self.taken((BAD_INPUT,), "import", "disksim", "deep.parv")
        self.write("list.parv", "disksim_disk X { a = [" + "1," * (LARGEST // 2 - 20) + "1] }")
        self.taken((BAD_INPUT,), "import", "disksim", "list.parv")
        self.write("range.parv", "disksim_disk X { a = [" + "a0 .. a999999," * 1000 + "1] }")
        self.taken((BAD_INPUT,), "import", "disksim", "range.parv")
        for i in range(30):  # 2^30 files, one inside the other
            self.write(f"s{i}.parv", f"source s{i + 1}.parv source s{i + 1}.parv")
        self.write("s30.parv", "")
        self.taken((BAD_INPUT,), "import", "disksim", "s0.parv")

    def test_files_that_are_too_large(self):
        for name in ("large.json", "large.ptab", "large.parv"):
            self.write(name, "")
            os.truncate(self.path(name), LARGEST + 1)
        for command in (("show", "large.json"), ("show", "large.ptab"), ("layout", "large.json", "--lbn", "0"),
                        ("import", "disksim", "large.parv"), ("inspect", "virtual:large.json"), ("publish", "large.json", "--registry", "r")):
            self.assertIn("larger than the 64 MiB", self.taken((BAD_INPUT,), *command))

    def test_pipes_and_devices_are_no_files(self):
        self.platter("publish", "model.json", "--registry", "registry")
        os.mkfifo(self.path("pipe.json"))
        os.mkfifo(self.path("pipe.ptab"))
        for name in ("pipe.json", "pipe.ptab", "/dev/zero"):
            for command in (("show", name), ("diff", "model.json", name), ("layout", name, "--lbn", "0"),
                            ("emit", "table", name, "-o", "x"), ("emit", "disksim", name, "-o", "x"),
                            ("import", "disksim", name), ("restore", name), ("report", name, "-o", "x"),
                            ("publish", name, "--registry", "registry"),
                            ("publish", "model.json", "--attach", name, "--registry", "registry"),
                            ("derive", name, "--set", "identity.heads=3", "-o", "x"),
                            ("trace", "generate", "--workload", "random", "--for", name, "-o", "x"),
                            ("validate", DRIVE, name, "-o", "x"), ("calibrate", name, "--with", "x", "-o", "y")):
                self.taken((BAD_INPUT,), *command)
            # What lies in /dev is taken for a drive.
            self.taken((BAD_INPUT, 3), "replay", "/dev/null", "--on", name, "-o", "x.csv")
        drive = os.listdir(self.path("registry/drives"))[0]
        for name in ("index.json", "oci-layout"):
            path = self.path(f"registry/drives/{drive}/{name}")
            os.remove(path)
            os.mkfifo(path)
        self.taken((BAD_INPUT,), "registry", "verify", "--registry", "registry")
        self.taken((OK,), "registry", "list", "--registry", "registry")
        self.taken((BAD_INPUT,), "registry", "show", drive, "--registry", "registry")
