#include "interpose/kept_profiles.h"

#include <fmt/core.h>

#include "warpledger/exec/memory/live.h"
#include "warpledger/profile/file/kept.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/carried_kernel.h"
#include "warpledger/store/key.h"

namespace warpledger::cuda {
namespace {

std::string_view as_text(const std::byte* bytes, size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

std::string to_text(const exec::Extent& extent) {
  return fmt::format("{} {} {}", extent[0], extent[1], extent[2]);
}

std::string to_text(const profile::SamplingOptions& sampling) {
  return fmt::format("{} {} {} {} {} {}", sampling.exact, sampling.max_seconds,
                     sampling.accesses_per_l2_sector, sampling.cold_waves, sampling.measured_waves,
                     sampling.delegates);
}

/// False when there is too much of it.
bool add_memory(const exec::DeviceMemory& memory, store::Key& key) {
  const std::vector<exec::LiveBytes> live = exec::live_bytes(memory);
  uint64_t all = 0;
  for (const auto& [address, bytes] : live) all += bytes.size();
  if (all > KeptProfiles::kMostBytes) return false;
  for (const auto& [address, bytes] : live) {
    key.add("address", address);
    key.add("bytes", as_text(bytes.data(), bytes.size()));
  }
  return true;
}

}  // namespace

KeptProfiles::KeptProfiles(const Settings& settings) : settings_(settings) {
  // The file alone: a thread that talks to a server would not survive the program's own forks.
  const std::string path = store::default_store_options().path;
  const bool wanted = settings.store && !settings.report.empty();
  if (!wanted || path.empty() || store::build_identity().empty()) return;
  if (Result<store::Store> opened = store::Store::open({.path = path})) store_ = *std::move(opened);
}

std::string KeptProfiles::key_of(const profile::Request& launch,
                                 const exec::DeviceMemory& memory) const {
  if (!store_ || (settings_.sass && settings_.tools.empty())) return {};
  store::Key key("placed profile 2");
  // Of a carrier the kernel's own part: a library's cubin may have megabytes of others.
  const auto carried = sass::carried_kernel(launch.module, launch.kernel);
  const bool is_carried = carried && *carried != nullptr;
  key.add("ptx", is_carried ? std::string_view(**carried) : launch.module.source->text());
  key.add("kernel", launch.kernel);
  if (!profile::add_gpu(launch.gpu, settings_.gpu, key)) return {};
  key.add("tools", settings_.sass ? settings_.tools : "none");
  key.add("grid", to_text(launch.grid)).add("block", to_text(launch.block));
  if (launch.cluster[0] != 0) key.add("cluster", to_text(launch.cluster));
  key.add("shared", launch.dynamic_shared_bytes);
  key.add("carve-out", static_cast<uint64_t>(launch.carveout_kib.value_or(-1)));
  key.add("preference", static_cast<uint64_t>(launch.cache));
  key.add("races", uint64_t{settings_.check_races ? 1u : 0u});
  key.add("sampling", to_text(settings_.sampling));
  key.add("engine", static_cast<uint64_t>(settings_.engine));
  key.add("parameters", as_text(launch.placed->params.data(), launch.placed->params.size()));
  if (!add_memory(memory, key)) return {};
  return key.hex();
}

std::optional<profile::Profile> KeptProfiles::find(const std::string& key) {
  if (!store_ || key.empty()) return {};
  return profile::find_kept(*store_, key);
}

void KeptProfiles::keep(const std::string& key, const profile::Profile& profile) {
  // What cannot be kept is made again: no reason to stop a program.
  if (store_ && !key.empty()) static_cast<void>(profile::keep(*store_, key, profile));
}

}  // namespace warpledger::cuda
