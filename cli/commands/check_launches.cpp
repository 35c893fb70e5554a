#include "cli/commands/check_launches.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "cli/options/open_store.h"
#include "cli/options/query_options.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/value/launch_filter.h"
#include "warpledger/ptx/module.h"

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

/// The kernels that the budget means.
Result<std::vector<std::string>> kernels_of(const Budget& budget, const std::string& file,
                                            const std::string& gpu_name) {
  if (!budget.kernel.starts_with("regex:")) return std::vector{budget.kernel};
  WL_TRY(const KernelPattern pattern, KernelPattern::parse(budget.kernel));
  WL_TRY(const Gpu gpu, load_gpu(gpu_name));
  WL_TRY(const ptx::Module module,
         profile::load_module({.path = file, .arch = gpu.architecture.id}));
  std::vector<std::string> names = profile::kernel_names(module);
  std::erase_if(names, [&](const std::string& name) { return !pattern.matches(name); });
  return names;
}

exec::Extent extent_of(const std::vector<int64_t>& numbers) {
  exec::Extent extent = {1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(numbers.size(), 3); ++i)
    extent[i] = static_cast<uint32_t>(numbers[i]);
  return extent;
}

Result<profile::Query> query_of(const Budget& budget, const std::string& file,
                                const std::string& kernel, const std::string& gpu) {
  Result<profile::Query> parsed = parse_query(budget.options);
  if (!parsed) return in_budget(budget, parsed.error().message);
  profile::Query query = *std::move(parsed);
  query.gpu = gpu;
  query.what.file.path = file;
  query.what.kernel = kernel;
  query.what.grid = extent_of(budget.grid);
  query.what.block = extent_of(budget.block);
  query.what.dynamic_shared_bytes = static_cast<uint32_t>(budget.shared_bytes);
  query.what.arguments = budget.arguments;
  return query;
}

Result<Profile> ask(Session& session, const Budget& budget, const profile::Query& query,
                    store::Store* store) {
  Result<profile::QueryAnswer> answer = profile::answer(query, store);
  if (answer) return std::move(answer->profile);
  fail(session, answer.error());
  return in_budget(budget, "its kernel could not be profiled");
}

Result<std::vector<ProfiledLaunch>> from_kernels(Session& session, const BudgetOptions& options,
                                                 const Budget& budget) {
  std::optional<store::Store> store = open_store(session, !options.no_store);
  const std::string file = beside(options.budgets_file, budget.file);
  std::vector<ProfiledLaunch> launches;
  for (const std::string& gpu : budget.gpus) {
    WL_TRY(const auto kernels, kernels_of(budget, file, gpu));
    for (const std::string& kernel : kernels) {
      WL_TRY(const profile::Query query, query_of(budget, file, kernel, gpu));
      WL_TRY(Profile made, ask(session, budget, query, pointer_to(store)));
      launches.push_back({.kernel = profile::function_name(made.kernel), .gpu = gpu, .file = file});
      launches.back().profile = std::move(made);
    }
  }
  return launches;
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
    WL_TRY(launches, from_kernels(session, options, budget));
  }
  if (launches.empty()) return in_budget(budget, "no launch matches");
  return launches;
}

}  // namespace warpledger::cli
