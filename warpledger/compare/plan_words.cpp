#include "warpledger/compare/plan_words.h"

#include <fmt/format.h>

#include <cmath>

#include "warpledger/base/number.h"

namespace warpledger::match {
namespace {

constexpr double kNoticeable = 0.005;  // less than half a percent is not spoken of

double value(const Figure& figure) { return to_double(figure.value); }

std::string times_text(double times) {
  if (std::abs(times - 1) < kNoticeable) return "once";
  if (times == std::floor(times)) return fmt::format("{:.0f} times", times);
  return fmt::format("{:.2f} times", times);
}

/// Threads against L2: what the L1 kept away, or what whole sectors add.
std::string l1_words(const Traffic& traffic) {
  if (!traffic.requested || !traffic.l2 || value(*traffic.requested) == 0) return "";
  const double share = value(*traffic.l2) / value(*traffic.requested);
  if (share < 1 - kNoticeable) return fmt::format(" (the L1 serves {:.1f} %)", 100 * (1 - share));
  if (share > 1 + kNoticeable) {
    return fmt::format(" (at most {:.1f} % of the sectors' bytes are asked for)", 100 / share);
  }
  return "";
}

/// L2 against DRAM, for an array of `bytes`. More bytes than it has: some came twice.
std::string l2_words(const Traffic& traffic, double bytes) {
  if (!traffic.dram || !traffic.l2) return "";
  const double times = value(*traffic.dram) / bytes;
  if (times > 1 + kNoticeable) return ": the L2 evicts it";
  const double served = 1 - value(*traffic.dram) / value(*traffic.l2);
  return served > kNoticeable ? fmt::format(": the L2 serves {:.1f} %", 100 * served) : "";
}

std::string size_words(const PlanTensor& tensor, const ArrayTraffic& array) {
  if (!array.bytes || *array.bytes == tensor.bytes) return "";
  return fmt::format("; sizes differ: {} bytes planned, {} in the kernel",
                     group_thousands(tensor.bytes), group_thousands(*array.bytes));
}

std::string who(const PlanTensor& tensor, const ArrayTraffic& array) {
  return tensor.name == array.name ? tensor.name : fmt::format("{} ({})", tensor.name, array.name);
}

std::string read_sentence(const PlanTensor& tensor, const ArrayTraffic& array) {
  const auto bytes = static_cast<double>(array.bytes.value_or(tensor.bytes));
  std::string words = who(tensor, array) + ": the plan ";
  words += tensor.read == 0 ? "does not read it" : "reads it " + tensor.read_times;
  if (!array.read.requested) return words + ", the kernel not at all" + size_words(tensor, array);
  words += fmt::format("; threads ask for it {}", times_text(value(*array.read.requested) / bytes));
  if (array.read.l2) {
    words += fmt::format(", L2 -> L1 carries it {}{}", times_text(value(*array.read.l2) / bytes),
                         l1_words(array.read));
  }
  if (array.read.dram) {
    words += fmt::format(", DRAM reads it {}{}", times_text(value(*array.read.dram) / bytes),
                         l2_words(array.read, bytes));
  }
  return words + size_words(tensor, array);
}

std::string write_sentence(const PlanTensor& tensor, const ArrayTraffic& array) {
  const auto bytes = static_cast<double>(array.bytes.value_or(tensor.bytes));
  std::string words = who(tensor, array) + ": the plan ";
  words += tensor.written == 0 ? "does not write it" : "writes it " + tensor.written_times;
  if (!array.written.requested)
    return words + ", the kernel not at all" + size_words(tensor, array);
  words +=
      fmt::format("; threads store it {}", times_text(value(*array.written.requested) / bytes));
  if (array.written.l2) {
    words += fmt::format(", L1 -> L2 carries it {}", times_text(value(*array.written.l2) / bytes));
  }
  return words + size_words(tensor, array);
}

struct Planned {
  const char* words;
  int64_t bytes;
};
struct Counted {
  const char* words;
  std::optional<Figure> bytes;
};

/// "the plan reads 100 bytes; L2 -> L1 carries 0.50 times as many, DRAM reads 0.10 times".
void add_total(std::vector<std::string>& words, const Planned& plan, const Counted& near,
               const Counted& far) {
  std::vector<std::string> parts;
  for (const Counted& part : {near, far}) {
    if (!part.bytes || plan.bytes == 0) continue;
    const double share = value(*part.bytes) / static_cast<double>(plan.bytes);
    parts.push_back(fmt::format("{} {} ({:.2f} times as many)", part.words,
                                group_thousands(part.bytes->value.to_text()), share));
  }
  words.push_back(fmt::format("{} {} bytes; {}", plan.words, group_thousands(plan.bytes),
                              parts.empty() ? "the report does not count them"
                                            : fmt::format("{}", fmt::join(parts, ", "))));
}

}  // namespace

std::string times_words(const Moved& moved, const Sizes& sizes) {
  if (moved.bytes.is_zero()) return "";
  const Expression formula = moved.bytes / moved.size;
  const auto at = formula.evaluate(sizes);
  if (!at) return "";
  const std::string count = times_text(to_double(*at));
  std::string words = formula.is_constant() ? count : formula.to_text() + " = " + count;
  if (formula == moved.blocks && !(formula == Expression(1))) words += " (once per block)";
  return words;
}

std::vector<std::string> sentences_of(const PlanTensor& tensor, const ArrayTraffic* array) {
  if (array == nullptr) {
    return {fmt::format("{}: in the plan only (--map {}=ARRAY names the kernel's)", tensor.name,
                        tensor.name)};
  }
  std::vector<std::string> words;
  if (tensor.read > 0 || array->read.requested) words.push_back(read_sentence(tensor, *array));
  if (tensor.written > 0 || array->written.requested) {
    words.push_back(write_sentence(tensor, *array));
  }
  return words;
}

std::vector<std::string> sentences_of(const Plan& plan, const KernelTraffic& kernel) {
  std::vector<std::string> words;
  if (kernel.arrays.empty()) {
    int64_t read = 0, written = 0;
    for (const PlanTensor& tensor : plan.tensors) read += tensor.read, written += tensor.written;
    add_total(words, {"the plan reads", read}, {"L2 -> L1 carries", kernel.read.l2},
              {"DRAM reads", kernel.read.dram});
    add_total(words, {"the plan writes", written}, {"L1 -> L2 carries", kernel.written.l2},
              {"DRAM writes", kernel.written.dram});
  }
  if (kernel.shared_read && !plan.shared_read.value.is_zero()) {
    const double share = value(*kernel.shared_read) / value(plan.shared_read);
    if (std::abs(share - 1) >= kNoticeable) {
      words.push_back(
          fmt::format("shared memory: threads read {:.2f} times the plan's bytes", share));
    }
  }
  int64_t all = 0;
  for (const ArrayTraffic& array : kernel.arrays) {
    if (array.name.find(", ") == std::string::npos) all += array.bytes.value_or(0);
  }
  if (kernel.l2_bytes && all > 0) {
    words.push_back(
        fmt::format("the arrays have {} bytes, {:.1f} % of the L2's {}", group_thousands(all),
                    100.0 * static_cast<double>(all) / static_cast<double>(*kernel.l2_bytes),
                    group_thousands(*kernel.l2_bytes)));
  }
  if (kernel.left_dirty > 0) {
    words.push_back(fmt::format("{} written bytes are still in the L2 at the end",
                                group_thousands(kernel.left_dirty)));
  }
  return words;
}

}  // namespace warpledger::match
