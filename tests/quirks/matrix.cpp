// quirk_matrix: every optional command of the command table, lacking in every way that drives know,
// on small drives. Each cell must be inspected and characterized to the end, with the figures of
// the drive that answers 5/20/00.
//
//   quirk_matrix                                    all cells; status 1 where one fails
//   quirk_matrix --part 3/40                        each fortieth row, from the third on
//   quirk_matrix --subject ata --row "MODE SENSE of page 08h" --answer half --table
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>
#include <memory>

#include "cell_run.h"
#include "cells.h"

namespace {

using namespace quirks;

struct Arguments {
  std::string subject, row, answer, part;
  unsigned jobs = 1;
  bool show_table = false, list = false, verbose = false;
};

struct Cell {
  const Subject* subject;
  const Row* row;
  const Answer* answer;
  Json table;
};

// Of the drive that has the row's command in each way.
struct Line {
  const Subject* subject;
  const Row* row;
  std::vector<Cell> cells;
};

std::vector<Line> lines_of(const Arguments& arguments, const std::vector<Row>& all) {
  std::vector<Line> lines;
  for (const Subject& subject : subjects())
    for (const Row& row : all) {
      if (!arguments.subject.empty() && arguments.subject != subject.name) continue;
      if (!arguments.row.empty() && arguments.row != row.name) continue;
      Line line{&subject, &row, {}};
      for (const Answer& answer : answers()) {
        const bool wanted = arguments.answer.empty() || arguments.answer == answer.name ||
                            &answer == &answers().front();
        const auto table = table_of(row, answer);
        if (wanted && table) line.cells.push_back({&subject, &row, &answer, *table});
      }
      lines.push_back(std::move(line));
    }
  return lines;
}

// "3/40"; "today/40" takes another part each day. Neighbouring lines fall into different parts.
std::vector<Line> part_of(std::vector<Line> lines, const std::string& part) {
  if (part.empty()) return lines;
  const std::size_t slash = part.find('/');
  const std::size_t parts = std::stoul(part.substr(slash + 1));
  const std::string which = part.substr(0, slash);
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::size_t number = (which == "today"
                                  ? static_cast<std::size_t>(today.time_since_epoch().count())
                                  : std::stoul(which)) %
                             parts;
  fmt::print("part {}/{}\n", number, parts);
  std::vector<Line> taken;
  for (std::size_t i = number; i < lines.size(); i += parts) taken.push_back(std::move(lines[i]));
  return taken;
}

// As many at once as there are jobs, in order.
std::vector<Outcome> outcomes_of(const Line& line, unsigned jobs) {
  std::vector<Outcome> outcomes;
  std::deque<std::unique_ptr<CellRun>> under_way;
  const auto wait_for = [&](std::size_t most) {
    while (under_way.size() > most) {
      outcomes.push_back(under_way.front()->outcome());
      under_way.pop_front();
    }
  };
  for (const Cell& cell : line.cells) {
    wait_for(jobs - 1);
    under_way.push_back(std::make_unique<CellRun>(*cell.subject, cell.table));
    // The first one tells whether the drive is asked for the command at all.
    if (outcomes.empty() && under_way.size() == 1) {
      wait_for(0);
      if (outcomes.front().met == 0) break;
    }
  }
  wait_for(0);
  return outcomes;
}

// A cell, and the same cell with other random choices, as far as these are asked for.
class Tries {
 public:
  Tries(const Cell& cell, const Outcome& first) : cell_(cell), first_(first) {}
  const platter::model::DriveModel& first() const { return *first_.model; }
  bool lacks(const std::string& figure) const { return is_open(first(), figure); }
  // nullptr: there are no more, or that one did not end well.
  const platter::model::DriveModel* other(std::size_t i) {
    constexpr std::size_t kMost = 3;
    if (i >= kMost) return nullptr;
    while (others_.size() <= i)
      others_.push_back(CellRun(*cell_.subject, cell_.table, others_.size() + 2).outcome());
    return others_[i].trouble.empty() && others_[i].model ? &*others_[i].model : nullptr;
  }

 private:
  const Cell& cell_;
  const Outcome& first_;
  std::vector<Outcome> others_;
};

using platter::model::Difference;

// Chance may leave a figure open, with its reason, that other random choices measure: then that one
// is compared. What is open whatever is drawn stays a difference: the drive's manner made it.
bool same_in_another_try(const std::string& figure, Tries& reference, Tries& cell) {
  const bool of_reference = reference.lacks(figure);
  Tries& lacking = of_reference ? reference : cell;
  if (!lacking.lacks(figure)) return false;
  for (std::size_t i = 0; const auto* again = lacking.other(i); ++i) {
    if (is_open(*again, figure)) continue;
    const auto apart = of_reference ? told_apart(*again, cell.first())
                                    : told_apart(reference.first(), *again);
    return std::ranges::find(apart, figure, &Difference::path) == apart.end();
  }
  return false;
}

std::string difference(Tries& reference, Tries& cell) {
  std::vector<Difference> apart = told_apart(reference.first(), cell.first());
  std::erase_if(apart, [&](const Difference& figure) {
    return figure.a.has_value() != figure.b.has_value() &&
           same_in_another_try(figure.path, reference, cell);
  });
  if (apart.empty()) return {};
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string("none");
  };
  const Difference& first = apart.front();
  std::string text = first.path;
  if (first.a || first.b) text += fmt::format(" {} is {}", number(first.a), number(first.b));
  if (apart.size() > 1) text += fmt::format(" and {} more", apart.size() - 1);
  return text;
}

std::string finding(const Outcome& reference, const Outcome& outcome, Tries& of_reference,
                    const Cell& cell) {
  if (!outcome.trouble.empty()) return outcome.trouble;
  if (!reference.model || !reference.trouble.empty()) return {};
  if (reference.doubt.empty() && !outcome.doubt.empty()) return "in doubt: " + outcome.doubt;
  Tries of_cell(cell, outcome);
  return difference(of_reference, of_cell);
}

struct Totals {
  std::size_t cells = 0, failed = 0, never_sent = 0;
};

void run_line(const Line& line, const Arguments& arguments, Totals& totals) {
  const std::vector<Outcome> outcomes = outcomes_of(line, arguments.jobs);
  if (outcomes.front().met == 0 && outcomes.front().trouble.empty()) {
    ++totals.never_sent;
    if (arguments.verbose) fmt::print("{}: {}: never sent\n", line.subject->name, line.row->name);
    return;
  }
  Tries reference(line.cells.front(), outcomes.front());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::string found = finding(outcomes.front(), outcomes[i], reference, line.cells[i]);
    ++totals.cells;
    totals.failed += !found.empty();
    if (!found.empty() || arguments.verbose)
      fmt::print("{}: {}: {}: {}\n", line.subject->name, line.row->name, line.cells[i].answer->name,
                 found.empty() ? "as it should be" : found);
  }
  std::cout << std::flush;
}

int run(const Arguments& arguments) {
  const std::vector<Row> all = rows();
  const auto lines = part_of(lines_of(arguments, all), arguments.part);
  Totals totals;
  for (const Line& line : lines) {
    for (const Cell& cell : line.cells)
      if (arguments.show_table &&
          (arguments.answer.empty() || arguments.answer == cell.answer->name))
        fmt::print("{}\n", cell.table.dump(1));
    if (arguments.list) fmt::print("{}: {}\n", line.subject->name, line.row->name);
    if (!arguments.list && !arguments.show_table) run_line(line, arguments, totals);
  }
  if (lines.empty()) throw std::invalid_argument("there is no such cell; --list lists the rows");
  if (!arguments.list && !arguments.show_table)
    fmt::print("{} of {} cells fail; {} rows are never sent\n", totals.failed, totals.cells,
               totals.never_sent);
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Optional commands that are lacking, in every way");
  app.add_option("--subject", arguments.subject,
                 "of this drive alone: scsi, scsi-writes, ata, ...");
  app.add_option("--row", arguments.row, "this row alone, by its name");
  app.add_option("--answer", arguments.answer, "this answer alone, beside 5/20/00");
  app.add_option("--part", arguments.part, "NUMBER/PARTS, or today/PARTS");
  app.add_option("--jobs", arguments.jobs, "cells at once")->check(CLI::Range(1, 64));
  app.add_flag("--table", arguments.show_table,
               "show the tables, for quirk_drive, and run nothing");
  app.add_flag("--list", arguments.list, "list the rows, and run nothing");
  app.add_flag("--verbose", arguments.verbose, "also tell what is as it should be");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "quirk_matrix: " << error.what() << "\n";
    return 2;
  }
}
