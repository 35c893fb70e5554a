#include "cli/check_launches.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "cli/commands.h"
#include "cli/kernel_options.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/launch_filter.h"
#include "warpledger/profile/report_file.h"

namespace warpledger::cli {
namespace {

using profile::KernelPattern;
using profile::Profile;
using profile::budget::Budget;

std::string beside(const std::string& budgets_file, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(budgets_file).parent_path();
  return (fs::path(path).is_absolute() ? fs::path(path) : folder / path)
      .lexically_normal()
      .string();
}

Diagnostic in_budget(const Budget& budget, const std::string& what) {
  return {.message = fmt::format("budget '{}': {}", budget.name, what),
          .code = "bad-budget",
          .at = budget.at};
}

Result<std::vector<ProfiledLaunch>> from_report(const Budget& budget, const std::string& path) {
  WL_TRY(std::string text, read_file(path));
  WL_TRY(std::vector<Profile> all, profile::read_report(Source(path, std::move(text))));
  std::optional<KernelPattern> pattern;
  if (!budget.kernel.empty()) {
    WL_TRY(pattern, KernelPattern::parse(budget.kernel));
  }
  std::vector<ProfiledLaunch> launches;
  std::map<std::string, size_t> seen;  // a program may launch a kernel again
  for (Profile& one : all) {
    const auto is = [&](const std::string& gpu) {
      return gpu == one.gpu.id || gpu == one.gpu_request;
    };
    if (pattern && !pattern->matches(one.kernel)) continue;
    if (!budget.gpus.empty() && std::none_of(budget.gpus.begin(), budget.gpus.end(), is)) continue;
    std::string name = profile::function_name(one.kernel);
    const std::string gpu = one.gpu_request;
    const size_t number = ++seen[name + " on " + gpu];
    if (number > 1) name += fmt::format(" #{}", number);
    launches.push_back({.kernel = std::move(name), .gpu = gpu});
    launches.back().profile = std::move(one);
  }
  return launches;
}

/// The kernels that the budget means: what `profile` is to be asked for.
Result<std::vector<std::string>> kernels_of(const Budget& budget, const std::string& file,
                                            const std::string& gpu_name) {
  if (!budget.kernel.starts_with("regex:")) return std::vector{budget.kernel};
  WL_TRY(const KernelPattern pattern, KernelPattern::parse(budget.kernel));
  WL_TRY(const Gpu gpu, load_gpu(gpu_name));
  KernelOptions options{.file = file, .arch = gpu.architecture.id};
  WL_TRY(const ptx::Module module, load_module(options));
  std::vector<std::string> names;
  for (const ptx::Function& function : module.functions) {
    const std::string name(function.name);
    if (function.is_entry && function.has_body && pattern.matches(name)) names.push_back(name);
  }
  return names;
}

std::string comma_list(const std::vector<int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::vector<std::string> command_line(const BudgetOptions& options, const Budget& budget,
                                      const std::string& file, const std::string& kernel,
                                      const std::string& gpu) {
  std::vector<std::string> line = {"profile",  file,
                                   "--kernel", kernel,
                                   "--gpu",    gpu,
                                   "--grid",   comma_list(budget.grid),
                                   "--block",  comma_list(budget.block)};
  if (budget.shared_bytes > 0)
    line.insert(line.end(), {"--smem", std::to_string(budget.shared_bytes)});
  for (const std::string& argument : budget.arguments) line.insert(line.end(), {"--arg", argument});
  line.insert(line.end(), budget.options.begin(), budget.options.end());
  if (options.no_store) line.emplace_back("--no-store");
  line.emplace_back("--json");
  return line;
}

/// What the command would print, as a profile.
Result<Profile> run_profile(Session& session, const Budget& budget, std::vector<std::string> line) {
  std::ostringstream out, err;
  Session inner{.out = out, .err = err, .quiet = true};
  CLI::App app;
  add_profile(app, inner);
  std::reverse(line.begin(), line.end());  // as the parser wants it
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return in_budget(budget, error.what());
  }
  if (inner.exit_code != kDone) {
    session.err << err.str();
    return in_budget(budget, "its kernel could not be profiled");
  }
  WL_TRY(std::vector<Profile> made, profile::read_report(Source("profile", out.str())));
  return std::move(made.front());
}

}  // namespace

Result<std::vector<ProfiledLaunch>> profile_launches(Session& session, const BudgetOptions& options,
                                                     const Budget& budget) {
  std::vector<ProfiledLaunch> launches;
  if (!options.report.empty() || !budget.report.empty()) {
    const std::string path =
        options.report.empty() ? beside(options.budgets_file, budget.report) : options.report;
    WL_TRY(launches, from_report(budget, path));
  } else {
    const std::string file = beside(options.budgets_file, budget.file);
    for (const std::string& gpu : budget.gpus) {
      WL_TRY(const auto kernels, kernels_of(budget, file, gpu));
      for (const std::string& kernel : kernels) {
        WL_TRY(Profile made,
               run_profile(session, budget, command_line(options, budget, file, kernel, gpu)));
        launches.push_back(
            {.kernel = profile::function_name(made.kernel), .gpu = gpu, .file = file});
        launches.back().profile = std::move(made);
      }
    }
  }
  if (launches.empty()) return in_budget(budget, "no launch matches it");
  return launches;
}

}  // namespace warpledger::cli
