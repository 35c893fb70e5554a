#include "warpledger/sweep/profiled.h"

namespace warpledger::study {
namespace {

profile::KernelQuery query_of(const KernelText& text, const KernelCase& one) {
  return {.file = {.path = text.file},
          .ptx = text.ptx,
          .kernel = one.kernel,
          .grid = one.grid,
          .block = one.block,
          .dynamic_shared_bytes = one.dynamic_shared_bytes,
          .arguments = one.arguments};
}

}  // namespace

Result<profile::Profile> profile_case(const KernelText& text, const KernelCase& one, const Gpu& gpu,
                                      const RunOptions& options, const KernelCase* before) {
  profile::Query query{.what = query_of(text, one), .gpu = options.request_of(gpu)};
  if (before != nullptr) {
    query.before = query_of(text, *before);
    query.options.flush_caches = false;
  }
  query.options.registers = one.registers;
  query.options.sass = options.sass;
  query.options.threads = options.threads;
  query.options.sampling = options.sampling;
  WL_TRY(profile::QueryAnswer answer, profile::answer(query, options.store));
  return std::move(answer.profile);
}

}  // namespace warpledger::study
