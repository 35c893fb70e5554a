#include "warpledger/gpu/own_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/gpu/assumed.h"
#include "warpledger/gpu/facts.h"

namespace warpledger {
namespace {

/// The Visit of facts.h that makes each fact one that was taken from a sibling.
struct TakeFrom {
  std::string source;
  template <class T>
  void operator()(const char*, const char*, Sourced<T>& fact) {
    fact.fidelity = Fidelity::kAssumed;
    fact.source = source;
  }
  template <class T>
  void operator()(const char* group, const char* key, Fact<T>& fact) {
    if (fact) (*this)(group, key, *fact);
  }
};

double ratio(int64_t a, int64_t b) {
  return a > 0 && b > 0 ? std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b))) : 0;
}

/// How unlike two GPUs are: doublings of SMs, L2 and bus, and a quarter for each number of the
/// sibling that is itself assumed.
double distance(const DeviceDescription& described, const Gpu& sibling) {
  double apart = ratio(described.sms.value_or(0), sibling.sms.value);
  if (sibling.l2.bytes) apart += ratio(described.l2_bytes.value_or(0), sibling.l2.bytes->value);
  if (sibling.dram.bus_bits)
    apart += ratio(described.bus_bits.value_or(0), sibling.dram.bus_bits->value);
  return apart + static_cast<double>(count_facts(sibling).assumed) / 4;
}

std::string architecture_id(const DeviceDescription& described) {
  return fmt::format("sm_{}{}", described.major, described.minor);
}

Result<Gpu> sibling_of(const DeviceDescription& described, const std::string& like) {
  if (!like.empty()) return load_gpu(like);
  const std::string arch = architecture_id(described);
  std::optional<Gpu> best;
  for (const Gpu& gpu : all_gpus()) {
    if (gpu.architecture.id != arch) continue;
    if (!best || distance(described, gpu) < distance(described, *best)) best = gpu;
  }
  if (best) return *std::move(best);
  return Diagnostic{.message = fmt::format("no built-in GPU has the architecture {}", arch),
                    .hint = "--like GPU names one to take the other numbers from",
                    .code = "no-sibling"};
}

void set(Fact<int64_t>& fact, const std::optional<int64_t>& value, const std::string& source) {
  if (value) fact = {*value, Fidelity::kMeasured, source};
}

/// What follows from the description and the sibling together.
void derive(const DeviceDescription& described, const Gpu& sibling, Gpu& gpu) {
  const ClockFacts& clocks = sibling.clocks;
  if (!described.ncu_sm_mhz) gpu.clocks.ncu_sm_mhz = std::nullopt;
  if (!described.boost_mhz || !clocks.base_mhz || !clocks.boost_mhz) {
    gpu.clocks.base_mhz = std::nullopt;
  } else {
    gpu.clocks.base_mhz = {*described.boost_mhz * clocks.base_mhz->value / clocks.boost_mhz->value,
                           Fidelity::kAssumed,
                           fmt::format("boost clock x base over boost of {}", sibling.name)};
  }
  if (!described.ncu_dram_mhz) gpu.dram.ncu_mhz = std::nullopt;
  if (described.dram_mhz && described.bus_bits) {
    const double bytes = 2.0 * static_cast<double>(*described.bus_bits) / 8;
    gpu.dram.peak_gbs = {bytes * static_cast<double>(*described.dram_mhz) / 1e3,
                         Fidelity::kMeasured, "2 x bus bytes x memory clock"};
  }
  const auto& [l2, slices] = std::pair(sibling.l2.bytes, sibling.l2.slices);
  if (described.l2_slices || !described.l2_bytes || !l2 || !slices || slices->value == 0) return;
  const int64_t each = std::max<int64_t>(l2->value / slices->value, 1);
  gpu.l2.slices = {std::max<int64_t>(*described.l2_bytes / each, 1), Fidelity::kAssumed,
                   fmt::format("{} KiB a slice, as {}", each / 1024, sibling.name)};
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte >= 0x7f) {
      out += '?';  // a device's name is ASCII
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The Visit of facts.h that writes a line a fact.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  template <class T>
  void operator()(const char* group, const char* key, const Sourced<T>& fact) {
    if (group_ != group) out_ += fmt::format("\n[{}]\n", group_ = group);
    out_ += fmt::format("{} = {{ value = {}, fidelity = \"{}\", source = {} }}\n", key,
                        shown(fact.value), to_text(fact.fidelity), toml_string(fact.source));
  }
  template <class T>
  void operator()(const char* group, const char* key, const Fact<T>& fact) {
    if (fact) (*this)(group, key, *fact);
  }

 private:
  static std::string shown(int64_t value) { return fmt::format("{}", value); }
  static std::string shown(double value) { return fmt::format("{:#}", value); }
  static std::string shown(bool value) { return value ? "true" : "false"; }
  static std::string shown(const std::string& value) { return toml_string(value); }

  std::string& out_;
  std::string group_;
};

}  // namespace

Result<OwnGpu> own_gpu(const DeviceDescription& described, const std::string& like) {
  if (!described.sms) {
    return Diagnostic{.message = fmt::format("{} does not say how many SMs it has", described.name),
                      .code = "gpu-fact-missing"};
  }
  WL_TRY(const Gpu sibling, sibling_of(described, like));
  Gpu gpu = sibling;
  gpu.name = described.name;
  gpu.aliases.clear();
  gpu.chip.clear();
  gpu.architecture.id = architecture_id(described);
  TakeFrom assume{.source = fmt::format("as {}; not measured on this GPU", sibling.name)};
  each_device_fact(gpu, assume);
  gpu.sms = {*described.sms, Fidelity::kMeasured, described.source};
  set(gpu.clocks.boost_mhz, described.boost_mhz, described.source);
  set(gpu.clocks.ncu_sm_mhz, described.ncu_sm_mhz, described.source);
  set(gpu.dram.mhz, described.dram_mhz, described.source);
  set(gpu.dram.ncu_mhz, described.ncu_dram_mhz, described.source);
  set(gpu.dram.bus_bits, described.bus_bits, described.source);
  set(gpu.l2.bytes, described.l2_bytes, described.source);
  set(gpu.l2.slices, described.l2_slices, described.source);
  derive(described, sibling, gpu);
  WL_TRY(const Gpu checked, parse_gpu(described.name, toml_of(gpu)));
  gpu.architecture = checked.architecture;
  return OwnGpu{std::move(gpu), sibling};
}

std::string toml_of(const Gpu& gpu) {
  std::string out = fmt::format("# {}\nschema = 1\nname = {}\narch = {}\n", toml_string(gpu.name),
                                toml_string(gpu.name), toml_string(gpu.architecture.id));
  Writer writer(out);
  each_device_fact(gpu, writer);
  return out;
}

}  // namespace warpledger
