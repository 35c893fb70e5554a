#include "warpledger/exec/translate/translate.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/call.h"
#include "warpledger/exec/translate/check.h"
#include "warpledger/exec/translate/speculate.h"
#include "warpledger/exec/translate/subroutines.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

constexpr uint64_t kBankStep = 16;

/// Instructions [first, end) that are executed one after the other.
struct Block {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> successors;  // first instructions
};

/// CALL.NOINC goes to where it says and keeps nothing: ptxas takes it for branches, too.
bool branches(const Instruction& one) {
  return one.row->opcode == "BRA" || one.row->opcode == "CALL";
}

bool leaves_by_itself(const Instruction& one) {
  return branches(one) || one.row->opcode == "EXIT" || one.row->opcode == "RET" ||
         one.row->opcode == "BRX";
}

/// Behind these, other lanes may come first.
bool changes_order(const Instruction& one) {
  return one.row->opcode == "BSYNC" || one.row->opcode == "BREAK" || one.row->opcode == "WARPSYNC";
}

/// Whether lanes never go on behind it.
bool always_leaves(const Instruction& one) {
  return leaves_by_itself(one) && one.guard == machine::kTruePredicate && !one.guard_inverted &&
         !one.has(M::kDIV) && !one.has(M::kCONV) &&
         std::ranges::none_of(one.operands, [](const Operand& operand) {
           return machine::is_predicate(operand) &&
                  (operand.index != machine::kTruePredicate || operand.inverted);
         });
}

class Translator {
 public:
  Translator(const machine::Loaded& loaded, const trace::Sites& sites, bool by_address)
      : loaded_(loaded), sites_(sites), code_(loaded.program.instructions) {
    made_.by_address = by_address;
  }

  Result<Translation> run() {
    flow_ = find_control_flow(loaded_);
    flow_.by_address = made_.by_address;
    made_.places = place_banks(loaded_);
    find_blocks();
    if (refusal_.empty()) find_loads();
    if (refusal_.empty()) find_fresh();
    if (refusal_.empty()) write();
    if (refusal_.empty()) return std::move(made_);
    return refusal("no translation of " + refusal_);
  }

 private:
  [[nodiscard]] bool ends_block(const Instruction& one) const {
    if (one.row == nullptr) return false;
    return leaves_by_itself(one) || (flow_.by_address && changes_order(one));
  }

  void find_blocks() {
    const auto entry = loaded_.program.find(loaded_.entry);
    if (!entry) return static_cast<void>(refusal_ = "no entry");
    entry_ = *entry;
    std::set<uint32_t> leaders = {entry_};
    std::vector<uint32_t> work = {entry_};
    std::set<uint32_t> reached;
    while (!work.empty() && refusal_.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (!reached.insert(at).second) continue;
      for (const uint32_t next : successors_of(at)) {
        if (ends_block(code_[at])) leaders.insert(next);
        work.push_back(next);
      }
    }
    for (const uint32_t leader : leaders) {
      Block block{.first = leader, .end = leader};
      do ++block.end;
      while (!ends_block(code_[block.end - 1]) && !leaders.contains(block.end));
      block.successors = successors_of(block.end - 1);
      blocks_[leader] = block;
    }
  }

  std::vector<uint32_t> successors_of(uint32_t at) {
    const Instruction& one = code_[at];
    if (one.row == nullptr) {
      refusal_ = "'" + one.text + "'";
      return {};
    }
    std::vector<uint32_t> next;
    if (branches(one)) {
      const auto target = one.target ? loaded_.program.find(*one.target) : std::nullopt;
      if (!target)
        refusal_ = "'" + one.text + "'";
      else
        next.push_back(*target);
    }
    if (const auto places = flow_.places.find(at); places != flow_.places.end())
      next = places->second;
    if (!always_leaves(one)) {
      const auto follows = loaded_.program.find(one.address + machine::kInstructionBytes);
      if (!follows || *follows != at + 1)
        refusal_ = "code that ends without EXIT";
      else
        next.push_back(*follows);
    }
    return next;
  }

  /// The scoreboard of a load whose wait the trace tells (machine/record.cpp), as a bit.
  [[nodiscard]] uint8_t load_of(const Instruction& one) const {
    if (one.site == machine::kNoSite || one.control.sets == sass::Control::kNone) return 0;
    const trace::Site& site = sites_[one.site];
    const bool returns = site.kind != trace::Kind::kStore && site.kind != trace::Kind::kReduction;
    return trace::is_far(site) && returns ? static_cast<uint8_t>(1U << one.control.sets) : 0;
  }

  void find_loads() {
    for (const auto& [first, block] : blocks_) {
      for (uint32_t i = block.first; i < block.end; ++i) {
        loads_ |= load_of(code_[i]);
        if (code_[i].row->opcode != "LDC") continue;
        const int bank = code_[i].operands[1].bank;
        if (made_.indexed_bank >= 0 && made_.indexed_bank != bank) refusal_ = "LDC of two banks";
        made_.indexed_bank = bank;
      }
    }
  }

  void write_block(Writer& writer, const Block& block) const {
    for (uint32_t i = block.first; i < block.end && !writer.is_refused(); ++i) {
      writer.begin(i, code_[i].control.waits & loads_, load_of(code_[i]),
                   may_ignore_guard(loaded_.program, i, block.end));
      if (const Translate translate = find_translation(code_[i].row->opcode))
        translate(writer, block.end);
      else
        writer.refuse("no translation");
      if (writer.is_refused() && code_[i].row->lane != nullptr) {
        const std::string why = writer.refusal();
        writer.begin_again();
        write_call(writer);
        if (writer.is_refused()) writer.begin_again(), writer.refuse(why);
      }
      writer.end();
    }
  }

  /// Which pairs are known at the start of each block: those that are at the end of all before it.
  void find_fresh() {
    for (const auto& [first, block] : blocks_) {
      fresh_[first].registers.fill(first != entry_);
      fresh_[first].uniform.fill(first != entry_);
    }
    for (bool changed = true; changed && refusal_.empty();) {
      changed = false;
      for (const auto& [first, block] : blocks_) {
        Writer writer(loaded_, made_.places.at, flow_);
        writer.fresh = fresh_[first];
        write_block(writer, block);
        refusal_ = writer.refusal();
        for (const uint32_t next : block.successors) {
          const Fresh before = fresh_[next];
          fresh_[next].meet(writer.fresh);
          changed = changed || before != fresh_[next];
        }
      }
    }
  }

  void write() {
    Writer writer(loaded_, made_.places.at, flow_);
    for (const auto& [first, block] : blocks_) {
      writer.label(first);
      writer.fresh = fresh_[first];
      write_block(writer, block);
    }
    writer.finish(entry_);
    refusal_ = writer.refusal();
    made_.lines = std::move(writer.lines());
    made_.text = header() + writer.declarations();
    if (uses_local())
      made_.text += fmt::format("  .local .align 16 .b8 frame[{}];\n", loaded_.local_bytes);
    made_.text += writer.text() + "}\n";
  }

  /// Lanes' local memory is cleared for every block.
  [[nodiscard]] bool uses_local() const {
    return loaded_.local_bytes != 0 && std::ranges::any_of(code_, [](const Instruction& one) {
             if (one.row == nullptr) return false;
             const std::string_view opcode = one.row->opcode;
             return one.row->memory == machine::MemoryClass::kLocal || opcode == "LD" ||
                    opcode == "ST" || opcode == "ATOM";
           });
  }

  [[nodiscard]] std::string header() const {
    std::string text =
        fmt::format("// {}\n.version 9.0\n.target sm_{}\n.address_size 64\n",
                    made_.by_address ? "by address" : "by post-dominators", loaded_.architecture);
    if (made_.indexed_bank >= 0)
      text += fmt::format(".const .align 16 .b8 bank[{}];\n",
                          loaded_.banks[static_cast<size_t>(made_.indexed_bank)].size() + 1);
    return text + fmt::format(".visible .entry {}(.param .align 16 .b8 banks[{}])\n{{\n",
                              kKernelName, made_.places.bytes);
  }

  const machine::Loaded& loaded_;
  const trace::Sites& sites_;
  const std::vector<Instruction>& code_;
  std::map<uint32_t, Block> blocks_;
  std::map<uint32_t, Fresh> fresh_;
  Translation made_;
  ControlFlow flow_;
  std::string refusal_;
  uint32_t entry_ = 0;
  uint8_t loads_ = 0;
};

}  // namespace

BankPlaces place_banks(const machine::Loaded& loaded) {
  BankPlaces places;
  for (size_t i = 0; i < loaded.banks.size(); ++i) {
    places.at[i] = places.bytes;
    places.bytes += (loaded.banks[i].size() / kBankStep + 1) * kBankStep;
  }
  return places;
}

std::vector<std::byte> bank_bytes(const machine::Loaded& loaded, const BankPlaces& places) {
  std::vector<std::byte> bytes(places.bytes);
  for (size_t i = 0; i < loaded.banks.size(); ++i)
    if (!loaded.banks[i].empty())
      std::memcpy(&bytes[places.at[i]], loaded.banks[i].data(), loaded.banks[i].size());
  return bytes;
}

Result<Translation> translate(const machine::Loaded& loaded, const trace::Sites& sites,
                              bool by_address) {
  return Translator(loaded, sites, by_address).run();
}

}  // namespace warpledger::exec::translate
