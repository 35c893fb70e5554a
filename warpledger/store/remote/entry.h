// An entry as a remote store holds it: the value with what proves that it is the value of this key,
// whole and as it was written. A server, a proxy or whoever may write there can then withhold
// answers, never change one.
//
//   warpledger entry 1\n
//   KEY\n
//   BYTES OF THE VALUE\n
//   sha256 HEX\n                  or: hmac-sha256 HEX\n
//   VALUE
//
// The digest is of everything but its own line. Without a secret it tells damage; who may write to
// the server can still make an entry that passes. With a secret (HMAC, RFC 2104) only those who
// know it can, and an entry without a signature is not believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpledger::store {

[[nodiscard]] std::string pack_entry(const std::string& key, std::string_view value,
                                     const std::string& secret);

/// Nothing unless every byte is what pack_entry() wrote for this key with this secret. Post:
/// unpack_entry(k, pack_entry(k, v, s), s) == v.
[[nodiscard]] std::optional<std::string> unpack_entry(const std::string& key,
                                                      std::string_view bytes,
                                                      const std::string& secret);

/// RFC 2104 over SHA-256, as 64 hexadecimal digits.
[[nodiscard]] std::string hmac_sha256(const std::string& secret, std::string_view bytes);

}  // namespace warpledger::store
