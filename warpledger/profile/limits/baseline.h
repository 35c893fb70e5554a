// What metrics were when somebody last said that it was well: a file to be committed, and updated
// like a golden. JSON, sorted, one value a line, so that a change of it reads well.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::profile::budget {

class Baseline {
 public:
  /// `launch`: "tiled: matmul_tiled on a100".
  [[nodiscard]] std::optional<double> find(const std::string& launch,
                                           const std::string& metric) const;
  void set(const std::string& launch, const std::string& metric, double value);
  [[nodiscard]] bool is_empty() const { return launches_.empty(); }
  friend bool operator==(const Baseline&, const Baseline&) = default;

  [[nodiscard]] std::string to_json() const;
  /// Fails with "bad-baseline".
  [[nodiscard]] static Result<Baseline> from_json(const Source& source);

 private:
  std::map<std::string, std::map<std::string, double>> launches_;
};

}  // namespace warpledger::profile::budget
