// The files that go along with a model: what each is, whether it is of this drive, and how it is
// without the drive's serial number.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "registry/oci.h"

namespace platter::registry {

struct Attachment {
  std::string path, title, media_type, content;
};

// What the room does not know of lookup tables, for which the command line answers.
struct Tables {
  // The serial number in it. Throws Error(bad_input) for what is no table that can be read.
  std::function<std::string(const std::string& content, const std::string& path)> serial_in{};
  std::function<std::string(const model::DriveModel& model)> make{};
};

inline constexpr const char* kModelTitle = "model.json";  // of the model's layer

// What lies beside the model under its name: of X.json its samples (X.samples.jsonl), and each
// X.EXT of a kind that read_attachments() knows, but for other JSON. In the order of their names.
std::vector<std::string> files_beside(const std::string& model_path);

// Titles are the files' names; Error(usage) where two are alike. Files of platter are recognized by
// their schema, others by their extension.
std::vector<Attachment> read_attachments(const std::vector<std::string>& paths);

// Throws Error(refused) for a result, samples, a comparison or a table of which it can be told that
// they are of another drive than the model.
void require_of_drive(const Attachment& attachment, const model::DriveModel& model,
                      const Tables& tables);

// As the model's validity would state them: of the comparisons with this very model. Empty for
// other files.
std::vector<model::Demerit> demerits_in(const Attachment& attachment,
                                        const model::DriveModel& model);

// Samples, results and comparisons with the stand-in in the number's place, tables made again of
// `hidden`, which is the model with the stand-in. Throws Error(refused) for another file that has
// the number in it.
void hide_serial(Attachment& attachment, const model::Identity& plain,
                 const model::DriveModel& hidden, const Tables& tables);

}  // namespace platter::registry
