// The devices behind both doors. Calls come under lock(); every launch runs at once and with
// values, so that what the program reads back is right.
#pragma once

#include <map>
#include <memory>

#include "interpose/arrays.h"
#include "interpose/benchmark.h"
#include "interpose/capture.h"
#include "interpose/device_lock.h"
#include "interpose/devices.h"
#include "interpose/error.h"
#include "interpose/fixed_point.h"
#include "interpose/graphs.h"
#include "interpose/ipc.h"
#include "interpose/kept_profiles.h"
#include "interpose/l2_policy.h"
#include "interpose/libraries.h"
#include "interpose/memory.h"
#include "interpose/module.h"
#include "interpose/pools.h"
#include "interpose/progress.h"
#include "interpose/repeats.h"
#include "interpose/report.h"
#include "interpose/settings.h"
#include "interpose/timeline.h"
#include "interpose/user_objects.h"
#include "interpose/virtual_memory.h"
#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/occupancy.h"
#include "warpledger/profile/run/run.h"

namespace warpledger::cuda {

/// Warp instructions of a launch after which it is begun again, compiled.
inline constexpr uint64_t kMostInterpreted = 40'000;

class Core {
 public:
  /// The one of this process, made when it is first asked for.
  static Core& get();
  [[nodiscard]] DeviceLock& lock() { return lock_; }

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] int target() const {
    return gpu_.architecture.major * 10 + gpu_.architecture.minor;
  }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Devices& devices() { return devices_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] Pools& pools() { return pools_; }
  [[nodiscard]] Arrays& arrays() { return arrays_; }
  [[nodiscard]] VirtualMemory& virtual_memory() { return virtual_memory_; }
  [[nodiscard]] Ipc& ipc() { return ipc_; }
  [[nodiscard]] Libraries& libraries() { return libraries_; }
  [[nodiscard]] L2Policy& l2_policy() { return l2_policy_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] Captures& captures() { return captures_; }
  [[nodiscard]] Graphs& graphs() { return graphs_; }
  [[nodiscard]] UserObjects& user_objects() { return user_objects_; }
  [[nodiscard]] ReportWriter& report() { return report_; }
  [[nodiscard]] Benchmarks& benchmarks() { return benchmarks_; }
  /// As Benchmarks::end(): memory of the outermost one has values again, those from before it.
  [[nodiscard]] bool end_benchmark();
  /// What ended the device's work for good: a fault of a kernel.
  [[nodiscard]] Error sticky() const { return sticky_; }
  void reset_sticky() { sticky_ = Error::kNone; }
  /// From now on launches need a duration: the program measures.
  void want_time() { wants_time_ = true; }

  [[nodiscard]] Error load(Module& module);
  /// The module of the current device that stands for this one. Pre: loaded.
  [[nodiscard]] Result<Module*> on_current(Module& module);
  [[nodiscard]] Result<Kernel*> on_current(Kernel& kernel);
  /// The arguments as pointers, one for each parameter; packed by the kernel's signature. Nothing
  /// where there are none although the kernel has parameters.
  [[nodiscard]] static std::optional<std::vector<std::byte>> pack(const Kernel& kernel,
                                                                  void** arguments);
  [[nodiscard]] Error launch(const LaunchRequest& request);
  [[nodiscard]] Error copy(uint64_t to, uint64_t from, uint64_t bytes, Stream& stream);
  /// Runs the work, or makes it a node where the stream is captured.
  [[nodiscard]] Error submit(Stream& stream, Work work);
  /// Whether the work could be a node: what it names exists, or will at each launch.
  [[nodiscard]] Error validate(const Work& work);
  [[nodiscard]] Error launch(GraphExec& exec, Stream& stream);
  [[nodiscard]] Error wait(Stream& stream, const std::shared_ptr<Event>& event, bool is_external);
  [[nodiscard]] Error record(const std::shared_ptr<Event>& event, Stream& stream, bool is_external);
  /// The host waits; Error::kCaptureUnsupported and the like where a capture forbids it.
  [[nodiscard]] Error synchronize(Stream& stream);
  [[nodiscard]] Error synchronize(const Event& event);
  [[nodiscard]] Error synchronize();

  [[nodiscard]] Error begin_capture(Stream& stream, CaptureMode mode);
  [[nodiscard]] Error begin_capture(Stream& stream, Graph& graph, std::vector<Node*> after,
                                    CaptureMode mode);
  /// The graph is null where the capture failed, and nobody's where `made` is null.
  [[nodiscard]] Error end_capture(Stream& stream, Graph** made);
  [[nodiscard]] bool destroy(Stream* stream);
  /// What the program allocates while a capture holds memory lives as long as the capture's graph.
  void keep_for_capture(uint64_t address);
  /// Memory for work of a stream, of the pool's device: a node's where it is captured.
  [[nodiscard]] Error allocate(uint64_t bytes, Stream& stream, Pool& pool, uint64_t* address);
  [[nodiscard]] Error release(uint64_t address, Stream& stream);
  /// A condition for conditional nodes of that graph; its handle is the address of its value.
  [[nodiscard]] Error create_condition(Graph& graph, uint32_t initial, bool is_initialized,
                                       uint64_t* handle);

  /// Registers and the like, as ptxas gives them; assumed without it.
  [[nodiscard]] const profile::Resources& resources(Kernel& kernel);
  [[nodiscard]] Result<Occupancy> occupancy(Kernel& kernel, int64_t threads, int64_t dynamic_bytes);
  /// The most dynamic shared memory with which so many blocks are resident on an SM.
  [[nodiscard]] int64_t dynamic_shared_left(Kernel& kernel, int64_t threads, int64_t blocks);

  /// One line on standard error.
  static void say(const std::string& text);
  static void say(const Diagnostic& diagnostic);

 private:
  Core() : Core(read_settings()) {}
  explicit Core(const Result<Settings>& settings);
  [[nodiscard]] Error check(const LaunchRequest& request);
  [[nodiscard]] bool takes(const Kernel& kernel);
  struct Outcome {
    std::optional<Diagnostic> fault = {};
    std::string output = {};
    std::optional<ExecutedCounts> counts = {};  // where they were asked for
    std::optional<double> seconds = {};         // by the time model
    std::string profile = {};                   // in the report, where there is one
  };
  [[nodiscard]] Outcome run(const LaunchRequest& request, uint64_t workspace, bool report);
  /// A launch that needs a duration or, where `report`, a profile: launch_repeats.cpp.
  [[nodiscard]] Outcome run_asked(const LaunchRequest& request, uint64_t workspace, bool report);
  [[nodiscard]] Outcome run_counted(const LaunchRequest& request, uint64_t workspace, bool report,
                                    LaunchGroup& group);
  [[nodiscard]] Outcome run_proven(const LaunchRequest& request, uint64_t workspace,
                                   const ModeledLaunch& same, LaunchGroup& group);
  [[nodiscard]] bool is_worth_holding(const ModeledLaunch& launch) const;
  [[nodiscard]] Outcome stand_in(Outcome outcome, const ModeledLaunch& like, bool report,
                                 LaunchGroup& group);
  /// A launch of a benchmark: launch_benchmark.cpp.
  [[nodiscard]] Outcome run_timed(const LaunchRequest& request, uint64_t workspace, bool report);
  [[nodiscard]] Outcome run_discarded(const LaunchRequest& request, uint64_t workspace, bool report,
                                      const std::string& key);
  [[nodiscard]] std::string timing_key(const LaunchRequest& request, uint64_t workspace) const;
  void follow_values(uint64_t to, uint64_t from, uint64_t bytes);
  [[nodiscard]] bool is_fixed(const LaunchRequest& request, uint64_t workspace) const;
  [[nodiscard]] uint32_t slots_of(const LaunchRequest& request);
  [[nodiscard]] Outcome run_bare(const LaunchRequest& request, uint64_t workspace,
                                 bool count = false);
  [[nodiscard]] Outcome run_engine(const LaunchRequest& request, Prepared& prepared, bool count);
  [[nodiscard]] Outcome run_modeled(const LaunchRequest& request, uint64_t workspace, bool report,
                                    LaunchGroup* group);
  /// A profile of a sample of its blocks, without values and without a trace in memory: nothing
  /// where all of them can go through the models. launch_sampled.cpp.
  [[nodiscard]] std::optional<profile::Profile> make_sample(const LaunchRequest& request,
                                                            uint64_t workspace,
                                                            const profile::Request& asked);
  [[nodiscard]] bool is_worth_sampling(const LaunchRequest& request);
  /// Returns the name of its profile in the report, where it has one.
  std::string keep_modeled(const LaunchRequest& request, const profile::Profile& profile,
                           bool report, LaunchGroup* group);
  [[nodiscard]] profile::Placed place(const LaunchRequest& request, uint64_t workspace);
  [[nodiscard]] profile::Request profile_request(const LaunchRequest& request);
  /// Returns its name there.
  [[nodiscard]] std::string add_to_report(const LaunchRequest& request,
                                          const profile::Profile& profile);
  [[nodiscard]] Result<profile::Profile> make_profile(const LaunchRequest& request,
                                                      profile::Request& asked);
  [[nodiscard]] exec::EngineOptions options();
  [[nodiscard]] Result<Prepared*> prepare(const LaunchRequest& request, uint64_t workspace,
                                          bool count);
  [[nodiscard]] Result<std::unique_ptr<exec::Engine>> open(const LaunchRequest& request,
                                                           uint64_t workspace, bool count);
  [[nodiscard]] Outcome run_briefly(const LaunchRequest& request, uint64_t workspace);
  [[nodiscard]] Outcome run_prepared(const LaunchRequest& request, uint64_t workspace, bool count,
                                     std::optional<exec::MemorySnapshot>& before);
  [[nodiscard]] bool is_small(const LaunchRequest& request) const;
  [[nodiscard]] Error take_fault(const Diagnostic& fault);
  void say_bad_accesses();

  [[nodiscard]] Error run(const Work& work, Stream& stream);
  [[nodiscard]] Error run(const Graph& graph, Stream& stream);
  [[nodiscard]] Error run_copy(const CopyWork& copy, Stream& stream);
  [[nodiscard]] Error run_fill(const FillWork& fill, Stream& stream);
  [[nodiscard]] Error run_conditional(const ConditionalWork& work, Stream& stream);
  [[nodiscard]] Error allocate(uint64_t bytes, Stream& stream, Place place, uint64_t* address);
  [[nodiscard]] Error take_memory(const AllocateWork& work);
  [[nodiscard]] Error check(const CopyWork& copy, bool is_later);
  [[nodiscard]] Error check(const FillWork& fill, bool is_later);
  [[nodiscard]] Error check_rows(const char* what, uint64_t address, uint64_t width,
                                 uint64_t height, uint64_t pitch, bool is_later);

  DeviceLock lock_;
  Settings settings_;
  profile::LaunchFilter filter_;
  KeptProfiles kept_;
  Gpu gpu_;
  Devices devices_;
  Memory memory_;
  Pools pools_;
  Arrays arrays_{memory_};
  VirtualMemory virtual_memory_{memory_};
  Ipc ipc_{memory_};
  Libraries libraries_;
  L2Policy l2_policy_;
  FixedPoint fixed_point_{memory_.device()};
  Timeline timeline_;
  Captures captures_;
  UserObjects user_objects_;
  Graphs graphs_;
  Benchmarks benchmarks_;
  exec::Deadline deadline_;
  exec::BadAccesses bad_accesses_;  // of the launch that runs
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
