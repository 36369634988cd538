// Catch2, whichever major version is installed: 2 (Debian 12) is one header, 3 (Debian 13,
// Ubuntu 24.04) is many, of which these are what the tests use. Its main is Catch2::Catch2WithMain
// for both (CMakeLists.txt).
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

// The names that version 2 gave to matchers of strings.
namespace Catch {
using Matchers::EndsWith;
using Matchers::StartsWith;
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
using namespace Catch;  // as the header of version 2 ends
#else
#include <catch2/catch.hpp>
#endif
