// Completions for bash, zsh and fish: subcommands, options, the values of options that have a fixed
// set, the catalogue's drives; else files.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "model/error.h"
#include "virtual_drive/catalogue.h"

namespace platter::cli {
namespace {

// Every command, the root first.
void each(const Command& command, const std::function<void(const Command&)>& act) {
  act(command);
  for (const Command& sub : command.commands) each(sub, act);
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

std::vector<std::string> subcommands_of(const Command& command) {
  std::vector<std::string> names;
  for (const Command& sub : command.commands) names.push_back(last_word(sub.path));
  return names;
}

std::vector<std::string> options_of(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> drives() {
  std::vector<std::string> names;
  for (const virtual_drive::CatalogueEntry& entry : virtual_drive::catalogue())
    names.push_back("virtual:" + std::string(entry.name));
  return names;
}

// Cases of a shell's `case "$at $word"`: which words lead to another command.
std::string steps(const Command& root) {
  std::string text;
  each(root, [&](const Command& command) {
    if (&command != &root) text += fmt::format("{}'{}'", text.empty() ? "" : " | ", command.path);
  });
  return text;
}

// `words` of each command, of each option with a set.
std::string cases(const Command& root, const std::string& set) {
  std::string text = "  case \"$at $before\" in\n";
  each(root, [&](const Command& command) {
    for (const CommandOption& option : command.options)
      for (const std::string& name : option.names)
        if (!option.positional && !option.values.empty())
          text += fmt::format("    '{} {}') {}='{}'; is_value=1 ;;\n", command.path, name, set,
                              joined(option.values));
  });
  text += "  esac\n  [ -n \"$is_value\" ] || case \"$at\" in\n";
  each(root, [&](const Command& command) {
    text += fmt::format("    '{}') {}='{}'; subs='{}' ;;\n", command.path, set,
                        joined(options_of(command)), joined(subcommands_of(command)));
  });
  return text + "  esac\n";
}

std::string bash(const Command& root) {
  return fmt::format(R"(# bash completion for platter; written by platter itself
_platter() {{
  local line=${{COMP_LINE:0:COMP_POINT}} cur before at=platter words= subs= is_value= word
  local -a typed
  read -ra typed <<< "$line"
  cur=
  [[ $line == *[[:space:]] ]] || {{ cur=${{typed[-1]}}; unset 'typed[-1]'; }}
  before=${{typed[-1]}}
  for word in "${{typed[@]:1}}"; do
    case "$at $word" in
      {0}) at="$at $word" ;;
    esac
  done
{1}  COMPREPLY=()
  if [[ -n $is_value || $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [ -n "$subs" ]; then
    COMPREPLY=($(compgen -W "$subs" -- "$cur"))
  elif [[ -n $cur && virtual: == "$cur"* || $cur == virtual:* ]]; then
    COMPREPLY=($(compgen -W '{2}' -- "$cur"))
    # readline cuts words at colons: what stands in front of the last one is there already
    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${{COMPREPLY[@]#virtual:}}")
  fi
}}
complete -o default -F _platter platter
)",
                     steps(root), cases(root, "words"), joined(drives()));
}

std::string zsh(const Command& root) {
  return fmt::format(R"(#compdef platter
# zsh completion for platter; written by platter itself
_platter() {{
  local at=platter before=${{words[CURRENT-1]}} found= subs= is_value= word
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
      {0}) at="$at $word" ;;
    esac
  done
{1}  if [[ -n $is_value || $PREFIX == -* ]]; then
    compadd -- ${{=found}}
  elif [ -n "$subs" ]; then
    compadd -- ${{=subs}}
  else
    compadd -- {2}
    _files
  fi
}}
_platter "$@"
)",
                     steps(root), cases(root, "found"), joined(drives()));
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("\\'", at)) != text.npos; at += 2)
    text.insert(at, 1, '\\');
  return "'" + text + "'";
}

std::string fish(const Command& root) {
  std::string text = fmt::format(R"(# fish completion for platter; written by platter itself
function __platter_at
  set -l at platter
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case {0}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
)",
                                 [&] {
                                   std::string all;
                                   each(root, [&](const Command& command) {
                                     if (&command != &root) all += quoted(command.path) + " ";
                                   });
                                   return all;
                                 }());
  each(root, [&](const Command& command) {
    const std::string here = fmt::format("complete -c platter -n \"__platter_at '{}'\"",
                                         command.path);
    for (const Command& sub : command.commands)
      text += fmt::format("{} -f -a {} -d {}\n", here, last_word(sub.path),
                          quoted(sub.description));
    for (const CommandOption& option : command.options) {
      if (option.positional) continue;
      text += here;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.values.empty())
        text += " -x -a " + quoted(joined(option.values));
      else if (!option.takes.empty())
        text += " -r";
      text += " -d " + quoted(option.description) + "\n";
    }
  });
  return text + fmt::format("complete -c platter -a {}\n", quoted(joined(drives())));
}

}  // namespace

std::string completion(const Command& root, const std::string& shell) {
  if (shell == "bash") return bash(root);
  if (shell == "zsh") return zsh(root);
  if (shell == "fish") return fish(root);
  throw Error(
      ExitStatus::usage,
      fmt::format("there is no completion for \"{}\"; there are bash, zsh and fish", shell));
}

}  // namespace platter::cli
