#include "warpledger/exec/jit/runtime/code_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include "warpledger/base/hash.h"
#include "warpledger/exec/jit/runtime/code_file.h"
#include "warpledger/exec/jit/runtime/runtime.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::jit {
namespace {

// Processor time of this thread: what compiling costs, whoever else is at work. A process of its
// own (apart.h) is waited for instead.
double seconds_of(const CompileOptions& options) {
  timespec now;
  clock_gettime(options.deadline != nullptr ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What code for this machine may use: model and feature words, as the processor gives them.
std::string host_text() {
  std::string text;
#if defined(__x86_64__)
  for (const auto& [leaf, part] : {std::pair{1u, 0u}, {7u, 0u}, {7u, 1u}, {0x80000001u, 0u}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, part, &a, &b, &c, &d);
    if (leaf == 1) b = 0, c &= ~(1u << 27);  // of the core and the moment, not of the model
    text += fmt::format("{:x} {:x} {:x} {:x} ", a, b, c, d);
  }
#else
  text = fmt::format("{:x} {:x}", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
  return text;
}

// The older half of the kept code goes when there is too much of it.
void make_room(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".o") files.emplace_back(entry.last_write_time(failed), entry);
  }
  if (files.size() < CodeCache::kMostFiles) return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, failed);
}

// Code that cannot be kept is compiled again next time: no reason to stop a launch.
void keep(const std::string& folder, const std::string& name, const std::string& object) {
  make_room(folder);
  write_code(folder, name, object);
}

}  // namespace

Result<CompiledKernel> CodeCache::find(const std::string& text, const Analysis& analysis,
                                       CompileOptions options) {
  options.quick |= quick_;
  WL_TRY(options.dump, wanted_dump());
  static const std::string host = host_text();
  const double begun = seconds_of(options);
  const std::string name =
      "wl_" + sha256(fmt::format("{}\n{}\n{} {} {}\n{}", code_version(), host, options.record,
                                 options.count, options.quick, text));
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) {
    ++uses_.in_memory;
    return CompiledKernel{found->second, 0, false};
  }
  std::optional<std::string> object;
  if (!options.dump.any())
    object = read_code(folder_, name);  // what is not compiled is not written either
  const bool from_disk = object.has_value();
  if (!object) {
    WL_TRY(Compiler * compiler, load_compiler());
    WL_TRY(object, compiler->compile(analysis, options, name));
    if (!folder_.empty()) keep(folder_, name, *object);
  }
  WL_TRY(void* const address, link(*object, name));
  const auto function = reinterpret_cast<KernelFunction>(address);
  kernels_[name] = function;
  ++(from_disk ? uses_.on_disk : uses_.compiled);
  return CompiledKernel{function, seconds_of(options) - begun, from_disk};
}

CodeUses CodeCache::uses() const {
  const std::lock_guard lock(mutex_);
  return uses_;
}

Result<void*> CodeCache::link(const std::string& object, const std::string& name) {
  auto loaded = LoadedObject::load(std::as_bytes(std::span(object)), runtime_functions());
  if (loaded) {
    if (void* function = loaded->find(name); function != nullptr) {
      objects_.push_back(*std::move(loaded));
      return function;
    }
  }
  WL_TRY(Compiler * compiler, load_compiler());
  return compiler->link(object, name);
}

CodeCache& shared_code_cache(const std::string& folder) {
  static std::mutex mutex;
  // Never freed: engines that still run may use their code at exit.
  static auto& caches = *new std::map<std::string, std::unique_ptr<CodeCache>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<CodeCache>& cache = caches[folder];
  if (cache == nullptr) cache = std::make_unique<CodeCache>(folder);
  return *cache;
}

namespace {

std::string function_text(const ptx::Function& function, const ptx::Module& module) {
  const uint32_t end =
      function.instructions.empty() ? function.span.end : function.instructions.back().span.end;
  return fmt::format("{}\n", module.source->text({function.span.begin, end}));
}

}  // namespace

std::string kernel_text(const Analysis& analysis, const ptx::Module& module) {
  std::string text = fmt::format("{}\n{}\n{}", fmt::join(analysis.block, " "), module.target.text,
                                 function_text(*analysis.code->function, module));
  for (const auto& code : analysis.program->originals)  // what is inlined is among them
    text += function_text(*code->function, module);
  for (const reference::Value& value : analysis.code->values) {
    text += fmt::format("{:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x}\n",
                        static_cast<unsigned>(value.kind), static_cast<unsigned>(value.space),
                        value.negated ? 1 : 0, value.component, value.selector, value.bits,
                        value.slot, value.count, value.value);
  }
  text += analysis.warps_run_free ? "free\n" : "\n";
  text += analysis.guesses ? "guesses\n" : "\n";
  text += analysis.clustered ? "clustered\n" : "\n";
  for (const reference::Step& step : analysis.code->steps) {
    text += step.dropped ? '-' : '+';
    if (step.gives_way) text += '~';
  }
  return text;
}

}  // namespace warpledger::exec::jit
