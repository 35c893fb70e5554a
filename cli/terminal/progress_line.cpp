#include "cli/terminal/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace warpledger::cli {
namespace {

constexpr size_t kWidth = 20;
constexpr std::chrono::milliseconds kPatience{1000};  // short runs show nothing
constexpr std::chrono::milliseconds kInterval{200};
constexpr const char* kErase = "\r\033[K";

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  return fmt::format("{:.0f} min", seconds / 60 + 0.5);
}

}  // namespace

std::string progress_text(uint64_t done, uint64_t all, double seconds) {
  const double share =
      all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const auto filled = static_cast<size_t>(share * kWidth);
  std::string text = fmt::format("[{:{}}] {:.0f} %", std::string(filled, '#'), kWidth, 100 * share);
  if (share > 0 && share < 1) text += fmt::format(", {} left", duration(seconds / share - seconds));
  return text;
}

ProgressLine::ProgressLine(const Session& session)
    : out_(session.err), on_(!session.quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) out_ << kErase << std::flush;
}

void ProgressLine::show(uint64_t done, uint64_t all) const {
  const Clock::time_point now = Clock::now();
  if (!on_ || now - begun_ < kPatience || now - shown_ < kInterval) return;
  shown_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  out_ << kErase << progress_text(done, all, seconds) << std::flush;
}

}  // namespace warpledger::cli
