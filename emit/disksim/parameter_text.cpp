#include "emit/disksim/parameter_text.h"

#include <fmt/core.h>

#include <cmath>

#include "model/error.h"

namespace platter::emit_disksim {

std::string real_text(double value) {
  if (!std::isfinite(value)) {
    throw Error(ExitStatus::unsupported,
                "the model holds a number that is not finite; correct the model file");
  }
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) {
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

std::string BlockText::text(int indent) const {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text = head_ + " {\n";
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    text += margin + "  " + lines_[i] + (i + 1 < lines_.size() ? ",\n" : "\n");
  }
  return text + margin + "}";
}

std::string list_text(const std::vector<std::string>& elements, int indent) {
  if (elements.empty()) return "[ ]";
  const std::string margin(static_cast<std::size_t>(indent) + 2, ' ');
  std::string text = "[", line = " ";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string element = elements[i] + (i + 1 < elements.size() ? ", " : " ");
    if (margin.size() + line.size() + element.size() > 100) {
      text += line + "\n";
      line = margin;
    }
    line += element;
  }
  return text + line + "]";
}

}  // namespace platter::emit_disksim
