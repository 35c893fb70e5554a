// Processes that answer lines, one line at a time each: for answers that must not share a process,
// because they fork, or because what they read may end it. A worker that dies answers with that,
// and another one takes its place.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/serve/lines.h"

namespace warpledger::serve {

class Workers {
 public:
  /// Starts so many. `begin` is called in each of them, and makes what answers its lines; `died`
  /// makes the answer for the line that a worker died of, from its signal. They end with this
  /// process, however it ends. Pre: this thread is the only one, and lives as long as they do.
  static Result<std::unique_ptr<Workers>> start(uint32_t count,
                                                const std::function<LineFunction()>& begin,
                                                const std::function<std::string(int)>& died);
  /// They end when they have answered.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Waits for one that is free. For several threads.
  [[nodiscard]] std::string answer(const std::string& line);

 private:
  struct Worker {
    int socket = -1, process = -1;
  };
  explicit Workers(std::function<std::string(int)> died) : died_(std::move(died)) {}
  std::optional<Worker> take(uint64_t& number);
  void give_back(const Worker& worker, bool is_well);

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Worker> all_, free_;
  uint32_t left_ = 0;   // that have not been lost for good
  uint64_t asked_ = 0;  // lines so far
  std::function<std::string(int)> died_;
};

}  // namespace warpledger::serve
