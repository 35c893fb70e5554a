#include "warpledger/study/profiled.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/kept.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/store/key.h"

namespace warpledger::study {
namespace {

using profile::Profile;

void add_case(const KernelCase& one, store::Key& key) {
  key.add("kernel", one.kernel);
  for (const uint32_t n : one.grid) key.add("grid", n);
  for (const uint32_t n : one.block) key.add("block", n);
  key.add("shared", one.dynamic_shared_bytes);
  for (const std::string& argument : one.arguments) key.add("argument", argument);
  key.add("registers", one.registers ? std::to_string(*one.registers) : "ptxas");
}

/// What an argument takes from a file is not in its text.
bool names_a_file(const KernelCase& one) {
  return std::any_of(one.arguments.begin(), one.arguments.end(),
                     [](const std::string& a) { return a.find(":@") != std::string::npos; });
}

/// Empty: not to be kept.
std::string key_of(const KernelText& text, const KernelCase& one, const Gpu& gpu,
                   const RunOptions& options, const KernelCase* before) {
  if (options.store == nullptr || names_a_file(one)) return "";
  store::Key key("study 1");
  key.add("ptx", text.ptx);
  if (!profile::add_gpu(gpu, options.request_of(gpu), key)) return "";
  add_case(one, key);
  if (before != nullptr) add_case(*before, key);
  key.add("exact", options.sampling.exact);
  key.add("budget", fmt::format("{}", options.sampling.budget_seconds));
  key.add("witness", options.witness);
  if (options.witness) profile::add_tools(key);
  return key.hex();
}

Result<profile::Request> request_of(const ptx::Module& module, const KernelText& text,
                                    const KernelCase& one, const Gpu& gpu) {
  profile::Request request{.module = module, .file = text.file, .kernel = one.kernel};
  request.gpu = gpu;
  request.grid = one.grid;
  request.block = one.block;
  request.dynamic_shared_bytes = one.dynamic_shared_bytes;
  request.registers = one.registers;
  for (const std::string& argument : one.arguments) {
    const int number = static_cast<int>(request.arguments.size()) + 1;
    WL_TRY(exec::Argument parsed, exec::parse_argument(argument, number));
    request.arguments.push_back(std::move(parsed));
  }
  request.engine.values = exec::Values::kOff;
  request.engine.code_folder = exec::default_code_folder();
  return request;
}

Result<Profile> run_case(const KernelText& text, const KernelCase& one, const Gpu& gpu,
                         const RunOptions& options, const KernelCase* before) {
  WL_TRY(const ptx::Module module, ptx::parse(text.file, text.ptx));
  WL_TRY(profile::Request request, request_of(module, text, one, gpu));
  request.gpu_request = options.request_of(gpu);
  request.threads = options.threads;
  request.witness = options.witness;
  request.sampling = options.sampling;
  if (before == nullptr) return profile::run(request);
  WL_TRY(const profile::Request earlier, request_of(module, text, *before, gpu));
  request.policy.flush_caches = false;
  request.before = &earlier;
  return profile::run(request);
}

}  // namespace

Result<Profile> profile_case(const KernelText& text, const KernelCase& one, const Gpu& gpu,
                             const RunOptions& options, const KernelCase* before) {
  const std::string key = key_of(text, one, gpu, options, before);
  if (!key.empty()) {
    if (auto kept = profile::find_kept(*options.store, key)) return *std::move(kept);
  }
  WL_TRY(Profile made, run_case(text, one, gpu, options, before));
  made.version = options.version;
  if (!key.empty()) {
    // A study that cannot be kept is still an answer.
    [[maybe_unused]] const Status kept = profile::keep(*options.store, key, made);
  }
  return made;
}

KernelText study_kernel(std::string_view name) {
  return {std::string(name) + ".ptx", std::string(study_ptx(name))};
}

}  // namespace warpledger::study
