// What decides whom a user trusts may be changed by that user alone: private keys, keys that are
// trusted, folders of such keys. As ssh asks of its own (sshd_config, StrictModes; ssh,
// "unprotected private key"), of the file and of its own folder.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace platter::model {

// All throw Error(refused) with the path and what to do, where everybody may write, or a group that
// is not the owner's alone, or where the owner is neither this user nor root nor `also` (-1:
// nobody).

// What a file, or a symbolic link, leads to; its folders are left alone.
void require_own_content(const std::string& path, uid_t also = static_cast<uid_t>(-1));
// The same, and its folder and that of a link, in which another file could
// be put in its place. A folder with the sticky bit keeps others' hands off a file.
void require_own_file(const std::string& path, uid_t also = static_cast<uid_t>(-1));
// A folder in which every file counts: the sticky bit is of no use, a file could be added. One that
// is not there is nobody else's.
void require_own_folder(const std::string& path, uid_t also = static_cast<uid_t>(-1));

// Of a secret that others may read, a sentence with what to do.
std::optional<std::string> readable_by_others(const std::string& path);

// Of what was just made: some users' umask leaves their group the permission to write. What fails
// is found by who asks for it.
void keep_others_from_writing(const std::string& path);

// Of a file or folder; -1: it is not there.
uid_t owner_of(const std::string& path);

}  // namespace platter::model
