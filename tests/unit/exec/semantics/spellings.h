// The spellings of tiers i and ii, from the opcode table, and which test runs those of each opcode.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {

inline bool is_run(ptx::Tier tier) {
  return tier == ptx::Tier::kSamples || tier == ptx::Tier::kAmpere;
}

inline std::vector<std::string> words_of(const ptx::PatternElement& element) {
  std::vector<std::string> result;
  for (const ptx::Type type : element.types) result.emplace_back(ptx::to_text(type));
  for (const ptx::Modifier modifier : element.modifiers)
    result.emplace_back(ptx::to_text(modifier));
  return result;
}

/// Spellings of a form in which each word of each place stands at least once. Words that stand
/// together (.xorsign.abs) do so here too.
inline std::vector<std::string> spellings_of(const ptx::Form& form) {
  std::vector<std::string> all;
  const auto build = [&](size_t place, const std::string& word) {
    std::string text(form.base);
    for (size_t i = 0; i < form.elements.size(); ++i) {
      const ptx::PatternElement& element = form.elements[i];
      const bool grouped = place < form.elements.size() && element.group != 0 &&
                           element.group == form.elements[place].group;
      if (i == place)
        text += "." + word;
      else if (!element.optional || grouped)
        text += "." + words_of(element)[0];
    }
    return text;
  };
  all.push_back(build(form.elements.size(), ""));
  for (size_t i = 0; i < form.elements.size(); ++i) {
    for (const std::string& word : words_of(form.elements[i])) all.push_back(build(i, word));
  }
  return all;
}

/// Those of the opcodes' forms of tiers i and ii, without the ones that another form takes.
inline std::vector<std::string> spellings(std::span<const ptx::Op> ops) {
  std::set<std::string> all;
  for (const ptx::Form& form : ptx::forms()) {
    if (!is_run(form.row->tier) || std::find(ops.begin(), ops.end(), form.row->op) == ops.end())
      continue;
    for (const std::string& text : spellings_of(form)) {
      ptx::SpellingFault fault;
      const auto spelling = ptx::decode_spelling(text, fault);
      if (spelling && is_run(spelling->tier())) all.insert(text);
    }
  }
  return {all.begin(), all.end()};
}

using ptx::Op;

// pure_test.cpp: against an oracle on random inputs.
inline constexpr Op kPureOps[] = {
    Op::kAdd,       Op::kSub,     Op::kMul,      Op::kMad,   Op::kMul24,    Op::kMad24, Op::kFma,
    Op::kSad,       Op::kDiv,     Op::kRem,      Op::kAbs,   Op::kNeg,      Op::kMin,   Op::kMax,
    Op::kRcp,       Op::kSqrt,    Op::kRsqrt,    Op::kSin,   Op::kCos,      Op::kLg2,   Op::kEx2,
    Op::kTanh,      Op::kTestp,   Op::kCopysign, Op::kPopc,  Op::kClz,      Op::kBfind, Op::kFns,
    Op::kBrev,      Op::kBfe,     Op::kBfi,      Op::kSzext, Op::kBmsk,     Op::kDp4a,  Op::kDp2a,
    Op::kSet,       Op::kSetp,    Op::kSelp,     Op::kSlct,  Op::kAnd,      Op::kOr,    Op::kXor,
    Op::kNot,       Op::kCnot,    Op::kLop3,     Op::kShf,   Op::kShl,      Op::kShr,   Op::kPrmt,
    Op::kCvt,       Op::kCvtPack, Op::kVadd,     Op::kVsub,  Op::kVabsdiff, Op::kVmin,  Op::kVmax,
    Op::kVshl,      Op::kVshr,    Op::kVmad,     Op::kVset,  Op::kVadd2,    Op::kVsub2, Op::kVavrg2,
    Op::kVabsdiff2, Op::kVmin2,   Op::kVmax2,    Op::kVset2, Op::kVadd4,    Op::kVsub4, Op::kVavrg4,
    Op::kVabsdiff4, Op::kVmin4,   Op::kVmax4,    Op::kVset4};
// load_store_test.cpp: every spelling moves the right bytes.
inline constexpr Op kLoadStoreOps[] = {Op::kLd, Op::kLdu, Op::kSt};
// atomic_test.cpp
inline constexpr Op kAtomicOps[] = {Op::kAtom, Op::kRed};
// exchange_test.cpp
inline constexpr Op kExchangeOps[] = {Op::kShfl, Op::kVote, Op::kMatch, Op::kActivemask,
                                      Op::kRedux};
// program_test.cpp: small programs, a table of them.
inline constexpr Op kProgramOps[] = {Op::kAddc,
                                     Op::kSubc,
                                     Op::kMadc,
                                     Op::kMov,
                                     Op::kCvta,
                                     Op::kIsspacep,
                                     Op::kPrefetch,
                                     Op::kPrefetchu,
                                     Op::kApplypriority,
                                     Op::kDiscard,
                                     Op::kCreatepolicy,
                                     Op::kBarSync,
                                     Op::kBarArrive,
                                     Op::kBarRed,
                                     Op::kBarWarpSync,
                                     Op::kMembar,
                                     Op::kFence,
                                     Op::kFenceProxy,
                                     Op::kMbarrierInit,
                                     Op::kMbarrierInval,
                                     Op::kMbarrierArrive,
                                     Op::kMbarrierArriveDrop,
                                     Op::kMbarrierTestWait,
                                     Op::kMbarrierPendingCount,
                                     Op::kCpAsync,
                                     Op::kCpAsyncCommitGroup,
                                     Op::kCpAsyncWaitGroup,
                                     Op::kCpAsyncWaitAll,
                                     Op::kCpAsyncMbarrierArrive,
                                     Op::kBra,
                                     Op::kBrxIdx,
                                     Op::kCall,
                                     Op::kRet,
                                     Op::kExit,
                                     Op::kTrap,
                                     Op::kBrkpt,
                                     Op::kNanosleep,
                                     Op::kPmevent};
// texture_test.cpp
inline constexpr Op kTextureOps[] = {Op::kTex,  Op::kTld4,  Op::kTxq, Op::kSuld,
                                     Op::kSust, Op::kSured, Op::kSuq};
// matrix_test.cpp
inline constexpr Op kMatrixOps[] = {Op::kLdmatrix,  Op::kStmatrix, Op::kMovmatrix, Op::kWmmaLoad,
                                    Op::kWmmaStore, Op::kWmmaMma,  Op::kMma};

}  // namespace warpledger::exec
