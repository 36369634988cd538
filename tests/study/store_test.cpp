// What a loss of power may leave of a point is none, nor one that somebody edited.
#include "study/store.h"

#include "catch.h"
#include "model/checked_line.h"
#include "study_folder.h"

namespace platter::study {
namespace {

TEST_CASE("some of a point's file, zeros in it, or another number, is no point") {
  const StudyFolder folder;
  const Store store(folder.path("results"));
  const std::string key(64, 'a');
  const std::string whole =
      model::checked_file(R"({"schema":{"name":"platter-study-point","version":"1.0"},"key":")" +
                          key + R"(","result":{"requests":3,"mean_ms":1.25}})");
  std::filesystem::create_directories(std::filesystem::path(store.point_path(key)).parent_path());
  const auto left = [&](const std::string& text) {
    model::write_file(store.point_path(key), text);
    return store.point(key);
  };
  CHECK(is_result(left(whole)));
  for (std::size_t kept = 0; kept + 1 < whole.size(); ++kept) {  // but for the line's end
    INFO(kept);
    CHECK(left(whole.substr(0, kept)).is_null());
    CHECK(left(whole.substr(0, kept) + std::string(whole.size() - kept, '\0')).is_null());
  }
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK(left(changed).is_null());
  }
  std::string edited = whole;
  edited.replace(edited.find("1.25"), 4, "0.99");
  CHECK(left(edited).is_null());
}

}  // namespace
}  // namespace platter::study
