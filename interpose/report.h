// How profiles come back from the program: a file of records, appended at once, so that what a
// crash or a kill leaves can be read. A record is a line of words:
//
//   profile NAME BYTES   and so many bytes of JSON. NAME is the process and a number
//   launch NAME NUMBER WAY   launch NUMBER belongs to that profile; WAY: model, same, unlike
//   purpose NAME BYTES   and so many bytes of text: what the profile's launches are for
//   other                a launch that was not asked for
//   trial                a launch that an autotuner tried, and that was not asked for
//   fault BYTES          and so many bytes of text: why a launch failed
//   module KEY BYTES     and so many bytes of PTX, once for all profiles of its kernels
//   code NAME KEY        the profile's module
//   span DEVICE LANE STREAM BEGIN SECONDS GRAPH PROFILE BYTES   and its name: work on the clock of
//                        the streams. GRAPH: 1 for a node's; PROFILE: of a kernel, "-" without one
//   library NAME         the CPU computed a call of that library (library_call.h)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interpose/timeline.h"
#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::cuda {

/// Nothing is said when the file cannot be written: the command that made it will find it empty.
class ReportWriter {
 public:
  enum class Way { kModel, kSame, kUnlike };

  /// "": nothing is written.
  explicit ReportWriter(std::string path) : path_(std::move(path)) {}

  /// Returns its name.
  std::string add(const profile::Profile& profile);
  void add_launch(const std::string& profile, uint64_t number, Way way);
  void add_purpose(const std::string& profile, const std::string& purpose);
  void add_other();
  void add_trial();
  void add_fault(const std::string& text);
  /// `library` is one word.
  void add_library_call(const std::string& library);
  void add_span(const Span& span);
  /// The PTX that the profile's kernel is in.
  void add_code(const std::string& profile, std::string_view ptx);

 private:
  void append(const std::string& record) const;
  std::string path_;
  uint64_t profiles_ = 0;
  std::set<std::string> modules_;
};

/// What a program left.
struct ProgramReport {
  std::vector<profile::Profile> profiles = {};         // by their first launches
  uint64_t launches = 0;                               // all that it made
  uint64_t trials = 0;                                 // of these, an autotuner's, not asked for
  std::vector<std::string> faults = {};                // of launches that failed
  std::map<std::string, uint64_t> library_calls = {};  // by library
  std::vector<Span> spans = {};                        // where a trace was asked for
  std::map<std::string, size_t> by_name = {};          // which profile a span names
  profile::KernelTexts texts = {};                     // where code was asked for
};

[[nodiscard]] Result<ProgramReport> read_report(const std::string& path);

}  // namespace warpledger::cuda
