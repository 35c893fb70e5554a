// `warpledger manual`: the man page, made from the same option table as the help.
#include "cli/commands/manual.h"

#include <fmt/core.h>

#include "cli/options/options.h"
#include "cli/terminal/version.h"

namespace warpledger::cli {
namespace {

/// Text for roff: backslashes and leading dots or quotes mean something there.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void add_options(const Command& app, std::string& page) {
  for (const OptionText& option : app.visible_options()) {
    const std::string shown = option.type.empty() ? option.names : option.names + " " + option.type;
    page += fmt::format(".TP\n.B {}\n{}\n", escaped(shown), escaped(option.meaning));
  }
}

void add_command_page(const Command& command, std::string& page) {
  page += fmt::format(".SS {}\n{}\n", escaped(command_path(command)), escaped(command.summary()));
  if (!command.footer().empty()) {
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer()));
  }
  add_options(command, page);
  for (const Command& below : command.subcommands()) add_command_page(below, page);
}

std::string man_page(const Command& app) {
  std::string page =
      fmt::format(".TH WARPLEDGER 1 \"\" \"warpledger {}\" \"User Commands\"\n", WL_VERSION);
  page += ".SH NAME\nwarpledger \\- where every byte of a GPU kernel goes, without a GPU\n";
  page += ".SH SYNOPSIS\n.B warpledger\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n";
  page += ".SH OPTIONS\n";
  add_options(app, page);
  page += ".SH COMMANDS\n";
  for (const Command& command : app.subcommands()) add_command_page(command, page);
  page +=
      ".SH EXIT STATUS\n.TP\n.B 0\nanswered\n.TP\n.B 1\na gate failed, or something does not fit\n"
      ".TP\n.B 2\nusage, or a file that cannot be read\n.TP\n.B 70\na bug in warpledger\n";
  return page;
}

}  // namespace

void add_manual(Command& app, Session& session) {
  Command command = add_command(app, "manual", "print the manual page, for man",
                                "  warpledger manual > warpledger.1 && man ./warpledger.1");
  command->callback([&app, &session] { session.out << man_page(app); });
}

}  // namespace warpledger::cli
