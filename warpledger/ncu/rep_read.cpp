// The half of rep_file.h that reads. Of every message that is known all fields are looked at;
// others, and messages that do not parse, make the file a bad one.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/ncu/rep_fields.h"
#include "warpledger/ncu/rep_file.h"
#include "warpledger/wire/wire.h"

namespace warpledger::ncu {
namespace {

using wire::Fields;
using Strings = std::vector<std::string>;

Diagnostic bad(const std::string& why) { return {.message = why, .code = "bad-ncu-file"}; }

std::string text_of(const Fields& fields, uint32_t number) {
  return std::string(wire::bytes_of(fields, number));
}

/// Appends what `read` makes of every message of that number.
template <class T, class Read>
Status read_each(const Fields& fields, uint32_t number, std::vector<T>& all, Read read) {
  for (const wire::Field& field : fields) {
    if (field.number != number) continue;
    WL_TRY(const Fields inner, wire::read_message(field.bytes));
    WL_TRY(T one, read(inner));
    all.push_back(std::move(one));
  }
  return {};
}

/// The fields of the message of that number; none where it is not there.
Result<Fields> inner_of(const Fields& fields, uint32_t number) {
  return wire::read_message(wire::bytes_of(fields, number));
}

RepValue value_of(const Fields& fields) {
  if (const wire::Field* text = wire::find(fields, rep::Value::kText)) {
    return std::string(text->bytes);
  }
  for (const uint32_t number : {rep::Value::kFloat, rep::Value::kDouble}) {
    if (const wire::Field* x = wire::find(fields, number)) return x->number_value();
  }
  const wire::Field* narrow = wire::find(fields, rep::Value::kUint32);
  return narrow != nullptr ? narrow->value : wire::value_of(fields, rep::Value::kUint64);
}

Result<RepInstance> instance_of(const Fields& fields) {
  RepInstance instance;
  WL_TRY(const Fields id, inner_of(fields, rep::Instance::kId));
  WL_TRY(const Fields value, inner_of(fields, rep::Instance::kValue));
  return RepInstance{value_of(id), value_of(value)};
}

Result<RepMetric> metric_of(const Fields& fields, const Strings& strings) {
  const uint64_t place = wire::value_of(fields, rep::Metric::kName);
  if (place >= strings.size()) return bad("a metric has no name");
  RepMetric metric{.name = strings[place]};
  if (wire::find(fields, rep::Metric::kValue) != nullptr) {
    WL_TRY(const Fields value, inner_of(fields, rep::Metric::kValue));
    metric.value = value_of(value);
  }
  WL_TRY_STATUS(read_each(fields, rep::Metric::kInstances, metric.instances, instance_of));
  return metric;
}

Result<RepLine> line_of(const Fields& fields) {
  return RepLine{.metric = text_of(fields, rep::SectionMetric::kName),
                 .label = text_of(fields, rep::SectionMetric::kLabel),
                 .unit = text_of(fields, rep::SectionMetric::kUnit)};
}

void add_widgets(const Fields& item, std::vector<RepWidget>& widgets) {
  for (const RepWidget known :
       {RepWidget::kSharedTable, RepWidget::kDeviceTable, RepWidget::kMemoryChart,
        RepWidget::kL1Table, RepWidget::kL2Table}) {
    if (wire::find(item, static_cast<uint32_t>(known)) != nullptr) widgets.push_back(known);
  }
}

Result<RepSection> section_of(const Fields& fields) {
  RepSection section{.id = text_of(fields, rep::Section::kId),
                     .title = text_of(fields, rep::Section::kTitle),
                     .extends = text_of(fields, rep::Section::kExtends),
                     .order = static_cast<uint32_t>(wire::value_of(fields, rep::Section::kOrder))};
  WL_TRY(const Fields header, inner_of(fields, rep::Section::kHeader));
  WL_TRY_STATUS(read_each(header, rep::SectionHeader::kMetrics, section.lines, line_of));
  WL_TRY(const Fields columns, inner_of(fields, rep::Section::kMetrics));
  WL_TRY_STATUS(read_each(columns, rep::SectionMetrics::kMetrics, section.columns, line_of));
  for (const wire::Field& field : fields) {
    if (field.number != rep::Section::kBody) continue;
    WL_TRY(const Fields body, wire::read_message(field.bytes));
    for (const wire::Field& one : body) {
      if (one.number != rep::SectionBody::kItems) continue;
      WL_TRY(const Fields item, wire::read_message(one.bytes));
      add_widgets(item, section.widgets);
    }
  }
  return section;
}

Result<RepMessage> message_of(const Fields& item) {
  WL_TRY(const Fields fields, inner_of(item, rep::RuleItem::kMessage));
  const uint64_t mark = wire::value_of(fields, rep::Message::kMark);
  RepMessage message{.text = text_of(fields, rep::Message::kText),
                     .title = text_of(fields, rep::Message::kTitle),
                     .mark = static_cast<RepMark>(std::min<uint64_t>(mark, 3))};
  WL_TRY(const Fields speedup, inner_of(item, rep::RuleItem::kSpeedup));
  message.is_local = wire::value_of(speedup, rep::Speedup::kType) == rep::Speedup::kLocal;
  for (const wire::Field& field : speedup) {
    if (field.number == rep::Speedup::kPercent) message.speedup = field.number_value();
  }
  return message;
}

Result<RepRule> rule_of(const Fields& fields) {
  RepRule rule{.id = text_of(fields, rep::Rule::kId),
               .title = text_of(fields, rep::Rule::kTitle),
               .section = text_of(fields, rep::Rule::kSection)};
  WL_TRY(const Fields body, inner_of(fields, rep::Rule::kBody));
  WL_TRY_STATUS(read_each(body, rep::RuleBody::kItems, rule.messages, message_of));
  std::erase_if(rule.messages, [](const RepMessage& one) { return one.text.empty(); });
  return rule;
}

Result<RepSourceFile> source_file_of(const Fields& fields) {
  return RepSourceFile{text_of(fields, rep::SourceFile::kName),
                       text_of(fields, rep::SourceFile::kText)};
}

Result<RepCode> code_of(const Fields& fields) {
  const uint64_t revision = wire::value_of(fields, rep::Source::kRevision);
  RepCode code{.reference = wire::value_of(fields, rep::Source::kReference),
               .ptx = text_of(fields, rep::Source::kPtx),
               .cubin = text_of(fields, rep::Source::kCubin),
               .major = static_cast<uint32_t>(revision >> 16 & UINT16_MAX),
               .minor = static_cast<uint32_t>(revision & UINT16_MAX)};
  WL_TRY(const Fields files, inner_of(fields, rep::Source::kFiles));
  WL_TRY_STATUS(read_each(files, rep::SourceFiles::kFile, code.files, source_file_of));
  return code;
}

Result<RepExtent> extent_of(const Fields& fields, uint32_t number) {
  WL_TRY(const Fields axes, inner_of(fields, number));
  return RepExtent{wire::value_of(axes, rep::Extent::kX), wire::value_of(axes, rep::Extent::kY),
                   wire::value_of(axes, rep::Extent::kZ)};
}

Status read_launch(const Fields& fields, RepResult& result) {
  result.mangled = text_of(fields, rep::Result::kMangled);
  result.function = text_of(fields, rep::Result::kFunction);
  result.demangled = text_of(fields, rep::Result::kDemangled);
  result.comment = text_of(fields, rep::Result::kComment);
  result.record = text_of(fields, rep::Result::kRecord);
  result.id = wire::value_of(fields, rep::Result::kKernel);
  result.created = wire::value_of(fields, rep::Result::kCreated);
  result.context = wire::value_of(fields, rep::Result::kContext);
  result.stream = wire::value_of(fields, rep::Result::kStream);
  WL_TRY(result.grid, extent_of(fields, rep::Result::kGrid));
  WL_TRY(result.block, extent_of(fields, rep::Result::kBlock));
  WL_TRY(const Fields code, inner_of(fields, rep::Result::kSource));
  result.code = wire::value_of(code, rep::Source::kReference);
  result.major = static_cast<uint32_t>(wire::value_of(code, rep::Source::kSassLevel));
  return {};
}

Result<RepResult> result_of(const Fields& fields, const Strings& strings) {
  RepResult result;
  WL_TRY_STATUS(read_launch(fields, result));
  WL_TRY_STATUS(read_each(fields, rep::Result::kMetrics, result.metrics,
                          [&](const Fields& metric) { return metric_of(metric, strings); }));
  WL_TRY_STATUS(read_each(fields, rep::Result::kSections, result.sections, section_of));
  WL_TRY_STATUS(read_each(fields, rep::Result::kRules, result.rules, rule_of));
  return result;
}

Result<std::pair<std::string, RepValue>> attribute_of(const Fields& fields) {
  WL_TRY(const Fields value, inner_of(fields, rep::Attribute::kValue));
  return std::pair(text_of(fields, rep::Attribute::kName), value_of(value));
}

Result<RepDevice> device_of(const Fields& fields) {
  RepDevice device{.id = wire::value_of(fields, rep::Device::kId),
                   .name = text_of(fields, rep::Device::kName)};
  WL_TRY_STATUS(read_each(fields, rep::Device::kAttributes, device.attributes, attribute_of));
  return device;
}

Result<std::pair<std::string, std::string>> version_of(const Fields& fields) {
  return std::pair(text_of(fields, rep::Version::kProvider),
                   text_of(fields, rep::Version::kVersion));
}

void take(std::string text, std::string& into) {
  if (!text.empty()) into = std::move(text);
}

/// ncu writes its session piece by piece, in several blocks.
Status add_session(const Fields& fields, RepSession& session) {
  const uint64_t created = wire::value_of(fields, rep::Session::kCreated);
  if (created != 0) session.created = created;
  take(text_of(fields, rep::Session::kComment), session.comment);
  take(text_of(fields, rep::Session::kCommand), session.command);
  WL_TRY(const Fields executable, inner_of(fields, rep::Session::kExecutable));
  take(text_of(executable, rep::Executable::kPath), session.executable);
  WL_TRY_STATUS(read_each(fields, rep::Session::kDevices, session.devices, device_of));
  return read_each(fields, rep::Session::kVersions, session.versions, version_of);
}

/// Takes what its u32 size says from the front of `bytes`.
std::optional<std::string_view> take_sized(std::string_view& bytes) {
  constexpr size_t kSize = 4;
  if (bytes.size() < kSize) return {};
  size_t size = 0;
  for (size_t i = 0; i < kSize; ++i) size |= size_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  bytes.remove_prefix(kSize);
  if (size > bytes.size()) return {};
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

Result<Fields> take_message(std::string_view& bytes) {
  const auto taken = take_sized(bytes);
  if (!taken) return bad("it breaks off");
  return wire::read_message(*taken);
}

Status read_header(const Fields& header, RepFile& file, Strings& strings) {
  WL_TRY(const Fields session, inner_of(header, rep::BlockHeader::kSession));
  WL_TRY_STATUS(add_session(session, file.session));
  WL_TRY(const Fields process, inner_of(header, rep::BlockHeader::kProcess));
  take(text_of(process, rep::Process::kHost), file.session.host);
  take(text_of(process, rep::Process::kName), file.session.process);
  WL_TRY(const Fields table, inner_of(header, rep::BlockHeader::kStrings));
  for (const wire::Field& field : table) strings.emplace_back(field.bytes);
  return {};
}

Status read_block(std::string_view& bytes, RepFile& file) {
  WL_TRY(const Fields header, take_message(bytes));
  Strings strings;
  WL_TRY_STATUS(read_header(header, file, strings));
  const uint64_t size = wire::value_of(header, rep::BlockHeader::kPayload);
  if (size > bytes.size()) return bad("a block breaks off");
  std::string_view payload = bytes.substr(0, size);
  bytes.remove_prefix(size);
  for (uint64_t i = 0; i < wire::value_of(header, rep::BlockHeader::kSources); ++i) {
    WL_TRY(const Fields fields, take_message(payload));
    WL_TRY(file.codes.emplace_back(), code_of(fields));
  }
  for (uint64_t i = 0; i < wire::value_of(header, rep::BlockHeader::kResults); ++i) {
    WL_TRY(const Fields fields, take_message(payload));
    WL_TRY(file.results.emplace_back(), result_of(fields, strings));
  }
  return {};
}

Result<RepFile> read_blocks(std::string_view bytes) {
  RepFile file;
  if (!is_rep_file(bytes)) return bad("it does not begin as one");
  bytes.remove_prefix(rep::kMagic.size());
  WL_TRY(const Fields header, take_message(bytes));
  if (wire::find(header, rep::FileHeader::kVersion) == nullptr) return bad("it has no version");
  while (!bytes.empty()) WL_TRY_STATUS(read_block(bytes, file));
  return file;
}

}  // namespace

Result<RepFile> read_rep_file(const std::string& name, std::string_view bytes) {
  Result<RepFile> file = read_blocks(bytes);
  if (file) return file;
  return bad(fmt::format("'{}' is no report of ncu: {}", name, file.error().message));
}

}  // namespace warpledger::ncu
