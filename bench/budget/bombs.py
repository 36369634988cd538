"""Documents of at most 4 MB that ask for more than they are: of each kind (bench/trust/documents.py) those whose
products, sums, depth, lines or expansion are as large as they can be said."""

import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../trust"))
import damage  # noqa: E402
import documents  # noqa: E402
import file_systems  # noqa: E402

MOST = 4_000_000  # bytes


def filled(begin, middle, end, most=MOST):
    """`middle` as often as there is room; a function is asked for each."""
    if not callable(middle):
        return begin + middle * ((most - len(begin) - len(end)) // len(middle)) + end
    pieces, size, i = [begin], len(begin) + len(end), 0
    while True:
        piece = middle(i)
        size += len(piece)
        if size > most:
            return "".join(pieces) + end
        pieces.append(piece)
        i += 1


def without_checks(text):
    return re.sub(damage.CHECK.pattern.decode(), "}", text, flags=re.MULTILINE)


def of_episodes():
    begin = '{"schema":{"name":"platter-episodes","version":"1.0"},"episodes":['
    for name, one in (("many", '{"what":"stuck"},'), ("empty", "{},"), ("numbers", "0,"),
                      ("slow", '{"what":"slow","delay_ms":{"distribution":"exponential","mean":1e9}},')):
        yield name, filled(begin, one, '{"what":"fail"}]}')
    yield "name", filled(begin + '{"what":"', "a", '"}]}')
    yield "windows", filled(begin + '{"what":"fail","from_s":1', "0", '}]}')


def with_checks(bombs):
    """As somebody writes lines who knows their form: else a reader refuses them for their checks, unread."""
    for name, content in bombs:
        lines, size = [], 0
        for number, line in enumerate(content.encode("utf-8", "surrogatepass").split(b"\n"), 1):
            if line.endswith(b"}"):
                line = damage.checked_line(line[:-1], number)
            size += len(line) + 1
            if size > MOST + 1:
                break
            lines.append(line)
        yield name, b"\n".join(lines)


def any_json():
    """What needs no form: the parser alone."""
    for name, begin, middle, end in (
            ("lists", "[", "[],", "0]"), ("objects", "[", "{},", "0]"), ("numbers", "[", "0,", "0]"),
            ("members", "[", '{"":0},', "0]"), ("deep", "", "[", ""), ("deep-objects", "", '{"a":', ""),
            ("deep-in-schema", '{"schema":', "[", ""), ("text", '{"schema":"', "a", '"}'),
            ("escapes", '{"schema":"', "\\u0001", '"}'), ("digits", '{"schema":', "1", "}"),
            ("decimals", '{"schema":0.', "1", "}"), ("exponent", '{"schema":1e', "1", "}"), ("blanks", "", " ", "{}"),
            ("lines", "", "\n", ""), ("minus", "", "-", ""), ("quotes", "", '"', ""), ("nul", "", "\0", "")):
        yield "json-" + name, filled(begin, middle, end)
    yield "json-deep-100000", "[" * 100_000 + "]" * 100_000
    yield "json-deep-objects-100000", '{"schema":' * 100_000 + "0" + "}" * 100_000
    yield "json-names", filled("{", lambda i: f'"{i:x}":0,', '"":0}')
    yield "json-same-names", filled("{", '"a":0,', '"a":0}')


# ---------------------------------------------------------------- models

def of_model(base):
    """Changes of a model, as texts."""
    def changed(change):
        model = json.loads(json.dumps(base))
        change(model)
        return json.dumps(model, separators=(",", ":"))

    def layout(zones, blocks, skips=(), remaps=(), **more):
        def change(model):
            model["layout"].update(zones=zones, skips=list(skips), remaps=list(remaps), **more)
            for name in ("not_understood", "timed"):
                if name not in more:
                    model["layout"].pop(name, None)
            model.pop("firmware", None)
            model.pop("imperfections", None)
            model["identity"].update(blocks=blocks)
            model["validity"].update(first_lbn=0, last_lbn=0)
            for name in ("heads", "cylinders"):
                model["identity"].pop(name, None)
        return changed(change)

    most = 24_000_000  # kMostTracks
    tracks = [{"count": most // 16, "cylinder_step": 1, "children": [{"count": 16, "head_step": 1, "sectors": 500}]}]
    yield "most-tracks", layout(tracks, 500 * most)
    yield "most-tracks-with-skips", layout(tracks, 490 * most, [{"first_slot": 490, "length": 10, "count": most,
                                                                 "stride": 500}])
    yield "skips-of-2^26", layout([{"count": 1 << 23, "cylinder_step": 1, "sectors": 24}], 1000, [
        {"first_slot": 5, "length": 1, "count": 1 << 26, "stride": 3}])
    yield "skips-of-10^11", layout(tracks, 1000, [{"first_slot": 5, "length": 1, "count": 1 << 32, "stride": 3}])
    nested = {"sectors": 9}
    for level in range(15):  # 3^15 tracks
        nested = {"count": 3, "cylinder_step": 3**level, "children": [nested]}
    yield "nested-15-deep", layout([nested], 9 * 3**15)
    nested = {"sectors": 1}
    for level in range(15):  # many small groups in one another
        nested = {"count": 2, "cylinder_step": 2**level, "children": [nested, {"sectors": 2, "cylinder": 2**level}]}
    yield "nested-pairs", layout([nested], 1000)
    yield "alternating-tracks", layout([{"count": most // 2, "cylinder_step": 2, "children": [
        {"sectors": 7}, {"cylinder": 1, "sectors": 8}]}], 15 * most // 2)
    yield "most-cylinders", layout([{"count": most, "cylinder_step": 31, "sectors": 1}], most)
    yield "largest-tracks", layout([{"count": 1 << 24, "cylinder_step": 1, "sectors": 1 << 20}], 1 << 44)
    # 4 MB each of the shortest elements
    count = 150_000
    yield "zones", layout([{"cylinder": i, "sectors": 7} for i in range(count)], 7 * count)
    yield "zones-of-two", layout([{"cylinder": 2 * i, "count": 2, "cylinder_step": 1, "sectors": 7 + i % 5}
                                  for i in range(70_000)], 500_000)
    shared = [{"head": i % 1000, "cylinder": i // 1000, "sectors": 3} for i in range(100_000)]
    yield "zone-of-children", layout([{"count": 240, "cylinder_step": 100, "children": shared}], 10**6)
    random.Random(1).shuffle(shared)
    yield "zone-of-shuffled-children", layout([{"count": 240, "cylinder_step": 100, "children": shared}], 10**6)
    yield "zones-of-one-cylinder", layout([{"sectors": 7 + i % 3} for i in range(200_000)], 7 * 200_000)
    large = [{"count": 4_000_000, "cylinder_step": 1, "sectors": 1000}]
    yield "skips", layout(large, 3_000_000_000, [{"first_slot": 15_000 * i + 5} for i in range(180_000)])
    yield "skips-with-counts", layout(large, 100_000_000, [
        {"first_slot": 1_000_000 * i, "length": 1, "count": 300_000, "stride": 3} for i in range(3900)])
    yield "skips-across-tracks", layout(large, 1_000_000, [
        {"first_slot": 50_000 * i, "length": 49_999} for i in range(80_000)])
    yield "remaps", layout(large, 3_900_000_000, [{"first_slot": 3_990_000_000, "length": 10_000_000}], [
        {"lbn": 11 * i + 3, "slot": 3_990_000_000 + 7 * i} for i in range(120_000)])
    yield "remaps-everywhere", layout(large, 3_900_000_000, [{"first_slot": 3_990_000_000, "length": 10_000_000}], [
        {"lbn": 31_013 * i + 3, "slot": 3_990_000_000 + 9_000_000 - 7 * i} for i in range(110_000)])
    yield "not-understood", layout(large, 3_900_000_000, not_understood=[
        {"first": 30_000 * i, "last": 30_000 * i + 1, "reason": ""} for i in range(90_000)])
    points = [{"cylinders": i + 1, "time_ms": 1 + i / 1e5} for i in range(100_000)]
    yield "seek-points", changed(lambda m: m["seek"].update(points=points))
    yield "seek-to-2^30", changed(lambda m: (m["seek"].update(points=[{"cylinders": 1, "time_ms": 1},
                                                                      {"cylinders": (1 << 30) - 1, "time_ms": 9}]),
                                             m["identity"].update(cylinders=1 << 30)))

    def parameter(value, unit=""):
        return {"value": value, "unit": unit, "error": None, "method": "imported", "samples": 1}

    def cache(**values):
        return changed(lambda m: m["cache"].update({name: parameter(value) for name, value in values.items()}))
    yield "most-segments", cache(segments=16384, write_segments=0, segment_blocks=4294967295)
    yield "adaptive-segments", cache(segments=16384, write_segments=0, adaptive_min_segments=1,
                                     adaptive_window_requests=4, buffer_blocks=4294967295, segment_blocks=4294967295)
    yield "large-buffers", cache(segment_blocks=4294967295, buffer_blocks=4294967295, written_blocks=4294967295,
                                 read_ahead_min_blocks=4294967295, read_ahead_max_blocks=4294967295)
    yield "deep-queue", changed(lambda m: m.setdefault("queue", {}).update(depth=parameter(4294967295)))
    yield "freedoms", changed(lambda m: m["cache"].update(freedoms=[
        {"field": f"F{i}", "changeable": False, "effect": "none", "because": ""} for i in range(50_000)]))
    yield "demerits", changed(lambda m: m["validity"].update(demerits=[
        {"workload": "x", "requests": 1, "drive_mean_ms": 1, "demerit_ms": 1, "demerit_percent": 1,
         "folded_phase_share": 1, "hits_agreed_share": 1} for _ in range(29_000)]))
    yield "stages", changed(lambda m: m["provenance"].update(
        complete=True, stages=[{"name": f"s{i}", "drive_seconds": 1} for i in range(100_000)]))
    yield "missing", changed(lambda m: m["provenance"].update(missing=[{"name": f"s{i}"} for i in range(200_000)]))
    yield "notes", changed(lambda m: m["provenance"].update(notes=["" for _ in range(1_200_000)]))
    for name, text in (("name", "n" * 3_900_000), ("controls", "\x01" * 640_000), ("markup", "<&>\"'" * 600_000),
                       ("wide", "\u00e9" * 600_000)):
        yield f"identity-{name}", changed(lambda m, text=text: m["identity"].update(name=text, vendor=text[:9]))
        yield f"note-{name}", changed(lambda m, text=text: m["provenance"].update(notes=[text]))
    yield "source", changed(lambda m: m["provenance"].update(source="x " * 1_900_000))
    yield "quantiles", changed(lambda m: m.update(delay_spread={"samples": 1, "quantiles": [
        {"share": i / 80_000, "ms": i / 1e5 if i else 0} for i in range(80_001)]}))
    yield "medium-errors", changed(lambda m: m.setdefault("imperfections", {}).update(
        medium_errors=[2 * i for i in range(500_000)]))
    yield "medium-errors-of-one", changed(lambda m: m.setdefault("imperfections", {}).update(
        medium_errors=[7] * 1_300_000))
    yield "imperfections", changed(lambda m: m.setdefault("imperfections", {}).update(
        busy_share=0.999999, unit_attention_share=0.999999, retry_share=1, host_delay_median_us=1e9))
    yield "unwritten", changed(lambda m: m.setdefault("firmware", {"scsi_level": "SPC-3"}).update(
        unwritten=[{"first": 0, "last": 2_000_000 - i} for i in range(120_000)]))
    yield "defects", changed(lambda m: m.setdefault("firmware", {"scsi_level": "SPC-3"}).update(
        primary_defects=list(range(500_000))))
    yield "formats", changed(lambda m: m.setdefault("firmware", {"scsi_level": "SPC-3"}).update(
        address_formats=["block"] * 400_000, fixed_cache_fields=["RCD"] * 50_000))
    yield "large-blocks", changed(lambda m: m["identity"].update(block_bytes=1 << 20, physical_block_bytes=1 << 20))
    yield "smallest-blocks", changed(lambda m: m["identity"].update(block_bytes=1, physical_block_bytes=1))
    yield "slow", changed(lambda m: m["rotation"].update(numerator_ns=10**10, denominator=1))
    yield "stretches", changed(lambda m: m["layout"].update(timed={
        "shares": [], "stretches": [{"first": 20 * i, "last": 20 * i, "standing": "guessed"} for i in range(60_000)]}))


# ---------------------------------------------------------------- tables

def of_table(bytes_of):
    """Every number of a whole table at its largest, one at a time, and its vectors' lengths."""
    table = bytes_of
    chance = random.Random(1)
    words = range(0, len(table) - 8, 4)
    for at in chance.sample(list(words), min(120, len(words))):
        value = chance.choice((0xFFFFFFFF, 0x7FFFFFFF, 1 << 28, 1 << 20, 1))
        yield f"word-{at}-{value:x}", table[:at] + struct.pack("<I", value) + table[at + 4:]
    yield "zeros", table + bytes(MOST - len(table) - len(table) % 8)


# ---------------------------------------------------------------- traces

LINES = {
    "ascii": "{i} 0 {i} 1 1\n", "validate": "R 2a {i} 1 0 0\n", "spc": "0,{i},512,R,{i}\n",
    "msr": "128166372003061629,u,0,Read,{b},512,0\n", "mqsim": "{i} 0 {i} 1 1\n", "alibaba": "7,R,{b},512,{i}\n",
    "csv": "7,R,{b},512,{i}\n", "tencent": "1538323200,{i},1,0,1\n", "k5": "1,{i},R,{b},512\n",
    "cloudphysics": "{i},{i},r,512\n", "fiu": "{i} 1 p {i} 1 R 8 0 x\n", "systor17": "{i}.0,0.1,R,3,{b},512\n",
    "blkparse": "  8,0    0  {i}     {i}.0  1  D   R {i} + 1 [a]\n",
    "ftrace": " a-1 [000] .... {i}.000000: block_rq_issue: 8,0 R 512 () {i} + 1 [a]\n",
    "biosnoop": "{i}.0 a 1 sda R {i} 512 0.1\n",
    "xperf": "DiskRead, {i}, a (1), 1, 0x1, {b}, 512, 1, 0, 0x0, 1, 3, O, 0x1, a\n",
    "wpa": "Read;{i},5;1,000;512;{b};0\n", "hfplayer": "{i},RD,1,{i},1,5\n", "blkreplay": "{i} ; {i} ; 1 ; R ; 0 ; 0\n",
    "fiolat": "{i}, 9, 0, 512, {b}, 0\n", "fiobw": "{i}, 9, 0, 512, {b}, 0\n",
    "iosnoop": "{i}.0 a 1 R 8,0 {i} 512 0.1\n",
    "iolog2": "/dev/sda read {b} 512\n", "iolog3": "{i} /dev/sda read {b} 512\n"}
HEADS = {"iolog2": "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n",
         "iolog3": "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n",
         "wpa": "IO Type;Init Time (s);IO Time (us);Size (B);Min Offset;Disk\n",
         "hfplayer": "#ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,LATENCY_USECS.D\n",
         "blkreplay": "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n",
         "iosnoop": "STARTs COMM PID TYPE DEV BLOCK BYTES LATms\n"}


def compressed(method, chunk, most=MOST):
    """The same chunk as often as there is room, each a member or a frame of its own."""
    words = {"gzip": ["gzip", "-9", "-n"], "zstd": ["zstd", "-19", "-q"], "bzip2": ["bzip2", "-9"], "xz": ["xz", "-6"],
             "lz4": ["lz4", "-9", "-q"]}[method]
    piece = subprocess.run([*words, "-c"], input=chunk, capture_output=True, check=True).stdout
    return piece * (most // len(piece))


def of_trace(form):
    """Texts and bytes in the place of a trace of this format."""
    chance = random.Random(form)
    line = LINES.get(form)
    for name, piece in (("one-line", "1"), ("blanks", " "), ("ends", "\n"), ("commas", ","), ("zeros", "0 "), ("quote", '"'),
                        ("comments", "#\n"), ("nul", "\0")):
        yield f"{name}", filled(HEADS.get(form, ""), piece, "")
    if line is None:  # what its tool writes, again and again
        with open(documents.golden_trace(form), "rb") as file:
            whole = file.read()
        yield "again", whole * (MOST // len(whole))
        return
    head = HEADS.get(form, "")
    text = filled(head, lambda i: line.format(i=i, b=512 * i), "")
    yield "requests", text
    yield "shuffled", head + "".join(sorted(text[len(head):].splitlines(True)[:100_000], key=lambda _: chance.random()))
    far = filled(head, lambda i: line.format(i=chance.randrange(2**40), b=512 * chance.randrange(2**40)), "")
    yield "far", far
    yield "digits", head + line.format(i="9" * 3_000_000, b="9" * 900_000)
    yield "sizes", filled(head, lambda i: line.format(i=i, b=512 * i).replace(" 1 ", " 4000000000 ")
                          .replace(",512", ",4294966784"), "")
    yield "devices", filled(head, lambda i: line.format(i=i, b=512 * i).replace("sda", f"s{i}").replace("8,0", f"8,{i}")
                            .replace("7,R", f"{i},R").replace("usr", f"h{i}").replace(" 0 ", f" {i} "), "")


def of_compressed(method):
    for name, chunk in (("zeros", bytes(1 << 23)), ("line-ends", b"\n" * (1 << 23)), ("comments", b"# comment\n" * 800_000),
                        ("digits", b"1" * (1 << 23)), ("requests", b"1 0 7 8 1\n" * 800_000),
                        ("requests-on", b"".join(b"%d 0 %d 8 1\n" % (i, i) for i in range(400_000))),
                        ("requests-few", b"1 0 7 8 1\n")):
        yield name, compressed(method, chunk)
        yield name + "-short", compressed(method, chunk, 20_000)
    yield "twice", compressed(method, compressed(method, bytes(1 << 23), 1 << 20))
    yield "nothings", compressed(method, b"")
    if method == "zstd":
        yield "skippable-frames", b"\x28\xb5\x2f\xfd" + b"\x50\x2a\x4d\x18\0\0\0\0" * 400_000
        yield "skippable-frames-first", b"\x50\x2a\x4d\x18\0\0\0\0" * 400_000
        yield "window", b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"  # of 2 GB


# ---------------------------------------------------------------- results

def of_result_csv(text):
    head, columns, *rows = text.split("\n")
    yield "rows", filled(head.replace('"rows":', '"x":') + "\n" + columns + "\n",
                         lambda i: f"trace,R,{i},1,0,0,0,,0\n", "")
    yield "rows-of-one-time", filled(head.replace('"rows":', '"x":') + "\n" + columns + "\n",
                                     "trace,R,0,1,0,0,0,,0\n", "")
    yield "head-members", filled("# {", lambda i: f'"{i:x}":0,', '"":0}\n', 1_040_000) + columns + "\n"
    yield "head-deep", "# " + "[" * 1_040_000 + "\n" + columns + "\n"
    yield "head-deep-members", "# " + '{"a":' * 150_000 + "0" + "}" * 150_000 + "\n" + columns + "\n"
    yield "head-text", head.replace('"trace":"', '"trace":"' + "x" * 900_000) + "\n" + columns + "\n" + "\n".join(rows)
    yield "head-long", "# " + "1" * 3_900_000 + "\n"
    yield "one-line", "#" * 4_000_000
    yield "far", filled(head.replace('"rows":', '"x":') + "\n" + columns + "\n",
                        lambda i: f"trace,R,{i * 2**43},4294967295,{i * 2**40},{i * 2**40},1,0,0\n", "")


def of_compressed_result():
    head = {"schema": {"name": "platter-replay-result", "version": "1.0"}, "target": "drive", "name": "d", "trace": "t",
            "mode": "open", "depth": 1, "caches": "off", "block_bytes": 512}
    begin = f"# {json.dumps(head)}\npart,op,lbn,blocks,due_ns,issue_ns,response_ns,media,waited_ns\n".encode()
    for method in ("gzip", "zstd"):
        first = compressed(method, begin, 400)
        yield method + "-rows", first + compressed(method, b"trace,R,0,1,0,0,0,,0\n" * 400_000)
        yield method + "-one-line", first + compressed(method, b"1" * (1 << 23))


# ---------------------------------------------------------------- DiskSim

def of_disksim(files):
    """{name of a file: text} in place of the files of a valid set; the first is named."""
    top = next(name for name in files if name.endswith((".parv", ".diskspecs", ".model")))

    def one(text):
        return {top: text}
    yield "deep", one("disksim_disk X { a = " + "[" * 1_000_000)
    yield "deep-blocks", one("disksim_disk X { a = " + "x { a = " * 400_000)
    yield "topology", one("topology " + "disksim_bus b [ " * 200_000)
    yield "list", one(filled("disksim_disk X { a = [", "1,", "1] }"))
    yield "lists", one(filled("disksim_disk X { a = [", "[],", "1] }"))
    yield "ranges", one(filled("disksim_disk X { a = [", "a0 .. a999999,", "1] }"))
    yield "range-of-a-million", one("instantiate [ d0 .. d999999 ] as X\n")
    yield "ranges-instantiated", one(filled("", "instantiate [ d0 .. d99999 ] as X\n", ""))
    yield "names-of-ranges", one("disksim_disk X { [ a0 .. a9999 ] = [ " + "1," * 5000 + "1 ] }")
    yield "inherited", one("disksim_disk X0 { a = [ " + "1," * 1000 + "1 ] }\n" + "".join(
        f"X{i} X{i + 1} {{ b{i} = 1 }}\n" for i in range(5000)))
    yield "one-word", one("a" * MOST)
    yield "comments", one("# \n" * (MOST // 3))
    yield "one-comment", one("#" * MOST)
    yield "numbers", one(filled("disksim_disk X { a = [", "9" * 60 + ".0,", "1] }"))
    yield "blocks", one(filled("", lambda i: f"b n{i} {{}}\n", ""))
    yield "parameters", one(filled("disksim_disk X { ", lambda i: f"p{i} = 1, ", "z = 1 }"))
    doubling = {top: "source s0.parv"}
    for i in range(30):
        doubling[f"s{i}.parv"] = f"source s{i + 1}.parv source s{i + 1}.parv"
    doubling["s30.parv"] = ""
    yield "sources-2^30", doubling
    yield "source-again", {top: "source s.parv\n" * 900, "s.parv": "# " + "x" * 60_000 + "\n"}
    yield "source-of-values", {top: "source s.parv\n" * 900, "s.parv": "b n {}\n"}
    yield "source-of-itself", one(f"source {top}")
    yield "sources-many", {top: "".join(f"source s{i}.parv\n" for i in range(2000)),
                           **{f"s{i}.parv": "\n" for i in range(2000)}}
    largest = "2147483647"
    chance = random.Random(1)
    for name, content in files.items():
        numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", content.decode(errors="replace")))
        for found in chance.sample(numbers, min(25, len(numbers))):
            text = content.decode(errors="replace")
            for value in (largest, "1000000", "9007199254740992"):
                yield f"{name}-{found.start()}-{value}", {name: text[:found.start()] + value + text[found.end():]}
    for name, content in files.items():
        yield from of_index_lists(name, content.decode(errors="replace"))
        if name.endswith(".seek"):
            yield "seek-file", {name: filled("Seek distances measured: 9\n", lambda i: f"{i + 1}, 1.5\n", "")}
            yield "seek-far", {name: filled("", lambda i: f"{(i + 1) * 5000}, {1 + i / 1e6}\n", "")}
            yield "seek-line", {name: "1" * MOST}
        if name.endswith(".map"):
            head = content.decode().split("\n")[:3]
            yield "map-of-blocks", {name: filled("\n".join(head) + "\n", lambda i: (
                f"lbn {i} --> cyl {i % 4}, head 0, sect {i % 9}, count 1\n"), "")}
        if name.endswith(".model"):
            lists = re.search(r"(Zones\s*=\s*\[)(.*)\]", content.decode(), re.DOTALL)
            if lists:
                block = re.search(r"(dm_layout_g\d_zone\s*\{[^{}]*\})", lists.group(2), re.DOTALL)
                if block:
                    yield "zones", {name: content.decode()[:lists.end(1)] + filled("", block.group(1) + ",", block.group(1), 3_000_000)
                                    + "]" + content.decode()[lists.end():]}
            for of in re.finditer(r"(\w[\w ]*)\s*=\s*\[([^\[\]{}]*)\]", content.decode()):
                words = of.group(2).split(",")
                yield f"list-{of.group(1).strip()}", {name: content.decode()[:of.start(2)] + filled(
                    "", lambda i, words=words: words[i % len(words)].strip() + ",", words[-1], 3_000_000)
                    + content.decode()[of.end(2):]}


def of_index_lists(name, text):
    """A G4 layout whose lists are children of one another, `wide` entries each."""
    lists = re.search(r"IDX\s*=\s*\[(.*)\]", text, re.DOTALL)
    if not lists:
        return
    for wide, deep in ((2, 15), (3, 12), (4, 10), (1000, 2), (30_000, 1)):
        tracks = ", ".join(f"{i}, {i}, {(i * i % 97) / 97}, 1, 1, 0.0, 1, 1, TRACK, 0, {i % 7}" for i in range(wide))
        made, places = ["[ " + tracks + " ]"], wide
        for level in range(deep - 1):
            made.append("[ " + ", ".join(f"{i * places}, {i}, {(i * i % 89) / 89}, {places}, 1, 0.0, {places}, 1, IDX, {level}"
                                         for i in range(wide)) + " ]")
            places *= wide
        yield f"index-{wide}-wide-{deep}-deep", {name: text[:lists.start(1)] + ", ".join(made) + text[lists.end(1):]}


# ---------------------------------------------------------------- studies

def of_study():
    def made(**more):
        return documents.study(**{"models": ["model.json"], "traces": ["s.trace"], **more})
    ten = list(range(1, 11))
    thousand = list(range(1, 1001))
    options = {"depth": [2**i for i in range(4)], "ageing": [1, 2, 3, 4], "scheduler": ["fcfs", "sstf", "look", "sptf"],
               "caches": ["default", "off"], "speed": [1, 2, 3, 4], "limit": [1, 2, 3, 4],
               "delay_seed": [1, 2, 3, 4], "reference_reads": [1, 2, 3, 4], "read_ahead": ["default", "off"]}
    yield "points-65536", made(options=options)
    yield "points-10^9", made(options={"scheduler": ["fcfs"], "depth": thousand, "ageing": thousand, "limit": thousand})
    yield "points-10^18", made(options={"scheduler": ["fcfs"], **{name: thousand for name in (
        "depth", "ageing", "speed", "limit", "delay_seed", "reference_reads")}})
    yield "points-2^77", made(models=[{"file": "model.json", "name": f"m{i}"} for i in range(64)], traces=[
        {"workload": "random", "requests": 9, "seed": i + 1} for i in range(64)], options={
            **{name: list(range(1, 900)) for name in ("depth", "ageing", "speed", "limit", "delay_seed",
                                                      "reference_reads")}, "scheduler": ["fcfs", "sptf"]})
    yield "requests-10^10", made(traces=[{"workload": "random", "requests": 10**10}])
    yield "requests-10^12-of-points", made(traces=[{"workload": "random", "requests": 10**9}],
                                           options={"depth": thousand})
    yield "requests-2^53", made(traces=[{"workload": "random", "requests": 2**53}])
    yield "requests-of-limit", made(traces=[{"workload": "random", "requests": 10**6}], options={
        "limit": [10**6 - i for i in range(2000)]})
    yield "values", made(options={"delay_seed": list(range(500_000))})
    yield "values-alike", made(options={"delay_seed": [0] * 1_900_000})
    yield "derive", made(options={"derive": [f"head_switch=*{i}" for i in range(1, 100_000)]})
    yield "derive-long", made(options={"derive": ["head_switch=1 " * 250_000]})
    yield "host-queues", made(options={"host_queue": [f"requests={i}" for i in range(4, 150_000)]})
    yield "only", made(options={"calibrate_with": ["r.csv"], "calibrate_only": ["rotation," * 400_000 + "hits"]})
    yield "models-alike", made(models=[{"file": "model.json", "name": f"{i}"} for i in range(95_000)])
    yield "models-missing", made(models=[f"{i}.json" for i in range(280_000)])
    yield "models-derived", made(models=[{"file": "model.json", "name": f"{i}", "derive": {"head_switch": i + 1}}
                                         for i in range(55_000)])
    yield "traces-alike", made(traces=[{"file": "s.trace", "name": f"{i}"} for i in range(100_000)])
    yield "traces-made", made(traces=[{"workload": "random", "requests": 1, "seed": i + 1} for i in range(70_000)])
    yield "trace-without-end", made(traces=["/dev/zero"])
    yield "model-without-end", made(models=["/dev/zero"])
    yield "result-without-end", made(options={"calibrate_with": ["/dev/zero"]})
    yield "traces-missing", made(traces=[f"{i}.trace" for i in range(250_000)])
    yield "names", made(models=[{"file": "model.json", "name": "n" * 3_900_000}])
    yield "says", made(says="x" * 3_900_000)
    yield "plots", made(plots=[{"x": "depth", "y": "mean_ms"} for _ in range(110_000)])
    yield "plot-series", made(plots=[{"x": "depth", "y": "mean_ms", "series": ["model"] * 400_000}])
    yield "plot-of-points", made(options={"depth": list(range(1, 2001)), "limit": [1]}, plots=[
        {"x": "mean_ms", "y": "mean_ms", "series": ["depth"], "panel": ["depth"]}])
    yield "burst", made(traces=[{"workload": "random", "requests": 1000, "burst_requests": 2**53 - 1,
                                 "streams": 4294967295}])
    yield "streams", made(traces=[{"workload": "random", "requests": 10, "streams": 4294967295}])
    yield "large-requests", made(traces=[{"workload": "random", "requests": 9, "request_kb": 1e15}])
    yield "sizes", made(traces=[{"workload": "random", "requests": 9, "request_kb": ",".join(
        f"{i}:{i}" for i in range(1, 250_000))}])
    yield "reference-reads", made(options={"reference_reads": list(range(0, 1000)), "limit": list(range(1, 100))})
    yield "depth-2^32", made(options={"depth": [4294967295], "scheduler": ["sptf"]})


def of_array():
    def made(**array):
        return documents.study(models=[{"array": "raid5", "name": "a", "members": ["model.json"] * 3, **array}],
                               traces=["s.trace"])
    yield "members", made(members=["model.json"] * 290_000)
    yield "members-1024", made(members=["model.json"] * 1024)
    yield "members-1025", made(members=["model.json"] * 1025)
    yield "members-of-raid1", made(array="raid1", members=["model.json"] * 100_000)
    yield "members-of-raid0", made(array="raid0", stripe_kb=1, members=["model.json"] * 20_000)
    yield "members-derived", made(members=[{"file": "model.json", "derive": {"head_switch": i + 1}}
                                           for i in range(60_000)])
    yield "member-named-long", made(members=[{"file": "model.json", "name": "x" * 100_000} for _ in range(30)])
    yield "arrays", documents.study(models=[{"array": "raid5", "name": f"{i}", "members": ["model.json"] * 30}
                                            for i in range(8_000)], traces=["s.trace"])
    yield "stripes", made(stripe_cache=32768, stripe_kb=1 << 30)
    yield "small-stripes", made(stripe_cache=16, stripe_kb=1)
    yield "rebuild", made(missing=0, rebuild=0, rebuild_tick_ms=0.1, rebuild_least_kb=1 << 30, rebuild_window_kb=4)
    yield "rebuild-slow", made(rebuild=0, rebuild_most_kb=1, rebuild_least_kb=0, rebuild_window_kb=1 << 30)
    yield "merge", made(merge_kb=4)
    deep = '{"array":"raid0","members":[' * 1000 + '"model.json"' + "]}" * 1000
    yield "arrays-of-arrays", documents.study(models=["DEEP"], traces=["s.trace"]).replace('"DEEP"', deep)
    far = "".join(f"{i} 0 {i * 4096} 1000000 0\n" for i in range(1, 60))
    yield "long-requests", (documents.study(models=[{"array": "raid5", "name": "a", "stripe_kb": 1, "members":
                                                     ["model.json"] * 3}], traces=[{"file": "s.trace", "fit": "wrap"}]),
                            {"s.trace": far})


# ---------------------------------------------------------------- what runs leave

def of_samples(text):
    lines = text.split("\n")
    head = lines[0] + "\n"
    facts = next(line for line in lines if line.startswith('{"facts"')) + "\n"
    for name, content in any_json():
        yield "first-line-" + name, content + "\n"
        yield "line-" + name, head + content[:MOST - len(head) - 1] + "\n"
    yield "facts-again", filled(head, facts, "")
    kinds = {}
    for line in lines[1:]:
        if line:
            kinds.setdefault(json.loads(line).popitem()[0], line)
    for kind, line in kinds.items():
        yield f"many-{kind}", filled(head + facts, line + "\n", "")
        pair = json.loads(line)
        for path, value in numbers_in(pair):
            for large in (2**53, 2**31, 2**20):
                at = pair
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = large
                yield f"{kind}-{'.'.join(map(str, path))}-{large}", "\n".join(
                    json.dumps(pair) if it is line else it for it in lines)
                at[path[-1]] = value
            if len(path) > 3:
                break
        for path, value in lists_in(pair):
            if not value:
                continue
            at = pair
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = value * (1_000_000 // max(len(json.dumps(value)), 1))
            yield f"{kind}-{'.'.join(map(str, path))}-long", "\n".join(
                json.dumps(pair) if it is line else it for it in lines)[:MOST]
            at[path[-1]] = value


def numbers_in(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for name, inner in items:
        if isinstance(inner, (dict, list)):
            yield from numbers_in(inner, path + (name,))
        elif isinstance(inner, (int, float)) and not isinstance(inner, bool):
            yield path + (name,), inner


def lists_in(value, path=()):
    if isinstance(value, list) and path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, inner in items:
        if isinstance(inner, (dict, list)):
            yield from lists_in(inner, path + (name,))


def of_journal(text):
    lines = text.split("\n")
    head = lines[0] + "\n"
    for name, content in any_json():
        yield "head-" + name, content[:1_000_000] + "\n"
        yield "line-" + name, head + content[:MOST - len(head) - 1] + "\n"
    block = "00" * 512
    yield "entries", filled(head, lambda i: f'{{"lbn":{2 * i},"bytes":"{block}"}}\n', "")
    yield "entries-of-one", filled(head, f'{{"lbn":5,"bytes":"{block}"}}\n', "")
    yield "entries-backwards", filled(head, lambda i: f'{{"lbn":{100_000 - 2 * i},"bytes":"{block}"}}\n', "")
    small = json.dumps(dict(json.loads(head), block_bytes=1)) + "\n"
    yield "entries-of-a-byte", filled(small, lambda i: f'{{"lbn":{2 * i},"bytes":"00"}}\n', "")
    yield "one-entry-of-bytes", small + '{"lbn":0,"bytes":"' + "00" * 900_000 + '"}\n'
    yield "overlapping", filled(head, lambda i: f'{{"lbn":{i},"bytes":"{block * 4}"}}\n', "")
    yield "overlapping-bytes", filled(small, lambda i: f'{{"lbn":{i},"bytes":"{"00" * 2000}"}}\n', "")
    yield "one-line", "1" * MOST
    yield "no-end", head + "1" * (MOST - len(head))


def of_host_journal():
    yield from any_json()
    yield "governors", filled('{"schema":{"name":"platter-host-journal","version":"1.0"},"boot":"x","governors":{',
                              lambda i: f'"policy{i}":"powersave",', '"policy9999999":"ondemand"}}')
    yield "governors-of-one", filled('{"schema":{"name":"platter-host-journal","version":"1.0"},"boot":"x","governors":{',
                                     '"policy0":"powersave",', '"policy1":"ondemand"}}')


# ---------------------------------------------------------------- emulations

def of_log(text, commands):
    head = text.split("\n")[0]
    for name, content in any_json():
        yield "head-" + name, content + "\n"
    yield "submits", filled(head + "\n", lambda i: f"0 s {i} {i} 1 0 {i}\n", "")
    yield "submits-and-takes", filled(head + "\n", lambda i: f"0 s 0 {i * 7919 % 2000000} 8 0 {i * 10**8}\n0 t 0 {i * 10**8}\n", "")
    yield "flushes", filled(head + "\n", "0 f 0 0\n", "")
    yield "power", filled(head + "\n", "0 p 0\n", "")
    yield "far-times", filled(head + "\n", lambda i: f"0 f {(i % 2) * 2**60} 0\n", "")
    yield "large-requests", filled(head + "\n", lambda i: f"0 s 0 0 2054000 {i % 2} {i * 10**12}\n0 t 0 0\n", "")
    yield "one-line", head + "\n" + "0" * (MOST - len(head) - 2) + "\n"
    yield "words", head + "\n" + filled("0 s", " 1", "\n", MOST - len(head) - 2)
    told = json.loads(head)
    deep = dict(told, drives=[dict(told["drives"][0], depth=4096, scheduler=4, ageing=1e6)])
    yield "deep-queue", filled(json.dumps(deep) + "\n", lambda i: f"0 s {i} {i * 7919 % 2000000} 1 0 {i}\n", "")
    yield "deep-queue-taken", "".join([json.dumps(deep) + "\n", *(f"0 s {i} {i * 7919 % 2000000} 1 0 {i}\n" for i in range(4000)),
                                       *(f"0 t {i} 0\n0 s {i + 4000} {i * 7919 % 2000000} 1 0 0\n" for i in range(100_000))])[:MOST]
    yield "drives", json.dumps(dict(told, drives=told["drives"] * 20_000)) + "\n"
    head = commands.split("\n")[0]
    yield "commands", filled(head + "\n", lambda i: f"0 c {i} {i} 0 0 512 2800000000{i % 256:02x}00000100 -\n", "")
    yield "commands-of-data", filled(head + "\n", lambda i: f"0 c {i} {i} 0 1 4294967295 2a000000000000ffff00 {'00' * 512}\n", "")
    yield "transfers", filled(head + "\n", lambda i: f"0 c {i} {i * 10**9} 0 0 4294967295 28000000000000ffff00 -\n0 t {i} {i * 10**9} 0 0 0\n", "")
    yield "nothings", filled(head + "\n", lambda i: f"0 n {i * 10**12}\n", "")
    yield "data", head + "\n0 c 0 0 0 2 4000000 2a000000000000000100 " + "00" * 1_900_000 + "\n"


# ---------------------------------------------------------------- registries

def described(digest, size, kind="application/vnd.oci.image.manifest.v1+json", **annotations):
    return {"mediaType": kind, "digest": digest, "size": size, "annotations": annotations}


def of_registry(folder, entry):
    """{file of the registry: text}"""
    drive = f"registry/drives/{entry}"
    with open(os.path.join(folder, drive, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    first = index["manifests"][0]
    name = first["digest"][7:]
    with open(os.path.join(folder, "registry/blobs/sha256", name), "rb") as file:
        manifest = json.load(file)

    def of_index(manifests, **more):
        return {drive + "/index.json": json.dumps(dict(index, manifests=manifests, **more), separators=(",", ":"))}

    def of_manifest(changed):
        content = json.dumps(changed, separators=(",", ":")).encode()
        blobs = {}
        its = documents.blob_of(blobs, content)
        entry_of = dict(first, digest=its["digest"], size=its["size"])
        made = of_index([dict(entry_of, annotations={"org.opencontainers.image.ref.name": tag})
                         for tag in ("v1", "latest")])
        return {**made, "registry/blobs/sha256/" + its["digest"][7:]: content}

    def tags(count, digest=first["digest"], size=first["size"]):
        short = {"mediaType": first["mediaType"], "artifactType": first.get("artifactType"), "digest": digest, "size": size}
        return [dict(short, annotations={"org.opencontainers.image.ref.name": f"v{i + 1}"}) for i in range(count)]
    for key, content in any_json():
        yield "index-" + key, {drive + "/index.json": content}
        yield "marker-" + key, {drive + "/oci-layout": content}
    yield "versions", of_index(tags(12_000))
    yield "versions-of-100", of_index(tags(100))
    yield "versions-missing", of_index([dict(one, digest=f"sha256:{i:064x}") for i, one in enumerate(tags(12_000))])
    yield "tags-alike", of_index(tags(1) * 12_000)
    yield "annotations", of_index(index["manifests"], annotations={f"k{i}": "" for i in range(1000)})
    yield "annotation-long", of_index(index["manifests"], annotations={"k": "x" * 3_800_000})
    yield "layers", of_manifest(dict(manifest, layers=manifest["layers"] * 6000))
    yield "layers-of-64-mib", of_manifest(dict(manifest, layers=[dict(one, size=64 << 20) for one in manifest["layers"]]))
    yield "layers-of-2^63", of_manifest(dict(manifest, layers=[dict(one, size=2**63) for one in manifest["layers"]]))
    yield "manifest-annotations", of_manifest(dict(manifest, annotations={
        **manifest["annotations"], "long": "x" * 3_800_000}))
    yield "manifest-many-annotations", of_manifest(dict(manifest, annotations={
        **manifest["annotations"], **{f"vnd.platter.k{i}": "1" for i in range(100_000)}}))
    yield "manifest-demerits", of_manifest(dict(manifest, annotations={
        **manifest["annotations"], "vnd.platter.demerits": json.dumps(
            [{"workload": "x", "requests": 1, "relative": 0.1}] * 70_000)}))
    yield "drives", {f"registry/drives/d{i}/index.json": json.dumps(index) for i in range(1500)}
    yield "search-index", {"registry/search.sqlite": b"SQLite format 3\0" + bytes(1_000_000)}
    yield "pending", {f"registry/pending/d{i}": "" for i in range(3000)}


def of_remote(folder, entry):
    """Indexes of a remote: {digit: packed bytes}, the number of entries said."""
    chance = random.Random(1)

    def line(i, digit="0", **more):
        one = {"tag": f"d{i}.v1", "digest": f"sha256:{0:064x}", "files": [],
               "annotations": {"vnd.platter.drive": "sha256:" + digit + "0" * 63}}
        one.update(more)
        return json.dumps(one, separators=(",", ":"), sort_keys=True).encode() + b"\n"

    def packed(text):
        return subprocess.run(["zstd", "-3", "-q", "-c", "--long=27"], input=text, capture_output=True, check=True).stdout
    yield "entries-short", {"0": packed(b"".join(line(i) for i in range(40_000)))}, 40_000
    entries = packed(b"".join(line(i) for i in range(900_000)))
    yield "entries", {"0": entries}, 900_000
    each = {digit: packed(b"".join(line(i, digit) for i in range(200_000))) for digit in "0123456789abcdef"}
    yield "entries-of-all-parts", each, 3_200_000
    yield "zeros", {"0": packed(bytes(250_000_000))}, 0
    yield "ends", {"0": packed(b"\n" * 250_000_000)}, 0
    yield "long-line", {"0": packed(b"[" * 200_000_000)}, 0
    yield "lines-of-a-megabyte", {"0": packed(b"".join(line(i, annotations={
        "vnd.platter.drive": "sha256:" + "0" * 64, "x": "y" * 900_000}) for i in range(250)))}, 250
    yield "files", {"0": packed(b"".join(line(i, files=["a"] * 90_000) for i in range(250)))}, 250
    yield "signatures", {"0": packed(b"".join(line(i, signatures=[{"payload": "", "signature": ""}] * 20_000)
                                              for i in range(250)))}, 250
    yield "annotations", {"0": packed(b"".join(line(i, annotations={
        "vnd.platter.drive": "sha256:" + "0" * 64, **{f"{k}": "" for k in range(1000)}}) for i in range(15_000)))}, 15_000
    yield "deep-lines", {"0": packed((b"[" * 900_000 + b"\n") * 200)}, 0
    honest = packed(b"".join(line(i, "0", digest=f"sha256:{chance.getrandbits(256):064x}", annotations={
        "vnd.platter.drive": f"sha256:0{chance.getrandbits(252):063x}", "vnd.platter.vendor": "seagate",
        "vnd.platter.serial": f"{chance.getrandbits(40):08X}"}) for i in range(45_000)))
    yield "entries-told-apart", {"0": honest}, 45_000


def of_remote_document(folder, entry):
    """Tags of a remote: {file below remote/: bytes}"""
    for tag in sorted(os.listdir(os.path.join(folder, "remote"))):
        for key, content in any_json():
            yield f"{tag}-{key}", {f"remote/{tag}/index.json": content}
    for key, content in any_json():
        yield f"own-{key}", {"home/remotes/lab/remote.json": content}


def of_key():
    begin, end = "-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n"
    yield "lines", begin + "A" * 3_900_000 + "\n" + end
    yield "keys", (begin + "AAAA\n" + end) * 70_000
    yield "nul", "\0" * MOST
    yield "headers", begin + "a: b\n" * 700_000 + end
    asn1 = b""
    for _ in range(4000):
        asn1 = b"\x30\x84" + struct.pack(">I", len(asn1)) + asn1
    import base64
    yield "deep", begin + base64.encodebytes(asn1).decode() + end
    for bits in (64_000, 200_000):
        number = b"\0" + random.Random(1).randbytes(bits // 8)
        integer = b"\x02\x84" + struct.pack(">I", len(number)) + number
        key = b"\x30\x84" + struct.pack(">I", len(integer) + 5) + integer + b"\x02\x03\x01\x00\x01"
        content = b"\0" + key
        algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
        string = b"\x03\x84" + struct.pack(">I", len(content)) + content
        whole = algorithm + string
        yield f"rsa-{bits}", begin + base64.encodebytes(b"\x30\x84" + struct.pack(">I", len(whole)) + whole).decode() + end


# ---------------------------------------------------------------- all of them

def written(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


def patched(path, pieces):
    with open(path, "r+b") as file:
        for at, its in pieces.items():
            file.seek(at)
            file.write(its)


def of_kind(kind, made):
    """(name, {file: content}) of one kind; `made` are the valid documents."""
    def text(name):
        with open(made.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def content(name):
        with open(made.path(name), "rb") as file:
            return file.read()

    def of_file(name, bombs):
        for bomb, its in bombs:
            if isinstance(its, tuple):
                yield bomb, {name: its[0], **its[1]}
            else:
                yield bomb, {name: its}
    files, targets, _ = made.all[kind]
    first = targets[0][0]
    if kind == "model":
        yield from of_file(first, any_json())
        yield from of_file(first, of_model(json.loads(text(first))))
    elif kind == "table":
        yield from of_file(first, of_table(content(first)))
    elif kind[6:] in documents.COMPRESSED:
        yield from of_file(first, of_compressed(kind[6:]))
    elif kind.startswith("trace-"):
        yield from of_file(first, of_trace(kind[6:]))
    elif kind.startswith("disksim"):
        yield from of_disksim({name: content(name) for name, _ in targets})
    elif kind == "result-csv":
        yield from of_file(first, of_result_csv(text(first)))
    elif kind == "result-zstd":
        yield from of_file(first, of_compressed("zstd"))
        yield from of_file(first, of_compressed_result())
    elif kind == "validation":
        for name, _ in targets:
            for bomb, its in any_json():
                yield f"{name}-{bomb}", {name: its}
    elif kind == "study":
        yield from of_file(first, any_json())
        yield from of_file(first, of_study())
    elif kind == "array":
        yield from of_file(first, of_array())
    elif kind == "points":
        for name in sorted({name for name, _ in targets}):
            for bomb, its in with_checks(any_json()):
                yield f"{name}-{bomb}", {name: its}
    elif kind in ("samples", "samples-begun"):
        yield from of_file(first, with_checks(of_samples(without_checks(text(first)))))
    elif kind == "journal":
        yield from of_file(first, with_checks(of_journal(without_checks(text(first)))))
    elif kind == "host-journal":
        yield from of_file(first, with_checks(of_host_journal()))
    elif kind == "emulation-log":
        yield from of_file(first, of_log(text("run.log"), text("commands.log")))
    elif kind == "episodes":
        yield from of_file(first, any_json())
        yield from of_file(first, of_episodes())
    elif kind == "contents":
        yield "plain-short", {"contents": "x"}
        yield "short", {first: "x"}
        yield "ones", lambda folder: patched(os.path.join(folder, first), {0: b"\xff" * MOST})
        for bomb, pieces in file_systems.all_of_them():
            yield bomb, lambda folder, pieces=pieces: patched(os.path.join(folder, first), pieces)
    elif kind == "registry":
        yield from of_registry(made.folder, made.entry)
    elif kind == "remote-index":
        for bomb, parts, entries in of_remote(made.folder, made.entry):
            yield bomb, (lambda folder, parts=parts, entries=entries: documents.write_index(
                os.path.join(folder, "remote"), [], 2, entries, parts))
    elif kind == "remote":
        yield from of_remote_document(made.folder, made.entry)
    elif kind in ("key", "kept-key"):
        yield from of_file(first, of_key())
    else:
        raise KeyError(f"no bombs of the kind {kind}")
