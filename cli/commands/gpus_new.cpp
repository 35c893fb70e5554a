// `warpledger gpus new`: writes a GPU file from deviceQuery output or an ncu report.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "cli/commands/gpus.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/gpu/assumed.h"
#include "warpledger/gpu/own_file.h"
#include "warpledger/ncu/rep_file.h"
#include "warpledger/ncu/report.h"

namespace warpledger::cli {
namespace {

struct NewOptions {
  std::string from, like, to;
  OutputOptions output;
};

/// The rounded number of the first entry that the report has, over `unit`.
std::optional<int64_t> number(const ncu::Launch& launch, std::initializer_list<const char*> names,
                              double unit = 1) {
  for (const char* name : names) {
    const ncu::Entry* entry = launch.find(name);
    if (entry == nullptr) continue;
    const double value = *entry->value / unit;
    if (value >= 1 && value < 1e15) return std::llround(value);
  }
  return std::nullopt;
}

/// The driver's clocks are in kHz; a page that prints a unit gives them in Hz.
std::optional<int64_t> attribute_mhz(const ncu::Launch& launch, const char* name) {
  const ncu::Entry* entry = launch.find(name);
  return number(launch, {name}, entry != nullptr && entry->unit == "hz" ? 1e6 : 1e3);
}

std::string words(const ncu::Launch& launch, const std::string& name) {
  for (const ncu::Entry& entry : launch.entries) {
    if (entry.name == name) return entry.words;
  }
  return "";
}

DeviceDescription described_by(const ncu::Launch& launch, const std::string& from) {
  const std::string prefix = "device__attribute_";
  const auto attribute = [&](const char* key) { return number(launch, {(prefix + key).c_str()}); };
  DeviceDescription device{.name = words(launch, prefix + "display_name"),
                           .source = fmt::format("ncu report ({})", from)};
  if (device.name.empty()) device.name = "my GPU";
  if (std::sscanf(launch.capability.c_str(), "%3d.%3d", &device.major, &device.minor) != 2)
    device.major = device.minor = 0;
  device.sms = attribute("multiprocessor_count");
  device.boost_mhz = attribute_mhz(launch, "device__attribute_clock_rate");
  device.ncu_sm_mhz = number(launch, {"sm__cycles_elapsed.avg.per_second", "SM Frequency"}, 1e6);
  device.dram_mhz = attribute_mhz(launch, "device__attribute_memory_clock_rate");
  device.ncu_dram_mhz =
      number(launch, {"dram__cycles_elapsed.avg.per_second", "DRAM Frequency"}, 1e6);
  device.bus_bits = attribute("global_memory_bus_width");
  device.l2_bytes = attribute("l2_cache_size");
  const auto [partitions, slices] = std::pair(attribute("fbp_count"), attribute("num_l2s_per_fbp"));
  if (partitions && slices) device.l2_slices = *partitions * *slices;
  return device;
}

Result<DeviceDescription> description_in(const std::string& path) {
  WL_TRY(const std::string bytes, read_file(path));
  const Source text(path, bytes);
  if (const auto query = parse_device_query(text)) return *query;
  const auto launches = ncu::read_report(text);
  if (launches && !launches->empty()) return described_by(launches->front(), path);
  if (!launches && ncu::is_rep_file(bytes)) return launches.error();
  return Diagnostic{
      .message = fmt::format("'{}' does not describe a GPU", path),
      .hint = "pass deviceQuery output, a .ncu-rep file, or the output of ncu --csv --page raw",
      .code = "bad-device-query"};
}

Result<Report> report_of(const NewOptions& options) {
  WL_TRY(const DeviceDescription device, description_in(options.from));
  WL_TRY(OwnGpu own, own_gpu(device, options.like));
  if (options.to.empty()) own.gpu.id = "new";
  Report report{.command = "gpus new"};
  if (!options.to.empty()) {
    WL_TRY_STATUS(write_file(options.to, toml_of(own.gpu)));
    WL_TRY(own.gpu, read_gpu(options.to));
    report.verdict.push_back(fmt::format("wrote {}; use it with --gpu {}", options.to,
                                         is_gpu_path(options.to) ? options.to : "./" + options.to));
  }
  report.verdict.push_back(fmt::format("{} ({}): what {} does not say is taken from {}",
                                       own.gpu.name, own.gpu.architecture.id, options.from,
                                       own.sibling.name));
  report.tables = {assumed_of({own.gpu})};
  return report;
}

}  // namespace

void add_gpus_new(Command& gpus, Session& session) {
  Command command =
      add_command(gpus, "new", "write a GPU file from deviceQuery output or an ncu report",
                  "  deviceQuery > card.txt && warpledger gpus new --from card.txt -o card.toml\n"
                  "  warpledger gpus new --from report.ncu-rep -o card.toml\n"
                  "  warpledger gpus new --from raw.csv --like rtx4090 -o card.toml");
  auto options = std::make_shared<NewOptions>();
  command
      ->add_option("--from", options->from,
                   "deviceQuery output, a .ncu-rep file, or a CSV or text page printed by ncu")
      ->required();
  command->add_option("--like", options->like,
                      "take the other numbers from this GPU (default: the nearest built-in one)");
  command->add_option("-o,--output", options->to,
                      "the file to write; without it, only the "
                      "assumed numbers are listed");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto report = report_of(*options);
    if (!report) return fail(session, report.error());
    print(session, options->output, {.report = *report});
  });
}

}  // namespace warpledger::cli
