#include "warpledger/memory/memory.h"

namespace warpledger::memory {

template <class Number>
RequestCountersOf<Number>& RequestCountersOf<Number>::operator+=(const RequestCountersOf& other) {
  each_request_counter([](Number& sum, const Number& n) { sum += n; }, *this, other);
  return *this;
}

template <class Number>
SiteCountersOf<Number>& SiteCountersOf<Number>::operator+=(const SiteCountersOf& other) {
  each_counter([](Number& sum, const Number& n) { sum += n; }, *this, other);
  return *this;
}

template struct RequestCountersOf<uint64_t>;
template struct SiteCountersOf<uint64_t>;
template struct RequestCountersOf<double>;
template struct SiteCountersOf<double>;

}  // namespace warpledger::memory
