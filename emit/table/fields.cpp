#include "emit/table/fields.h"

#include <flatbuffers/minireflect.h>
#include <fmt/format.h>
#include <table_generated.h>

#include <memory>

namespace platter::emit_table {
namespace {

namespace wire = platter::table;
using Entry = Field;  // FlatBuffers has a function of that name
using Kind = Entry::Kind;

// FlatBuffers' walk calls it with each field, each item of an array, and each value.
class FieldVisitor : public flatbuffers::IterationVisitor {
 public:
  std::vector<Entry> take() { return std::move(fields_); }

  void StartSequence() override { levels_.push_back({}); }
  void EndSequence() override { levels_.pop_back(); }
  void Field(std::size_t, std::size_t, flatbuffers::ElementaryType type, bool is_array,
             const flatbuffers::TypeTable*, const char* name, const std::uint8_t* value) override {
    levels_.back() = {name, {}};
    if (type == flatbuffers::ET_STRING && !is_array && value == nullptr) add(Kind::text, "");
  }
  void Element(std::size_t i, flatbuffers::ElementaryType, const flatbuffers::TypeTable*,
               const std::uint8_t*) override {
    levels_.back().index = i;
  }
  void UType(std::uint8_t value, const char* name) override { number(value, name); }
  void Bool(bool value) override { add(Kind::flag, value ? "true" : "false"); }
  void Char(std::int8_t value, const char* name) override { number(value, name); }
  void UChar(std::uint8_t value, const char* name) override { number(value, name); }
  void Short(std::int16_t value, const char* name) override { number(value, name); }
  void UShort(std::uint16_t value, const char* name) override { number(value, name); }
  void Int(std::int32_t value, const char* name) override { number(value, name); }
  void UInt(std::uint32_t value, const char* name) override { number(value, name); }
  void Long(std::int64_t value) override { number(value, nullptr); }
  void ULong(std::uint64_t value) override { number(value, nullptr); }
  void Float(float value) override { add(Kind::real, fmt::format("{}", value)); }
  void Double(double value) override { add(Kind::real, fmt::format("{}", value)); }
  void String(const flatbuffers::String* text) override { add(Kind::text, text->str()); }
  void StartVector() override {}
  void EndVector() override {}
  void Unknown(const std::uint8_t*) override {}

 private:
  struct Level {
    std::string name{};
    std::optional<std::size_t> index{};
  };

  template <typename Number>
  void number(Number value, const char* name) {
    if (name != nullptr) return add(Kind::name, name);
    add(std::is_signed_v<Number> ? Kind::whole : Kind::natural, fmt::format("{}", value));
  }

  // The innermost index there is: of a number in an array, or of the struct that holds it.
  void add(Kind kind, std::string value) {
    Entry field;
    for (const Level& level : levels_) {
      if (&level != &levels_.back())
        field.section += (field.section.empty() ? "" : ".") + level.name;
      if (level.index) field.index = level.index;
    }
    field.name = levels_.back().name;
    field.kind = kind;
    field.value = std::move(value);
    fields_.push_back(std::move(field));
  }

  std::vector<Level> levels_{};
  std::vector<Entry> fields_{};
};

}  // namespace

std::vector<Field> fields_of(std::span<const std::byte> bytes) {
  const std::unique_ptr<wire::DriveT> drive(wire::UnPackDrive(bytes.data()));
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);  // else the walk passes over what is not written
  wire::FinishDriveBuffer(builder, wire::Drive::Pack(builder, drive.get()));
  FieldVisitor visitor;
  flatbuffers::IterateFlatBuffer(builder.GetBufferPointer(), wire::DriveTypeTable(), &visitor);
  return visitor.take();
}

}  // namespace platter::emit_table
