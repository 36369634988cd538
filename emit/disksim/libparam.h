// The parameter files of DiskSim (.parv, .diskspecs, .model) as a tree: blocks of named values,
// with the place of each for error messages. Grammar: DiskSim's libparam library.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace platter::emit_disksim {

struct Where {
  std::shared_ptr<const std::string> file;
  int line = 0;

  std::string text() const;   // "PATH:LINE"
  std::string brief() const;  // "NAME:LINE", for what is kept: a model does not tell whose folder
                              // it was
};

struct Block;
struct Value;

struct Value {
  std::variant<std::int64_t, double, std::string, std::vector<Value>, std::shared_ptr<const Block>>
      data;
  Where where;
};

struct NamedValue {
  std::string name;
  Value value;
};

struct Block {
  std::string type, name;  // the name is empty for a block in place of a value
  std::vector<NamedValue> values;
  Where where;
};

// A component of the topology; the one that it is attached to, by name ("" for the first).
struct Component {
  std::string type, name, parent;
};

struct ParameterFile {
  std::vector<Block> blocks;  // in the order of the file; inherited values filled in
  std::map<std::string, std::string> instances;  // component -> block, from `instantiate [...] as
                                                 // BLOCK`
  std::vector<Component> topology;

  const Block* find(const std::string& name) const;
};

// Reads the file and what it names with `source`. Throws Error(bad_input): one sentence with the
// file and the line.
ParameterFile parse_parameter_file(const std::string& path);

// Reads the values of one block by name and type, and keeps account of those that nobody asked for.
class BlockReader {
 public:
  explicit BlockReader(const Block& block) : block_(block) {}

  const Block& block() const { return block_; }
  bool has(const std::string& name) const { return find(name) != nullptr; }

  // Throw Error(bad_input) where the value is missing or of another type.
  std::int64_t integer(const std::string& name, std::int64_t low, std::int64_t high);
  double real(const std::string& name);  // an integer is a real number too
  const std::string& text(const std::string& name);
  const std::vector<Value>& list(const std::string& name);
  const Block& inner(const std::string& name);
  const Where& where(const std::string& name) const;
  void take(const std::string& name) { read_.insert(name); }  // of no interest, but known

  std::vector<const NamedValue*> unread() const;

 private:
  const Value* find(const std::string& name) const;
  const Value& need(const std::string& name);

  const Block& block_;
  std::set<std::string> read_;
};

// A value as the file has it, for notes; "[...]" and "{...}" for what is no number or word.
std::string to_text(const Value& value);
// The number in an element of a list.
double real_of(const Value& value);
std::int64_t integer_of(const Value& value);

[[noreturn]] void fail_at(const Where& where, const std::string& what);

// A real number; a negative one is 0, with a warning.
double time_of(BlockReader& reader, const char* name, std::vector<std::string>& warnings);

// Files that a parameter names: where DiskSim's users keep them.
// The path in `parameter`, sought beside the file that names it, then in `top_folder`. Throws
// Error(bad_input) where there is no such file; `what` says what it is ("the seek file").
std::string find_named_file(BlockReader& reader, const char* parameter, const char* what,
                            const std::string& top_folder);

}  // namespace platter::emit_disksim
