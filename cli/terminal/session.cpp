#include "cli/terminal/session.h"

namespace warpledger::cli {

void fail(Session& session, const Diagnostic& diagnostic) {
  std::string text = to_text(diagnostic);
  const std::string_view word = "error:";
  if (const size_t at = text.find(word); session.color && at != std::string::npos) {
    text.replace(at, word.size(), "\033[1;31merror:\033[0m");
  }
  session.err << text;
  session.exit_code = kBadInput;
}

Command add_command(Command& app, const std::string& name, const std::string& summary,
                    const std::string& examples) {
  Command command = app.add_subcommand(name, summary);
  command->footer("Examples:\n" + examples);
  return command;
}

}  // namespace warpledger::cli
