#include "cli/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace warpledger::cli {
namespace {

std::vector<const CLI::Option*> shown(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

}  // namespace

Option* Option::required(bool is) {
  option_->required(is);
  return this;
}
Option* Option::group(const std::string& heading) {
  option_->group(heading);
  return this;
}
Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}
Option* Option::option_text(const std::string& text) {
  option_->option_text(text);
  return this;
}
Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}
Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}
Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}
Option* Option::allow_extra_args(bool may) {
  option_->allow_extra_args(may);
  return this;
}
Option* Option::take_all() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}
Option* Option::one_of(std::initializer_list<const char*> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  return this;
}
Option* Option::one_of(std::initializer_list<int> numbers) {
  option_->check(CLI::IsMember(std::vector<int>(numbers)));
  return this;
}
Option* Option::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}
Option* Option::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return this;
}
Option* Option::positive() {
  option_->check(CLI::PositiveNumber);
  return this;
}
size_t Option::count() const { return option_->count(); }

template <typename Value>
Option Command::add_option(const std::string& names, Value& value, const std::string& meaning) {
  return Option(*app_->add_option(names, value, meaning));
}
Option Command::add_option(const std::string& names, const std::string& meaning) {
  return Option(*app_->add_option(names, meaning));
}
Option Command::add_option(const std::string& names, std::function<void(const std::string&)> take,
                           const std::string& meaning) {
  return Option(*app_->add_option_function<std::string>(names, take, meaning));
}
Option Command::add_choice(const std::string& names, const std::map<std::string, int>& words,
                           std::function<void(int)> take, const std::string& meaning) {
  CLI::Option* option = app_->add_option_function<int>(names, take, meaning);
  option->transform(CLI::CheckedTransformer(words, CLI::ignore_case));
  return Option(*option);
}
Option Command::add_flag(const std::string& names, bool& value, const std::string& meaning) {
  return Option(*app_->add_flag(names, value, meaning));
}

Command Command::add_subcommand(const std::string& name, const std::string& summary) {
  return Command(*app_->add_subcommand(name, summary));
}
Command* Command::footer(const std::string& text) {
  app_->footer(text);
  return this;
}
Command* Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
  return this;
}
Command* Command::require_subcommand(int count) {
  app_->require_subcommand(count);
  return this;
}
Command* Command::prefix_command() {
  app_->prefix_command();
  return this;
}

Command* Command::without_help() {
  app_->set_help_flag();
  return this;
}

std::string Command::name() const { return app_->get_name(); }
std::string Command::summary() const { return app_->get_description(); }
std::string Command::footer() const { return app_->get_footer(); }
Option Command::get_option(const std::string& name) const {
  return Option(*app_->get_option(name));
}

bool Command::takes_value(const std::string& word) const {
  const CLI::Option* option = app_->get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

Command Command::subcommand(const std::string& name) const {
  return Command(*app_->get_subcommand(name));
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> found;
  for (CLI::App* below : app_->get_subcommands(nullptr)) found.emplace_back(*below);
  return found;
}

bool Command::has_chosen() const { return !app_->get_subcommands().empty(); }
std::vector<std::string> Command::remaining() const { return app_->remaining(); }

std::vector<OptionText> Command::visible_options() const {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : shown(*app_)) {
    // CLI11 writes the names and the value's type as its help shows them.
    texts.push_back({.names = option->get_name(option->get_positional(), true),
                     .type = option->get_expected_max() == 0 ? "" : option->get_type_name(),
                     .meaning = option->get_description()});
  }
  return texts;
}

OptionTable::OptionTable() : app_(std::make_unique<CLI::App>()), root_(*app_) {}
OptionTable::~OptionTable() = default;

Status OptionTable::parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as the parser wants it
  try {
    app_->parse(words);
  } catch (const CLI::ParseError& error) {
    return Diagnostic{.message = error.what(), .code = "usage"};
  }
  return {};
}

void throw_required(const std::string& name) { throw CLI::RequiredError(name); }

std::string command_path(const Command& command) {
  CLI::App* parent = command.app().get_parent();
  return parent == nullptr ? command.name() : command_path(Command(*parent)) + " " + command.name();
}

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& below : command.subcommands()) names.push_back(below.name());
  return names;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : shown(command.app())) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

#define WL_OPTION_OF(...)                                                            \
  template Option Command::add_option<__VA_ARGS__>(const std::string&, __VA_ARGS__&, \
                                                   const std::string&);
WL_OPTION_OF(std::string)
WL_OPTION_OF(std::vector<std::string>)
WL_OPTION_OF(std::optional<std::string>)
WL_OPTION_OF(int)
WL_OPTION_OF(int64_t)
WL_OPTION_OF(uint32_t)
WL_OPTION_OF(uint64_t)
WL_OPTION_OF(double)
WL_OPTION_OF(std::vector<uint32_t>)
WL_OPTION_OF(std::vector<int64_t>)
WL_OPTION_OF(std::optional<int64_t>)
WL_OPTION_OF(std::optional<uint64_t>)
#undef WL_OPTION_OF

}  // namespace warpledger::cli
