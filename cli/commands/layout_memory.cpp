// `warpledger layout descriptor` and `layout tmem`: what the tensor cores read by descriptor, and
// where tcgen05 puts an accumulator.
#include <fmt/core.h>

#include <charconv>

#include "cli/commands/layout.h"
#include "warpledger/layout/catalog/matrix_moves.h"
#include "warpledger/layout/catalog/shared_tile.h"
#include "warpledger/layout/notation/notation.h"

namespace warpledger::cli {
namespace {

struct DescriptorOptions {
  std::string bits;
  std::string kind = "wgmma";
  OutputOptions output;
};

Result<uint64_t> parse_bits(std::string_view word) {
  std::string_view digits = word;
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  uint64_t bits = 0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), bits, hex ? 16 : 10);
  if (fault == std::errc() && end == digits.data() + digits.size()) return bits;
  return Diagnostic{.message = fmt::format("'{}' is not a 64-bit number", word), .code = "usage"};
}

Result<Report> descriptor_report(const DescriptorOptions& options) {
  WL_TRY(const uint64_t bits, parse_bits(options.bits));
  const bool wgmma = options.kind == "wgmma";
  WL_TRY(const SharedDescriptor descriptor,
         decode(bits, wgmma ? DescriptorKind::kWgmma : DescriptorKind::kTcgen05));
  const SharedModeFacts& mode = facts_of(descriptor.mode);
  Table table{.columns = {{"field", "field"}, {"value", "value", Align::kRight}}};
  const auto add = [&](const char* name, int64_t value) {
    table.rows.push_back({{Cell(name), Cell(value, Fidelity::kExact)}});
  };
  add("start address (bytes)", descriptor.start);
  add("leading byte offset", descriptor.leading_offset);
  add("stride byte offset", descriptor.stride_offset);
  add("base offset", descriptor.base_offset);
  add("pattern repeats after (bytes)", mode.repeat_bytes);
  table.rows.push_back({{Cell("swizzle mode"), Cell(std::string(mode.name))}});
  table.rows.push_back({{Cell("on byte addresses"),
                         Cell(mode.swizzle.bits == 0 ? "identity" : to_text(mode.swizzle))}});
  return Report{.command = "layout descriptor", .tables = {table}};
}

struct TmemOptions {
  std::string letter;
  int columns = 128;
  std::string where;
  OutputOptions output;
};

Result<Report> tmem_report(const TmemOptions& options) {
  WL_TRY(const LinearMap map, accumulator_placement(options.letter[0], options.columns));
  Table table{.title = fmt::format("tcgen05 layout {}: element (row, col) of D to tensor memory",
                                   options.letter),
              .columns = {{"of", "of"}, {"is", "is"}}};
  for (const Dim& dim : map.to().dims()) {
    table.rows.push_back({{Cell(dim.name), Cell(notation::formula_of(map, dim.name))}});
  }
  if (!options.where.empty()) {
    WL_TRY(const auto at, parse_pair(options.where, ','));
    if (!map.from().contains({at.first, at.second})) {
      return Diagnostic{.message = fmt::format("({}, {}) is outside {}", at.first, at.second,
                                               to_text(map.from())),
                        .code = "outside-matrix"};
    }
    table.rows.push_back(
        {{Cell(fmt::format("({}, {})", at.first, at.second)),
          Cell(point_text(map.to(), map(map.from().pack({at.first, at.second}))))}});
  }
  return Report{.command = "layout tmem", .tables = {table}};
}

template <class Options>
void hang(Command command, Session& session, std::shared_ptr<Options> options,
          Result<Report> (*report)(const Options&)) {
  add_output_options(*command, options->output);
  command->callback([options, report, &session] {
    const auto answer = report(*options);
    if (!answer) return fail(session, answer.error());
    print(session, options->output, {.report = *answer});
  });
}

}  // namespace

void add_layout_memory(Command& layout, Session& session) {
  auto descriptor = std::make_shared<DescriptorOptions>();
  Command command = add_command(layout, "descriptor", "decode a shared-memory matrix descriptor",
                                "  warpledger layout descriptor 0x4000004000010040 --kind wgmma");
  command->add_option("bits", descriptor->bits, "the 64 bits, decimal or 0x")->required();
  command->add_option("--kind", descriptor->kind, "whose descriptor")
      ->one_of({"wgmma", "tcgen05"})
      ->capture_default_str();
  hang(command, session, descriptor, descriptor_report);

  auto tmem = std::make_shared<TmemOptions>();
  command =
      add_command(layout, "tmem", "show where tcgen05.mma puts an accumulator in tensor memory",
                  "  warpledger layout tmem F --columns 64 --where 17,5");
  command->add_option("layout", tmem->letter, "A to G, as PTX names the data path layouts")
      ->required()
      ->one_of({"A", "B", "C", "D", "E", "F", "G"});
  command->add_option("--columns", tmem->columns, "N, a power of two")->capture_default_str();
  command->add_option("--where", tmem->where, "ROW,COL: the cell of this element");
  hang(command, session, tmem, tmem_report);
}

}  // namespace warpledger::cli
