// Elements of arrays whose type is known at run time.
#pragma once

#include "interpose/math/number.h"

namespace warpledger::math {

/// data[i] as T.
template <class T>
[[nodiscard]] T load(const void* data, Type type, int64_t i) {
  T value{};
  with_type(type,
            [&](auto one) { value = convert<T>(static_cast<const decltype(one)*>(data)[i]); });
  return value;
}

/// data[i] = value, rounded once.
template <class T>
void store(void* data, Type type, int64_t i, T value) {
  with_type(type, [&](auto one) {
    static_cast<decltype(one)*>(data)[i] = convert<decltype(one)>(value);
  });
}

}  // namespace warpledger::math
