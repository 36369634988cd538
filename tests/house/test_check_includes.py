"""A test of the test: violations planted into a copy of the house must be found, each by its rule."""

import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path.insert(0, HERE)

from check_includes import House, read_allowed, without_comments  # noqa: E402


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = os.path.join(cls.folder.name, "house")
        for name in ("src", "emit", "registry", "docs", "tests/alien"):
            if os.path.isdir(os.path.join(ROOT, name)):
                shutil.copytree(os.path.join(ROOT, name), os.path.join(cls.root, name))
        cls.before = set(House(cls.root).check())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def plant_all(self, files):
        """What is found in addition when each of these new files is there: {path: text}."""
        for path, text in files.items():
            with open(os.path.join(self.root, path), "x", encoding="utf-8") as file:
                file.write(text)
        try:
            return "\n".join(set(House(self.root).check()) - self.before)
        finally:
            for path in files:
                os.remove(os.path.join(self.root, path))

    def plant(self, path, text):
        """What is found in addition when `text` stands at the end of a file."""
        full = os.path.join(self.root, path)
        old = None
        if os.path.exists(full):
            with open(full, encoding="utf-8") as file:
                old = file.read()
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write((old or "") + text)
        try:
            return "\n".join(set(House(self.root).check()) - self.before)
        finally:
            if old is None:
                os.remove(full)
            else:
                with open(full, "w", encoding="utf-8") as file:
                    file.write(old)

    def replace(self, path, old, new):
        full = os.path.join(self.root, path)
        with open(full, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        try:
            return "\n".join(set(House(self.root).check()) - self.before)
        finally:
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)

    def test_includes_against_the_table(self):
        wrong = (("src/engine", "scsi/device.h"), ("src/model", "engine/engine.h"),
                 ("src/statistics", "model/units.h"), ("src/scsi", "engine/engine.h"),
                 ("src/mtbrc", "layout/extract.h"), ("src/mtbrc", "engine/engine.h"),
                 ("src/layout", "cache_probe/cache_probe.h"), ("src/cache_probe", "replay/compare.h"),
                 ("src/extract", "transport/exec.h"), ("src/replay", "virtual_drive/virtual_device.h"),
                 ("src/report", "scsi/device.h"), ("src/transport", "virtual_drive/virtual_device.h"),
                 ("emit/disksim", "engine/engine.h"))
        forms = ('#include "{}"\n', "  #  include <{}>\n")
        cases = {f"{room}/planted_{i}_{j}.cpp": (room, header, form.format(header))
                 for i, (room, header) in enumerate(wrong) for j, form in enumerate(forms)}
        found = self.plant_all({path: text for path, (_, _, text) in cases.items()})
        for path, (room, header, _) in cases.items():
            self.assertIn(f"{path}:1: {room} may not include {header}", found)

    def test_includes_that_are_allowed(self):
        right = (("src/mtbrc", "engine/layout_map.h"), ("src/engine", "model/units.h"),
                 ("src/cli", "virtual_drive/truth.h"), ("src/scsi", "scsi/device.h"))
        self.assertEqual(self.plant_all({f"{room}/planted.cpp": f'#include "{header}"\n'
                                         for room, header in right}), "")

    def test_an_include_that_leads_back_up(self):
        found = self.plant("src/extract/options.h", '\n#include "extract/characterize.h"\n')
        self.assertIn("src/extract/options: includes characterize, which stands on it", found)
        self.assertEqual(self.plant("src/extract/characterize.cpp", '\n#include "extract/caches.h"\n'), "")

    def test_a_room_within_a_room(self):
        self.assertIn("registry may not include registry/trust/keys.h",
                      self.plant("registry/oci.cpp", '\n#include "registry/trust/keys.h"\n'))
        self.assertEqual(self.plant("registry/trust/keys.cpp", '\n#include "registry/oci.h"\n'), "")

    def test_a_path_that_is_not_from_the_root(self):
        found = self.plant("src/scsi/planted.cpp", '\n#include "device.h"\n')
        self.assertIn('src/scsi/planted.cpp:2: "device.h" is no path', found)

    def test_links(self):
        found = self.plant("src/engine/CMakeLists.txt",
                           "\ntarget_link_libraries(platter_engine PUBLIC platter_scsi)\n")
        self.assertIn("src/engine may not link platter_scsi", found)
        found = self.plant("src/engine/CMakeLists.txt",
                           "\ntarget_link_libraries(platter_engine PUBLIC platter_everything)\n")
        self.assertIn("platter_everything is no room's library", found)
        found = self.replace("src/transport/CMakeLists.txt", "platter_scsi", "")
        self.assertIn("does not link platter_scsi", found)

    def test_a_room_that_is_not_listed(self):
        found = self.plant("src/attic/planted.cpp", "int x;\n")
        self.assertIn("src/attic: is not in the table", found)
        shutil.rmtree(os.path.join(self.root, "src/attic"))

    def test_the_host_clock(self):
        codes = ("auto t = std::chrono::steady_clock::now();", "clock_gettime(a, &b);",
                 "gettimeofday(&t, nullptr);", "auto t = time(nullptr);", "usleep(5);",
                 "#include <chrono>", "auto t = std::time(nullptr);",
                 "std::this_thread::sleep_for(x);")
        rooms = ("estimate", "mtbrc", "layout", "cache_probe", "extract", "statistics", "engine", "calibrate",
                 "cache_check", "replay")
        files = {f"src/{room}/planted_{i}.cpp": f"\n{code}\n"
                 for room in rooms for i, code in enumerate(codes)}
        found = self.plant_all(files)
        for path in files:
            self.assertIn(f"{path}:2: {os.path.dirname(path)} must never read", found)

    def test_what_is_no_host_clock(self):
        code = ("auto t = drive.clock().now_ns();\ndrive.clock().sleep_until_ns(t);\n"
                "double seek_time(int x); // std::chrono\nfit.time(0);\n/* usleep(5) */\n")
        self.assertEqual(self.plant("src/mtbrc/planted.cpp", code), "")

    def test_the_truth_is_out_of_reach_of_extract_and_below(self):
        rooms = ("extract", "layout", "cache_probe", "mtbrc", "scsi", "engine", "statistics",
                 "model")
        found = self.plant_all({f"src/{room}/planted.cpp": '#include "virtual_drive/truth.h"\n'
                                "using platter::virtual_drive::Target;\n" for room in rooms})
        for room in rooms:
            self.assertIn(f"src/{room} must never name virtual_drive", found)
            self.assertIn(f"src/{room} must never include virtual_drive/truth.h", found)

    def test_the_other_nevers(self):
        os.makedirs(os.path.join(self.root, "registry"), exist_ok=True)
        cases = (("emit/disksim", "scsi/device.h"), ("registry", "transport/exec.h"),
                 ("src/mtbrc", "transport/exec.h"), ("src/engine", "scsi/device.h"),
                 ("src/model", "statistics/robust.h"))
        found = self.plant_all({f"{room}/planted.cpp": f'#include "{header}"\n'
                                for room, header in cases})
        for room, header in cases:
            self.assertIn(f"{room}/planted.cpp:1: {room} must never include {header}", found)

    def test_the_alien_stays_alien(self):
        for line, word in (("import numpy", "numpy is neither"),
                           ("import ctypes", "must never share"),
                           ("path = '../../src/engine/tables.h'", "must never share")):
            with self.subTest(line):
                found = self.plant("tests/alien/drive.py", f"\n{line}\n")
                self.assertIn(word, found)
        self.assertIn("is Python", self.plant("tests/alien/fast.cpp", "int x;\n"))
        lines = ('#include "engine/tables.h"', '#include "../../../src/engine/tables.h"', "#include <engine/tables.h>",
                 '#include "tables.h"')
        files = {f"tests/alien/today/planted_{i}.cpp": line + "\n" for i, line in enumerate(lines)}
        found = self.plant_all(files | {"tests/alien/links.txt": "target_link_libraries(x y)\n"})
        for i in range(len(lines)):
            self.assertIn(f"tests/alien/today/planted_{i}.cpp:1: ", found)
        self.assertIn("links nothing", found)
        found = self.plant("src/engine/planted.cpp", "int alien;\n")
        self.assertIn("must never know of tests/alien", found)

    def test_json_becomes_text_in_one_place(self):
        dumps = ("out << json.dump();", "print(json->dump(2));", "Json{{1}}\n    .dump(-1, ' ');",
                 "nlohmann::to_string(json);")
        files = {f"{folder}/planted_{i}.cpp": f"\n{code}\n" for folder in ("src/cli", "registry/trust", "emit/disksim")
                 for i, code in enumerate(dumps)}
        found = self.plant_all(files)
        for path in files:
            self.assertIn(f"{path}:", found)
        self.assertIn("src/cli/planted_0.cpp:2: makes text of JSON by itself", found)
        self.assertEqual(self.plant("src/cli/planted.cpp", "// json.dump()\nheap_dump(2);\njson_text(json);\n"), "")

    def test_files_are_asked_for_without_exceptions(self):
        throwing = ("fs::exists(path);", "std::filesystem::file_size(path);", "fs::remove(a / f(b, c));",
                    "for (const auto& one : fs::directory_iterator(folder)) use(one);",
                    "std::error_code none;\nfor (auto& one : std::filesystem::directory_iterator(folder, none)) use(one);",
                    "fs::copy_file(from, to);", "fs::path here = fs::current_path();",
                    "fs::directory_iterator entry(folder);", "if (entry.is_directory()) use(fs::path());",
                    "fs::equivalent(one, other);", "fs::create_symlink(to, from);")
        files = {f"src/cli/planted_{i}.cpp": f"\n{code}\n" for i, code in enumerate(throwing)}
        found = self.plant_all(files)
        for path in files:
            self.assertIn(f"{path}:", found)
        quiet = ("std::error_code none;\nfs::exists(path, none);\nfs::copy_file(a, b, c, none);\n"
                 "void f(std::error_code& failed) { fs::rename(a, b, failed); }\n"
                 "for (fs::directory_iterator at(folder, none), end; at != end; at.increment(none)) use(at);\n"
                 "if (at != fs::directory_iterator()) use(fs::path(a).filename());\n")
        self.assertEqual(self.plant("src/cli/planted.cpp", quiet), "")

    def test_what_libraries_throw_is_told_in_one_place(self):
        files = {f"src/cli/planted_{i}.cpp": f"\n{code}\n" for i, code in enumerate((
            "} catch (const std::exception& error) {\n  return Error(ExitStatus::internal, error.what());\n}",
            "} catch (const std::filesystem::filesystem_error& error) {"))}
        found = self.plant_all(files)
        for path in files:
            self.assertIn(f"{path}:", found)
        self.assertEqual(self.plant("src/cli/planted.cpp", "return Error(ExitStatus::internal, words);\n"), "")

    def test_what_is_not_known_acts_through_one_table(self):
        for code in ("double x = c.segments.value.value_or(0);", "use(figure->value . value_or(1));",
                     "double Parameter::or_else(double fallback) const;",
                     "return p.value ? *p.value : 0;", "x = c.depth->value ? *c.depth->value : 1;"):
            self.assertIn("src/cli/planted.cpp:2: gives a figure", self.plant("src/cli/planted.cpp", f"\n{code}\n"),
                          code)
        harmless = ("p.error.value_or(0);\nreturn p.value ? Json(*p.value) : Json();\n"
                    "// c.segments.value.value_or(0)\nacting(c, c.segments);\nsettings.depth.value_or(queue.depth);\n")
        self.assertEqual(self.plant("src/cli/planted.cpp", harmless), "")

    def test_destructors_call_nothing_that_may_throw(self):
        thrower = "\nPlanted::~Planted() {\n  if (file_ >= 0) ::close(file_);\n  %s\n}\n"
        for call in ("give_up();", "std::string text(fmt::format(words_));", "journal_->finish();",
                     'quietly([&] { give_up(); }); put_back_settings();'):
            found = self.plant("src/cli/planted.cpp", thrower % call)
            self.assertIn("src/cli/planted.cpp:2: ~Planted() calls", found, call)
        for call in ("model::quietly([this] { give_up(); });", "file_.reset();", "cannot_throw();"):
            harmless = "void cannot_throw() noexcept {}\n" + thrower % call
            self.assertEqual(self.plant("src/cli/planted.cpp", harmless), "", call)

    def test_catch_is_included_through_one_header(self):
        found = self.plant("tests/planted_test.cpp", "#include <catch2/catch_test_macros.hpp>\n")
        self.assertIn('tests/planted_test.cpp: includes catch2/catch_test_macros.hpp', found)
        self.assertEqual(self.plant("tests/catch.h", "#include <catch2/catch.hpp>\n"), "")
        self.assertEqual(self.plant("tests/planted_test.cpp", '#include "catch.h"\n'), "")

    def test_rules_and_sentences_agree(self):
        found = self.plant("docs/architecture.md", "- `cli` thinks.\n")
        self.assertIn("nothing checks: Never `cli` thinks.", found)
        found = self.replace("docs/architecture.md", "- `engine` includes `scsi`.\n", "")
        self.assertIn("no longer said", found)
        found = self.replace("docs/architecture.md", "- `emit` and `registry` talk to a device.\n",
                             "")
        self.assertIn("no longer said", found)


class Parsing(unittest.TestCase):
    def test_cells(self):
        self.assertEqual(read_allowed("scsi, engine (the layout map only), emit/disksim"),
                         {"src/scsi": None, "src/engine": "layout_map.h", "emit/disksim": None})
        self.assertEqual(read_allowed("nothing of ours"), {})
        self.assertIsNone(read_allowed("all"))
        with self.assertRaises(ValueError):
            read_allowed("scsi, whatever it likes; really")

    def test_comments_are_blanked_and_texts_kept(self):
        code = 'a; // "b"\n/* c\n d */ e("// f"); \'"\'; // g\n'
        self.assertEqual([line.rstrip() for line in without_comments(code).split("\n")],
                         ["a;", "", '      e("// f"); \'"\';', ""])


if __name__ == "__main__":
    unittest.main()
