// The option table as data: what is parsed, and what help, completion and suggestions are made
// from. It is CLI11's, whose headers take four seconds a file: options.cpp and terminal/help.cpp
// alone include them.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpledger::cli {

/// One option of a command: a handle, the table owns it. What narrows it can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option* operator->() { return this; }

  Option* required(bool is = true);
  Option* group(const std::string& heading);
  Option* type_name(const std::string& name);
  /// What help shows in place of the value's type and checks.
  Option* option_text(const std::string& text);
  /// Help shows the value that the option has now.
  Option* capture_default_str();
  Option* delimiter(char between);
  Option* expected(int least, int most);
  /// Whether one mention may be followed by several values.
  Option* allow_extra_args(bool may);
  /// Given several times: all count, not the last.
  Option* take_all();
  Option* one_of(std::initializer_list<const char*> words);
  Option* one_of(std::initializer_list<int> numbers);
  Option* between(int least, int most);
  Option* not_negative();
  Option* positive();

  /// How often it was given.
  [[nodiscard]] size_t count() const;

 private:
  CLI::Option* option_;
};

/// What help shows of an option.
struct OptionText {
  std::string names;  // "-f,--force-overwrite", or a positional's name
  std::string type;   // empty for a flag
  std::string meaning;
};

/// A command: a handle, the table owns it.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  Command* operator->() { return this; }
  const Command* operator->() const { return this; }
  Command& operator*() { return *this; }
  const Command& operator*() const { return *this; }

  /// For texts, numbers, optional ones and lists of them: the types at the end of options.cpp.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& meaning);
  /// One whose value nobody reads.
  Option add_option(const std::string& names, const std::string& meaning);
  Option add_option(const std::string& names, std::function<void(const std::string&)> take,
                    const std::string& meaning);
  /// Words for numbers, in any case: those of an enumeration.
  Option add_choice(const std::string& names, const std::map<std::string, int>& words,
                    std::function<void(int)> take, const std::string& meaning);
  Option add_flag(const std::string& names, bool& value, const std::string& meaning);

  Command add_subcommand(const std::string& name, const std::string& summary);
  Command* footer(const std::string& text);
  Command* callback(std::function<void()> run);
  Command* require_subcommand(int count);
  /// What follows the first unknown word is left over.
  Command* prefix_command();
  /// -h and --help are words like others.
  Command* without_help();

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] Option get_option(const std::string& name) const;
  /// Whether `word` is an option that takes a value.
  [[nodiscard]] bool takes_value(const std::string& word) const;
  [[nodiscard]] Command subcommand(const std::string& name) const;
  [[nodiscard]] std::vector<Command> subcommands() const;
  /// Whether the command line named one of them.
  [[nodiscard]] bool has_chosen() const;
  /// What the parser left over.
  [[nodiscard]] std::vector<std::string> remaining() const;
  [[nodiscard]] std::vector<OptionText> visible_options() const;
  [[nodiscard]] CLI::App& app() const { return *app_; }  // for terminal/help.cpp

 private:
  CLI::App* app_;
};

/// Owns the commands and options of the program, or of one list of words.
class OptionTable {
 public:
  OptionTable();
  ~OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  [[nodiscard]] Command& root() { return root_; }
  [[nodiscard]] Status parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  Command root_;
};

/// Ends a command's callback: the parser says that `name` is required.
[[noreturn]] void throw_required(const std::string& name);

/// "warpledger gpus" for that command.
[[nodiscard]] std::string command_path(const Command& command);

[[nodiscard]] std::vector<std::string> command_names(const Command& command);

/// "-q", "--quiet", "--format" ...; of the command alone, not of those below it.
[[nodiscard]] std::vector<std::string> option_names(const Command& command);

}  // namespace warpledger::cli
