// A registry's pages for a browser.
#include <fmt/format.h>

#include "catch.h"
#include "report/html_site.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using namespace platter::report;

namespace {

std::vector<SiteEntry> many(std::size_t count) {
  std::vector<SiteEntry> entries;
  for (std::size_t i = 0; i < count; ++i)
    entries.push_back({.page = fmt::format("acme-{}.v1", i),
                       .reference = fmt::format("acme-{}:v1", i),
                       .name = fmt::format("ACME {}", i),
                       .quality = "good",
                       .date = "2026-11-29",
                       .gigabytes = 4.5 + static_cast<double>(i),
                       .rpm = 7200,
                       .latest = i % 2 == 0});
  return entries;
}

}  // namespace

TEST_CASE("of ten thousand models the first page has some, and the script's data all") {
  const std::vector<SiteEntry> entries = many(10'000);
  const std::string first = site_first_page(entries), data = site_entries(entries);
  CHECK(first.size() < 300'000);
  CHECK(first.find("10000 published models of 5000 drives") != std::string::npos);
  CHECK(first.find("acme-0.v1.html") != std::string::npos);
  CHECK(first.find("acme-1.v1.html") == std::string::npos);  // not the latest of its drive
  for (const SiteEntry& entry : entries)
    REQUIRE(data.find("\"" + entry.reference + "\"") != std::string::npos);
}

TEST_CASE("an empty registry has a page, too") {
  CHECK(site_first_page({}).find("0 published models") != std::string::npos);
  CHECK(site_entries({}).find("entriesAre([\n\n]);") != std::string::npos);
}

TEST_CASE("what a stranger called his drive is text in every page") {
  SiteEntry hostile = many(1).front();
  hostile.name = "</script><script>alert(1)</script>\xe2\x80\xa8\"'&";
  SiteModel published{hostile,
                      virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("hp-c2247")),
                      "m.json",
                      {"<b>.html"}};
  published.model.identity.product = hostile.name;
  published.model.identity.name = hostile.name;
  const std::vector<SiteEntry> entries = {hostile};
  const auto scripts = [](const std::string& page) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(scripts(site_first_page(entries)) == 1);
  CHECK(scripts(site_page(published)) == 0);
  CHECK(site_page(published).find("<b>.html") == std::string::npos);
  for (const std::string& data : {site_entries(entries), site_figures(published)})
    for (const char letter : data) CHECK((static_cast<unsigned char>(letter) < 0x80));
}

TEST_CASE("two models have the same figures in the same order") {
  const auto figures_of = [](const char* name) {
    SiteModel published{many(1).front(),
                        virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(name)),
                        "",
                        {}};
    return site_figures(published);
  };
  const auto names_in = [](const std::string& data) {
    std::string names;
    for (std::size_t at = 0; (at = data.find("[\"", at)) != std::string::npos; at += 2)
      names += data.substr(at + 2, data.find('"', at + 2) - at - 2) + "\n";
    return names;
  };
  const std::string of_one = names_in(figures_of("hp-c2247"));
  CHECK(of_one.find("capacity (GB)") != std::string::npos);
  CHECK(of_one == names_in(figures_of("seagate-cheetah9lp")));
}
