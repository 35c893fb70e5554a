// One word of memory becomes another: of memory that nobody else reaches, or that other threads of
// the host update, too. All atomics of both engines go through these.
#pragma once

#include <atomic>

namespace warpledger::exec {

/// *at becomes now(*at); what was there.
template <class Word, class Now>
Word update_own(Word* at, Now now) {
  const Word old = *at;
  *at = now(old);
  return old;
}

/// The same beside other threads.
template <class Word, class Now>
Word update_shared(Word* at, Now now) {
  std::atomic_ref<Word> word(*at);
  Word old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, now(old), std::memory_order_acq_rel)) {
  }
  return old;
}

}  // namespace warpledger::exec
