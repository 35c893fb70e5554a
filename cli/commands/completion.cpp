// `warpledger completion bash`: a completion script made from the same option table as the help.
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/options.h"

namespace warpledger::cli {
namespace {

// One case of the script: the words that may follow `path`.
void add_cases(const Command& app, std::string& script) {
  std::vector<std::string> words = command_names(app);
  for (const std::string& name : option_names(app)) words.push_back(name);
  script += fmt::format("    \"{}\") words=\"{}\" ;;\n", command_path(app), fmt::join(words, " "));
  for (const Command& command : app.subcommands()) add_cases(command, script);
}

std::string bash_script(const Command& app) {
  std::string cases;
  add_cases(app, cases);
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
)bash" + cases +
         R"bash(  esac
  echo "$words"
}
complete -o default -F _warpledger warpledger
)bash";
}

}  // namespace

void add_completion(Command& app, Session& session) {
  Command command = add_command(app, "completion", "print a completion script for your shell",
                                "  source <(warpledger completion bash)");
  command->add_option("shell", "bash")->required()->one_of({"bash"});
  command->callback([&app, &session] { session.out << bash_script(app); });
}

}  // namespace warpledger::cli
