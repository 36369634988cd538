// Pieces of HTML: text made harmless, tables, figures. What they return is well-formed as XML, too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::report::html {

// Text for a paragraph or an attribute. Markup is escaped; control characters and what is not UTF-8
// become U+FFFD.
std::string escaped(const std::string& text);

struct Column {
  std::string title;
  bool number = false;  // aligned to the right
};

// Cells are text; they are escaped here.
std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows);

std::string heading(const std::string& id, const char* name, const char* title);  // of a chapter
std::string paragraph(const std::string& text);
std::string fact(const std::string& name, const std::string& value, const std::string& detail);

// A drawing of our own: SVG elements on so large a canvas, in the page's colours (html_style.h).
std::string drawing(const std::string& caption, int width, int height, const std::string& elements);
// Of a drawing: words at a place, "start", "middle" or "end" there.
std::string words_at(double x, double y, const std::string& text, const char* anchor = "start");
std::string box(double x, double y, double width, double height, const char* style);

// The picture that `draw` writes to the path it is given (an SVG), as part of the page: its ids get
// `id` as a prefix, so that they are unique in the page, and nothing in it refers to the outside.
std::string figure(const std::string& id, const std::string& caption,
                   const std::function<void(const std::string& path)>& draw);

std::string with_unit(const std::string& number, const std::string& unit);

// "0.8412" and "0.0031": the value to as many places as its error has two digits; "" for no error.
std::string value_text(double value, const std::optional<double>& error);
std::string error_text(const std::optional<double>& error);

std::string grouped(std::uint64_t number);  // 17 966 953, with narrow no-break spaces

// The whole page around `body`, with its style sheet.
std::string page(const std::string& title, const std::string& body);

}  // namespace platter::report::html
