// The device behind both doors. Calls come under lock(); every launch runs at once and with values,
// so that what the program reads back is right.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "warpledger/cuda/error.h"
#include "warpledger/cuda/kept_profiles.h"
#include "warpledger/cuda/memory.h"
#include "warpledger/cuda/module.h"
#include "warpledger/cuda/progress.h"
#include "warpledger/cuda/repeats.h"
#include "warpledger/cuda/report.h"
#include "warpledger/cuda/settings.h"
#include "warpledger/cuda/timeline.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/occupancy.h"
#include "warpledger/profile/run.h"

namespace warpledger::cuda {

struct LaunchRequest {
  Kernel* kernel = nullptr;
  exec::Extent grid = {1, 1, 1}, block = {1, 1, 1};
  exec::Extent cluster = {0, 0, 0};  // zeros: as the kernel requires
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> params = {};
  Stream* stream = nullptr;
  bool is_cooperative = false;
};

/// Warp instructions of a launch after which it is begun again, compiled.
inline constexpr uint64_t kMostInterpreted = 40'000;

class Core {
 public:
  /// The one device of this process, made when it is first asked for.
  static Core& get();
  [[nodiscard]] std::recursive_mutex& lock() { return lock_; }

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] int target() const {
    return gpu_.architecture.major * 10 + gpu_.architecture.minor;
  }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  /// What ended the device's work for good: a fault of a kernel.
  [[nodiscard]] Error sticky() const { return sticky_; }
  void reset_sticky() { sticky_ = Error::kNone; }
  /// From now on launches need a duration: the program measures.
  void want_time() { wants_time_ = true; }

  [[nodiscard]] Error load(Module& module);
  /// The arguments as pointers, one for each parameter; packed by the kernel's signature.
  [[nodiscard]] static std::vector<std::byte> pack(const Kernel& kernel, void** arguments);
  [[nodiscard]] Error launch(const LaunchRequest& request);
  [[nodiscard]] Error copy(uint64_t to, uint64_t from, uint64_t bytes, Stream& stream);
  [[nodiscard]] Error fill(uint64_t to, const void* pattern, uint64_t width, uint64_t count,
                           Stream& stream);
  /// Runs the work, or keeps it where the stream is being captured.
  [[nodiscard]] Error submit(Stream& stream, std::function<Error()> work);

  /// Registers and the like, as ptxas gives them; assumed without it.
  [[nodiscard]] const profile::Resources& resources(Kernel& kernel);
  [[nodiscard]] Result<Occupancy> occupancy(Kernel& kernel, int64_t threads, int64_t dynamic_bytes);

  /// One line on standard error.
  static void say(const std::string& text);
  static void say(const Diagnostic& diagnostic);

 private:
  Core();
  [[nodiscard]] Error check(const LaunchRequest& request);
  [[nodiscard]] bool takes(const Kernel& kernel);
  struct Outcome {
    std::optional<Diagnostic> fault = {};
    std::string output = {};
    std::optional<ExecutedCounts> counts = {};  // where they were asked for
    std::optional<double> seconds = {};         // by the time model
  };
  /// A launch that needs a duration or, where `report`, a profile: launch_repeats.cpp.
  [[nodiscard]] Outcome run_asked(const LaunchRequest& request, uint64_t workspace, bool report);
  [[nodiscard]] Outcome run_counted(const LaunchRequest& request, uint64_t workspace, bool report,
                                    LaunchGroup& group);
  [[nodiscard]] Outcome stand_in(Outcome outcome, const ModeledLaunch& like, bool report,
                                 LaunchGroup& group);
  [[nodiscard]] bool is_fixed(const LaunchRequest& request, uint64_t workspace) const;
  [[nodiscard]] Outcome run_bare(const LaunchRequest& request, uint64_t workspace,
                                 bool count = false);
  [[nodiscard]] Outcome run_engine(const LaunchRequest& request, Prepared& prepared, bool count);
  [[nodiscard]] Outcome run_modeled(const LaunchRequest& request, uint64_t workspace, bool report,
                                    LaunchGroup* group);
  void keep_modeled(const LaunchRequest& request, const profile::Profile& profile, bool report,
                    LaunchGroup* group);
  [[nodiscard]] profile::Request profile_request(const LaunchRequest& request) const;
  [[nodiscard]] Result<profile::Profile> make_profile(const LaunchRequest& request,
                                                      profile::Request& asked);
  [[nodiscard]] exec::EngineOptions options() const;
  [[nodiscard]] Result<Prepared*> prepare(const LaunchRequest& request, uint64_t workspace,
                                          bool count);
  [[nodiscard]] Result<std::unique_ptr<exec::Engine>> open(const LaunchRequest& request,
                                                           uint64_t workspace, bool count);
  [[nodiscard]] std::optional<Outcome> try_interpreter(const LaunchRequest& request,
                                                       uint64_t workspace);
  [[nodiscard]] bool is_small(const LaunchRequest& request) const;
  [[nodiscard]] Error take_fault(const Diagnostic& fault);

  std::recursive_mutex lock_;
  Settings settings_;
  profile::LaunchFilter filter_;
  KeptProfiles kept_;
  Gpu gpu_;
  Memory memory_;
  Timeline timeline_;
  exec::Deadline deadline_;
  Error sticky_ = Error::kNone;
  bool wants_time_ = false;
  uint64_t workspace_ = 0;  // of cooperative launches
  using Shape = std::tuple<const Kernel*, exec::Extent, exec::Extent, exec::Extent, uint32_t, bool,
                           int, std::optional<int>>;
  [[nodiscard]] static Shape shape_of(const LaunchRequest& request);
  std::map<Shape, LaunchGroup> groups_;
  ReportWriter report_;
  LaunchProgress progress_;
};

}  // namespace warpledger::cuda
