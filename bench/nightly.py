#!/usr/bin/env python3
"""The campaigns that no ./check has time for: runs them, one after the other, and writes what each printed into
docs/campaigns.md, with the commit and the day.

    bench/nightly.py                                # all, most of a day on two cores
    bench/nightly.py power kill                     # these
    bench/nightly.py fuzz -- --seconds 180          # with more arguments; the page names them
    bench/nightly.py --list

What is stopped goes on where it was (build/nightly/COMMIT) if it is a campaign of many runs. The status is 1 where a
campaign found something; that is on the page, too. A change of this list is held by the ctest nightly.
"""

import argparse
import collections
import datetime
import os
import re
import subprocess
import sys
import textwrap
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "docs/campaigns.md"
BUILD = "build/release"
HEAD = """# Campaigns

What attacks platter for hours, and what came of it. `bench/nightly.py NAME` runs one of these commands and writes its
part of this page. A campaign that stands here without figures was not run since it was changed.
"""

# `kept`: the lines of what it prints that tell what was found. `goes_on`: the option that names a file or folder of
# what is done. `most`: so many lines of the last ones, with the sums.
Campaign = collections.namedtuple("Campaign", "name what command kept goes_on most", defaults=["", "", 3])

ATTACKS = "bench/trust/campaign.py"
CLASSIC = "quantum-atlas10k seagate-cheetah9lp seagate-barracuda4lp ibm-ultrastar18es hp-c2247"
CAMPAIGNS = [
    Campaign("power", "Losses of power while a small drive is characterized or replayed on with writes; then `platter "
             "restore`. `silent` and `failed` are to be 0; a run that `hangs` took more than 300 s, as on a machine that does "
             "much else, and `broken` means that the undisturbed run did.", f"{ATTACKS} power --runs 400", goes_on="--continue"),
    Campaign("power-shingled", "The same on shingled drives, whose bands are measured.",
             f"{ATTACKS} power-shingled --runs 200", goes_on="--continue"),
    Campaign("kill", "The same with the program killed or interrupted.", f"{ATTACKS} kill --runs 200",
             goes_on="--continue"),
    Campaign("failed-write", "The same with writes that fail.", f"{ATTACKS} failed-write --runs 100",
             goes_on="--continue"),
    Campaign("damaged", "Files that are believed later, each damaged 2,000 times: journals (a torn block is put back "
             "from every line that is whole, nothing else is written, no new run begins without a word), samples, points "
             "of studies and the host's journal (refused, or computed anew).",
             "bench/trust/damaged.sh"),
    Campaign("failing-calls", "The n-th write, fsync, close, rename or unlink fails, for n from 1 to 200, or as many as "
             "there are.", "bench/trust/failing_calls.py"),
    Campaign("servers", "Guests and clients of emulated drives in hostile states: beside each an honest one is served, "
             "then SIGTERM ends the server.", f"PLATTER_NBD_LOAD={BUILD}/nbd_load PLATTER_BINARY={BUILD}/platter "
             "python3 -B tests/cli/test_hostile.py", kept=r"^(HostileGuests|HostileClients|Ran|OK|FAILED)"),
    Campaign("study-plan", "A study of a thousand million points is refused.", "bench/budget/attack.py --kinds study "
             "--bombs points-10.9$ --commands ^study.plan --verbose"),
    Campaign("mutants", "Damaged documents of every form.", "bench/trust/mutants.py --count 1000", goes_on="--state"),
    Campaign("budget", "Documents of at most 4 MB that ask for far more, to every subcommand that takes them: 5 s of "
             "processor time and 1 GB are allowed.", "bench/budget/attack.py"),
    Campaign("budgets", "Runs of the classic drives that are given 30 to 80 s: the demerit that each states of its mixed "
             "load, against fresh requests.", f"bench/stated_demerit.py --drives {CLASSIC} --budgets 30 45 60 80 "
             "--seeds 2 --most-mixed 8", kept=r"^(random:|mixed|more|good|without)"),
    Campaign("grid", "Stated errors where the host sees completions at multiples of 125 us only.",
             "bench/interval_coverage.py --grid-us 125 --seeds 6 --first-seed 1 --least 0.93 --drives quantum-atlas10k "
             "hp-c2247 seagate-barracuda4lp",
             kept=r"^(\| (class|head switch|hit overheads|miss overheads|all) ?[,|]|errors below|the stated|platter:)"),
    Campaign("drift", "The stated period of a spindle that drifts 6 ppm within the run, against the truth at begin and end.",
             "bench/uneven_time.py --kinds drift --seeds 1-2"),
    Campaign("moved-period", "Seeks and head switches estimated again from samples whose rotation's reads were stretched: "
             "none may move by more than its error.", "bench/moved_period.py --seeds 1 2", kept=r"^([0-9]|.*!$)"),
    Campaign("lost-angles", "Hundreds of seeds of small drives: which runs lose the angles of a zone.",
             "bench/lost_angles.py", most=8),
    Campaign("two-runs", "`platter diff` of two runs on one drive.", "bench/two_runs.py"),
    Campaign("silent-resets", "Drives that are reset in silence again and again: a run ends with a status that tells, or "
             "right.", "bench/silent_resets.py"),
    Campaign("drives-of-today", "What models say of mixed load on 20 drives of today, by reads and with writes, against fresh "
             "requests.", "bench/drives_of_today.py", kept=r"^[0-9]+ runs"),
    Campaign("announced", "The drive time that a map by timing tells of at 5 %, and what is taken.", "bench/announced.py"),
    Campaign("streams-of-today", "Sequential reads of 20 drives of today and of the models that were made of them.",
             "bench/streams_of_today.py"),
    Campaign("seek-joint", "How far the two pieces of the seek formula are apart where they meet.", "bench/seek_joint.py"),
    Campaign("programs", "Griffin's and Wu's programs on file systems on emulated drives.",
             f"bench/emulators/programs.py --build {BUILD}"),
    Campaign("others", "Twenty programs of others in simulated time, each twice.",
             f"bench/emulators/others.py --build {BUILD}", most=8),
    Campaign("mirrors", "One, two and three emulated drives by Linux md.", f"bench/emulators/raid1.py --build {BUILD}"),
    Campaign("clients", "How true to its model a client sees an emulated drive, by the client's clock, on a machine that "
             "does nothing else: each front end, drive and load.",
             f"bench/emulators/client_matrix.py --build {BUILD}", kept=r"^(SCHED|rows|not)"),
    Campaign("ublk", "Random reads of an emulated drive as a block device of a guest's kernel, beside NBD in the same guest "
             "(user-mode Linux: an ordinary process, whose wake-ups are slow).",
             f"bench/emulators/ublk_real_time.py --build {BUILD} --guest --requests 2000", kept=r"^(\||random|guest|skipped)"),
    Campaign("fleet-on-slurm", "Forty drives on two nodes, one of which is killed.",
             f"bench/slurm/fleet.py --platter {BUILD}/platter"),
    Campaign("volumes", "What studies of a trace of many volumes cost.",
             f"bench/study/volumes.py --platter {BUILD}/platter"),
    Campaign("only-tests", "Functions that only tests call.", "bench/only_tests.py"),
    Campaign("wake-times", "Wake times of ten drives of today with power conditions, and a replay with pauses.",
             "bench/wake_times.py", most=2),
    Campaign("units", "Two logical units that are named together: two arms of one spindle, one arm, two drives.",
             "bench/units_of_one_drive.py"),
    Campaign("shingled", "Shingled drives, virtual and alien, and conventional ones, characterized with writes: which are "
             "recognized, and how far bands and media caches are from the truth.", "bench/shingled.py --virtual 1-20 "
             "--alien 1-20 --conventional 1-100", kept=r"^all "),
    Campaign("displaced", "A shingled drive of 20 TB that was written to before: which extents are found by reads alone.",
             "bench/displaced.py --seeds 1 2"),
    Campaign("shingled-hour", "Random writes for an hour, on a shingled drive and on the model that was made of it.",
             "bench/shingled_hour.py", most=1),
    Campaign("fuzz", "libFuzzer with the address and undefined-behaviour sanitizers, an hour for each reader of foreign "
             "bytes, and for guests of a vhost-user server.", "bench/fuzz --seconds 3600 --executions 1000000000"),
]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()


def commit():
    """The page itself may be another one."""
    changed = [line for line in git("status", "--porcelain", "--untracked-files=no").split("\n")
               if line and not line.endswith(PAGE)]
    return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")


def parts_of(page):
    """{name: text} of the page as it stands."""
    return {part.split("\n", 1)[0].strip(): part for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]}


def part_of(campaign, figures=""):
    return f"{campaign.name}\n\n{textwrap.fill(campaign.what, 120)}\n\n    {campaign.command}\n\n{figures}"


def page_of(parts):
    return HEAD + "".join("\n## " + parts.get(each.name, part_of(each, "Not run.\n")).rstrip("\n") + "\n"
                          for each in CAMPAIGNS)


def read_page():
    try:
        with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write_page(parts):
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
        file.write(page_of(parts))


def problems():
    """What of the page is not as this list would write it: a campaign that is lacking or too many, another command; and
    programs that cannot be run."""
    parts, found = parts_of(read_page()), []
    for each in CAMPAIGNS:
        if not parts.pop(each.name, "").startswith(part_of(each)):
            found.append(f"{PAGE}: {each.name} is not there as bench/nightly.py has it")
        program = next(word for word in each.command.split() if "=" not in word)
        if "/" in program and not os.access(os.path.join(ROOT, program), os.X_OK):
            found.append(f"{program} is no program that can be run")
    return found + [f"{PAGE}: bench/nightly.py has no {name}" for name in parts]


def kept_of(campaign, lines):
    """What the page shows of the lines that a campaign printed."""
    before = [re.fullmatch(r"\((\d+) lines before\)", line) for line in lines]
    lines = [line for line, gone in zip(lines, before) if not gone and line.strip() and re.search(campaign.kept, line)]
    left_out = max(len(lines) - campaign.most, 0)
    gone = left_out + sum(int(match[1]) for match in before if match)
    return ([f"({gone} lines before)"] if gone else []) + lines[left_out:]


def trimmed(campaign, part):
    """A part of the page that has lines which this list no longer keeps."""
    head, *blocks = part.split("```\n")
    if len(blocks) != 2:
        return part
    return "```\n".join([head, "\n".join(kept_of(campaign, blocks[0].splitlines())) + "\n", blocks[1]])


def run(campaign, more):
    command = [*campaign.command.split(), *more]
    words = list(command)
    if campaign.goes_on:
        folder = os.path.join(ROOT, "build/nightly", git("rev-parse", "--short=10", "HEAD"))
        os.makedirs(folder, exist_ok=True)
        words += [campaign.goes_on, os.path.join(folder, campaign.name)]
    begun, on = time.monotonic(), commit()
    lines = []
    with subprocess.Popen(["env", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    more_words = f", with `{' '.join(more)}`" if more else ""
    took = "" if campaign.goes_on else f" in {time.monotonic() - begun:.0f} s"  # which may have gone on
    heading = textwrap.fill(f"On {on}, {datetime.date.today()}{took}{more_words}; status {process.returncode}:", 120,
                            break_long_words=False, break_on_hyphens=False)
    figures = heading + "\n\n```\n" + "\n".join(kept_of(campaign, lines)) + "\n```\n"
    parts = parts_of(read_page()) | {campaign.name: part_of(campaign, figures)}
    write_page(parts)
    return process.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of campaigns; none: all")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true", help="whether the page has this list")
    parser.add_argument("--write", action="store_true", help="this list into the page, and nothing is run")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options, more = parser.parse_args(words[:cut]), words[cut + 1:]
    named = {each.name: each for each in CAMPAIGNS}
    if unknown := set(options.names) - set(named):
        parser.error(f"no campaign {', '.join(sorted(unknown))}; there are {', '.join(named)}")
    if options.list:
        for each in CAMPAIGNS:
            print(f"{each.name:15} {each.command}")
        return 0
    if options.check:
        print("\n".join(problems()))
        return 1 if problems() else 0
    if options.write:
        parts = parts_of(read_page())
        write_page({each.name: trimmed(each, parts[each.name]) for each in CAMPAIGNS
                    if parts.get(each.name, "").startswith(part_of(each))})
        return 0
    ran = [run(named[name], more) for name in options.names or named]
    return 0 if all(ran) else 1


if __name__ == "__main__":
    sys.exit(main())
