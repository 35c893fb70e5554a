#include "warpledger/profile/run/query.h"

#include <fmt/format.h>

#include "warpledger/base/file.h"
#include "warpledger/base/parallel.h"
#include "warpledger/cell/cell.h"
#include "warpledger/exec/decode/launch.h"
#include "warpledger/profile/file/kept.h"
#include "warpledger/profile/run/query_json.h"
#include "warpledger/profile/run/run_statistics.h"
#include "warpledger/ptx/module.h"
#include "warpledger/store/key.h"

namespace warpledger::profile {
namespace {

Result<std::vector<exec::Argument>> arguments_of(const KernelQuery& query) {
  std::vector<exec::Argument> arguments = query.given;
  for (const std::string& text : query.arguments) {
    WL_TRY(exec::Argument parsed,
           exec::parse_argument(text, static_cast<int>(arguments.size()) + 1));
    arguments.push_back(std::move(parsed));
  }
  return arguments;
}

/// Argument texts are part of the question; what a text only names is added by content:
/// x=f32[64]:@file.
Status add_files(const KernelQuery& query, store::Key& key) {
  for (const std::string& argument : query.arguments) {
    const size_t at = argument.find(":@");
    if (at == std::string::npos) continue;
    WL_TRY(const std::string bytes, read_file(argument.substr(at + 2)));
    key.add("file", bytes);
  }
  return {};
}

/// The question without what changes when a run is given up, how long it takes, or how it is
/// called: PTX and GPU are in the key by content.
Query essence_of(Query query) {
  query.what.file = {};
  query.what.ptx.clear();
  query.gpu.clear();
  query.options.limit = 0;
  query.options.timeout_seconds = 0;
  query.options.threads = 0;
  query.options.trace_cache.clear();
  return query;
}

Result<std::string> key_of(const Query& query, const Gpu& gpu, const std::string& ptx) {
  store::Key key("profile 2");
  key.add("ptx", ptx);
  WL_TRY_STATUS(add_gpu(gpu, query.gpu, key));
  if (query.options.sass) add_tools(key);
  key.add("query", to_json(essence_of(query)));
  WL_TRY_STATUS(add_files(query.what, key));
  if (query.before) WL_TRY_STATUS(add_files(*query.before, key));
  return key.hex();
}

void apply(const QueryOptions& options, Request& request) {
  request.registers = options.registers;
  request.carveout_kib = options.carveout_kib;
  if (options.prefer_shared) request.cache = CachePreference::kShared;
  request.policy.schedule.seed = options.seed;
  request.policy.flush_caches = options.flush_caches;
  request.sass = options.sass;
  request.orders = options.band ? 3 : 1;
  request.check_global = options.check_races;
  request.engine.engine = options.engine;
  request.engine.values =
      options.values == exec::Values::kAuto ? exec::Values::kOff : options.values;
  request.engine.limits.warp_instructions = options.limit;
  request.engine.code_folder = exec::default_code_folder();
  request.threads = options.threads != 0 ? options.threads : available_threads();
  request.sampling = options.sampling;
}

Result<Request> request_of(const KernelQuery& what, const Query& query, const Gpu& gpu,
                           const ptx::Module& module) {
  Request request{.module = module, .file = query.what.file.path};
  WL_TRY(request.kernel, choose_kernel(what.kernel, what.name_base, module));
  request.gpu = gpu;
  request.gpu_request = query.gpu;
  request.grid = what.grid;
  const auto kernel =
      exec::find_kernel(module, request.kernel);  // who runs it says what is missing
  request.block = kernel ? exec::block_of(**kernel, what.block) : what.block;
  request.cluster = what.cluster;
  request.dynamic_shared_bytes = what.dynamic_shared_bytes;
  WL_TRY(request.arguments, arguments_of(what));
  apply(query.options, request);
  return request;
}

Stopwatch* watch_of(const Listeners& listeners) {
  return listeners.statistics ? &listeners.statistics->watch : nullptr;
}

Result<ptx::Module> parse(const KernelFile& file, std::string ptx, const Listeners& listeners) {
  const Stopwatch::Phase timed(watch_of(listeners), phase::kParse);
  return parse_module(file, std::move(ptx));
}

Result<std::string> read_ptx(const Query& query, const Gpu& gpu, store::Store* store,
                             const Listeners& listeners) {
  const Stopwatch::Phase timed(watch_of(listeners), phase::kSource);
  if (!query.what.ptx.empty()) return query.what.ptx;
  KernelFile file = query.what.file;
  if (file.arch.empty()) file.arch = gpu.architecture.id;
  return load_ptx(file, store);
}

/// From a cell, the parent's listener hears it.
Progress progress_through(const KernelCell& cell, const Listeners& listeners) {
  return [&](uint64_t started, uint64_t all) {
    if (cell.inside == nullptr) return listeners.progress(started, all);
    const uint64_t numbers[] = {started, all};
    cell.inside->tell({reinterpret_cast<const char*>(numbers), sizeof numbers});
  };
}

Result<Profile> make(const Query& query, const Gpu& gpu, std::string ptx,
                     const Listeners& listeners, QueryAnswer& answer) {
  WL_TRY(const ptx::Module module, parse(query.what.file, std::move(ptx), listeners));
  WL_TRY(Request request, request_of(query.what, query, gpu, module));
  request.after = listeners.after;
  Observation observation{.statistics = listeners.statistics};
  KernelCell cell{.seconds = query.options.timeout_seconds};
  if (query.options.isolate && cell::can_run_here()) observation.cell = &cell;
  if (listeners.progress) request.progress = progress_through(cell, listeners);
  if (!query.options.trace_cache.empty()) {
    WL_TRY(observation.trace, parse_cache_trace(query.options.trace_cache));
    observation.traced = [&answer](CacheTrace made) { answer.trace = std::move(made); };
  }
  std::optional<Request> before;
  if (query.before) {
    WL_TRY(Request earlier, request_of(*query.before, query, gpu, module));
    before.emplace(std::move(earlier));
    request.before = &*before;
  }
  exec::Deadline deadline;
  if (query.options.timeout_seconds > 0) {
    deadline.start(query.options.timeout_seconds);
    request.engine.limits.deadline = &deadline;
  }
  exec::BadAccesses bad;
  if (query.options.continue_on_error) request.engine.limits.bad_accesses = &bad;
  observation.went_on = [&answer](auto all) { answer.bad_accesses = std::move(all); };
  WL_TRY(Profile made, run(request, observation));
  made.version = WL_VERSION;
  return made;
}

/// A profile of the store, called as this question calls it.
std::optional<Profile> find(store::Store& store, const std::string& key, const Query& query) {
  std::optional<Profile> found = find_kept(store, key);
  if (!found) return {};
  found->file = query.what.file.path;
  found->gpu_request = query.gpu;
  return found;
}

/// "" where nothing can be kept: an argument's file cannot be read, which the run itself will say,
/// or the caller holds the bytes.
std::string key_or_nothing(const Query& query, const Gpu& gpu, const std::string& ptx,
                           const store::Store* store) {
  if (store == nullptr || !query.what.given.empty()) return "";
  const Result<std::string> key = key_of(query, gpu, ptx);
  return key ? *key : "";
}

}  // namespace

std::vector<std::string> kernel_names(const ptx::Module& module) {
  std::vector<std::string> names;
  for (const ptx::Function& function : module.functions) {
    if (function.is_entry && function.has_body) names.emplace_back(function.name);
  }
  return names;
}

Result<std::string> choose_kernel(const std::string& text, NameBase base,
                                  const ptx::Module& module) {
  WL_TRY(const KernelPattern pattern, KernelPattern::parse(text, base));
  const std::vector<std::string> names = kernel_names(module);
  std::vector<std::string> matching;
  for (const std::string& name : names) {
    if (name == text) return name;
    if (pattern.matches(name)) matching.push_back(name);
  }
  if (matching.size() == 1) return matching.front();
  // Perhaps a part of a name; without one, who looks it up says how many there are.
  if (text.empty() || (matching.empty() && !text.starts_with("regex:"))) return text;
  const auto& listed = matching.empty() ? names : matching;
  return Diagnostic{.message = matching.empty()
                                   ? fmt::format("'{}' matches no kernel", text)
                                   : fmt::format("'{}' matches {} kernels", text, matching.size()),
                    .hint = fmt::format("kernels: {}", fmt::join(listed, ", ")),
                    .code = "unknown-kernel"};
}

Result<QueryAnswer> answer(const Query& query, store::Store* store, const Listeners& listeners) {
  WL_TRY(const Gpu gpu, load_gpu(query.gpu));
  WL_TRY(std::string ptx, read_ptx(query, gpu, store, listeners));
  const std::string key = key_or_nothing(query, gpu, ptx, store);
  const bool must_run = !query.options.trace_cache.empty() || query.options.continue_on_error;
  if (!key.empty() && !must_run) {
    const Stopwatch::Phase timed(watch_of(listeners), phase::kStore);
    if (std::optional<Profile> found = find(*store, key, query)) {
      if (listeners.statistics) ++listeners.statistics->from_store;
      return QueryAnswer{.profile = *std::move(found), .from_store = true};
    }
  }
  QueryAnswer answer;
  WL_TRY(answer.profile, make(query, gpu, std::move(ptx), listeners, answer));
  if (key.empty() || !answer.bad_accesses.empty()) return answer;
  const Stopwatch::Phase timed(watch_of(listeners), phase::kStore);
  if (const Status kept = keep(*store, key, answer.profile); !kept) answer.not_kept = kept.error();
  return answer;
}

}  // namespace warpledger::profile
