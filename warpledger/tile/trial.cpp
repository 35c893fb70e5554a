// What two programs are tried with: the same random numbers, and how far their outputs are apart.
#include <algorithm>
#include <cmath>
#include <random>

#include "warpledger/tile/extent.h"
#include "warpledger/tile/interpret.h"

namespace warpledger::tile {

Result<RunInput> random_input(const Program& program, const Sizes& sizes, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) / 4503599627370496.0 - 1; };
  RunInput input{sizes, {}, {}};
  for (const std::string& scalar : program.scalars) input.scalars[scalar] = uniform();
  for (const Tensor& tensor : program.tensors) {
    if (tensor.role != Role::kInput) continue;
    WL_TRY(const std::vector<int64_t> shape, shape_of(tensor, sizes));
    Values& values = input.tensors[tensor.name];
    for (int64_t left = elements_of(shape); left > 0; --left) values.push_back(uniform());
  }
  return input;
}

double difference(const Program& program, const Run& a, const Run& b) {
  double worst = 0;
  for (const Tensor& tensor : program.tensors) {
    if (tensor.role != Role::kOutput) continue;
    const Values& x = a.tensors.at(tensor.name);
    const Values& y = b.tensors.at(tensor.name);
    WL_CHECK(x.size() == y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double scale = std::max({1.0, std::fabs(x[i]), std::fabs(y[i])});
      const double apart = std::fabs(x[i] - y[i]) / scale;
      worst = std::isnan(apart) && !(std::isnan(x[i]) && std::isnan(y[i])) ? HUGE_VAL
                                                                           : std::max(worst, apart);
    }
  }
  return worst;
}

}  // namespace warpledger::tile
