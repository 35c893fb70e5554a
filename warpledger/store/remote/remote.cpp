#include "warpledger/store/remote/remote.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "warpledger/store/remote/entry.h"
#include "warpledger/store/remote/protocol.h"

namespace warpledger::store {
namespace {

using std::chrono::milliseconds;

// A lookup stands between a question and its answer, which would take about a second to compute;
// whoever is slower than this is not worth asking.
constexpr milliseconds kFindPatience{1000};
constexpr milliseconds kPutPatience{10'000};
constexpr milliseconds kFlushPatience{5000};  // at the end, for all that waits
// After a failure nobody is asked for a while: a server that is gone costs one wait, not each.
constexpr milliseconds kRest{10'000};
constexpr size_t kMostWaiting = size_t{64} << 20;  // bytes

/// Keys become part of a path: ours are hexadecimal.
bool is_plain(const std::string& key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

}  // namespace

class Remote::Impl {
 public:
  Impl(const RemoteUrl& url, std::string secret)
      : secret_(std::move(secret)), reader_(url), writer_(url) {
    counts_.url = to_text(url);
    counts_.is_signed = !secret_.empty();
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      last_moment_ = Clock::now() + kFlushPatience;
      is_ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  std::optional<std::string> find(const std::string& key) {
    if (!is_plain(key) || is_resting()) return {};
    Result<std::optional<std::string>> got = [&] {
      const std::lock_guard lock(reading_);
      return reader_.get(key, Clock::now() + kFindPatience);
    }();
    if (!got) return note_failure(got.error()), std::nullopt;
    std::optional<std::string> value;
    if (*got) value = unpack_entry(key, **got, secret_);
    const std::lock_guard lock(mutex_);
    ++(value ? counts_.found : *got ? counts_.refused : counts_.absent);
    return value;
  }

  void put(const std::string& key, const std::string& value) {
    if (!is_plain(key)) return;
    std::string entry = pack_entry(key, value, secret_);
    const std::lock_guard lock(mutex_);
    if (entry.size() > kMostWaiting - waiting_bytes_) {
      ++counts_.lost;
      return;
    }
    waiting_bytes_ += entry.size();
    waiting_.emplace_back(key, std::move(entry));
    if (!thread_.joinable()) thread_ = std::thread([this] { send_all(); });
    changed_.notify_all();
  }

  RemoteStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  bool is_resting() const {
    const std::lock_guard lock(mutex_);
    return Clock::now() < rests_until_;
  }

  void note_failure(const Diagnostic& why) {
    const std::lock_guard lock(mutex_);
    counts_.failure = why.message;
    rests_until_ = Clock::now() + kRest;
  }

  /// The thread: until the end has come and nothing waits.
  void send_all() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto [key, entry] = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= entry.size();
      const Clock::time_point now = Clock::now();
      const Clock::time_point end =
          is_ending_ ? std::min(last_moment_, now + kPutPatience) : now + kPutPatience;
      const bool is_down = now < rests_until_ || now >= end;
      lock.unlock();
      Status done = Diagnostic{.message = "the remote store rests", .code = "store-remote"};
      if (!is_down) done = writer_.put(key, entry, end);
      if (!done && !is_down) note_failure(done.error());
      lock.lock();
      ++(done ? counts_.sent : counts_.lost);
    }
  }

  const std::string secret_;
  std::mutex reading_;  // one question at a time over the reader's connection
  Protocol reader_;
  Protocol writer_;  // the thread's own
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::string, std::string>> waiting_;
  size_t waiting_bytes_ = 0;
  Clock::time_point rests_until_ = {}, last_moment_ = {};
  bool is_ending_ = false;
  RemoteStatistics counts_;
  std::thread thread_;
};

Remote::Remote(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Remote::~Remote() = default;

Result<std::unique_ptr<Remote>> Remote::open(const RemoteOptions& options) {
  WL_TRY(const RemoteUrl url, parse_remote_url(options.url));
  return std::unique_ptr<Remote>(new Remote(std::make_unique<Impl>(url, options.secret)));
}

std::optional<std::string> Remote::find(const std::string& key) { return impl_->find(key); }
void Remote::put(const std::string& key, const std::string& value) { impl_->put(key, value); }
RemoteStatistics Remote::statistics() const { return impl_->statistics(); }

}  // namespace warpledger::store
