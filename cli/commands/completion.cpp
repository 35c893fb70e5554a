// `warpledger completion SHELL`: a completion script made from the same option table as the help.
// Each script walks the words that are typed, from command to command, and offers what may follow.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/options/options.h"

namespace warpledger::cli {
namespace {

struct Word {
  std::string text;
  std::string meaning;
};

/// "-f,--force-overwrite" is two words; a positional's name is none.
void add_option_words(const OptionText& option, std::vector<Word>& words) {
  for (size_t begin = 0; begin < option.names.size();) {
    const size_t end = std::min(option.names.find(',', begin), option.names.size());
    const std::string name = option.names.substr(begin, end - begin);
    if (name.starts_with("-")) words.push_back({name, option.meaning});
    begin = end + 1;
  }
}

/// What may follow the command: the commands below it, and its options.
std::vector<Word> words_of(const Command& app) {
  std::vector<Word> words;
  for (const Command& below : app.subcommands()) words.push_back({below.name(), below.summary()});
  for (const OptionText& option : app.visible_options()) add_option_words(option, words);
  return words;
}

/// In single quotes, as bash and zsh (`escape` is '\'') or fish (\') write them; on one line.
std::string quoted(const std::string& text, std::string_view escape) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += escape;
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out + "'";
}

using CaseWriter = std::string (*)(const std::string& path, const std::vector<Word>& words);

std::string all_cases(const Command& app, CaseWriter write) {
  std::string cases = write(command_path(app), words_of(app));
  for (const Command& below : app.subcommands()) cases += all_cases(below, write);
  return cases;
}

std::string bash_case(const std::string& path, const std::vector<Word>& words) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return fmt::format("    \"{}\") words=\"{}\" ;;\n", path, fmt::join(texts, " "));
}

std::string zsh_case(const std::string& path, const std::vector<Word>& words) {
  std::string text = fmt::format("    \"{}\") found=(\n", path);
  for (const Word& word : words)
    text += fmt::format("      {}\n", quoted(word.text + ":" + word.meaning, "'\\''"));
  return text + "    ) ;;\n";
}

std::string fish_case(const std::string& path, const std::vector<Word>& words) {
  std::string text =
      fmt::format("        case {}\n            printf '%s\\t%s\\n'", quoted(path, "\\'"));
  for (const Word& word : words)
    text += fmt::format(" \\\n                {} {}", quoted(word.text, "\\'"),
                        quoted(word.meaning, "\\'"));
  return text + "\n";
}

std::string bash_script(const Command& app) {
  return R"bash(# Completion of warpledger for bash:  source <(warpledger completion bash)
_warpledger() {
  local path="warpledger" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    [[ "$word" != -* && " $(_warpledger_words "$path") " == *" $word "* ]] && path+=" $word"
  done
  COMPREPLY=($(compgen -W "$(_warpledger_words "$path")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
_warpledger_words() {
  local words=""
  case "$1" in
)bash" + all_cases(app, bash_case) +
         R"bash(  esac
  echo "$words"
}
complete -o default -F _warpledger warpledger
)bash";
}

std::string zsh_script(const Command& app) {
  return R"zsh(#compdef warpledger
# Completion of warpledger for zsh:  source <(warpledger completion zsh), behind compinit;
# or as the file _warpledger in a folder of $fpath.
_warpledger() {
  local place="warpledger" word
  local -a found
  for word in "${(@)words[2,CURRENT-1]}"; do
    _warpledger_words "$place"
    [[ "$word" != -* && -n "${(@M)found:#${word}:*}" ]] && place+=" $word"
  done
  _warpledger_words "$place"
  _describe -o 'warpledger' found
  _files
}
_warpledger_words() {
  found=()
  case "$1" in
)zsh" + all_cases(app, zsh_case) +
         R"zsh(  esac
}
if [[ "$funcstack[1]" == "_warpledger" ]]; then _warpledger "$@"; else compdef _warpledger warpledger; fi
)zsh";
}

std::string fish_script(const Command& app) {
  return R"fish(# Completion of warpledger for fish:  warpledger completion fish | source
function __warpledger_words
    switch "$argv[1]"
)fish" + all_cases(app, fish_case) +
         R"fish(    end
end
function __warpledger_complete
    set -l place warpledger
    set -l typed (commandline -opc)
    for word in $typed[2..]
        string match -q -- '-*' $word; and continue
        contains -- $word (__warpledger_words "$place" | string split -f 1 \t); and set place "$place $word"
    end
    __warpledger_words "$place"
end
complete -c warpledger -a '(__warpledger_complete)'
)fish";
}

std::string script_for(const std::string& shell, const Command& app) {
  if (shell == "zsh") return zsh_script(app);
  return shell == "fish" ? fish_script(app) : bash_script(app);
}

}  // namespace

void add_completion(Command& app, Session& session) {
  Command command = add_command(app, "completion", "print a completion script for your shell",
                                "  source <(warpledger completion bash)\n"
                                "  source <(warpledger completion zsh)\n"
                                "  warpledger completion fish | source");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->one_of({"bash", "zsh", "fish"});
  command->callback([&app, &session, shell] { session.out << script_for(*shell, app); });
}

}  // namespace warpledger::cli
