// The half of rep_file.h that writes.
#include <map>

#include "warpledger/ncu/rep_fields.h"
#include "warpledger/ncu/rep_file.h"
#include "warpledger/wire/wire.h"

namespace warpledger::ncu {
namespace {

using wire::Message;

Message value_message(const RepValue& value) {
  Message message;
  if (const auto* text = std::get_if<std::string>(&value)) message.add(rep::Value::kText, *text);
  if (const auto* x = std::get_if<double>(&value)) message.add_double(rep::Value::kDouble, *x);
  if (const auto* n = std::get_if<uint64_t>(&value)) message.add(rep::Value::kUint64, *n);
  return message;
}

Message extent_message(const RepExtent& extent) {
  Message message;
  message.add(rep::Extent::kX, extent[0]).add(rep::Extent::kY, extent[1]);
  return message.add(rep::Extent::kZ, extent[2]);
}

/// Metrics have the place of their name in the table of their block.
class StringTable {
 public:
  uint64_t place_of(const std::string& text) {
    const auto [found, is_new] = places_.try_emplace(text, places_.size());
    if (is_new) table_.add(rep::Strings::kString, text);
    return found->second;
  }
  [[nodiscard]] const Message& message() const { return table_; }

 private:
  std::map<std::string, uint64_t> places_;
  Message table_;
};

Message metric_message(const RepMetric& metric, StringTable& strings) {
  Message message;
  message.add(rep::Metric::kName, strings.place_of(metric.name));
  if (metric.value) message.add(rep::Metric::kValue, value_message(*metric.value));
  for (const RepInstance& one : metric.instances) {
    Message instance;
    instance.add(rep::Instance::kId, value_message(one.id));
    message.add(rep::Metric::kInstances,
                instance.add(rep::Instance::kValue, value_message(one.value)));
  }
  return message;
}

/// The lines as a list of metrics, each in a field of that number.
Message lines_message(const std::vector<RepLine>& lines, uint32_t number) {
  Message all;
  for (const RepLine& line : lines) {
    Message metric;
    metric.add(rep::SectionMetric::kName, line.metric).add(rep::SectionMetric::kLabel, line.label);
    all.add(number, metric.add_if(rep::SectionMetric::kUnit, line.unit));
  }
  return all;
}

Message section_message(const RepSection& section) {
  Message message, body;
  message.add(rep::Section::kId, section.id).add(rep::Section::kTitle, section.title);
  message.add(rep::Section::kOrder, section.order);
  message.add_if(rep::Section::kHeader,
                 lines_message(section.lines, rep::SectionHeader::kMetrics).bytes());
  for (const RepWidget widget : section.widgets) {
    body.add(rep::SectionBody::kItems, Message().add(static_cast<uint32_t>(widget), Message()));
  }
  message.add_if(rep::Section::kBody, body.bytes());
  message.add_if(rep::Section::kMetrics,
                 lines_message(section.columns, rep::SectionMetrics::kMetrics).bytes());
  return message.add_if(rep::Section::kExtends, section.extends);
}

Message speedup_message(const RepMessage& one) {
  Message speedup;
  speedup.add(rep::Speedup::kType, one.is_local ? rep::Speedup::kLocal : rep::Speedup::kGlobal);
  return speedup.add_double(rep::Speedup::kPercent, *one.speedup);
}

Message rule_message(const RepRule& rule) {
  Message message, body;
  message.add(rep::Rule::kId, rule.id).add(rep::Rule::kTitle, rule.title);
  uint64_t id = 0;
  for (const RepMessage& one : rule.messages) {
    Message words;
    words.add(rep::Message::kText, one.text);
    words.add(rep::Message::kMark, static_cast<uint64_t>(one.mark));
    words.add(rep::Message::kId, ++id).add_if(rep::Message::kTitle, one.title);
    Message item = Message().add(rep::RuleItem::kMessage, words);
    if (one.speedup) item.add(rep::RuleItem::kSpeedup, speedup_message(one));
    body.add(rep::RuleBody::kItems, item);
  }
  if (!rule.messages.empty()) message.add(rep::Rule::kBody, body);
  return message.add_if(rep::Rule::kSection, rule.section);
}

Message code_message(const RepCode& code) {
  Message message, files;
  message.add(rep::Source::kReference, code.reference);
  message.add_if(rep::Source::kPtx, code.ptx).add_if(rep::Source::kCubin, code.cubin);
  message.add(rep::Source::kSassLevel, code.major);
  message.add(rep::Source::kRevision, uint64_t{code.major} << 16 | code.minor);
  message.add(rep::Source::kFlags, uint64_t{0});
  for (const RepSourceFile& file : code.files) {
    Message one;
    files.add(rep::SourceFiles::kFile,
              one.add(rep::SourceFile::kName, file.name).add(rep::SourceFile::kText, file.text));
  }
  if (!code.files.empty()) message.add(rep::Source::kFiles, files);
  return message;
}

void add_launch(const RepResult& result, Message& message) {
  message.add(rep::Result::kThread, uint64_t{1}).add(rep::Result::kCall, result.id);
  message.add(rep::Result::kProgram, result.code).add(rep::Result::kKernel, result.id);
  message.add(rep::Result::kMangled, result.mangled);
  message.add(rep::Result::kFunction, result.function);
  message.add(rep::Result::kDemangled, result.demangled);
  message.add(rep::Result::kDimensions, uint64_t{3});
  message.add(rep::Result::kOffset, extent_message({0, 0, 0}));
  message.add(rep::Result::kGrid, extent_message(result.grid));
  message.add(rep::Result::kBlock, extent_message(result.block));
  message.add_if(rep::Result::kComment, result.comment);
  if (result.created != 0) message.add(rep::Result::kCreated, result.created);
}

Message result_message(const RepResult& result, StringTable& strings) {
  Message message, code;
  add_launch(result, message);
  code.add(rep::Source::kReference, result.code).add(rep::Source::kSassLevel, result.major);
  message.add(rep::Result::kSource, code).add(rep::Result::kApi, uint64_t{0});
  for (const RepMetric& metric : result.metrics) {
    message.add(rep::Result::kMetrics, metric_message(metric, strings));
  }
  for (const RepSection& section : result.sections) {
    message.add(rep::Result::kSections, section_message(section));
  }
  for (const RepRule& rule : result.rules) message.add(rep::Result::kRules, rule_message(rule));
  message.add(rep::Result::kContext, result.context).add(rep::Result::kStream, result.stream);
  return message.add_if(rep::Result::kRecord, result.record);
}

Message device_message(const RepDevice& device) {
  Message message;
  message.add(rep::Device::kId, device.id).add(rep::Device::kName, device.name);
  for (const auto& [name, value] : device.attributes) {
    Message one;
    one.add(rep::Attribute::kName, name).add(rep::Attribute::kValue, value_message(value));
    message.add(rep::Device::kAttributes, one);
  }
  return message;
}

Message session_message(const RepSession& session) {
  Message message;
  if (session.created != 0) message.add(rep::Session::kCreated, session.created);
  for (const RepDevice& device : session.devices) {
    message.add(rep::Session::kDevices, device_message(device));
  }
  message.add_if(rep::Session::kComment, session.comment);
  for (const auto& [provider, version] : session.versions) {
    Message one;
    one.add(rep::Version::kProvider, provider).add(rep::Version::kVersion, version);
    message.add(rep::Session::kVersions, one);
  }
  if (!session.executable.empty()) {
    message.add(rep::Session::kExecutable,
                Message().add(rep::Executable::kPath, session.executable));
  }
  return message.add_if(rep::Session::kCommand, session.command);
}

void put_size(size_t size, std::string& bytes) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(size >> shift);
}

void put_sized(const Message& message, std::string& bytes) {
  put_size(message.bytes().size(), bytes);
  bytes += message.bytes();
}

/// A block's header and what follows it.
void put_block(const RepSession& session, uint64_t sources, uint64_t results, Message header,
               const std::string& payload, std::string& bytes) {
  Message counts, process;
  counts.add(rep::BlockHeader::kSources, sources).add(rep::BlockHeader::kResults, results);
  counts.add(rep::BlockHeader::kPayload, payload.size());
  process.add(rep::Process::kId, uint64_t{1}).add(rep::Process::kHost, session.host);
  header.add(rep::BlockHeader::kProcess, process.add(rep::Process::kName, session.process));
  put_size(counts.bytes().size() + header.bytes().size(), bytes);
  bytes += counts.bytes() + header.bytes() + payload;
}

}  // namespace

bool is_rep_file(std::string_view bytes) { return bytes.starts_with(rep::kMagic); }

std::string to_bytes(const RepFile& file) {
  std::string bytes(rep::kMagic);
  put_sized(Message().add(rep::FileHeader::kVersion, rep::kVersion), bytes);
  put_block(file.session, 0, 0,
            Message().add(rep::BlockHeader::kSession, session_message(file.session)), "", bytes);
  for (const RepCode& code : file.codes) {
    std::string payload;
    put_sized(code_message(code), payload);
    put_block(file.session, 1, 0, {}, payload, bytes);
  }
  for (const RepResult& result : file.results) {
    std::string payload;
    StringTable strings;
    put_sized(result_message(result, strings), payload);
    put_block(file.session, 0, 1, Message().add(rep::BlockHeader::kStrings, strings.message()),
              payload, bytes);
  }
  return bytes;
}

}  // namespace warpledger::ncu
