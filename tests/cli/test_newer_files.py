"""Files of other versions (docs/outputs.md, "Versions"): of an older minor one they are read, of a newer one without
what is not known, which a notice says and which nothing writes again; of another major one they are refused."""

import json
import os
import re
import shutil
import unittest

from harness import BAD_INPUT, INCOMPLETE, OK, PlatterTest, checked, unchecked
from schemas import faults, schema

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
GOLDEN = os.path.join(ROOT, "tests/golden/formats")
MODEL, SAMPLES, RESULT = "model-1.1.json", "samples-6.1.jsonl", "result-1.0.csv"
NEWER_MODEL, NEWER_SAMPLES, NEWER_RESULT = "model-1.999.json", "samples-6.999.jsonl", "result-1.999.csv"
NOTICE = "platter: {} is of {} format {}.999, newer than this platter's {}: members {} were passed over\n"
OF_MODEL = NOTICE.format(NEWER_MODEL, "model", 1, "1.1", "acoustics, seek.points[].celsius")
OF_SAMPLES = NOTICE.format(NEWER_SAMPLES, "samples", 6, "6.1", "timing.celsius, weather")
OF_RESULT = NOTICE.format(NEWER_RESULT, "replay-result", 1, "1.0", "column celsius, host_kernel")
LOST = "would be lost in what is written of it; take a platter of its time"


class Versions(PlatterTest):
    def setUp(self):
        super().setUp()
        for name in os.listdir(GOLDEN):
            shutil.copy(os.path.join(GOLDEN, name), self.folder)

    def says(self, status, *words):
        done = self.run_platter(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def content(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def change(self, name, new_name, *changes):
        text = self.content(name)
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after, 1)
        self.write(new_name, text)
        return new_name

    def refuses(self, *words):
        """One sentence, and nothing is written."""
        before = sorted(os.listdir(self.folder))
        done = self.says(BAD_INPUT, *words)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return done.stderr

    def test_there_is_a_golden_file_of_each_format_at_its_version(self):
        with open(os.path.join(ROOT, "src/model/formats.h"), encoding="utf-8") as file:
            versions = dict(re.findall(r'\{"platter-([a-z-]+)", \{(\d+, \d+)\}\}', file.read()))
        for name in ("model.json", "samples.jsonl", "replay-result.csv", "study-table.jsonl", "study-point.json"):
            stem, ending = name.split(".")
            version = versions[stem].replace(", ", ".")
            self.assertTrue(os.path.exists(self.path(f"{stem.removeprefix('replay-')}-{version}.{ending}")), name)

    def test_golden_files_are_as_their_schemas_say(self):
        for name in os.listdir(GOLDEN):
            if name.endswith((".json", ".jsonl", ".csv")) and not name.startswith("study-table-1.0.csv"):
                lines = [self.content(name)] if name.endswith(".json") else self.content(name).splitlines()
                lines = [lines[0].removeprefix("# ")] if name.endswith(".csv") else lines
                documents = [json.loads(line) for line in lines]
                of = documents[0]["schema"]["name"]
                found = [fault for document in documents for fault in faults(of, document)]
                # A schema lists the members of one minor version: what is more is a fault to it.
                self.assertEqual(bool(found), ".999." in name, (name, found))

    def test_the_columns_of_a_table_are_the_members_of_its_lines(self):
        columns = self.content("study-table-1.0.csv").splitlines()[0].split(",")
        members = list(json.loads(self.content("study-table-1.0.jsonl")))
        self.assertEqual(columns, members[1:])

    def test_a_schema_takes_every_minor_version_and_no_other_major_one(self):
        model = json.loads(self.content(MODEL))
        for version, good in (("1.0", True), ("1.7", True), ("1.999", True), ("2.0", False), ("1", False),
                              ("1.x", False)):
            model["schema"]["version"] = version
            self.assertEqual(faults("platter-model", model) == [], good, version)
        version = schema("platter-model")["properties"]["schema"]["properties"]["version"]
        self.assertEqual(version["pattern"], "^1\\.[0-9]+$")

    def test_files_of_today_are_read_and_written_as_they_are(self):
        self.assertEqual(self.says(OK, "show", MODEL).stderr, "")
        self.says(OK, "truth", "virtual:" + MODEL, "-o", "again.json")
        self.assertEqual(*[re.sub('"platter": "[^"]*"', "", self.content(name)) for name in ("again.json", MODEL)])
        self.assertNotIn("passed over", self.says(INCOMPLETE, "estimate", SAMPLES, "-o", "estimated.json").stderr)
        self.assertEqual(self.says(OK, "result", "show", RESULT).stderr, "")
        self.says(OK, "result", "export", RESULT, "-o", "again.csv")
        again, result = ([re.sub('"platter":"[^"]*"', "", line.rstrip()) for line in self.content(name).splitlines()]
                         for name in ("again.csv", RESULT))
        self.assertEqual(again, result)

    def test_an_older_minor_version_is_read_as_it_was(self):
        self.assertEqual(self.says(OK, "show", "model-1.0.json").stderr, "")
        self.says(OK, "truth", "virtual:model-1.0.json", "-o", "again.json")
        again = json.loads(self.content("again.json"))
        self.assertEqual(again.pop("schema")["version"], "1.1")
        before = json.loads(self.content("model-1.0.json"))
        del before["schema"], before["platter"], again["platter"]
        self.assertEqual(again, before)

    def test_a_newer_model_is_read_with_one_notice(self):
        for words in (("show", "{}"), ("show", "{}", "--json"), ("diff", "{}", "{}"),
                      ("layout", "{}", "--pbn", "20,0,0"), ("emit", "table", "{}", "-o", "t.ptab")):
            done = self.run_platter(*[word.format(NEWER_MODEL) for word in words])
            usual = self.run_platter(*[word.format(MODEL) for word in words])
            self.assertEqual(done.returncode, usual.returncode, (words, done.stderr))
            self.assertEqual(done.stderr.count("passed over"), 1, words)
            self.assertIn(OF_MODEL, done.stderr)
            self.assertEqual(done.stdout.replace(NEWER_MODEL, MODEL), usual.stdout)

    def test_a_newer_minor_version_alone_is_no_news(self):
        newer = self.change(MODEL, "newer.json", ('"1.1"', '"1.999"'))
        self.assertEqual(self.says(OK, "show", newer).stderr, "")
        self.says(OK, "derive", newer, "--set", "head_switch=x2", "-o", "derived.json")

    def test_what_was_passed_over_is_never_lost(self):
        for words in (("derive", NEWER_MODEL, "--set", "head_switch=x2", "-o", "new.json"),
                      ("truth", "virtual:" + NEWER_MODEL, "-o", "new.json")):
            done = self.says(BAD_INPUT, *words)
            self.assertEqual(done.stderr.splitlines()[-1],
                             f"platter: {NEWER_MODEL} is of model format 1.999, newer than this platter's 1.1, and its "
                             f"members acoustics, seek.points[].celsius {LOST}")
            self.assertFalse(os.path.exists(self.path("new.json")))
        before = self.content(NEWER_MODEL)
        done = self.says(BAD_INPUT, "validate", "virtual:hp-c2247?seed=1", NEWER_MODEL, "-o", "checked", "--update-model")
        self.assertIn(LOST, done.stderr)
        self.assertFalse(os.path.exists(self.path("checked")))  # before anything was measured
        self.assertEqual(self.content(NEWER_MODEL), before)
        done = self.says(BAD_INPUT, "calibrate", NEWER_MODEL, "--with", RESULT, "-o", "new.json")
        self.assertIn(LOST, done.stderr)
        self.assertIn(LOST, self.says(BAD_INPUT, "result", "export", NEWER_RESULT, "-o", "new.csv").stderr)
        self.assertFalse(os.path.exists(self.path("new.csv")))
        before = self.content(NEWER_SAMPLES)
        done = self.says(BAD_INPUT, "characterize", "virtual:hp-c2247?seed=1", "--resume", NEWER_SAMPLES, "-o", "new.json")
        self.assertIn(LOST, done.stderr)
        self.assertEqual(self.content(NEWER_SAMPLES), before)

    def test_newer_samples_are_read_with_one_notice(self):
        done = self.says(INCOMPLETE, "estimate", NEWER_SAMPLES, "-o", "estimated.json")
        self.assertEqual(done.stderr.count("passed over"), 1)
        self.assertIn(OF_SAMPLES, done.stderr)
        self.says(INCOMPLETE, "estimate", SAMPLES, "-o", "usual.json")
        self.assertEqual(self.content("estimated.json"), self.content("usual.json"))

    def test_a_newer_result_is_read_with_one_notice(self):
        done, usual = self.says(OK, "result", "show", NEWER_RESULT), self.says(OK, "result", "show", RESULT)
        self.assertEqual((done.stderr, done.stdout), (OF_RESULT, usual.stdout))

    def test_what_is_unknown_at_the_own_version_is_refused(self):
        typed = self.change(NEWER_MODEL, "typed.json", ('"1.999"', '"1.1"'))
        self.assertIn("celsius is not a member that a model has", self.refuses("show", typed))
        typed = self.change(NEWER_RESULT, "typed.csv", ('"1.999"', '"1.0"'))
        self.assertIn('"host_kernel" is not a member that a result has', self.refuses("result", "show", typed))
        typed = self.change(NEWER_RESULT, "columns.csv", ('"1.999"', '"1.0"'), (',"host_kernel":"6.1"', ""))
        self.assertIn("line 2: the columns are not", self.refuses("result", "show", typed))
        for unknown in ({"timing": {"celsius": 31}}, {"weather": {}}, {"session": {"before": {"celsius": 31}}}):
            lines = unchecked(self.content(SAMPLES))
            [payload] = unknown
            known = next((line for line in lines if payload in line), None)
            if known is None:
                lines.append(unknown)
            else:
                for member, value in unknown[payload].items():
                    if isinstance(value, dict):
                        known[payload][member].update(value)
                    else:
                        known[payload][member] = value
            self.write("typed.jsonl", checked(*lines))
            self.assertIn("is no member of version 6.1", self.refuses("estimate", "typed.jsonl", "-o", "new.json"))

    def test_a_model_in_samples_has_its_own_version(self):
        lines = unchecked(self.content(SAMPLES))
        lines[1]["facts"]["known"]["schema"]["version"] = "1.999"
        lines[1]["facts"]["known"]["acoustics"] = 3.4
        self.write("known.jsonl", checked(*lines))
        done = self.says(INCOMPLETE, "estimate", "known.jsonl", "-o", "new.json")
        self.assertIn(NOTICE.format("known.jsonl", "model", 1, "1.1", "acoustics"), done.stderr)

    def test_another_major_version_is_refused(self):
        for name, own, version, words in ((MODEL, "1.1", "2.0", ("show",)), (MODEL, "1.1", "3.1", ("show",)),
                                          (RESULT, "1.0", "2.0", ("result", "show"))):
            other = self.change(name, "other" + os.path.splitext(name)[1], (f'"{own}"', f'"{version}"'))
            self.assertIn(version, self.refuses(*words, other))
        lines = unchecked(self.content(SAMPLES))
        lines[0]["schema"]["version"] = "7.0"
        self.write("other.jsonl", checked(*lines))
        said = self.refuses("estimate", "other.jsonl", "-o", "new.json")
        self.assertIn('version "7.0", and this platter reads 6.x', said)

    def test_a_newer_study_is_refused(self):
        study = {"schema": {"name": "platter-study", "version": "1.1"}, "models": [MODEL],
                 "traces": [{"workload": "random", "requests": 5}]}
        self.write("study.json", json.dumps(study))
        said = self.refuses("study", "plan", "study.json", "--parts", "1")
        self.assertIn("is a study of version 1.1, newer than this platter's 1.0", said)
        for head in ("platter-study", {"name": "platter-model", "version": "1.0"}, {"name": "platter-study"}, None):
            self.write("study.json", json.dumps({**study, "schema": head}))
            self.assertIn('it needs "schema": {"name": "platter-study", "version": "1.0"}',
                          self.refuses("study", "plan", "study.json", "--parts", "1"))
        study["schema"]["version"] = "1.0"
        self.write("study.json", json.dumps(study))
        self.says(OK, "study", "plan", "study.json", "--parts", "1")

    def test_a_study_on_a_newer_model_says_it_once(self):
        study = {"schema": {"name": "platter-study", "version": "1.0"}, "traces": [{"workload": "random", "requests": 5}],
                 "models": [NEWER_MODEL, {"file": NEWER_MODEL, "name": "b", "derive": {"head_switch": "x2"}}]}
        self.write("study.json", json.dumps(study))
        done = self.says(OK, "study", "run", "study.json", "-C", "s")
        self.assertEqual(done.stderr.count("passed over"), 1, done.stderr)

    def test_a_registry_keeps_a_newer_model_whole(self):
        done = self.says(OK, "publish", NEWER_MODEL, "--registry", "registry")
        self.assertIn(OF_MODEL, done.stderr)
        blobs = [os.path.join(base, name) for base, _, names in os.walk(self.path("registry")) for name in names]
        kept = 0
        for blob in blobs:
            with open(blob, "rb") as file:
                kept += b'"acoustics":{"idle_bel":3.4}' in file.read()
        self.assertEqual(kept, 1)

    def test_many_unknown_members_make_one_sentence(self):
        more = ", ".join(f'"colour_{number}": 1' for number in range(30))
        newer = self.change(MODEL, "newer.json", ('"1.1"', '"1.999"'), ('"identity": {', '"identity": {' + more + ", "))
        said = self.says(OK, "show", newer).stderr
        self.assertIn(" and 22 others were passed over", said)
        self.assertEqual(said.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
