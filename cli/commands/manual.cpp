// `warpledger manual`: the man page, made from the same option table as the help.
#include "cli/commands/manual.h"

#include <fmt/format.h>

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

void add_options(const CLI::App& app, std::string& page) {
  for (const CLI::Option* option : visible_options(app)) {
    // CLI11 writes the names and the value's type as its help shows them.
    const std::string name = option->get_name(option->get_positional(), true);
    const std::string type = option->get_expected_max() == 0 ? "" : option->get_type_name();
    page += fmt::format(".TP\n.B {}\n", escaped(type.empty() ? name : name + " " + type));
    page += escaped(option->get_description()) + "\n";
  }
}

void add_command_page(const CLI::App& command, std::string& page) {
  page += fmt::format(".SS {}\n{}\n", escaped(command_path(command)),
                      escaped(command.get_description()));
  if (!command.get_footer().empty()) {
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.get_footer()));
  }
  add_options(command, page);
  for (const CLI::App* below : command.get_subcommands(nullptr)) add_command_page(*below, page);
}

std::string man_page(const CLI::App& app) {
  std::string page =
      fmt::format(".TH WARPLEDGER 1 \"\" \"warpledger {}\" \"User Commands\"\n", WL_VERSION);
  page += ".SH NAME\nwarpledger \\- where every byte of a GPU kernel goes, without a GPU\n";
  page += ".SH SYNOPSIS\n.B warpledger\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n";
  page += ".SH OPTIONS\n";
  add_options(app, page);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands(nullptr)) add_command_page(*command, page);
  page +=
      ".SH EXIT STATUS\n.TP\n.B 0\nanswered\n.TP\n.B 1\na gate failed, or something does not fit\n"
      ".TP\n.B 2\nusage, or a file that cannot be read\n.TP\n.B 70\na bug of warpledger\n";
  return page;
}

}  // namespace

void add_manual(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "manual", "the manual page, for man",
                                  "  warpledger manual > warpledger.1 && man ./warpledger.1");
  command->callback([&app, &session] { session.out << man_page(app); });
}

}  // namespace warpledger::cli
