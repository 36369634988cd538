#include "model/bounded_line.h"

#include <array>

namespace platter::model {

LineRead read_line(std::istream& in, std::string& line, std::size_t most) {
  std::array<char, 16384> piece;
  line.clear();
  while (true) {
    in.getline(piece.data(), piece.size());
    if (in.bad()) return LineRead::failed;
    const auto length = static_cast<std::size_t>(in.gcount());
    const bool whole = !in.fail() && !in.eof();
    line.append(piece.data(), whole ? length - 1 : length);  // without the line's end
    if (line.size() > most) return LineRead::too_long;
    if (whole) return LineRead::whole;
    if (in.eof()) return line.empty() ? LineRead::none : LineRead::cut;
    in.clear();  // a longer line
  }
}

}  // namespace platter::model
