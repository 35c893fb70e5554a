// The options of ncu's command line, and what becomes of each here.
#pragma once

#include <span>
#include <string_view>

namespace warpledger::cli {

struct NcuOption {
  enum class Way {
    kSame,
    kAlwaysSo,
    kRefused,
    kSet,
    kSection,
    kExport,
    kMetrics,
    kKernelRegex,
    kKernelId,
    kSourceFolders,
    kClocks
  };

  std::string_view name;
  std::string_view letter = "";  // "-k"
  bool takes_value = false;
  Way way = Way::kSame;
  std::string_view only = "";  // of kAlwaysSo: the values for which it is so; "": all
  std::string_view why = "";   // it is refused
  std::string_view ours = "";  // its name here; "": the same
};

[[nodiscard]] std::span<const NcuOption> ncu_options();

/// By its name or letter; null where ncu has no such option.
[[nodiscard]] const NcuOption* find_ncu_option(std::string_view word);

}  // namespace warpledger::cli
