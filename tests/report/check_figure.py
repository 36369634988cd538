#!/usr/bin/env python3
"""Whether a text lies over a curve, over another text, or beyond the picture, in figures that gnuplot drew. Prints each that does, and how
many.

    tests/report/check_figure.py FIGURE.svg ...
"""

import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 0.55  # of the font's size, on the average


def texts(root):
    """(text, left, top, right, bottom) of each, in pixels; those on end have their sides exchanged."""
    for group in root.iter(SVG + "g"):
        for text in group.findall(SVG + "text"):
            moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)(?: rotate\(([-\d.]+)\))?", group.get("transform", ""))
            words = "".join(text.itertext()).strip()
            if not moved or not words:
                continue
            x, y, size = float(moved[1]), float(moved[2]), float(group.get("font-size", 12))
            wide, anchor = LETTER * size * len(words), group.get("text-anchor", "start")
            before = {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            if moved[3]:
                yield words, x - size, y - wide + before, x, y + before
            else:
                yield words, x - before, y - 0.7 * size, x - before + wide, y


def points(path):
    at = [0.0, 0.0]
    for command, x, y in re.findall(r"([MLlm]) ?([-\d.]+),([-\d.]+)", path):
        x, y = float(x), float(y)
        at = [at[0] + x, at[1] + y] if command in "lm" else [x, y]
        yield command, tuple(at)


def curves(root):
    """Segments of the curves, those beside the key's texts not among them."""
    for group in root.iter(SVG + "g"):
        if not group.get("id", "").startswith("gnuplot_plot_"):
            continue
        for path in group.iter(SVG + "path"):
            last, long = None, 0
            segments = []
            for command, point in points(path.get("d", "")):
                if command in "Ll" and last:
                    segments.append((last, point))
                last = point
            if len(segments) > 1:
                yield from segments


def crosses(segment, box):
    (x0, y0), (x1, y1) = segment
    _, left, top, right, bottom = box
    steps = max(2, int(max(abs(x1 - x0), abs(y1 - y0)) / 2))
    return any(left < x0 + (x1 - x0) * i / steps < right and top < y0 + (y1 - y0) * i / steps < bottom
               for i in range(steps + 1))


def beyond(box, root):
    """Whether the picture cuts it."""
    _, _, wide, high = map(float, root.get("viewBox").split())
    _, left, top, right, bottom = box
    return left < -1 or top < -1 or right > wide + 1 or bottom > high + 1


def over(one, other):
    return one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]


def faults(file):
    root = xml.parse(file).getroot()
    boxes, lines = list(texts(root)), list(curves(root))
    if not boxes or not lines:
        return [f"{file}: has {len(boxes)} texts and {len(lines)} pieces of curves"]
    found = [f"{file}: {box[0]!r} lies over a curve" for box in boxes if any(crosses(line, box) for line in lines)]
    found += [f"{file}: {box[0]!r} goes beyond the picture" for box in boxes if beyond(box, root)]
    found += [f"{file}: {one[0]!r} lies over {other[0]!r}" for i, one in enumerate(boxes) for other in boxes[:i]
              if over(one, other)]
    return found


def main(files):
    found = [fault for file in files for fault in faults(file)]
    print("\n".join(found + [f"{len(found)} texts over curves or texts in {len(files)} figures"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
