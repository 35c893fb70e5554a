// The built-in GPUs by name, and how they are listed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <tuple>

#include "warpledger/base/number.h"
#include "warpledger/gpu/assumed.h"
#include "warpledger/gpu/builtin.h"
#include "warpledger/gpu/facts.h"

namespace warpledger {
namespace {

constexpr std::string_view kEnding = ".toml";

// "NVIDIA GeForce RTX 3090" -> "rtx3090".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view word : {"nvidia", "geforce", "tesla"}) {
    if (plain.starts_with(word) && plain.size() > word.size()) plain.erase(0, word.size());
  }
  return plain;
}

std::vector<std::string> names_of(const Gpu& gpu) {
  std::vector<std::string> names = {gpu.id, gpu.name};
  names.insert(names.end(), gpu.aliases.begin(), gpu.aliases.end());
  return names;
}

Gpu builtin_gpu(const BuiltinFile& file) {
  auto gpu = parse_gpu("gpus/" + std::string(file.path), std::string(file.text));
  WL_CHECK(gpu.ok());  // a test reads every built-in file
  return *std::move(gpu);
}

Diagnostic unknown_gpu(std::string_view name, const std::vector<Gpu>& gpus) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus) ids.push_back(gpu.id);
  const std::string near = did_you_mean(plain_name(name), ids);
  return {.message = fmt::format("unknown GPU '{}'", name),
          .hint = (near.empty() ? "" : near + " ") +
                  std::string("'warpledger gpus' lists them; --gpu ./my.toml reads your own file"),
          .code = "unknown-gpu"};
}

// Appends a row for each fact that is known.
class FactRows {
 public:
  explicit FactRows(Table& table) : table_(table) {}

  template <class T>
  void operator()(const char* group, const char* key, const Sourced<T>& fact) {
    Cell value;  // its fidelity has a column of its own
    value.text = shown(fact.value);
    value.raw = raw(fact.value);
    table_.rows.push_back(
        {.cells = {group, key, value, std::string(to_text(fact.fidelity)), fact.source}});
  }
  template <class T>
  void operator()(const char* group, const char* key, const Fact<T>& fact) {
    if (fact) (*this)(group, key, *fact);
  }

 private:
  static std::string shown(int64_t value) { return group_thousands(value); }
  static std::string shown(double value) { return fmt::format("{}", value); }
  static std::string shown(bool value) { return value ? "yes" : "no"; }
  static std::string shown(const std::string& value) { return value; }
  static std::string shown(const std::vector<int64_t>& value) {
    return fmt::format("{}", fmt::join(value, " "));
  }
  static RawValue raw(int64_t value) { return value; }
  static RawValue raw(double value) { return value; }
  template <class T>
  static RawValue raw(const T& value) {
    return shown(value);
  }

  Table& table_;
};

constexpr std::string_view kBoost = "@boost";

/// "rtx3090@boost": as the GPU runs by itself, without ncu's locks (ncu's --clock-control none).
/// Nobody promises the boost clock: it depends on power and heat.
Result<Gpu> at_boost(Gpu gpu) {
  if (!gpu.clocks.boost_mhz)
    return Diagnostic{.message = fmt::format("the boost clock of {} is not known", gpu.name),
                      .hint = "give it in a GPU file of your own: 'warpledger gpus new'",
                      .code = "unknown-clock"};
  gpu.id += kBoost;
  gpu.name += " at its boost clock";
  gpu.clocks.ncu_sm_mhz = Sourced<int64_t>{gpu.clocks.boost_mhz->value, Fidelity::kAssumed,
                                           "the published boost clock"};
  gpu.dram.ncu_mhz.reset();  // the published one
  return gpu;
}

}  // namespace

std::vector<Gpu> all_gpus() {
  std::vector<Gpu> gpus;
  for (const BuiltinFile& file : builtin_gpu_files()) {
    if (file.path.starts_with("arch/")) continue;
    gpus.push_back(builtin_gpu(file));
  }
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) {
    return std::tie(a.architecture.major, a.architecture.minor, a.id) <
           std::tie(b.architecture.major, b.architecture.minor, b.id);
  });
  return gpus;
}

namespace {

Result<Gpu> read_builtin(std::string_view name, const std::string& wanted) {
  for (const BuiltinFile& file : builtin_gpu_files()) {  // by id: only that file is read
    const std::string_view stem = file.path.substr(0, file.path.size() - kEnding.size());
    if (plain_name(stem) == wanted && !file.path.starts_with("arch/")) return builtin_gpu(file);
  }
  const std::vector<Gpu> gpus = all_gpus();
  for (const Gpu& gpu : gpus) {
    for (const std::string& known : names_of(gpu)) {
      if (plain_name(known) == wanted) return gpu;
    }
  }
  return unknown_gpu(name, gpus);
}

}  // namespace

Result<Gpu> find_gpu(std::string_view name) {
  // A server asks for the same few a thousand times, and an alias costs reading all files.
  static std::mutex mutex;
  static std::map<std::string, Gpu> found;
  const std::string wanted = plain_name(name);
  const std::lock_guard lock(mutex);
  if (const auto known = found.find(wanted); known != found.end()) return known->second;
  WL_TRY(Gpu gpu, read_builtin(name, wanted));
  return found.emplace(wanted, std::move(gpu)).first->second;
}

bool is_gpu_path(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
}

Result<Gpu> load_gpu(const std::string& name_or_path) {
  if (is_gpu_path(name_or_path)) return read_gpu(name_or_path);
  if (!name_or_path.ends_with(kBoost)) return find_gpu(name_or_path);
  WL_TRY(const Gpu gpu, find_gpu(name_or_path.substr(0, name_or_path.size() - kBoost.size())));
  return at_boost(gpu);
}

Table list_of(const std::vector<Gpu>& gpus) {
  Table table{.columns = {{"GPU", "id"},
                          {"Name", "name"},
                          {"Architecture", "architecture"},
                          {"Chip", "chip"},
                          {"SMs", "sms", Align::kRight},
                          {"L2 bytes", "l2_bytes", Align::kRight},
                          {"DRAM GB/s", "dram_gbs", Align::kRight},
                          {"Assumed", "assumed_facts", Align::kRight},
                          {"Other names", "aliases"}}};
  for (const Gpu& gpu : gpus) {
    const auto& [l2, dram] = std::pair(gpu.l2.bytes, gpu.dram.peak_gbs);
    Row row{.cells = {gpu.id, gpu.name, gpu.architecture.id, gpu.chip,
                      Cell(gpu.sms.value, gpu.sms.fidelity)}};
    row.cells.push_back(l2 ? Cell(l2->value, l2->fidelity) : Cell());
    row.cells.push_back(dram ? Cell(fmt::format("{}", dram->value), dram->value, dram->fidelity)
                             : Cell());
    const FactCount count = count_facts(gpu);
    row.cells.emplace_back(fmt::format("{} of {}", count.assumed, count.facts), count.assumed,
                           Fidelity::kExact);
    row.cells.push_back(fmt::format("{}", fmt::join(gpu.aliases, ", ")));
    table.rows.push_back(row);
  }
  return table;
}

Table facts_of(const Gpu& gpu) {
  Table table{
      .title = fmt::format("{}: {} ({}, compute capability {}.{})", gpu.id, gpu.name,
                           gpu.architecture.id, gpu.architecture.major, gpu.architecture.minor),
      .columns = {{"Group", "group"},
                  {"Fact", "fact"},
                  {"Value", "value", Align::kRight},
                  {"Fidelity", "fidelity"},
                  {"Source", "source"}}};
  FactRows rows(table);
  each_fact(gpu, rows);
  return table;
}

}  // namespace warpledger
