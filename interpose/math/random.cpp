#include "interpose/math/random.h"

#include <cmath>
#include <numbers>

namespace warpledger::math {
namespace {

constexpr double kTwoTo32 = 4294967296.0, kTwoTo53 = 9007199254740992.0;
constexpr double kLargeMean = 60;  // from here on in two halves

double high_quality(uint32_t x, uint32_t y) {
  const uint64_t bits = x ^ (uint64_t{y} << 21);
  return static_cast<double>(bits) / kTwoTo53 + 0.5 / kTwoTo53;
}

}  // namespace

bool is_known(RandomType type) {
  switch (type) {
    case RandomType::kDefault:
    case RandomType::kXorwow:
    case RandomType::kMrg32k3a:
    case RandomType::kMtgp32:
    case RandomType::kMt19937:
    case RandomType::kPhilox:
      return true;
  }
  return false;
}

bool has_sequence_of_curand(RandomType type) {
  return type == RandomType::kDefault || type == RandomType::kXorwow;
}

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53u} * c[0], b = uint64_t{0xcd9e8d57u} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9e3779b9u, key[1] + 0xbb67ae85u};
  }
  return c;
}

Random::Random(RandomType type, uint64_t seed, uint64_t offset)
    : seed_(seed), at_(offset), drawn_(offset) {
  if (has_sequence_of_curand(type)) xorwow_ = std::make_unique<XorwowOrdered>(seed, offset);
}

/// The next number of the generator that makes this value.
uint32_t Random::bits_of(uint64_t value) {
  if (xorwow_ != nullptr) return xorwow_->next_of(value);
  const uint64_t n = drawn_++, block = n / 4;
  const auto four = philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0},
                           {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
  return four[n % 4];
}

float Random::uniform() {
  return static_cast<float>(bits()) * static_cast<float>(1 / kTwoTo32) +
         static_cast<float>(0.5 / kTwoTo32);
}

double Random::uniform_double() {
  const uint32_t x = bits_of(at_), y = bits_of(at_);
  ++at_;
  return high_quality(x, y);
}

std::array<double, 2> Random::normals(bool in_double) {
  const uint64_t value = at_++;
  const auto draw = [&] {
    const uint32_t x = bits_of(value);
    return in_double ? high_quality(x, bits_of(value)) : (x + 0.5) / kTwoTo32;
  };
  const double u = draw(), v = 2 * std::numbers::pi * draw();
  const double size = std::sqrt(-2 * std::log(u));
  return {size * std::sin(v), size * std::cos(v)};
}

/// Knuth's product for small means; for large ones a sum of two halves, which is Poisson too.
uint32_t Random::poisson(double mean) {
  if (mean > kLargeMean) return poisson(mean / 2) + poisson(mean / 2);
  const double least = std::exp(-mean);
  double product = uniform_double();
  uint32_t count = 0;
  for (; product > least; product *= uniform_double()) ++count;
  return count;
}

}  // namespace warpledger::math
