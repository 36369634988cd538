#include "model/name_promise.h"

#include "catch.h"

using namespace platter::model;

TEST_CASE("an ending that programs go by promises a form, in any case; others do not") {
  CHECK(promise_of("a/drive.json").form == "JSON");
  CHECK(promise_of("DRIVE.JSON.GZ").form == "gzip");
  CHECK(promise_of("DRIVE.JSON.GZ").ending == ".gz");
  for (const char* const name : {"drive", "drive.2026", "ST3500.12", ".json", "a.json/drive", "-"})
    CHECK(promise_of(name).form.empty());
}
