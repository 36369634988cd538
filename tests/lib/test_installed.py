"""libplatter as it is installed: the examples are built against it by foreign hands (pkg-config,
CMake, ctypes), in C and without anything of this tree, and run."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.normpath(os.path.join(HERE, "../../examples"))
SERVE = os.path.join(EXAMPLES, "python/serve.py")
PLATTER = os.environ.get("PLATTER_BINARY", "")
BUILD = os.environ.get("PLATTER_BUILD", "")
COMPILER = os.environ.get("CC", "cc")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(foreign LANGUAGES C)
find_package(platter 1.0 REQUIRED)
add_executable(with_shared {source})
target_link_libraries(with_shared PRIVATE platter::platter)
add_executable(with_static {source})
target_link_libraries(with_static PRIVATE platter::platter_static)
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          check=False, timeout=200, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@unittest.skipUnless(PLATTER and BUILD, "PLATTER_BINARY and PLATTER_BUILD name no build")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = holder.name
        built = os.path.join(cls.folder, "built")
        run("cmake", "--install", BUILD, "--prefix", built)
        # Elsewhere than where it was installed to: nothing may depend on the place.
        cls.prefix = os.path.join(cls.folder, "prefix")
        shutil.move(built, cls.prefix)
        cls.lib = os.path.dirname(glob.glob(cls.prefix + "/lib*/**/libplatter.so",
                                            recursive=True)[0])
        cls.environment = dict(os.environ, LD_LIBRARY_PATH=cls.lib,
                               PKG_CONFIG_PATH=os.path.join(cls.lib, "pkgconfig"),
                               PYTHONPATH=os.path.join(cls.prefix, "lib/python3/dist-packages"))
        cls.table = os.path.join(cls.folder, "drive.ptab")
        model = os.path.join(cls.folder, "drive.json")
        run(PLATTER, "truth", "virtual:quantum-atlas10k", "-o", model)
        run(PLATTER, "emit", "table", model, "-o", cls.table)

    def path(self, name):
        return os.path.join(self.folder, name)

    def flags(self, *arguments):
        return run("pkg-config", *arguments, "platter", env=self.environment).split()

    def serve(self, program):
        answer = run(program, self.table, "2000", env=self.environment)
        means = re.findall(r"([\d.]+) ms", answer)
        self.assertEqual(len(means), 2, answer)
        self.assertEqual(means[0], means[1])
        self.assertGreater(float(means[0]), 1)
        return means[0]

    def test_everything_is_in_its_place(self):
        self.assertEqual(sorted(os.listdir(self.prefix)), ["bin", "include", "lib", "share"])
        for name in ("share/platter/cosim/build-kernel", "share/platter/drives/hp-c2247.json", "bin/platter"):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, name)), name)

    def test_names_of_the_shared_library(self):
        self.assertTrue(os.path.islink(os.path.join(self.lib, "libplatter.so")))
        self.assertTrue(os.path.exists(os.path.join(self.lib, "libplatter.so.1")))
        dynamic = run("readelf", "-d", os.path.join(self.lib, "libplatter.so"))
        self.assertIn("[libplatter.so.1]", dynamic)
        self.assertNotIn("RUNPATH", dynamic)
        needed = re.findall(r"NEEDED\).*\[(\w+)", dynamic)
        self.assertLessEqual(set(needed), {"libstdc", "libm", "libgcc_s", "libc", "ld"})

    def test_pkg_config_and_cmake_agree(self):
        source = os.path.join(EXAMPLES, "c/serve.c")
        run(COMPILER, *STRICT, source, "-o", self.path("shared"), *self.flags("--cflags", "--libs"))
        self.assertIn("libplatter.so.1", run("readelf", "-d", self.path("shared")))
        run(COMPILER, *STRICT, "-static", source, "-o", self.path("static"),
            *self.flags("--static", "--cflags", "--libs"))
        project = self.path("project")
        os.makedirs(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(PROJECT.format(source=source))
        run("cmake", "-S", project, "-B", self.path("cmake"), f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", self.path("cmake"))
        self.assertNotIn("libplatter", run("readelf", "-d", self.path("cmake/with_static")))
        programs = ("shared", "static", "cmake/with_shared", "cmake/with_static")
        self.assertEqual(len({self.serve(self.path(program)) for program in programs}), 1)

    def test_the_header_is_cxx_too(self):
        source = self.path("header.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <platter.h>\nint main() { return *platter_version() == 0; }\n")
        run(os.environ.get("CXX", "c++"), "-Wall", "-Wextra", "-Werror", source, "-o",
            self.path("header"), *self.flags("--cflags", "--libs"))
        run(self.path("header"), env=self.environment)

    def test_python(self):
        answer = run(sys.executable, "-B", SERVE, self.table, "2000", env=self.environment)
        self.assertRegex(answer, r"\AQuantum Atlas 10K, 17966953 blocks\n"
                         r"mean response (\d+\.\d+) ms; after the rollback \1 ms\n\Z")

    def test_what_is_no_table_is_told(self):
        done = subprocess.run([sys.executable, "-B", SERVE, __file__], env=self.environment,
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"serve: {__file__}: is no table file; write one with "
                         "platter emit table\n")


if __name__ == "__main__":
    unittest.main()
