// A program's code: what a fatbin, a cubin or a PTX text holds, and, once a kernel or variable of
// it is asked for, the module that runs. Nothing is read before.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "interpose/fatbin.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/forward.h"

namespace warpledger::cuda {

/// A launch's engine, kept for the next one of the same shape.
struct Prepared {
  exec::Extent grid = {}, block = {}, cluster = {};
  uint32_t dynamic_shared_bytes = 0;
  std::unique_ptr<exec::Engine> engine;
  bool counts = false;                // Engine::instruction_counts() may be asked
  std::vector<std::byte> ended = {};  // parameters of a launch that did, compiled
};

class Module;

struct Kernel {
  Module* module = nullptr;
  std::string name;
  const ptx::Function* function = nullptr;  // of the loaded module
  // What the program set.
  uint32_t max_dynamic_shared = 0;
  std::optional<int> carveout_percent = {};
  int cache_preference = 0;
  // What is known of it.
  std::optional<profile::Resources> resources = {};
  uint64_t static_shared_bytes = 0;
  uint64_t interpreted = 0;           // warp instructions so far
  uint64_t interpreted_launches = 0;  // with memory kept to begin again from
  uint64_t unsampled_blocks = 0;      // of the largest grid that cost too little to be sampled
  bool is_straight = false;  // neither loops nor calls: every instruction runs once at most
  bool needs_interpreter = false;
  std::optional<bool> is_fixed = {};    // exec::is_fixed_by_parameters(), once it was asked
  std::vector<Prepared> prepared = {};  // the newest last
};

/// A variable in device memory: a global's address, or bytes of the constant bank.
struct Symbol {
  std::byte* bytes = nullptr;
  uint64_t address = 0;  // 0 for a constant
  uint64_t size = 0;
  bool is_constant = false;
  bool is_managed = false;
};

class Module {
 public:
  explicit Module(std::string name) : name_(std::move(name)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Code that stays where it is: a fatbin of the program itself.
  void add_fatbin(const void* header) { fatbins_.push_back(header); }
  /// Code that may go away: PTX text, a fatbin, a wrapper or a cubin. Fails on anything else.
  [[nodiscard]] Status add_image(const void* image);

  /// Reads, links, parses and places it; at once where that is done. `target`: 86 for sm_86.
  [[nodiscard]] Status load(int target, exec::DeviceMemory& memory);
  /// Pre: loaded.
  [[nodiscard]] Result<Kernel*> kernel(const std::string& name);
  [[nodiscard]] Result<Symbol> symbol(const std::string& name);
  /// The same code for another device, with variables of its own; itself where the code has none,
  /// or has managed ones, which are one for all devices. Pre: loaded. Post: loaded.
  [[nodiscard]] Result<Module*> on(int device, int target, exec::DeviceMemory& memory);
  [[nodiscard]] const ptx::Module& code() const { return *code_; }
  [[nodiscard]] exec::Image& image() { return *image_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Kernel>>& kernels() const { return kernels_; }
  [[nodiscard]] bool is_loaded() const { return image_.has_value(); }

 private:
  [[nodiscard]] Result<std::string> choose(int target) const;
  [[nodiscard]] bool has_variables_of_a_device() const;

  std::string name_;
  std::vector<const void*> fatbins_;
  std::vector<std::unique_ptr<std::string>> owned_;  // images that were copied
  std::optional<Diagnostic> failure_;
  std::shared_ptr<const ptx::Module> code_;
  std::optional<exec::Image> image_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  bool is_copy_ = false;
  std::map<int, std::unique_ptr<Module>> copies_;  // by device
};

/// Where each parameter begins in the packed ones. Pre: its module is loaded.
[[nodiscard]] std::vector<uint64_t> parameter_offsets(const Kernel& kernel);

}  // namespace warpledger::cuda
