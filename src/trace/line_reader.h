// What the text formats have in common: a request a line, other lines passed over.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "trace/line.h"
#include "trace/scan.h"
#include "trace/skips.h"

namespace platter::trace {

constexpr std::uint32_t kSector = 512;  // bytes, where a format says "sector" or leaves it open

enum class Separator : char {
  blanks = ' ',
  commas = ',',
  semicolons = ';',
  tabs = '\t',
  bars = '|',
};

class LineReader : public RecordReader {
 public:
  LineReader(Input input, Separator separator)
      : input_(std::move(input)), line_(input_), separator_(separator) {}

  bool next(Record& record) override {
    for (;;) {
      const std::string_view buffered = input_.buffered();
      if (const std::size_t bytes = scan(Scan(buffered), record)) {
        scanned_ = buffered.substr(0, bytes - 1);
        input_.skip_line(bytes);
        return true;
      }
      if (!input_.line(scanned_)) return false;
      if (line().empty()) {
        skips_.add_form("empty lines", {input_.line_number(), 1});
        continue;
      }
      if (line()[0].starts_with('#') && !has_remarks_of_its_own()) {
        skips_.add_form("remarks", line().place(0));
        continue;
      }
      const std::uint64_t before = skips_.total();
      if (parse(line_, record)) return true;
      if (skips_.total() == before) skips_.add("lines that are no request", line_.place(0));
    }
  }

  std::vector<Skipped> skipped() const override { return skips_.list(); }

 protected:
  // The request of the line that is next, as the format's own tools write it, and how many bytes
  // the line has, its end among them; 0: parse() is to read it, and to tell what is wrong with it.
  virtual std::size_t scan(Scan, Record&) { return 0; }
  // Of formats whose own lines begin with '#'.
  virtual bool has_remarks_of_its_own() const { return false; }
  // False: the line holds no request, and is among skips_ as what it is. Throws BadRecord.
  virtual bool parse(const Line& line, Record& record) = 0;

  // The line read last, which is cut into its fields only when it is asked for.
  const Line& line() const {
    if (scanned_.data() == nullptr) return line_;
    cut(line_, scanned_);
    scanned_ = {};
    return line_;
  }
  virtual void cut(Line& line, std::string_view text) const {
    if (separator_ == Separator::blanks)
      line.cut_at_blanks(text);
    else
      line.cut_at(static_cast<char>(separator_), text);
  }

  struct FieldOfPart {
    Part part;
    std::size_t field;
  };
  // Of a format whose parts stand in these fields each, and all others in that one.
  Place place_among(std::initializer_list<FieldOfPart> fields, Part part,
                    std::size_t otherwise) const {
    const auto found = std::ranges::find(fields, part, &FieldOfPart::part);
    return line().place(found == fields.end() ? otherwise : found->field);
  }

  // Where a number of sectors begins, in bytes.
  static std::uint64_t sectors_to_bytes(const Line& line, std::size_t field,
                                        std::uint64_t sectors) {
    if (sectors > std::numeric_limits<std::uint64_t>::max() / kSector)
      line.fail(field, fmt::format("sector {} lies past the end of any drive", sectors));
    return sectors * kSector;
  }

  Input input_;
  Skips skips_;

 private:
  mutable Line line_;
  mutable std::string_view scanned_{};
  Separator separator_;
};

}  // namespace platter::trace
