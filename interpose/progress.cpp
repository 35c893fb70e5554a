#include "interpose/progress.h"

#include <fmt/core.h>
#include <signal.h>

#include <cstdio>
#include <thread>

#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cuda {
namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kInterval{200};
constexpr std::chrono::seconds kSilence{5};
constexpr const char* kErase = "\r\033[K";

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

// The program's handlers run on the program's threads.
void start_quietly(auto work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread(work).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

std::string LaunchProgress::subject() const {
  const std::string name = profile::function_name(kernel_);
  return number_ ? fmt::format("==PROF== Profiling \"{}\" - {}", name, *number_)
                 : fmt::format("==PROF== Running \"{}\"", name);
}

void LaunchProgress::begin(const std::string& kernel) {
  if (!terminal_ && !verbose_) return;
  const std::lock_guard lock(mutex_);
  kernel_ = kernel;
  number_.reset();
  share_ = compile_seconds_ = 0;
  begun_ = Clock::now();
  busy_ = true;
  ++launches_;
  if (!terminal_ || watched_) return;
  watched_ = true;
  start_quietly([this] { watch(); });
}

profile::Progress LaunchProgress::profiling(uint64_t number) {
  const std::lock_guard lock(mutex_);
  number_ = number;
  if (!terminal_) return nullptr;
  return [this](uint64_t started, uint64_t all) {
    const std::lock_guard inner(mutex_);
    share_ = all == 0 ? 0 : static_cast<double>(started) / static_cast<double>(all);
  };
}

void LaunchProgress::watch() {
  for (;;) {
    std::this_thread::sleep_for(kInterval);
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (busy_ && now - begun_ >= kPatience) draw(now);
  }
}

void LaunchProgress::draw(Clock::time_point now) {
  const double seconds = seconds_between(begun_, now);
  const std::string share = share_ > 0 ? fmt::format("{:.0f} %, ", 100 * share_) : "";
  std::fprintf(stderr, "%s%s: %s%.0f s", kErase, subject().c_str(), share.c_str(), seconds);
  std::fflush(stderr);
  drawn_ = true;
}

void LaunchProgress::print_end(bool failed, double seconds) {
  const std::string compiling =
      compile_seconds_ < 0.05 ? "" : fmt::format(", {:.1f} s of it compiling", compile_seconds_);
  std::fprintf(stderr, "%s: %s, %.1f s%s\n", subject().c_str(), failed ? "failed" : "done", seconds,
               compiling.c_str());
}

// Launches that only run are reported together.
void LaunchProgress::end(bool failed) {
  if (!terminal_ && !verbose_) return;
  const std::lock_guard lock(mutex_);
  busy_ = false;
  if (drawn_) std::fputs(kErase, stderr);
  drawn_ = false;
  const Clock::time_point now = Clock::now();
  const bool silent = terminal_ && now - last_line_ >= kSilence;
  if (!number_ && !silent) return;
  if (number_) {
    print_end(failed, seconds_between(begun_, now));
  } else {
    std::fprintf(stderr, "%s (x %llu)\n", subject().c_str(),
                 static_cast<unsigned long long>(launches_));
  }
  last_line_ = now;
  launches_ = 0;
}

}  // namespace warpledger::cuda
