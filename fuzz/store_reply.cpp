// Any bytes as what a server answers, in HTTP and in Redis' protocol, and as the address of one.
// The answer does not depend on how the bytes come: what is done stays done with all of them.
#include <cstdint>
#include <string>

#include "warpledger/base/check.h"
#include "warpledger/store/remote/reply.h"
#include "warpledger/store/remote/url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger::store;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  HttpReply http;
  const Progress open = parse_http(bytes, false, http);
  WL_CHECK(open != Progress::kDone || http.body.size() <= size);
  HttpReply last;
  const Progress closed = parse_http(bytes, true, last);
  WL_CHECK(closed != Progress::kMore);
  if (open != Progress::kMore) WL_CHECK(closed == open);
  RedisReply redis;
  if (parse_redis(bytes, redis) == Progress::kDone && redis.value)
    WL_CHECK(redis.value->size() < size);
  if (const auto url = parse_remote_url(bytes)) static_cast<void>(to_text(*url));
  return 0;
}
