"""Every report as a browser lays it out: nothing wider than the page, no label outside its figure or on another one,
no text below 9 pixels, no message on the console; at 1280 and 400 pixels, light and dark, and printed."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PLATTER = os.environ["PLATTER_BINARY"]
CHROMIUM = shutil.which("chromium")

# Run in the page; what it finds is put into the title, the only thing that leaves a browser without a driver.
LOOK = """<script>
addEventListener("load", () => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect(), seen = [];
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(), words = text.textContent.trim();
      if (!words) continue;
      const scale = frame.width / svg.viewBox.baseVal.width;
      const size = parseFloat(getComputedStyle(text).fontSize) * scale;
      if (size < 9) found.push(`"${words}" has ${size.toFixed(1)} pixels`);
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1) found.push(`"${words}" is cut`);
      for (const [other, place] of seen) {
        const wide = Math.min(box.right, place.right) - Math.max(box.left, place.left);
        const high = Math.min(box.bottom, place.bottom) - Math.max(box.top, place.top);
        if (wide > 2 && high > 5) found.push(`"${words}" lies on "${other}"`);
      }
      seen.push([words, box]);
    }
  }
  for (const element of document.querySelectorAll("p, td, th, dd, dt, li, h1, h2, h3, h4, figcaption"))
    if (parseFloat(getComputedStyle(element).fontSize) < 9) found.push("small text: " + element.textContent.slice(0, 40));
  document.title = "FOUND" + JSON.stringify(found);
});
</script>"""


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return done


def in_browser(folder, *options):
    return run(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               f"--user-data-dir={folder}/profile", "--enable-logging=stderr", *options)


def reports(folder):
    def path(name):
        return os.path.join(folder, name)
    models = []
    for drive in ("quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "cache-adaptive", "modern-500gb"):
        models.append(path(drive + ".json"))
        run(PLATTER, "truth", "virtual:" + drive, "-o", models[-1])
    run(PLATTER, "emit", "table", models[0], "-o", path("a.ptab"))
    run(PLATTER, "derive", models[0], "--set", "head_switch=*3", "-o", path("slower.json"))
    run(PLATTER, "validate", "virtual:quantum-atlas10k", models[0], path("a.ptab"), path("slower.json"), "--requests", "2000",
        "--allow-writes", "all", "-o", path("results"))
    run(PLATTER, "report", models[0], "--results", path("results"), "-o", path("one.html"))
    run(PLATTER, "report", models[4], "-o", path("modern.html"))
    run(PLATTER, "report", *models[:2], "-o", path("two.html"))
    run(PLATTER, "report", *models, "-o", path("fleet.html"))
    return [path(name) for name in ("one.html", "modern.html", "two.html", "fleet.html")]


def main():
    if not CHROMIUM:
        print("no chromium: skipped (./check --long installs it)")
        sys.exit(77)
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for report in reports(folder):
            with open(report, encoding="utf-8") as file:
                page = file.read()
            looked = report.replace(".html", ".looked.html")
            with open(looked, "w", encoding="utf-8") as file:
                file.write(page.replace("</head>", LOOK + "</head>"))
            for width in (1280, 400):
                for theme in ("light", "dark"):
                    done = in_browser(folder, f"--window-size={width},2000", "--virtual-time-budget=5000",
                                      f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}",
                                      "--dump-dom", "file://" + looked)
                    title = re.search(r"<title>FOUND(.*?)</title>", done.stdout, re.S)
                    found = json.loads(title.group(1).replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<")
                                       .replace("&gt;", ">")) if title else ["the page was not looked at"]
                    found += [line for line in done.stderr.splitlines() if "CONSOLE" in line]
                    bad += [f"{os.path.basename(report)}, {width} px, {theme}: {what}" for what in found]
            printed = os.path.join(folder, "printed.pdf")
            in_browser(folder, f"--print-to-pdf={printed}", "file://" + report)
            with open(printed, "rb") as file:
                if not file.read(5) == b"%PDF-":
                    bad.append(f"{report}: not printed")
    print("\n".join(bad[:60]) or "nothing is cut, small or in another's place")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
