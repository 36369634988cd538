"""Help, man pages and completions say the same, for they are written from one tree; bash's completion runs."""

import os
import re
import shutil
import subprocess
import unittest

from harness import HERE, PLATTER, PlatterTest, leaves


def help_of(command):
    return subprocess.run([PLATTER, *command.split(), "--help"], capture_output=True, text=True, check=True).stdout


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(line.split("  ")[1] if line.startswith("  -") else ""
                                                                  for line in text.splitlines())))


class Help(PlatterTest):
    def test_no_list_has_an_empty_name(self):
        for command in leaves():
            with self.subTest(command):
                self.assertNotRegex(" ".join(help_of(command).split()), r"with ,|, [,\]]|with[\];]")

    def test_what_platter_says_of_itself_is_listed_too(self):
        for command, its in (("self", ["man", "schema", "completion", "statuses"]), ("self schema", ["model"])):
            shown = help_of(command).partition("Subcommands:")[2]
            for name in its:
                self.assertRegex(shown, rf"(?m)^  {name} ", command)


class ManPages(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("self", "man", self.path("man"))

    def page(self, command):
        with open(self.path("man/platter-" + command.replace(" ", "-") + ".1"), encoding="utf-8") as file:
            return file.read().replace("\\-", "-")

    def test_each_option_and_example_stands_in_its_page(self):
        for command in leaves():
            with self.subTest(command):
                shown, page = help_of(command), self.page(command)
                self.assertTrue(options_in(shown))
                for option in options_in(shown):
                    self.assertIn(option, page)
                for example in re.findall(r"^  (platter .*)$", shown.split("Examples:")[1], re.M):
                    self.assertIn(example, page)

    # holds: exit-statuses.md: A subcommand ends
    def test_each_page_has_the_statuses_of_its_subcommand(self):
        def statuses(page):
            return [int(number) for number in re.findall(r"^\.TP\n(\d+)$", page.partition(".SH EXIT STATUS")[2], re.M)]
        every = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 130]
        with open(self.path("man/platter.1"), encoding="utf-8") as file:
            self.assertEqual(statuses(file.read()), every)
        of_any = [0, 1, 2, 3, 4, 5, 6, 9, 10, 130]
        for command, more in (("trace lint", [14]), ("diff", [12]), ("report", []), ("compare", [11]), ("estimate", [13]),
                              ("characterize", [7, 8, 13, 14, 15]), ("restore", [7, 8, 14])):
            self.assertEqual(statuses(self.page(command)), sorted(of_any + more), command)
        self.assertNotRegex(self.page("characterize").partition(".SH EXIT STATUS")[2], r"`|\]\(")

    def test_the_formatter_has_nothing_to_say(self):
        groff = shutil.which("groff")
        if not groff:
            self.skipTest("no groff")
        for name in os.listdir(self.path("man")):
            done = subprocess.run([groff, "-man", "-ww", "-Tutf8", self.path("man/" + name)], capture_output=True,
                                  check=True)
            self.assertEqual(done.stderr, b"", name)

    # holds: exit-statuses.md: A subcommand ends
    def test_the_document_has_the_same_statuses(self):
        def named(text):
            return re.findall(r"^\| (\d+) \| (`\w+`) \|", text, re.MULTILINE)
        with open(os.path.join(os.path.dirname(HERE), "../docs/exit-statuses.md"), encoding="utf-8") as file:
            self.assertEqual(named(file.read()), named(self.platter("self", "statuses")))

    # holds: stand-ins.md: A figure
    def test_the_installed_pages_have_the_tables_that_they_say_are_printed(self):
        root = os.path.join(os.path.dirname(HERE), "..")
        subprocess.run([os.path.join(root, "scripts/printed-docs"), PLATTER, os.path.join(root, "docs"), self.path("docs")],
                       check=True)
        for page, command in (("sense", "self advice"), ("findings", "self findings"), ("stand-ins", "self stand-ins"),
                              ("needs", "self needs"), ("limits", "self limits"), ("disksim", "self disksim-rules"),
                              ("characterize", "self claims"), ("exit-statuses", "self statuses"),
                              ("safety", "inspect --commands")):
            table = self.platter(*command.split())
            self.assertGreater(table.count("\n|"), 8, command)
            with open(self.path(f"docs/{page}.md"), encoding="utf-8") as file:
                self.assertIn(f"\n\n    platter {command}\n\n{table}", file.read())
        for page in ("packages", "methods/seeks"):  # nothing else changes
            with open(os.path.join(root, f"docs/{page}.md"), encoding="utf-8") as file, \
                    open(self.path(f"docs/{page}.md"), encoding="utf-8") as copy:
                self.assertEqual(copy.read(), file.read())

    def test_what_is_for_the_build_is_hidden(self):
        self.assertFalse(os.path.exists(self.path("man/platter-self.1")))
        self.assertNotIn("self", self.platter("--help").split())


class Completions(PlatterTest):
    def complete(self, line):
        self.write("completion", self.platter("self", "completion", "bash"))
        script = ('. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; read -ra COMP_WORDS <<< "$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); '
                  '_platter; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", self.path("completion"), line], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.stderr, "", line)
        return done.stdout.split()

    def test_bash(self):
        for line, expected in (("platter cha", ["characterize"]), ("platter emit d", ["disksim"]),
                               ("platter characterize --allow-w", ["--allow-writes"]),
                               ("platter trace convert x --to v", ["validate"]),
                               ("platter show virtual:quantum", ["quantum-atlas10k"]),
                               ("platter registry ver", ["verify"]), ("platter nonsense", [])):
            with self.subTest(line):
                self.assertEqual(self.complete(line), expected)
        self.assertIn("virtual:modern-20tb", self.complete("platter show virt"))
        self.assertEqual(self.complete("platter show dri"), [])  # bash then offers files

    def test_each_option_is_completed_in_each_shell(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.platter("self", "completion", shell)
            for command in leaves():
                for option in options_in(help_of(command)):
                    with self.subTest(f"{shell}, {command} {option}"):
                        self.assertIn(" -l " + option[2:] if shell == "fish" else option, script)

    def test_each_shell_reads_its_script(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                path = self.write("script", self.platter("self", "completion", shell))
                done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        self.fails(2, ("bash, zsh and fish",), "self", "completion", "tcsh")


if __name__ == "__main__":
    unittest.main()
