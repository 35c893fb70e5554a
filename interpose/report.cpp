#include "interpose/report.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>

#include "warpledger/base/file.h"
#include "warpledger/profile/file/json.h"

namespace warpledger::cuda {
namespace {

constexpr const char* kWays[] = {"model", "same", "unlike"};
constexpr const char* kNoProfile = "-";

/// Takes the records of a report apart.
class Reader {
 public:
  Reader(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  [[nodiscard]] Result<ProgramReport> read() {
    while (at_ < text_.size()) {
      const size_t end = text_.find('\n', at_);
      if (end == std::string::npos) break;  // the program was killed while it wrote
      std::istringstream line(text_.substr(at_, end - at_));
      at_ = end + 1;
      WL_TRY(const bool whole, take(line));
      if (!whole) break;
    }
    return std::move(report_);
  }

 private:
  /// False: the record is cut off.
  Result<bool> take(std::istringstream& line) {
    std::string word, name;
    line >> word;
    if (word == "other") return ++report_.launches, true;
    if (word == "trial") return ++report_.launches, ++report_.trials, true;
    if (word == "fault") return take_fault(line);
    if (word == "span") return take_span(line);
    line >> name;
    if (word == "profile") return take_profile(name, line);
    if (word == "purpose") return take_purpose(name, line);
    if (word == "launch") return take_launch(name, line);
    if (word == "library") return ++report_.library_calls[name], true;
    if (word == "module") return take_module(name, line);
    if (word == "code") return take_code(name, line);
    return damaged();
  }

  Result<bool> take_fault(std::istringstream& line) {
    const std::optional<std::string> bytes = take_bytes(line);
    ++report_.launches;
    if (bytes) report_.faults.push_back(*bytes);
    return bytes.has_value();
  }

  Result<bool> take_span(std::istringstream& line) {
    int lane = 0;
    Span span;
    if (!(line >> span.device >> lane >> span.stream >> span.begin >> span.seconds >>
          span.is_of_graph >> span.profile))
      return damaged();
    if (span.profile == kNoProfile) span.profile.clear();
    if (lane < 0 || lane > static_cast<int>(Lane::kGraphLaunch) || span.device < 0 ||
        span.device >= kMostDevices)
      return damaged();
    const std::optional<std::string> name = take_bytes(line);
    if (!name) return false;
    span.lane = static_cast<Lane>(lane);
    span.name = *name;
    report_.spans.push_back(std::move(span));
    return true;
  }

  Result<bool> take_profile(const std::string& name, std::istringstream& line) {
    const std::optional<std::string> bytes = take_bytes(line);
    if (!bytes) return false;
    WL_TRY(report_.profiles.emplace_back(), profile::profile_from_json(Source(path_, *bytes)));
    report_.profiles.back().launches = {};
    report_.by_name[name] = report_.profiles.size() - 1;
    return true;
  }

  Result<bool> take_module(const std::string& key, std::istringstream& line) {
    std::optional<std::string> text = take_bytes(line);
    if (!text) return false;
    modules_[key] = std::make_shared<const std::string>(*std::move(text));
    return true;
  }

  Result<bool> take_code(const std::string& name, std::istringstream& line) {
    std::string key;
    if (!(line >> key) || !report_.by_name.contains(name) || !modules_.contains(key))
      return damaged();
    auto& texts = report_.texts[report_.profiles[report_.by_name[name]].kernel];
    if (std::ranges::find(texts, modules_[key]) == texts.end()) texts.push_back(modules_[key]);
    return true;
  }

  Result<bool> take_purpose(const std::string& name, std::istringstream& line) {
    const std::optional<std::string> bytes = take_bytes(line);
    if (!bytes) return false;
    if (!report_.by_name.contains(name)) return damaged();
    report_.profiles[report_.by_name[name]].launches.purpose = *bytes;
    return true;
  }

  Result<bool> take_launch(const std::string& name, std::istringstream& line) {
    uint64_t number = 0;
    std::string way;
    if (!(line >> number >> way) || !report_.by_name.contains(name)) return damaged();
    profile::Launches& launches = report_.profiles[report_.by_name[name]].launches;
    launches.add(number);
    if (way == kWays[0]) ++launches.modeled;
    if (way == kWays[2]) ++launches.unlike;
    ++report_.launches;
    return true;
  }

  /// The bytes behind a line that ends with their number; nothing where the file ends before.
  std::optional<std::string> take_bytes(std::istringstream& line) {
    uint64_t bytes = 0;
    line >> bytes;
    if (bytes > text_.size() - at_) return {};
    const size_t begin = at_;
    at_ += bytes;
    return text_.substr(begin, bytes);
  }

  static Diagnostic damaged() {
    return {.message = "the report of the program is damaged", .code = "bad-report"};
  }

  const std::string& path_;
  const std::string& text_;
  size_t at_ = 0;
  ProgramReport report_;
  std::map<std::string, std::shared_ptr<const std::string>> modules_;
};

}  // namespace

namespace {

/// Bytes written; fewer than there are where the disk is full.
size_t write_all(int file, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = write(file, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  return done;
}

/// Half a record would make those behind it unreadable. Others may have appended theirs meanwhile.
void take_back(int file, size_t bytes) {
  const off_t end = lseek(file, 0, SEEK_CUR);
  struct stat facts = {};
  if (fstat(file, &facts) == 0 && facts.st_size == end)
    static_cast<void>(!ftruncate(file, end - static_cast<off_t>(bytes)));
}

}  // namespace

// Opened anew each time: a program may close every file that it does not know. After a record that
// could not be written there are no more of this process: they may name it.
void ReportWriter::append(const std::string& record) const {
  static std::atomic<bool> has_failed = false;
  if (path_.empty() || has_failed) return;
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const size_t done = file < 0 ? 0 : write_all(file, record);
  if (done < record.size() && !has_failed.exchange(true)) {
    std::fprintf(stderr, "warpledger: profiles from here on are lost: cannot write '%s': %s\n",
                 path_.c_str(), std::strerror(errno));
    if (file >= 0) take_back(file, done);
  }
  if (file >= 0) close(file);
}

std::string ReportWriter::add(const profile::Profile& profile) {
  const std::string json = profile::to_json(profile);
  std::string name = fmt::format("{}.{}", getpid(), profiles_++);
  append(fmt::format("profile {} {}\n{}", name, json.size(), json));
  return name;
}

void ReportWriter::add_launch(const std::string& profile, uint64_t number, Way way) {
  append(fmt::format("launch {} {} {}\n", profile, number, kWays[static_cast<size_t>(way)]));
}

void ReportWriter::add_purpose(const std::string& profile, const std::string& purpose) {
  append(fmt::format("purpose {} {}\n{}", profile, purpose.size(), purpose));
}

void ReportWriter::add_other() { append("other\n"); }
void ReportWriter::add_trial() { append("trial\n"); }

void ReportWriter::add_fault(const std::string& text) {
  append(fmt::format("fault {}\n{}", text.size(), text));
}

void ReportWriter::add_library_call(const std::string& library) {
  append(fmt::format("library {}\n", library));
}

void ReportWriter::add_span(const Span& span) {
  append(fmt::format("span {} {} {} {} {} {:d} {} {}\n{}", span.device, static_cast<int>(span.lane),
                     span.stream, span.begin, span.seconds, span.is_of_graph,
                     span.profile.empty() ? kNoProfile : span.profile, span.name.size(),
                     span.name));
}

void ReportWriter::add_code(const std::string& profile, std::string_view ptx) {
  const std::string key =
      fmt::format("{}.{:x}.{}", getpid(), std::hash<std::string_view>{}(ptx), ptx.size());
  if (modules_.insert(key).second) append(fmt::format("module {} {}\n{}", key, ptx.size(), ptx));
  append(fmt::format("code {} {}\n", profile, key));
}

Result<ProgramReport> read_report(const std::string& path) {
  WL_TRY(const std::string text, read_file(path));
  return Reader(path, text).read();
}

}  // namespace warpledger::cuda
