// The style sheet of the HTML report: the system's fonts, light and dark, from a phone to paper.
#pragma once

namespace platter::report::html {

constexpr const char* kStyleSheet =
    R"(:root { --ink: #1b1f24; --quiet: #5b6570; --line: #d9dee4; --paper: #ffffff; --tint: #f4f6f8;
  --accent: #0b5cad; --good: #00785a; --doubtful: #b35900;
  --c0: #56606b; --c1: #0072b2; --c2: #d55e00; --c3: #009e73; --c4: #cc79a7; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --quiet: #9aa5b1; --line: #363d45; --paper: #14181c; --tint: #1d2329;
    --accent: #7ab8f5; --good: #4fd1a5; --doubtful: #ffb366;
    --c0: #8b96a3; --c1: #4aa8e0; --c2: #f0894a; --c3: #35c79a; --c4: #e39cc4; }
  figure:not(.own) svg { filter: invert(0.92) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
p, li, dd { max-width: 44rem; overflow-wrap: anywhere; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 0.3rem; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 2.8rem 0 0.7rem; padding-top: 0.9rem; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
h1.chapter { margin-top: 3.5rem; font-size: 1.7rem; }
h4 { font-size: 0.95rem; margin: 1rem 0 0.3rem; }
.reasons td:first-child { white-space: normal; width: 45%; }
h3 { font-size: 1.08rem; margin: 1.9rem 0 0.4rem; overflow-wrap: anywhere; }
.kind { color: var(--quiet); margin: 0 0 1.6rem; }
.verdict { font-size: 1.12rem; border-left: 4px solid var(--accent); padding: 0.15rem 0 0.15rem 1rem; margin: 1.4rem 0; }
.verdict.good { border-color: var(--good); }
.verdict.doubtful { border-color: var(--doubtful); }
.verdict.good b { color: var(--good); }
.verdict.doubtful b { color: var(--doubtful); }
.own text { font-size: 16px; fill: var(--ink); }
.own .in0, .own .in1, .own .in2, .own .in3, .own .in4 { fill: #fff; }
.part0 { fill: var(--c0); }
.part1 { fill: var(--c1); }
.part2 { fill: var(--c2); }
.part3 { fill: var(--c3); }
.part4 { fill: var(--c4); }
.segment { fill: var(--tint); stroke: var(--quiet); }
.ring { fill: var(--c1); stroke: var(--paper); stroke-width: 0.7; }
.hub { fill: var(--paper); }
.note { color: var(--quiet); font-size: 0.92rem; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1px; margin: 1.4rem 0;
  background: var(--tint); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
dl.facts div { box-shadow: 0 0 0 1px var(--line); padding: 0.7rem 0.8rem; }
dl.facts dt { color: var(--quiet); font-size: 0.82rem; }
dl.facts dd { margin: 0.1rem 0 0; font-size: 1.06rem; font-weight: 600; line-height: 1.35; font-variant-numeric: tabular-nums; }
dl.facts dd small { display: block; font-size: 0.8rem; font-weight: 400; color: var(--quiet); }
nav ul { list-style: none; padding: 0; margin: 1.2rem 0 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; }
a { color: var(--accent); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.32rem 0.7rem 0.32rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); vertical-align: bottom; border-bottom: 2px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; }
td.n { text-align: right; white-space: nowrap; }
th.n { text-align: right; }
td:first-child { white-space: nowrap; }
.metrics table { font-size: 0.78rem; }
.metrics th, .metrics td { padding-right: 0.5rem; }
figure { margin: 1.2rem 0 1.4rem; max-width: 44rem; }
figure svg { display: block; width: 100%; min-width: 22rem; height: auto; }
svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
figcaption { color: var(--quiet); font-size: 0.9rem; max-width: 44rem; }
footer { margin-top: 3rem; color: var(--quiet); font-size: 0.85rem; }
@media (max-width: 40rem) {
  main { padding: 1.4rem 1rem 3rem; }
  h1 { font-size: 1.6rem; }
  main { padding-left: 0.75rem; padding-right: 0.75rem; }
  td:first-child { white-space: normal; }
}
@page { size: A4; margin: 16mm 14mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); font-size: 8pt; } }
@media print {
  :root { --ink: #000; --quiet: #444; --line: #bbb; --paper: #fff; --tint: #fff; --accent: #000; color-scheme: light; }
  body { font-size: 9.5pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  table { font-size: 7.6pt; }
  th, td { padding-right: 0.45rem; }
  .metrics table { font-size: 6.1pt; }
  .metrics th, .metrics td { padding-right: 0.25rem; }
  .wide { overflow: visible; }
  figure { max-width: 150mm; }
  figure svg, figure:not(.own) svg { filter: none; min-width: 0; max-height: 190mm; }
  .verdict { border-left-width: 6px; }
  h2, h3 { break-after: avoid; }
  figure, tr, dl.facts { break-inside: avoid; }
  thead { display: table-header-group; }
}
)";

}  // namespace platter::report::html
