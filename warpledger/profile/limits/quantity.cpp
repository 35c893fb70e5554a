#include "warpledger/profile/limits/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile::budget {
namespace {

using memory::SiteCounters;
using trace::Site;
using trace::Space;

bool is_store(const Site& site) { return operation_of(site) == Operation::kStore; }

double bank_conflicts(const Site& site, const SiteCounters& c) {
  if (site.space != Space::kShared) return 0;
  return static_cast<double>(c.request.data_wavefronts) -
         static_cast<double>(c.request.ideal_wavefronts);
}
double shared_wavefronts(const Site& site, const SiteCounters& c) {
  return site.space == Space::kShared && operation_of(site)
             ? static_cast<double>(c.request.data_wavefronts)
             : 0;
}
double excessive_sectors(const Site& site, const SiteCounters& c) {
  if (site.space != Space::kGlobal) return 0;
  return static_cast<double>(c.request.theoretical_sectors) -
         static_cast<double>(c.request.ideal_sectors);
}
double l1_sectors(const Site& site, const SiteCounters& c) {
  return site.space == Space::kGlobal ? static_cast<double>(c.request.sectors) : 0;
}
double l2_sectors(const Site&, const SiteCounters& c) { return static_cast<double>(c.l2_sectors); }
double dram_reads(const Site&, const SiteCounters& c) {
  return static_cast<double>(kSectorBytes * static_cast<int64_t>(c.dram_read_sectors));
}
/// Which store a sector's write-back belongs to is not known: what it sent to the L2 stands for it.
double dram_writes(const Site& site, const SiteCounters& c) {
  return is_store(site) ? static_cast<double>(kSectorBytes * static_cast<int64_t>(c.l2_sectors))
                        : 0;
}
double dram_traffic(const Site& site, const SiteCounters& c) {
  return is_store(site) ? dram_writes(site, c) : dram_reads(site, c);
}
double local_requests(const Site& site, const SiteCounters& c) {
  return site.space == Space::kLocal ? static_cast<double>(c.request.requests) : 0;
}

std::function<Value(const Evidence&)> metric(const std::string& name) {
  return [name](const Evidence& evidence) {
    const Result<Metric> found = find_metric(name);
    WL_CHECK(found.ok());  // a test walks the table
    return found->formula(evidence);
  };
}

Value bytes(uint64_t sectors) { return modeled(kSectorBytes * sectors); }

Value unique_bytes(const Evidence& e) {
  return bytes(e.counters.dram.unique_read_sectors + e.counters.dram.unique_written_sectors);
}
Value unique_read_bytes(const Evidence& e) { return bytes(e.counters.dram.unique_read_sectors); }
Value unique_written_bytes(const Evidence& e) {
  return bytes(e.counters.dram.unique_written_sectors);
}

bool is_global_request(const Site& site) {
  const auto does = operation_of(site);
  return site.space == Space::kGlobal &&
         (does == Operation::kLoad || does == Operation::kStore || does == Operation::kCopy);
}

Value mean_sectors(const Evidence& e) {
  const SiteCounters sum = sum_where(e, is_global_request);
  return ratio(static_cast<double>(sum.request.sectors), static_cast<double>(sum.request.requests),
               Fidelity::kExact);
}
Value mean_ideal_sectors(const Evidence& e) {
  const SiteCounters sum = sum_where(e, is_global_request);
  return ratio(static_cast<double>(sum.request.ideal_sectors),
               static_cast<double>(sum.request.requests), Fidelity::kExact);
}
double sectors_per_request(const Site& site, const SiteCounters& c) {
  if (!is_global_request(site) || c.request.requests == 0) return 0;
  return static_cast<double>(c.request.sectors) / static_cast<double>(c.request.requests);
}
Value worst_sectors(const Evidence& e) {
  double worst = 0;
  for (size_t i = 0; i < e.counters.sites.size(); ++i) {
    worst =
        std::max(worst, sectors_per_request(e.profile.instructions[i].site, e.counters.sites[i]));
  }
  return {.raw = worst, .fidelity = Fidelity::kExact};
}
Value local_total(const Evidence& e) {
  return exact(
      sum_where(e, [](const Site& site) { return site.space == Space::kLocal; }).request.requests);
}

std::vector<Quantity> make_short_names() {
  return {
      {"dram.bytes", "byte", "read from and written to DRAM", metric("dram__bytes.sum"),
       unique_bytes, dram_traffic},
      {"dram.read_bytes", "byte", "read from DRAM", metric("dram__bytes_read.sum"),
       unique_read_bytes, dram_reads},
      {"dram.write_bytes", "byte", "written to DRAM", metric("dram__bytes_write.sum"),
       unique_written_bytes, dram_writes},
      {"l2.sectors", "sector", "32 B sectors that pass the L2", metric("lts__t_sectors.sum"),
       nullptr, l2_sectors},
      {"l2.hit_rate", "%", "of these, hits", metric("lts__t_sector_hit_rate.pct"), nullptr,
       dram_reads},
      {"l1.hit_rate", "%", "sectors that hit in the L1", metric("l1tex__t_sector_hit_rate.pct"),
       nullptr, l2_sectors},
      {"global.sectors", "sector", "32 B sectors that global accesses touch",
       metric("memory_l2_theoretical_sectors_global"),
       metric("memory_l2_theoretical_sectors_global_ideal"), excessive_sectors},
      {"global.excessive_sectors", "sector", "of these, those beyond what packed lanes need",
       metric("derived__memory_l2_theoretical_sectors_global_excessive"), nullptr,
       excessive_sectors},
      {"sectors_per_request", "sector", "mean over global loads and stores", mean_sectors,
       mean_ideal_sectors, excessive_sectors},
      {"sectors_per_request.worst", "sector", "that of the worst global load or store",
       worst_sectors, nullptr, sectors_per_request},
      {"shared.bank_conflicts", "", "wavefronts of shared memory beyond what the bytes need",
       metric("derived__memory_l1_wavefronts_shared_excessive"), nullptr, bank_conflicts},
      {"shared.wavefronts", "", "passes over the banks of shared memory",
       metric("memory_l1_wavefronts_shared"), metric("memory_l1_wavefronts_shared_ideal"),
       bank_conflicts},
      {"spills", "", "requests of spilled registers (needs ptxas and nvdisasm)",
       metric("derived__local_spilling_requests"), nullptr, nullptr},
      {"local.requests", "", "requests of local memory: arrays and spills", local_total, nullptr,
       local_requests},
      {"registers", "register/thread", "per thread", metric("launch__registers_per_thread"),
       nullptr, nullptr},
      {"occupancy", "%", "theoretical, of the SM's warps",
       metric("sm__maximum_warps_per_active_cycle_pct"), nullptr, nullptr},
      {"instructions", "inst", "executed by warps", metric("smsp__inst_executed.sum"), nullptr,
       nullptr},
      {"duration", "ns", "of the kernel", metric("gpu__time_duration.sum"), nullptr, nullptr},
  };
}

/// The blame of one of ncu's metrics follows from what its name says it counts.
Blame blame_of(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("bank_conflict") || has("wavefronts_shared_excessive")) return bank_conflicts;
  if (has("wavefronts") && has("shared")) return shared_wavefronts;
  if (has("spilling")) return nullptr;  // ptxas spills what it likes: no line is to blame
  if (has("local")) return local_requests;
  if (has("dram__") && has("write")) return dram_writes;
  if (has("dram__") && has("read")) return dram_reads;
  if (has("dram__")) return dram_traffic;
  if (has("theoretical_sectors") || has("sectors_per_request")) return excessive_sectors;
  if (name.starts_with("l1tex__t_sectors") || name.starts_with("l1tex__t_bytes")) return l1_sectors;
  if (name.starts_with("lts__t_") || has("l1tex2xbar") || has("xbar2l1tex")) return l2_sectors;
  return nullptr;
}

Quantity quantity_of(const Metric& found) {
  return {.name = found.name,
          .unit = found.unit,
          .value = found.formula,
          .blame = blame_of(found.name)};
}

/// The metrics that stand under the label on the details page.
std::vector<std::string> metrics_labeled(const std::string& label) {
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    for (const Entry& entry : section.entries) {
      if (entry.label != label) continue;
      if (std::find(names.begin(), names.end(), entry.metric) == names.end()) {
        names.push_back(entry.metric);
      }
    }
  }
  return names;
}

Diagnostic unknown(const std::string& name) {
  std::vector<std::string> known;
  for (const Quantity& quantity : short_names()) known.push_back(quantity.name);
  for (const Single& single : catalog().singles) known.push_back(single.name);
  for (const Counter& counter : catalog().counters) known.push_back(counter.base + ".sum");
  for (const Section& section : sections()) {
    for (const Entry& entry : section.entries) known.push_back(entry.label);
  }
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = "'warpledger check --list' has the short names; ncu's names work too";
  return {.message = fmt::format("there is no metric '{}'", name),
          .hint = hint,
          .code = "unknown-metric"};
}

}  // namespace

const std::vector<Quantity>& short_names() {
  static const std::vector<Quantity> all = make_short_names();
  return all;
}

Result<Quantity> find_quantity(const std::string& name) {
  for (const Quantity& quantity : short_names()) {
    if (quantity.name == name) return quantity;
  }
  if (const Result<Metric> found = find_metric(name)) return quantity_of(*found);
  const std::vector<std::string> labeled = metrics_labeled(name);
  if (labeled.empty()) return unknown(name);
  if (labeled.size() > 1) {
    return Diagnostic{
        .message = fmt::format("'{}' is the label of {} metrics", name, labeled.size()),
        .hint = fmt::format("name one: {}", fmt::join(labeled, ", ")),
        .code = "ambiguous-label"};
  }
  WL_TRY(const Metric found, find_metric(labeled.front()));
  return quantity_of(found);
}

std::vector<Culprit> culprits_of(const Quantity& quantity, const Profile& profile, size_t most) {
  std::vector<Culprit> found;
  if (quantity.blame == nullptr) return found;
  std::map<std::pair<SourceLine, uint32_t>, Culprit> by_place;
  std::map<std::pair<SourceLine, uint32_t>, double> heaviest;
  double total = 0;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const double amount = quantity.blame(instruction.site, profile.counters.sites[i]);
    if (amount <= 0) continue;
    const CodeLine& code = profile.code_of(instruction);
    const auto place = std::pair(code.source, code.source.line ? 0 : code.ptx_line);
    Culprit& culprit = by_place[place];
    culprit.where = code.source;
    culprit.amount += amount;
    total += amount;
    if (amount <= heaviest[place]) continue;
    heaviest[place] = amount;
    culprit.text = code.text;
    culprit.ptx_line = code.ptx_line;
  }
  for (auto& [place, culprit] : by_place) {
    culprit.share = culprit.amount / total;
    found.push_back(culprit);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Culprit& a, const Culprit& b) { return a.amount > b.amount; });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace warpledger::profile::budget
