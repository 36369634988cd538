#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "report/gnuplot.h"
#include "report/html_style.h"
#include "report/made_here.h"

namespace platter::report::html {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReplacement = "\xef\xbf\xbd";

// Bytes of the UTF-8 sequence at `at`; 0 if there is none (Unicode 15, table 3-7).
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
    const bool no_character = lead == 0xEF && second == 0xBF && byte(2) >= 0xBE;  // U+FFFE, U+FFFF
    return follows(1) && follows(2) && !overlong && !surrogate && !no_character ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && second < 0x90, beyond = lead == 0xF4 && second > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string escaped_letter(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return " ";
    default:
      break;
  }
  return letter < 0x20 || letter == 0x7F ? kReplacement : std::string(1, letter);
}

// gnuplot's SVG file as an element of a page. Its background is the page's, its prologue and
// namespaces belong to a file only, and its ids are the same in every picture.
std::string embedded(std::string svg, const std::string& id, const std::string& caption) {
  svg.erase(0, svg.find("<svg"));
  const std::size_t head_end = svg.find('>');
  const std::size_t canvas = svg.find("<g id=\"gnuplot_canvas\">");
  if (head_end == std::string::npos || canvas == std::string::npos)
    throw Error(ExitStatus::output,
                "gnuplot drew an SVG of an unknown form; please report its version");
  const std::string head = svg.substr(0, head_end);
  const std::size_t view = head.find("viewBox=");
  const std::size_t view_end = view == std::string::npos ? view
                                                         : head.find(head[view + 8], view + 9);
  if (view_end == std::string::npos)
    throw Error(ExitStatus::output,
                "gnuplot drew an SVG without a viewBox; please report its version");
  std::string drawing = svg.substr(canvas);
  for (const char* quote : {"\"", "'"}) {
    drawing = model::replaced(drawing, fmt::format(" id={}", quote),
                              fmt::format(" id={}{}-", quote, id));
    drawing = model::replaced(drawing, fmt::format("xlink:href={}#", quote),
                              fmt::format("href={}#{}-", quote, id));
  }
  drawing = model::replaced(drawing, "url(#", fmt::format("url(#{}-", id));
  drawing = model::replaced(drawing, " font-family=\"DejaVu Sans\"", "");
  drawing = model::replaced(drawing, "fill=\"#ffffff\"", "fill=\"none\"");
  return fmt::format("<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\">\n{}",
                     head.substr(view + 9, view_end - view - 9), caption, drawing);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      out += escaped_letter(text[at++]);
      continue;
    }
    const std::size_t length = utf8_length(text, at);
    const bool control = length == 2 && text[at] == '\xC2' &&
                         static_cast<unsigned char>(text[at + 1]) < 0xA0;
    out += length > 0 && !control ? text.substr(at, length) : kReplacement;
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  // What may be scrolled is reached by the keyboard.
  std::string text = "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const Column& column : columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"n\"" : "",
                        escaped(column.title));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("<td{}>{}</td>", columns.at(i).number ? " class=\"n\"" : "",
                          escaped(row[i]));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string heading(const std::string& id, const char* name, const char* title) {
  return fmt::format("<h2 id=\"{}-{}\">{}</h2>\n", id, name, title);
}

std::string paragraph(const std::string& text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string fact(const std::string& name, const std::string& value, const std::string& detail) {
  return fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", escaped(name), escaped(value),
                     detail.empty() ? "" : "<small>" + escaped(detail) + "</small>");
}

std::string drawing(const std::string& caption, int width, int height,
                    const std::string& elements) {
  const std::string said = escaped(caption);
  return fmt::format(
      "<figure class=\"own\">\n<div class=\"wide\" tabindex=\"0\"><svg viewBox=\"0 0 {} {}\" "
      "role=\"img\" "
      "aria-label=\"{}\">\n{}</svg></div>\n<figcaption>{}</figcaption>\n</figure>\n",
      width, height, said, elements, said);
}

std::string words_at(double x, double y, const std::string& text, const char* anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string box(double x, double y, double width, double height, const char* style) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", x, y,
      width, height, style);
}

std::string figure(const std::string& id, const std::string& caption,
                   const std::function<void(const std::string& path)>& draw) {
  const std::string pattern = model::temporary_name("platter-report");
  model::TemporaryFolder folder(pattern);
  if (folder.path().empty())
    throw Error(ExitStatus::output,
                fmt::format("{}: no folder for the figures can be made there; set TMPDIR to one "
                            "that can be written",
                            fs::path(pattern).parent_path().string()));
  const std::string path = folder.file("figure.svg"), words = escaped(caption);
  if (!can_draw())
    return fmt::format(
        "<figure>\n<figcaption>Not drawn, for gnuplot was not there: {}</figcaption>\n"
        "</figure>\n",
        words);
  draw(path);
  return fmt::format(
      "<figure>\n<div class=\"wide\" "
      "tabindex=\"0\">{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
      embedded(model::read_file(path), id, words), words);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + "\u00a0" + unit;
}

std::string value_text(double value, const std::optional<double>& error) {
  if (!error || !(*error > 0) || !std::isfinite(*error)) return fmt::format("{:.7g}", value);
  const int places = 1 - static_cast<int>(std::floor(std::log10(*error)));
  return fmt::format("{:.{}f}", value, std::clamp(places, 0, 9));
}

std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format("\u00b1 {:.2g}", *error) : std::string();
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
  return text;
}

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</"
      "html>\n",
      report_mark(), escaped(title), kStyleSheet, body);
}

}  // namespace platter::report::html
