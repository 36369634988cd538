#include "registry/query.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>

#include "model/error.h"

namespace platter::registry {
namespace {

constexpr double kNominal = 0.01;  // a drive of 7200 rpm was measured as 7198.4, one of 4 TB has
                                   // 4,000,787,030,016 bytes

// One bound, or two with ".." between them.
struct Bounds {
  std::optional<std::string_view> least, most;
  bool above = false, below = false;
};

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 6> kThousands = {
    {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"p", 1e15}}};
constexpr std::array<Unit, 5> kBinary = {{{"kib", 1024.0},
                                          {"mib", 1048576.0},
                                          {"gib", 1073741824.0},
                                          {"tib", 1099511627776.0},
                                          {"pib", 1125899906842624.0}}};

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string lower_unit(std::string_view text) {
  std::string unit(without_blanks(text));
  for (char& c : unit)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return unit;
}

const char* what_is_written(Figure figure) {
  switch (figure) {
    case Figure::capacity:
      return "4T, '>=4T', '<500G' or 4T..8T (units k M G T P, KiB MiB GiB TiB PiB)";
    case Figure::rpm:
      return "7200, 15k, '>=10000' or 5400..7200";
    case Figure::block_size:
      return "512, 4096, 4KiB or '>512'";
    case Figure::percent:
      return "'<2%', '<=2%' or 1%..2%";
  }
  return "";
}

[[noreturn]] void no_range(Figure figure, const std::string& text, const std::string& option) {
  throw Error(ExitStatus::usage, fmt::format("{}: \"{}\" is no range; write {}", option, text,
                                             what_is_written(figure)));
}

Bounds bounds_of(std::string_view text) {
  Bounds bounds;
  const auto after = [&](std::size_t letters) { return without_blanks(text.substr(letters)); };
  text = without_blanks(text);
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const std::string_view least = without_blanks(text.substr(0, dots)), most = after(dots + 2);
    if (!least.empty()) bounds.least = least;
    if (!most.empty()) bounds.most = most;
  } else if (text.starts_with(">=")) {
    bounds.least = after(2);
  } else if (text.starts_with("<=")) {
    bounds.most = after(2);
  } else if (text.starts_with('>')) {
    bounds.least = after(1);
    bounds.above = true;
  } else if (text.starts_with('<')) {
    bounds.most = after(1);
    bounds.below = true;
  } else {
    bounds.least = bounds.most = text.starts_with('=') ? after(1) : text;
  }
  return bounds;
}

std::optional<double> factor_of(Figure figure, std::string unit) {
  if (figure == Figure::percent)
    return unit.empty() || unit == "%" ? std::optional(1.0) : std::nullopt;
  if (figure == Figure::rpm) {
    if (unit.ends_with("rpm")) unit = lower_unit(std::string_view(unit).substr(0, unit.size() - 3));
    return unit.empty() ? std::optional(1.0) : unit == "k" ? std::optional(1e3) : std::nullopt;
  }
  for (const Unit& binary : kBinary)
    if (unit == binary.name) return binary.factor;
  if (unit.ends_with('b')) unit.pop_back();
  if (figure == Figure::block_size)
    return unit.empty() ? std::optional(1.0) : unit == "k" ? std::optional(1024.0) : std::nullopt;
  for (const Unit& thousands : kThousands)
    if (unit == thousands.name) return thousands.factor;
  return std::nullopt;
}

std::optional<double> figure_of(Figure figure, std::string_view text) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const auto factor = factor_of(
      figure, lower_unit(text.substr(static_cast<std::size_t>(end.ptr - text.data()))));
  if (!factor) return std::nullopt;
  return number * *factor;
}

// YYYY, and as much more of YYYY-MM-DDThh:mm:ssZ as one likes.
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != 4 && text.size() != 7 && text.size() != 10 && text.size() != 16 &&
      text.size() != 19 && text.size() != 20)
    return false;
  const bool in_form = std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
  // What is left out: of the first of January, at midnight.
  const auto part = [&](std::size_t at, int otherwise) {
    if (at >= text.size()) return otherwise;
    return 10 * (text[at] - '0') + (text[at + 1] - '0');
  };
  const std::chrono::year_month_day day(std::chrono::year(100 * part(0, 0) + part(2, 0)),
                                        std::chrono::month(static_cast<unsigned>(part(5, 1))),
                                        std::chrono::day(static_cast<unsigned>(part(8, 1))));
  return in_form && day.ok() && part(11, 0) < 24 && part(14, 0) < 60 && part(17, 0) <= 60;
}

}  // namespace

bool Range::holds(double figure) const {
  if (least && (above ? figure <= *least : figure < *least)) return false;
  return !most || (below ? figure < *most : figure <= *most);
}

bool Query::is_empty() const {
  return words.empty() && vendor.empty() && product.empty() && revision.empty() &&
         form_factor.empty() && method.empty() && !capacity && !rpm && !block_size && !date &&
         demerits.empty() && annotations.empty();
}

Range parse_range(Figure figure, const std::string& text, const std::string& option) {
  const Bounds bounds = bounds_of(text);
  Range range{.least = {}, .most = {}, .above = bounds.above, .below = bounds.below};
  const double around = figure == Figure::capacity || figure == Figure::rpm ? kNominal : 0.0;
  if (bounds.least) {
    range.least = figure_of(figure, *bounds.least);
    if (!range.least) no_range(figure, text, option);
    *range.least *= bounds.above ? 1 + around : 1 - around;
  }
  if (bounds.most) {
    range.most = figure_of(figure, *bounds.most);
    if (!range.most) no_range(figure, text, option);
    *range.most *= bounds.below ? 1 - around : 1 + around;
  }
  if (!range.least && !range.most) no_range(figure, text, option);
  if (range.least && range.most && *range.least > *range.most) {
    throw Error(ExitStatus::usage,
                fmt::format("{}: \"{}\" is empty: its first bound is larger than its second; turn "
                            "them round",
                            option, text));
  }
  if (figure == Figure::percent && range.least && range.least == range.most)
    no_range(figure, text, option);  // no measured demerit is exactly that
  return range;
}

Dates parse_dates(const std::string& text, const std::string& option) {
  const Bounds bounds = bounds_of(text);
  const auto checked = [&](std::string_view date) {
    if (is_date(date)) return std::string(date);
    throw Error(ExitStatus::usage,
                fmt::format("{}: \"{}\" is no date; write 2026, 2026-03..2026-05 or "
                            "'>=2026-03-15'",
                            option, text));
  };
  const auto after = [](const std::string& date) { return date + "~"; };  // behind all that begin
                                                                          // so
  Dates dates;
  if (bounds.least) {
    const std::string least = checked(*bounds.least);
    dates.from = bounds.above ? after(least) : least;
  }
  if (bounds.most) {
    const std::string most = checked(*bounds.most);
    dates.before = bounds.below ? most : after(most);
  }
  if (!bounds.least && !bounds.most) checked("");
  if (!dates.before.empty() && dates.from >= dates.before) {
    throw Error(ExitStatus::usage,
                fmt::format("{}: \"{}\" is empty: its first date is later than its second; turn "
                            "them round",
                            option, text));
  }
  return dates;
}

std::pair<std::string, Range> parse_demerit(const std::string& text, const std::string& option) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: \"{}\" names no workload and range; write 'random:<2%'", option, text));
  }
  return {text.substr(0, colon), parse_range(Figure::percent, text.substr(colon + 1), option)};
}

std::pair<std::string, std::string> parse_annotation(const std::string& text,
                                                     const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ExitStatus::usage, fmt::format("{}: \"{}\" names no annotation and value; write "
                                               "vnd.platter.serial=S1234",
                                               option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace platter::registry
