#include "report/html_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "model/version.h"
#include "report/html.h"
#include "report/html_fleet.h"
#include "report/html_model.h"
#include "report/html_summary.h"
#include "report/site_script.h"

namespace platter::report {
namespace {

using html::escaped;
using Json = nlohmann::ordered_json;

constexpr std::size_t kOnFirstPage = 100;
constexpr std::string_view kModelTitle = "model.json";  // of the artifact's first layer: no file
                                                        // beside the model

std::string script(const char* source) { return fmt::format("<script>\n{}</script>\n", source); }

// XML, too: an attribute has a value.
std::string style() { return fmt::format("<style>{}</style>\n", html::kSiteStyle); }

std::string size_text(double gigabytes) {
  if (!(gigabytes > 0)) return "";
  if (gigabytes >= 1000) return fmt::format("{:.2f} TB", gigabytes / 1000);
  return fmt::format("{:.{}f} GB", gigabytes, gigabytes < 100 ? 2 : 0);
}

std::string row(const SiteEntry& entry) {
  return fmt::format(
      "<tr><td><a href=\"{}\">{}</a></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
      "<td>{}{}{}</td><td>{}</td><td><input type=\"checkbox\" value=\"{}\" aria-label=\"compare "
      "{}\"/></td></tr>\n",
      escaped(site_page_path(entry)), escaped(entry.name), escaped(entry.reference),
      size_text(entry.gigabytes), entry.rpm > 0 ? fmt::format("{:.0f}", entry.rpm) : "",
      escaped(entry.quality), entry.standing.empty() ? "" : ", ", escaped(entry.standing),
      escaped(entry.date), escaped(entry.page), escaped(entry.reference));
}

std::string sorted_column(int column, const char* name, bool number, bool sorted) {
  return fmt::format(
      "<th scope=\"col\"{} aria-sort=\"{}\"><button type=\"button\" "
      "data-column=\"{}\">{}</button></th>",
      number ? " class=\"n\"" : "", sorted ? "ascending" : "none", column, name);
}

std::string as_script(const std::string& call) {
  return "// Written by platter " + std::string(model::kToolVersion) + "\n" + call + "\n";
}

// ASCII, so that no page's encoding matters.
std::string argument(const Json& json) { return model::json_text(json, model::JsonForm::ascii); }

std::string downloads(const SiteModel& published) {
  std::string text = fmt::format(
      "<h2 id=\"get\">Get it</h2>\n<p><a href=\"{}\" download=\"{}.json\">the model</a>, or from "
      "the registry:</p>\n"
      "<pre><code>platter registry pull {} -o {}.json</code></pre>\n",
      escaped(published.model_file), escaped(published.entry.page),
      escaped(published.entry.reference), escaped(published.entry.page));
  std::string list;
  for (const std::string& file : published.files)
    if (file != kModelTitle) list += "<li>" + escaped(file) + "</li>\n";
  if (list.empty()) return text;
  return text + "<p>Published with it (--files DIR fetches them):</p>\n<ul>\n" + list + "</ul>\n";
}

}  // namespace

std::string site_page_path(const SiteEntry& entry) {
  return fmt::format("{}/{}.html", kSiteModels, entry.page);
}

std::string site_figures_path(const SiteEntry& entry) {
  return fmt::format("{}/{}.js", kSiteModels, entry.page);
}

std::string site_first_page(std::span<const SiteEntry> entries) {
  std::vector<const SiteEntry*> latest;
  for (const SiteEntry& entry : entries)
    if (entry.latest) latest.push_back(&entry);
  std::ranges::stable_sort(latest, {}, [](const SiteEntry* entry) { return entry->name; });
  std::string body =
      style() +
      fmt::format(
          "<header>\n<h1>Disk drives</h1>\n<p class=\"kind\">{} published models of {} "
          "drives</p>\n</header>\n"
          "<form class=\"search\" role=\"search\" onsubmit=\"return false\">\n"
          "<div><label for=\"words\">Maker, product, size, speed, date</label>\n<input "
          "id=\"words\" type=\"search\"/></div>\n"
          "<div><label for=\"quality\">Quality</label>\n<select id=\"quality\"><option "
          "value=\"\">any</option>"
          "<option>good</option><option>fair</option><option>unchecked</option><option>poor</"
          "option></select></div>\n"
          "<div><label for=\"all\">All versions</label>\n<input id=\"all\" "
          "type=\"checkbox\"/></div>\n</form>\n"
          "<p id=\"said\" class=\"note\" role=\"status\">{} {}{}</p>\n"
          "<p id=\"beside\" hidden=\"hidden\"><a href=\"compare.html\">The two chosen models side "
          "by side</a></p>\n",
          entries.size(), latest.size(), latest.size(), latest.size() == 1 ? "model" : "models",
          latest.size() > kOnFirstPage ? fmt::format("; the first {} are shown", kOnFirstPage)
                                       : "");
  body += "<div class=\"wide\"><table class=\"drives\">\n<thead><tr>" +
          sorted_column(2, "drive", false, true) + sorted_column(1, "reference", false, false) +
          sorted_column(3, "capacity", true, false) + sorted_column(4, "rpm", true, false) +
          sorted_column(5, "quality", false, false) + sorted_column(6, "date", false, false) +
          "<th scope=\"col\">compare</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(latest.size(), kOnFirstPage); ++i) body += row(*latest[i]);
  body += fmt::format("</tbody></table></div>\n<footer>Written by platter {}.</footer>\n",
                      model::kToolVersion) +
          script(html::kSiteList);
  return html::page("Disk drives", body);
}

std::string site_entries(std::span<const SiteEntry> entries) {
  std::string rows;
  for (const SiteEntry& entry : entries)
    rows += (rows.empty() ? "" : ",\n") +
            argument({entry.page, entry.reference, entry.name, entry.gigabytes, entry.rpm,
                      entry.quality, entry.date, entry.latest, entry.standing});
  return as_script("entriesAre([\n" + rows + "\n]);");
}

std::string site_page(const SiteModel& published) {
  const model::DriveModel& model = published.model;
  const std::vector<replay::Judged> judged = html::judged(model, published.entry.page, {});
  const std::string id = "model";
  std::string body = style() + fmt::format(
                                   "<nav aria-label=\"all drives\"><ul><li><a href=\"../{}\">All "
                                   "drives</a></li></ul></nav>\n"
                                   "<header>\n<h1>{}</h1>\n<p class=\"kind\">{}</p>\n",
                                   kSiteFirstPage, escaped(html::model_name(model)),
                                   escaped(published.entry.reference));
  body += html::verdict_box(model, judged) + html::facts(model) + html::how_measured(model) +
          html::uses(model, judged) + "</header>\n" + downloads(published);
  if (published.drawn)
    body += html::map_chapter(model, id) + html::seek_chapter(model, id) +
            html::overheads_chapter(model, id) + html::cache_chapter(model, id);
  body += html::parameters_chapter(model, id) + html::missing_chapter(model, id) +
          html::validity_chapter(model, id) + html::provenance_chapter(model, id) +
          fmt::format("<footer>Written by platter {}.</footer>\n", model::kToolVersion);
  return html::page(html::model_name(model), body);
}

std::string site_figures(const SiteModel& published) {
  Json figures = Json::array();
  for (const auto& [name, value] : html::figures_of(published.model))
    figures.push_back({name, value});
  figures.push_back({"quality", published.entry.quality});
  return as_script(fmt::format("figuresAre({}, {}, {});", argument(published.entry.page),
                               argument(published.entry.reference), argument(figures)));
}

std::string site_beside() {
  return html::page("Two models",
                    style() +
                        fmt::format("<nav aria-label=\"all drives\"><ul><li><a href=\"{}\">All "
                                    "drives</a></li></ul></nav>\n"
                                    "<h1>Side by side</h1>\n<p id=\"said\" class=\"note\" "
                                    "role=\"status\">Two models are read.</p>\n"
                                    "<div class=\"wide\" id=\"place\" tabindex=\"0\"></div>\n",
                                    kSiteFirstPage) +
                        script(html::kSiteCompare));
}

}  // namespace platter::report
