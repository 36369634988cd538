#include "lib/failures.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "model/error.h"

namespace platter::lib {
namespace {

thread_local char last_error[kLongestSentence + 1] = "";

}  // namespace

platter_status failed(platter_status status, const char* sentence) noexcept {
  const std::size_t length = std::min(std::strlen(sentence), kLongestSentence);
  std::memmove(last_error, sentence, length);
  last_error[length] = '\0';
  return status;
}

platter_status failed_by_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return failed(error.status() == ExitStatus::permission ? PLATTER_NO_ACCESS : PLATTER_BAD_TABLE,
                  error.what());
  } catch (const std::bad_alloc&) {
    return failed(PLATTER_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return failed(PLATTER_INTERNAL, error.what());
  } catch (...) {
    return failed(PLATTER_INTERNAL, "an exception of unknown kind");
  }
}

const char* sentence_of_last_error() noexcept { return last_error; }

}  // namespace platter::lib
