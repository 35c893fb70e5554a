#include "warpledger/profile/metrics/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/base/units.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Space;

/// "ld.global.nc.f32" of "@%p1 ld.global.nc.f32 %f1, [%rd1];".
std::string opcode_of(const std::string& text) {
  const size_t start = text.starts_with('@') ? text.find(' ') + 1 : 0;
  return text.substr(start, text.find_first_of(" ;", start) - start);
}

Amount amount(uint64_t n) { return Amount(static_cast<int64_t>(n)); }

class Writer {
 public:
  explicit Writer(Ledger& ledger) : ledger_(ledger) {}

  /// Adds to the row of that operation, subject and edge.
  void add(const std::string& operation, const std::string& subject, Edge edge, uint64_t bytes,
           Fidelity fidelity, const std::map<std::string, Figure>& counters = {}) {
    if (bytes == 0 && counters.empty()) return;
    auto row = std::find_if(ledger_.rows.begin(), ledger_.rows.end(), [&](const Movement& one) {
      return one.operation == operation && one.subject == subject && one.edge == edge;
    });
    if (row == ledger_.rows.end()) {
      ledger_.rows.push_back({.operation = operation, .subject = subject, .edge = edge});
      row = ledger_.rows.end() - 1;
      row->fidelity = fidelity;
    }
    row->bytes_per_iteration = row->bytes_per_iteration + amount(bytes);
    for (const auto& [name, figure] : counters) {
      const auto found = row->counters.find(name);
      row->counters[name] = found == row->counters.end() ? figure : found->second + figure;
    }
  }

 private:
  Ledger& ledger_;
};

void add_shared(Writer& writer, const std::string& operation, const std::string& subject,
                const trace::Site& site, const SiteCounters& c, Fidelity counted) {
  const auto figure = [&](uint64_t n) { return Figure{amount(n), counted}; };
  const auto does = operation_of(site);
  const uint64_t bytes = c.request.lanes * site.width;
  const Edge edge = does == Operation::kLoad   ? Edge{Level::kSmem, Level::kReg}
                    : does == Operation::kCopy ? Edge{Level::kL1, Level::kSmem}
                                               : Edge{Level::kReg, Level::kSmem};
  writer.add(operation, subject, edge, bytes, counted,
             {{"requests", figure(c.request.requests)},
              {"wavefronts", figure(c.request.data_wavefronts)},
              {"conflicts", figure(c.request.data_wavefronts - c.request.ideal_wavefronts)}});
}

/// What copy engine and tensor cores move; nothing for what they do not, or what stays in place.
std::optional<Edge> edge_of(const trace::Site& site) {
  using trace::Kind;
  const bool shared = site.space == Space::kShared;
  switch (site.kind) {
    case Kind::kBulkCopy:
      return shared ? std::optional(Edge{Level::kL1, Level::kSmem}) : std::nullopt;
    case Kind::kBulkStore:
    case Kind::kBulkReduction:
      return shared ? std::optional(Edge{Level::kSmem, Level::kL1}) : std::nullopt;
    case Kind::kMatrixOperand:
      return Edge{shared ? Level::kSmem : Level::kTmem, Level::kReg};
    case Kind::kTensorCopy:
      return shared ? std::optional(Edge{Level::kSmem, Level::kTmem}) : std::nullopt;
    default:
      break;
  }
  if (site.space != Space::kTensor) return {};
  if (site.kind == Kind::kLoad) return Edge{Level::kTmem, Level::kReg};
  if (site.kind == Kind::kStore) return Edge{Level::kReg, Level::kTmem};
  return {};
}

/// The arrays of a site; of a product's operands and a copy's sides, those of all on that edge.
std::string subject_of(const Profile& profile, size_t i) {
  const Instruction& instruction = profile.instructions[i];
  std::vector<std::string> names = instruction.arrays;
  if (const std::optional<Edge> edge = edge_of(instruction.site)) {
    names.clear();
    for (const Instruction& other : profile.instructions) {
      const bool same = other.site.instruction == instruction.site.instruction;
      if (!same || (!is_bulk(other.site.kind) && edge_of(other.site) != edge)) continue;
      for (const std::string& name : other.arrays) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  if (names.empty()) return to_text(profile.code_of(instruction).source);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Which bytes a tensor core reads is the instruction's to say, how often is modeled: B once for a
/// warpgroup, or for a tcgen05.mma.
void add_moved(Writer& writer, const std::string& operation, const std::string& subject,
               const trace::Site& site, const SiteCounters& c, Fidelity counted) {
  const bool operand = site.kind == trace::Kind::kMatrixOperand;
  const Fidelity fidelity = operand ? Fidelity::kModeled : counted;
  const auto figure = [&](uint64_t n) { return Figure{amount(n), Fidelity::kModeled}; };
  std::map<std::string, Figure> counters;
  if (site.space == Space::kShared) {
    counters = {{"wavefronts", figure(c.request.data_wavefronts)},
                {"conflicts", figure(c.request.data_wavefronts - c.request.ideal_wavefronts)}};
  }
  writer.add(operation, subject, *edge_of(site), c.request.lanes * site.width, fidelity, counters);
}

void add_global(Writer& writer, const std::string& operation, const std::string& subject,
                const Instruction& instruction, const SiteCounters& c, Fidelity counted) {
  const trace::Site& site = instruction.site;
  const Fidelity placed = weakest(counted, placed_as(instruction));
  const Fidelity asked = passes_texture_unit(site) ? Fidelity::kModeled : counted;
  const Fidelity moved = weakest(Fidelity::kModeled, placed);
  const auto figure = [](uint64_t n, Fidelity fidelity) { return Figure{amount(n), fidelity}; };
  const auto does = operation_of(site);
  const bool reads = effect_of(site) == trace::Effect::kRead;
  if (passes_texture_unit(site) || (does && does != Operation::kCopy)) {
    writer.add(operation, subject,
               reads ? Edge{Level::kL1, Level::kReg} : Edge{Level::kReg, Level::kL1},
               c.request.lanes * site.width, counted,
               {{"requests", figure(c.request.requests, asked)},
                {"sectors", figure(c.request.sectors, placed)}});
  }
  writer.add(operation, subject,
             reads ? Edge{Level::kL2, Level::kL1} : Edge{Level::kL1, Level::kL2},
             kSectorBytes * c.l2_sectors, moved);
  writer.add(operation, subject, {Level::kDram, Level::kL2}, kSectorBytes * c.dram_read_sectors,
             moved);
}

}  // namespace

Ledger ledger_of(const Profile& profile) {
  Ledger ledger{.title = fmt::format("{} on {}", shown_name(profile.kernel), profile.gpu.name)};
  ledger.provenance["gpu"] = profile.gpu.id;
  ledger.provenance["launch"] = fmt::format("grid {} block {}", fmt::join(profile.launch.grid, "x"),
                                            fmt::join(profile.launch.block, "x"));
  ledger.provenance["version"] = profile.version;
  Writer writer(ledger);
  std::set<std::string> written;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const SiteCounters& c = profile.counters.sites[i];
    if (c.request.instructions == 0 && c.request.requests == 0) continue;
    const CodeLine& code = profile.code_of(instruction);
    const std::string operation = instruction.is_spill ? "spill" : opcode_of(code.text);
    const std::string subject = instruction.is_spill ? "spilled registers" : subject_of(profile, i);
    if (edge_of(instruction.site)) {
      add_moved(writer, operation, subject, instruction.site, c, profile.counted_as());
      continue;
    }
    const Fidelity counted = is_mapped(instruction)
                                 ? weakest(profile.counted_as(), Fidelity::kModeled)
                                 : profile.counted_as();
    if (instruction.site.space == Space::kShared)
      add_shared(writer, operation, subject, instruction.site, c, counted);
    if (!is_far(instruction.site)) continue;
    add_global(writer, operation, subject, instruction, c, counted);
    if (effect_of(instruction.site) == trace::Effect::kWrite) written.insert(subject);
  }
  writer.add("write-back", fmt::format("{}", fmt::join(written, ", ")), {Level::kL2, Level::kDram},
             kSectorBytes * profile.counters.dram.write_sectors, Fidelity::kModeled);
  attribute_rest(ledger, {Level::kDram, Level::kL2},
                 {amount(kSectorBytes * profile.counters.dram.read_sectors), Fidelity::kModeled});
  return ledger;
}

}  // namespace warpledger::profile
