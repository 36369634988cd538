"""What is wrong with a page for who does not see it, or not well: by the Web Content Accessibility Guidelines 2.2, level
AA, as far as a program can tell. Looks at the page and at the browser's accessibility tree; empty where nothing is wrong."""

# Roles that people act on, or that stand for a picture: each needs a name (4.1.2, 1.1.1).
NAMED = {"button", "link", "checkbox", "textbox", "searchbox", "combobox", "listbox", "radio", "slider", "spinbutton", "image",
         "img", "graphics-document", "dialog", "navigation"}
LANDMARKS = {"main", "navigation", "banner", "contentinfo", "search", "complementary", "form", "region"}

LOOK = r"""(() => {
  const found = [], ids = new Set();
  const words = element => (element.textContent || "").trim().slice(0, 40);
  const seen = element => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && style.display !== "none";
  };
  // 3.1.1, 2.4.2, 1.4.4
  if (!document.documentElement.lang) found.push("the page names no language");
  if (!document.title.trim()) found.push("the page has no title");
  const viewport = document.querySelector("meta[name=viewport]");
  if (!viewport) found.push("the page has no viewport");
  else if (/user-scalable\s*=\s*no|maximum-scale/.test(viewport.content)) found.push("the page cannot be enlarged");
  // 1.4.10: at 320 pixels, too, only tables and pictures may be scrolled sideways.
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  for (const element of document.querySelectorAll("[id]")) {
    if (ids.has(element.id)) found.push("two elements have the id " + element.id);
    ids.add(element.id);
  }
  for (const link of document.querySelectorAll("a[href^='#']"))
    if (link.hash.length > 1 && !document.getElementById(decodeURIComponent(link.hash.slice(1))))
      found.push("no element has the id of the link " + link.hash);
  // 1.3.1
  let level = 0, firsts = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!seen(heading)) continue;
    const now = Number(heading.tagName[1]);
    if (now > level + 1) found.push("a heading passes over a level: " + words(heading));
    if (!words(heading)) found.push("a heading is empty");
    if (now === 1) ++firsts;
    level = now;
  }
  if (firsts !== 1) found.push(firsts + " headings of the first level");
  for (const table of document.querySelectorAll("table")) {
    if (!seen(table)) continue;
    if (!table.querySelector("th")) found.push("a table has no head: " + words(table));
    for (const th of table.querySelectorAll("th")) if (!words(th)) found.push("a table's head is empty: " + words(table));
  }
  for (const list of document.querySelectorAll("ul, ol"))
    for (const child of list.children) if (child.tagName !== "LI") found.push("a list holds a " + child.tagName);
  // 2.1.1: what can be scrolled can be reached.
  for (const element of document.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    if (!/auto|scroll/.test(style.overflowX + style.overflowY) || !seen(element)) continue;
    if (element.scrollWidth <= element.clientWidth + 1 && element.scrollHeight <= element.clientHeight + 1) continue;
    if (element === document.scrollingElement || element.tabIndex >= 0) continue;
    if (!element.querySelector("a[href], button, input, select, [tabindex='0']"))
      found.push("what can be scrolled is not reached by the keyboard: " + words(element));
  }
  // 2.5.8: 24 by 24 pixels, but for links within text.
  for (const element of document.querySelectorAll("button, input, select, summary")) {
    if (!seen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 19 || box.height < 19) found.push(`a target of ${Math.round(box.width)} x ${Math.round(box.height)}: ` +
                                                     (words(element) || element.outerHTML.slice(0, 60)));
  }
  // 1.4.3, 1.4.11
  const colour = text => {
    const parts = (text.match(/[\d.]+/g) || []).map(Number);
    return {r: parts[0] || 0, g: parts[1] || 0, b: parts[2] || 0, a: text === "transparent" || text === "none" ? 0 : parts[3] ?? 1};
  };
  const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
                                 b: top.b * top.a + below.b * (1 - top.a), a: 1});
  const light = c => [c.r, c.g, c.b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches && /dark/.test(getComputedStyle(document.documentElement).colorScheme)
      ? {r: 18, g: 18, b: 18, a: 1} : {r: 255, g: 255, b: 255, a: 1};
  const behind = element => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const ground = colour(getComputedStyle(each).backgroundColor);
      if (ground.a > 0) layers.push(ground);
      if (ground.a >= 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), canvas);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), told = new Set();
  let texts = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(element) || /^(SCRIPT|STYLE|OPTION|TITLE|DESC)$/i.test(element.tagName)) continue;
    const style = getComputedStyle(element), ground = behind(element);
    const inFigure = element.closest("svg");
    const front = over(colour(inFigure ? style.fill : style.color), ground);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const has = contrast(front, ground), key = style.color + style.fill + JSON.stringify(ground);
    ++texts;
    if (has < (large ? 3 : 4.5) && !told.has(key)) {
      told.add(key);
      found.push(`contrast of ${has.toFixed(2)}: ${words(element)}`);
    }
  }
  if (texts < 3) found.push(`only ${texts} texts were looked at`);
  return found;
})()"""


def wrong_with(browser):
    found = browser.run(LOOK)
    nodes = browser.accessible()
    roles = [role.lower() for role, _, _ in nodes]
    found += [f"a {role} has no name" for role, name, _ in nodes if role.lower() in NAMED and not name.strip()]
    if roles.count("main") != 1:
        found.append(f"{roles.count('main')} main landmarks")
    if not LANDMARKS & set(roles):
        found.append("no landmarks")
    return found + [f"the console says {each}" for each in browser.said]
