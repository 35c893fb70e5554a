#include "examples/studies/ceilings.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpledger/base/number.h"

namespace warpledger::study {

Result<Ceilings> ceilings_of(const Gpu& gpu) {
  const auto& tensor = gpu.architecture.pipes.tensor_fp16_fma_per_clk;
  if (!gpu.dram.peak_gbs || !gpu.clocks.boost_mhz || !tensor) {
    return Diagnostic{fmt::format("{} has no DRAM peak, boost clock or tensor rate", gpu.id),
                      "warpledger gpus shows what its file says", "missing-fact"};
  }
  const double gflops = 2e-3 * static_cast<double>(gpu.sms.value) *
                        static_cast<double>(tensor->value) *
                        static_cast<double>(gpu.clocks.boost_mhz->value);
  Ceilings made;
  made.name = gpu.name;
  made.bandwidth_gbs = {gpu.dram.peak_gbs->value, gpu.dram.peak_gbs->value,
                        gpu.dram.peak_gbs->value};
  made.gflops = {gflops, gflops, gflops};
  made.fidelity = weakest(gpu.dram.peak_gbs->fidelity,
                          weakest(tensor->fidelity, gpu.clocks.boost_mhz->fidelity));
  made.arithmetic = "fp16 tensor";
  return made;
}

double ridge(const Ceilings& ceilings) {
  return ceilings.gflops.median / ceilings.bandwidth_gbs.median;
}

double attainable(const Ceilings& ceilings, double intensity) {
  return std::min(ceilings.gflops.median, intensity * ceilings.bandwidth_gbs.median);
}

namespace {

Cell number(double value, Fidelity fidelity) { return {ncu_number(value), value, fidelity}; }

}  // namespace

Table ceilings_table(const std::vector<Ceilings>& all) {
  Table table{.title = "Ceilings"};
  table.columns = {{"Of", "name"},
                   {"Bandwidth GB/s", "bandwidth_gbs", Align::kRight},
                   {"low", "bandwidth_low_gbs", Align::kRight},
                   {"high", "bandwidth_high_gbs", Align::kRight},
                   {"Arithmetic", "arithmetic"},
                   {"GFLOP/s", "gflops", Align::kRight},
                   {"low", "gflops_low", Align::kRight},
                   {"high", "gflops_high", Align::kRight},
                   {"Ridge flop/B", "ridge_flops_per_byte", Align::kRight}};
  for (const Ceilings& c : all) {
    table.rows.push_back(
        {{c.name, number(c.bandwidth_gbs.median, c.fidelity),
          number(c.bandwidth_gbs.low, c.fidelity), number(c.bandwidth_gbs.high, c.fidelity),
          c.arithmetic, number(c.gflops.median, c.fidelity), number(c.gflops.low, c.fidelity),
          number(c.gflops.high, c.fidelity), number(ridge(c), c.fidelity)}});
    if (c.repetitions == 0) continue;
    table.notes.push_back(
        fmt::format("{}: median, lowest and highest of {} runs on {} threads; triad counts 24 "
                    "bytes per element",
                    c.name, c.repetitions, c.threads));
  }
  return table;
}

std::string to_json(const Ceilings& c) {
  const auto spread = [](const Spread& s) {
    return nlohmann::ordered_json{{"median", s.median}, {"low", s.low}, {"high", s.high}};
  };
  const nlohmann::ordered_json made = {{"schema_version", 1},
                                       {"name", c.name},
                                       {"bandwidth_gbs", spread(c.bandwidth_gbs)},
                                       {"gflops", spread(c.gflops)},
                                       {"repetitions", c.repetitions},
                                       {"threads", c.threads},
                                       {"arithmetic", c.arithmetic}};
  return made.dump(2) + "\n";
}

Result<Ceilings> ceilings_from_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto spread = [&](const char* key, Spread* into) {
    if (!json.contains(key) || !json[key].is_object()) return false;
    for (const auto& [name, field] :
         {std::pair{"median", &Spread::median}, {"low", &Spread::low}, {"high", &Spread::high}}) {
      if (!json[key].contains(name) || !json[key][name].is_number()) return false;
      into->*field = json[key][name].get<double>();
    }
    return into->median > 0;
  };
  Ceilings made;
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() ||
      !spread("bandwidth_gbs", &made.bandwidth_gbs) || !spread("gflops", &made.gflops)) {
    return Diagnostic{"this is not a file of ceilings",
                      "write one with: warpledger ceilings --save FILE", "bad-ceilings"};
  }
  made.name = json["name"].get<std::string>();
  made.repetitions = json.value("repetitions", 0);
  made.threads = json.value("threads", 0);
  made.arithmetic = json.value("arithmetic", made.arithmetic);
  return made;
}

}  // namespace warpledger::study
