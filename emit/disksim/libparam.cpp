#include "emit/disksim/libparam.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "model/error.h"
#include "model/file.h"
#include "model/text_file.h"

namespace platter::emit_disksim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepestSource = 32;
constexpr int kDeepestValue = 64;
constexpr std::size_t kMostSources = 1000;                 // files in all
constexpr std::size_t kMostValues = std::size_t{1} << 22;  // in all; those of ranges of names and
                                                           // of copies, too

struct Token {
  enum class Kind { punctuation, word, end } kind = Kind::end;
  std::string text;
  Where where;

  bool is(std::string_view expected) const { return kind != Kind::end && text == expected; }
};

// The files that are open, the innermost last; `source` opens one more in the middle of another.
class Lexer {
 public:
  explicit Lexer(const std::string& path) : top_folder_(fs::path(path).parent_path()) {
    open(path, {std::make_shared<const std::string>(path), 1});
  }

  Token next() {
    for (;;) {
      if (files_.empty()) return {Token::Kind::end, "", last_};
      skip_space();
      if (at_end()) {
        last_ = here();
        files_.pop_back();
        continue;
      }
      Token token = take();
      if (!token.is("source")) return token;
      skip_space();
      const Token name = at_end() ? Token{} : take();
      if (name.kind != Token::Kind::word)
        fail_at(token.where, "source must be followed by a file name");
      include(name);
    }
  }

 private:
  struct File {
    std::shared_ptr<const std::string> name;
    fs::path identity;
    std::string content;
    std::size_t position = 0;
    int line = 1;
  };

  static bool is_punctuation(char c) {
    return std::string_view(";{},[]:?=").find(c) != std::string_view::npos;
  }
  static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
  }

  bool at_end() const { return files_.back().position >= files_.back().content.size(); }
  char peek() const { return files_.back().content[files_.back().position]; }
  Where here() const { return {files_.back().name, files_.back().line}; }

  void step() {
    if (peek() == '\n') ++files_.back().line;
    ++files_.back().position;
  }

  // A # begins a comment where a word could begin; within a word it is part of it.
  void skip_space() {
    while (!at_end() && (is_space(peek()) || peek() == '#')) {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n' && peek() != '\f') step();
      } else {
        step();
      }
    }
  }

  Token take() {
    Token token{Token::Kind::punctuation, std::string(1, peek()), here()};
    if (is_punctuation(peek())) {
      step();
      return token;
    }
    token.kind = Token::Kind::word;
    token.text.clear();
    while (!at_end() && !is_space(peek()) && !is_punctuation(peek())) {
      token.text += peek();
      step();
    }
    return token;
  }

  // Relative to the file that names it, then to the first file's folder.
  void include(const Token& name) {
    const fs::path wanted = name.text;
    if (wanted.is_absolute()) return open(wanted.string(), name.where);
    const fs::path near = fs::path(*name.where.file).parent_path() / wanted;
    std::error_code ignored;
    open((fs::exists(near, ignored) ? near : top_folder_ / wanted).string(), name.where);
  }

  void open(const std::string& path, const Where& named) {
    if (files_.size() > kDeepestSource) fail_at(named, "source is nested more than 32 files deep");
    std::error_code ignored;
    File file{
        std::make_shared<const std::string>(path), fs::weakly_canonical(path, ignored), {}, 0, 1};
    for (const File& outer : files_) {
      if (outer.identity == file.identity) fail_at(named, path + " includes itself through source");
    }
    if (++opened_ > kMostSources)
      fail_at(named, fmt::format("source names files more than {} times", kMostSources));
    try {
      file.content = model::read_text(path);
    } catch (const Error& error) {
      if (files_.empty()) throw;
      fail_at(named, fmt::format("the file named by source cannot be used: {}", error.what()));
    }
    bytes_ += file.content.size();
    if (bytes_ > model::kLargestFile)
      fail_at(named, fmt::format("the files that source names have more than {} MiB together",
                                 model::kLargestFile >> 20));
    files_.push_back(std::move(file));
  }

  fs::path top_folder_;
  std::size_t opened_ = 0, bytes_ = 0;
  std::vector<File> files_;
  Where last_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How a word is written: a whole number, one in hexadecimal digits, one with a point, or none.
enum class Form { word, decimal, hexadecimal, real };

Form form_of(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto skip_digits = [&text] {
    const std::size_t count = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    text.remove_prefix(count);
    return count > 0;
  };
  if (text.starts_with("0x"))
    return text.size() > 2 && text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos
               ? Form::hexadecimal
               : Form::word;
  if (!skip_digits()) return Form::word;
  if (text.empty()) return Form::decimal;
  if (!text.starts_with('.')) return Form::word;
  text.remove_prefix(1);
  if (!skip_digits()) return Form::word;
  if (text.empty()) return Form::real;
  if (!text.starts_with("e+") && !text.starts_with("e-")) return Form::word;
  text.remove_prefix(2);
  return skip_digits() && text.empty() ? Form::real : Form::word;
}

// A word is a number only if the whole of it has the form of one; 1e-3, .5 and 5. are words.
Value value_of_word(const Token& token) {
  if (token.text.size() > 64) return {token.text, token.where};
  const Form form = form_of(token.text);
  const bool decimal = form == Form::decimal;
  if (decimal || form == Form::hexadecimal) {
    std::string digits = token.text;
    if (!decimal) digits.erase(digits.find("0x"), 2);
    std::int64_t number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                        decimal ? 10 : 16);
    if (result.ec != std::errc())
      fail_at(token.where, fmt::format("the number {} is too large", token.text));
    return {number, token.where};
  }
  if (form == Form::real) {
    double number = 0;
    const auto result = std::from_chars(token.text.data(), token.text.data() + token.text.size(),
                                        number);
    if (result.ec != std::errc())
      fail_at(token.where, fmt::format("the number {} is too large", token.text));
    return {number, token.where};
  }
  return {token.text, token.where};
}

class Parser {
 public:
  explicit Parser(const std::string& path) : lexer_(path) { advance(); }

  ParameterFile parse() {
    while (token_.kind != Token::Kind::end) {
      if (token_.is("instantiate")) {
        instantiate();
      } else if (token_.is("topology")) {
        advance();
        topology("", 0);
      } else {
        top_level_block();
      }
    }
    return std::move(file_);
  }

 private:
  void advance() { token_ = lexer_.next(); }

  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string found = token_.kind == Token::Kind::end
                                  ? "the file ends"
                                  : fmt::format("\"{}\" stands", token_.text);
    fail_at(token_.where, fmt::format("{} where {} is expected", found, wanted));
  }
  void expect(std::string_view punctuation) {
    if (!token_.is(punctuation)) unexpected(fmt::format("\"{}\"", punctuation));
    advance();
  }
  Token word(const std::string& what) {
    if (token_.kind != Token::Kind::word) unexpected(what);
    Token result = token_;
    advance();
    return result;
  }

  // A file that others take a value from (`Layout Model = source FILE`) is a block without a name.
  void top_level_block() {
    const Token type = word("a block's type");
    if (token_.is("{") && type.text.starts_with("dm_")) {
      file_.blocks.push_back(block(type, "", 0));
      return;
    }
    const Token name = word("a block's name");
    define(block(type, name.text, 0));
  }

  // A block may take another block's name as its type; what it does not set it has from there.
  void define(Block block) {
    const auto parent = defined_.find(block.type);
    if (parent != defined_.end()) {
      const Block& base = file_.blocks[parent->second];
      block.type = base.type;
      std::set<std::string> own;
      for (const NamedValue& value : block.values) own.insert(value.name);
      for (const NamedValue& inherited : base.values) {
        if (own.contains(inherited.name)) continue;
        count(weight_of(inherited.value), block.where);
        block.values.push_back(inherited);
      }
    }
    if (defined_.contains(block.name))
      fail_at(block.where, fmt::format("{} is defined a second time", block.name));
    defined_[block.name] = file_.blocks.size();
    file_.blocks.push_back(std::move(block));
  }

  Block block(const Token& type, const std::string& name, int depth) {
    Block block{type.text, name, {}, type.where};
    std::set<std::string> seen;
    expect("{");
    while (!token_.is("}")) {
      parameter(block, seen, depth);
      if (token_.is("}")) break;
      if (!token_.is(",")) unexpected("\",\" or \"}\"");
      advance();
      if (token_.is("}"))
        fail_at(token_.where, "the last parameter of a block must not be followed by a comma");
    }
    advance();
    return block;
  }

  // NAME = value, the name being several words; or [ NAME, NAME ... ] = value.
  void parameter(Block& block, std::set<std::string>& seen, int depth) {
    const Where where = token_.where;
    std::vector<std::string> names;
    if (token_.is("[")) {
      for (const Value& name : list(depth + 1)) names.push_back(to_text(name));
    } else {
      std::string name = word("a parameter's name").text;
      while (token_.kind == Token::Kind::word) name.append(1, ' ').append(word("").text);
      names.push_back(name);
    }
    expect("=");
    Value set = value(depth + 1);
    const std::size_t weight = names.size() > 1 ? weight_of(set) : 1;
    for (const std::string& name : names) {
      count(weight, where);
      if (!seen.insert(name).second)
        fail_at(where, fmt::format("the parameter \"{}\" is redefined", name));
      if (names.size() > 1) {
        block.values.push_back({name, set});  // NOLINT(bugprone-use-after-move): moved for a single
                                              // name
      } else {
        block.values.push_back({name, std::move(set)});
      }
    }
  }

  // Copies of a value are new values, those in a list too.
  static std::size_t weight_of(const Value& value) {
    const auto* list = std::get_if<std::vector<Value>>(&value.data);
    if (list == nullptr) return 1;
    std::size_t weight = 1;
    for (const Value& inner : *list) weight += weight_of(inner);
    return weight;
  }
  void count(std::size_t values, const Where& where) {
    values_ += values;
    if (values_ > kMostValues)
      fail_at(where, fmt::format("there are more than {} values here", kMostValues));
  }

  Value value(int depth) {
    if (depth > kDeepestValue) fail_at(token_.where, "blocks and lists are nested too deeply");
    if (token_.is("[")) {
      const Where where = token_.where;
      return {list(depth), where};
    }
    return value_after(word("a value"), depth);
  }

  // A number or word on its own, or the type of a block.
  Value value_after(const Token& first, int depth) {
    if (token_.is("{"))
      return {std::make_shared<const Block>(block(first, "", depth)), first.where};
    if (token_.kind != Token::Kind::word) return value_of_word(first);
    const Token name = word("");
    if (!token_.is("{")) unexpected(fmt::format("\"{{\" of the block {}", name.text));
    return {std::make_shared<const Block>(block(first, name.text, depth)), first.where};
  }

  std::vector<Value> list(int depth) {
    std::vector<Value> values;
    expect("[");
    while (!token_.is("]")) {
      count(1, token_.where);
      values.push_back(value_or_range(depth + 1, values));
      if (token_.is("]")) break;
      if (!token_.is(",")) unexpected("\",\" or \"]\"");
      advance();
    }
    advance();
    return values;
  }

  // disk0 .. disk3 stands for the four names; only the last is returned, the others are appended.
  Value value_or_range(int depth, std::vector<Value>& values) {
    if (token_.kind != Token::Kind::word) return value(depth);
    const Token first = word("");
    if (!token_.is("..")) return value_after(first, depth);
    advance();
    return range(first, word("the end of a range"), values);
  }

  // A name and the number, of at most 6 digits, at its end; -1: there is none.
  static std::pair<std::string, int> numbered(const std::string& text) {
    std::size_t at = text.size();
    while (at > 0 && text.size() - at < 6 && is_digit(text[at - 1])) --at;
    int number = -1;
    std::from_chars(text.data() + at, text.data() + text.size(), number);
    return {text.substr(0, at), number};
  }

  Value range(const Token& first, const Token& last, std::vector<Value>& values) {
    const auto [name, from] = numbered(first.text);
    const auto [last_name, to] = numbered(last.text);
    if (from < 0 || to < from || name != last_name)
      fail_at(first.where, fmt::format("{} .. {} is no range of names", first.text, last.text));
    count(static_cast<std::size_t>(to - from), first.where);
    for (int i = from; i < to; ++i) values.push_back({name + std::to_string(i), first.where});
    return {last.text, last.where};
  }

  void instantiate() {
    advance();
    const std::vector<Value> components = list(0);
    if (!token_.is("as")) unexpected("\"as\"");
    advance();
    const std::string block = word("a block's name").text;
    for (const Value& component : components) file_.instances[to_text(component)] = block;
  }

  // TYPE NAME [ what is attached to it ]
  void topology(const std::string& parent, int depth) {
    if (depth > kDeepestValue) fail_at(token_.where, "the topology is nested too deeply");
    const Token type = word("a component's type");
    const Token name = word("a component's name");
    file_.topology.push_back({type.text, name.text, parent});
    expect("[");
    while (!token_.is("]")) {
      topology(name.text, depth + 1);
      if (token_.is(",")) advance();
    }
    advance();
  }

  Lexer lexer_;
  Token token_;
  ParameterFile file_;
  std::map<std::string, std::size_t> defined_;
  std::size_t values_ = 0;
};

}  // namespace

namespace fs = std::filesystem;

std::string find_named_file(BlockReader& reader, const char* parameter, const char* what,
                            const std::string& top_folder) {
  const fs::path wanted = reader.text(parameter);
  if (wanted.is_absolute()) return wanted.string();
  const Where& where = reader.where(parameter);
  const fs::path near = fs::path(*where.file).parent_path() / wanted;
  std::error_code ignored;
  if (fs::exists(near, ignored)) return near.string();
  const fs::path top = fs::path(top_folder) / wanted;
  if (!fs::exists(top, ignored)) {
    fail_at(where, fmt::format("{} {} does not exist", what, near.string()));
  }
  return top.string();
}

std::string Where::text() const {
  return fmt::format("{}:{}", file ? *file : std::string("?"), line);
}

std::string Where::brief() const {
  return fmt::format("{}:{}", file ? fs::path(*file).filename().string() : std::string("?"), line);
}

void fail_at(const Where& where, const std::string& what) {
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", where.text(), what));
}

const Block* ParameterFile::find(const std::string& name) const {
  for (const Block& block : blocks) {
    if (block.name == name) return &block;
  }
  return nullptr;
}

ParameterFile parse_parameter_file(const std::string& path) { return Parser(path).parse(); }

const Value* BlockReader::find(const std::string& name) const {
  for (const NamedValue& value : block_.values) {
    if (value.name == name) return &value.value;
  }
  return nullptr;
}

const Value& BlockReader::need(const std::string& name) {
  const Value* value = find(name);
  if (value == nullptr)
    fail_at(block_.where, fmt::format("{} lacks the parameter \"{}\"", block_.type, name));
  read_.insert(name);
  return *value;
}

std::int64_t BlockReader::integer(const std::string& name, std::int64_t low, std::int64_t high) {
  const Value& value = need(name);
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr || *number < low || *number > high) {
    fail_at(value.where, fmt::format("\"{}\" must be a whole number from {} to {}, not {}", name,
                                     low, high, to_text(value)));
  }
  return *number;
}

double BlockReader::real(const std::string& name) {
  const Value& value = need(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr) {
    fail_at(value.where,
            fmt::format("\"{}\" must be a number such as 1.250000, not {}", name, to_text(value)));
  }
  return *number;
}

const std::string& BlockReader::text(const std::string& name) {
  const Value& value = need(name);
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) fail_at(value.where, fmt::format("\"{}\" must be a word", name));
  return *text;
}

const std::vector<Value>& BlockReader::list(const std::string& name) {
  const Value& value = need(name);
  const auto* list = std::get_if<std::vector<Value>>(&value.data);
  if (list == nullptr) fail_at(value.where, fmt::format("\"{}\" must be a list", name));
  return *list;
}

const Block& BlockReader::inner(const std::string& name) {
  const Value& value = need(name);
  const auto* block = std::get_if<std::shared_ptr<const Block>>(&value.data);
  if (block == nullptr) fail_at(value.where, fmt::format("\"{}\" must be a block", name));
  return **block;
}

const Where& BlockReader::where(const std::string& name) const {
  const Value* value = find(name);
  return value == nullptr ? block_.where : value->where;
}

std::vector<const NamedValue*> BlockReader::unread() const {
  std::vector<const NamedValue*> result;
  for (const NamedValue& value : block_.values) {
    if (!read_.contains(value.name)) result.push_back(&value);
  }
  return result;
}

std::string to_text(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value.data)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  return std::holds_alternative<std::vector<Value>>(value.data) ? "[...]" : "{...}";
}

double real_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr)
    fail_at(value.where, fmt::format("a number is needed, not {}", to_text(value)));
  return *number;
}

std::int64_t integer_of(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value.data);
  if (whole == nullptr)
    fail_at(value.where, fmt::format("a whole number is needed, not {}", to_text(value)));
  return *whole;
}

double time_of(BlockReader& reader, const char* name, std::vector<std::string>& warnings) {
  const double time = reader.real(name);
  if (time >= 0) return time;
  warnings.push_back(fmt::format("{} = {} ({}) is taken as 0: nothing takes less than no time",
                                 name, time, reader.where(name).brief()));
  return 0;
}

}  // namespace platter::emit_disksim
