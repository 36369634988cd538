// A drive's serial number says whose drive it is. It is kept out of what is published unless its
// owner says otherwise, and this registry still recognizes the drive.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/drive_model.h"
#include "registry/store.h"

namespace platter::registry {

// What is published in the place of the serial number: an HMAC of vendor, product and serial number
// under a key that stays in this registry, so that nobody else can find the number by trial. Empty
// where there is no number; a stand-in is its own, so that a model that was pulled stays of the
// same drive. Needs the lock of the registry, and makes its key. Throws Error(refused) for a key
// that others may change.
std::string stand_in_for(const model::Identity& identity, const Store& store);

bool is_stand_in(const std::string& serial);

// A number that is long enough not to be found in texts by chance.
bool is_telling(const std::string& serial);

// In a model's document: in the identity, and in every text if the number is telling.
void hide_serial(nlohmann::json& model, const std::string& serial, const std::string& stand_in);

// The text with the stand-in in every place of the number.
std::string with_stand_in(std::string text, const std::string& serial, const std::string& stand_in);

// Where the number begins in a text, in any case of letters: names by id are often spelled
// otherwise. npos: nowhere.
std::size_t place_of_serial(std::string_view text, std::string_view serial, std::size_t from = 0);

// The stand-in under which this registry has published the drive, or would; empty where it has
// never made one (there is no key), and for a drive without a serial number. Reads only.
std::string known_stand_in(const Store& store, const model::Identity& identity);

// Of the key, where others may read it: a sentence with what to do.
std::optional<std::string> concern_about_key(const Store& store);

// Throws Error(refused) for what is compressed: nobody sees what numbers it holds.
void require_not_compressed(std::string_view content, const std::string& path);

// Whose number a file that goes along has.
enum class Whose { own, others };

// Throws Error(refused) if a file, or its name, that goes along with the model has the serial
// number in it, however it is spelled.
void require_without_serial(std::string_view content, const std::string& serial,
                            const std::string& path, Whose whose);

// Throws Error(refused) if the file itself calls something a serial number that is neither the
// drive's own nor a stand-in.
void require_no_others_told(std::string_view content, const std::string& own,
                            const std::string& path);

}  // namespace platter::registry
