#include "cli/terminal/help.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <set>

#include "cli/options/options.h"
#include "cli/terminal/version.h"

namespace warpledger::cli {
namespace {

constexpr const char* kWelcome =
    R"(warpledger says where every byte of a GPU kernel goes, without a GPU.

Start here:
  warpledger demo                                            find and fix a slow kernel, step by step
  warpledger doctor                                          show what is installed and what each part adds
  warpledger gpus                                            list the supported GPUs
  warpledger occupancy --gpu rtx3090 --block 256 --regs 40   what limits a launch
  warpledger COMMAND --help                                  examples and options of a command

Commands:
)";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_color(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  if (!environment("NO_COLOR").empty()) return false;
  if (const std::string force = environment("CLICOLOR_FORCE"); !force.empty() && force != "0")
    return true;
  return ::isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb";
}

// CLI11 prints options first; a person wants the example first.
class ExampleFirst : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (app->get_parent() == nullptr) return welcome(*app);
    std::string text = app->get_description() + "\n\n";
    if (!app->get_footer().empty()) text += app->get_footer() + "\n\n";
    text += make_usage(app, std::move(name)) + make_positionals(app);
    return text + make_groups(app, mode) + make_subcommands(app, mode);
  }
  std::string make_footer(const CLI::App*) const override { return ""; }

 private:
  [[nodiscard]] std::string welcome(const CLI::App& app) const {
    std::string text = kWelcome;
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
      text += fmt::format("  {:<12} {}\n", command->get_name(), command->get_description());
    }
    const auto visible =
        app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
    return text + "\nOptions:\n" + make_group("", false, visible).substr(3);
  }
};

// The first word of the command line that the parser left over, and what it may have meant.
Diagnostic unknown_word(const Command& app, const std::string& word) {
  const bool option = word.starts_with("-");
  const auto equals = word.find('=');
  const std::string name = word.substr(0, equals);
  std::vector<std::string> known = option ? option_names(app) : command_names(app);
  std::string hint = did_you_mean(name, known);
  const std::string path = command_path(app);
  if (hint.empty()) hint = fmt::format("run '{} --help' for a list", path);
  return {
      .message = fmt::format("unknown {} '{}' for '{}'", option ? "option" : "command", name, path),
      .hint = hint,
      .code = "usage"};
}

Command deepest_chosen(const Command& app) {
  CLI::App* chosen = &app.app();
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return Command(*chosen);
}

int usage_error(const Command& app, Session& session, const CLI::ParseError& error) {
  const Command chosen = deepest_chosen(app);
  const std::vector<std::string> left = app.app().remaining(true);
  // A misspelt required option is both unknown and missing: the spelling is the cause.
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                       dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (unknown && !left.empty()) {
    fail(session, unknown_word(chosen, left.front()));
  } else {
    fail(session, {.message = error.what(),
                   .hint = fmt::format("'{} --help' shows examples", command_path(chosen)),
                   .code = "usage"});
  }
  return kBadInput;
}

}  // namespace

void describe(Command& command, Session& session) {
  CLI::App& app = command.app();
  app.name("warpledger");
  app.formatter(std::make_shared<ExampleFirst>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("warpledger ") + WL_VERSION, "print the version");
  app.add_flag("--verbose")->description("with --version: also print how it was built");
  app.add_flag("-q,--quiet", session.quiet, "print no notes and no progress");
  app.add_option_function<std::string>(
         "--color", [&](const std::string& choice) { session.color = wants_color(choice); },
         "color messages: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto")
      ->trigger_on_parse();
  session.color = wants_color("auto");
  app.require_subcommand(0, 1);
  app.fallthrough(false);
}

int run(Command& command, Session& session, int argc, char** argv) {
  CLI::App& app = command.app();
  if (argc <= 1) {
    session.out << app.help();
    return kDone;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    CLI::App& chosen = deepest_chosen(command).app();
    CLI::App* parent = chosen.get_parent();
    session.out << chosen.help(parent == nullptr ? "" : command_path(Command(*parent)));
  } catch (const CLI::CallForVersion& version) {
    session.out << version.what() << '\n';
    const bool verbose = std::find(argv, argv + argc, std::string_view("--verbose")) != argv + argc;
    if (verbose) session.out << provenance();
  } catch (const CLI::ParseError& error) {
    return usage_error(command, session, error);
  } catch (const std::exception& bug) {
    session.err << "internal error: " << bug.what()
                << "\nThis is a bug in warpledger; please report it.\n";
    return kInternalBug;
  }
  if (session.out.flush()) return session.exit_code;
  session.err << "error: cannot write standard output; is the disk full? [file-access]\n";
  return kBadInput;
}

}  // namespace warpledger::cli
