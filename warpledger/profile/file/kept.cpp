#include "warpledger/profile/file/kept.h"

#include "warpledger/base/file.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::profile {

Status add_gpu(const Gpu& gpu, const std::string& gpu_request, store::Key& key) {
  key.add("gpu", gpu.id);
  if (is_gpu_path(gpu_request)) {
    WL_TRY(const std::string text, read_file(gpu_request));
    key.add("gpu file", text);
  }
  return {};
}

void add_tools(store::Key& key) {
  for (const char* tool : {"ptxas", "nvdisasm"}) {
    for (const std::string& path : toolchain::find_tools(tool))
      key.add(tool, store::file_identity(path));
  }
}

std::optional<Profile> find_kept(store::Store& store, const std::string& key) {
  const auto record = store.find(key);
  if (!record || !*record) return {};
  Result<Profile> profile = from_record(**record);
  if (profile) return *std::move(profile);
  static_cast<void>(store.remove(key));
  return {};
}

Status keep(store::Store& store, const std::string& key, const Profile& profile) {
  return store.put(key, to_record(profile));
}

}  // namespace warpledger::profile
