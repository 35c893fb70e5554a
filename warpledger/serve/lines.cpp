#include "warpledger/serve/lines.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace warpledger::serve {
namespace {

constexpr uint64_t kAhead = 8;  // lines a job that may wait for an earlier answer

/// Hands lines out and takes answers back in any order.
class Queue {
 public:
  Queue(std::istream& in, std::ostream& out, uint64_t ahead) : in_(in), out_(out), ahead_(ahead) {}

  /// Whether there was a line. Waits while too many answers wait for an earlier one.
  bool take(uint64_t& number, std::string& line) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return taken_ < written_ + ahead_; });
    do {
      if (!std::getline(in_, line)) return false;
    } while (line.empty());
    number = taken_++;
    return true;
  }

  void give(uint64_t number, std::string answer) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(number, std::move(answer));
    while (!waiting_.empty() && waiting_.begin()->first == written_) {
      out_ << waiting_.begin()->second << '\n';
      waiting_.erase(waiting_.begin());
      ++written_;
    }
    out_.flush();
    moved_.notify_all();
  }

  [[nodiscard]] uint64_t written() const { return written_; }

 private:
  std::istream& in_;
  std::ostream& out_;
  uint64_t ahead_;
  std::mutex mutex_;
  std::condition_variable moved_;
  uint64_t taken_ = 0, written_ = 0;
  std::map<uint64_t, std::string> waiting_;
};

void work(Queue& queue, const LineFunction& answer) {
  uint64_t number = 0;
  std::string line;
  while (queue.take(number, line)) queue.give(number, answer(line));
}

}  // namespace

uint64_t answer_lines(std::istream& in, std::ostream& out, uint32_t jobs,
                      const LineFunction& answer) {
  jobs = std::max(jobs, 1U);
  Queue queue(in, out, kAhead * jobs);
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < jobs; ++i) others.emplace_back([&] { work(queue, answer); });
  work(queue, answer);
  for (std::thread& other : others) other.join();
  return queue.written();
}

}  // namespace warpledger::serve
