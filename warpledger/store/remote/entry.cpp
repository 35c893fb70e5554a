#include "warpledger/store/remote/entry.h"

#include <fmt/core.h>

#include "warpledger/base/hash.h"

namespace warpledger::store {
namespace {

constexpr size_t kBlock = 64;  // bytes that SHA-256 absorbs at a time

/// Hexadecimal digits of our own hash as bytes.
std::string bytes_of(const std::string& hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

std::string masked(std::string block, unsigned char mask) {
  for (char& c : block) c = static_cast<char>(static_cast<unsigned char>(c) ^ mask);
  return block;
}

std::string head_of(const std::string& key, size_t bytes) {
  return fmt::format("warpledger entry 1\n{}\n{}\n", key, bytes);
}

std::string digest_line(const std::string& head, std::string_view value,
                        const std::string& secret) {
  const std::string signed_text = head + std::string(value);
  if (secret.empty()) return fmt::format("sha256 {}\n", sha256(signed_text));
  return fmt::format("hmac-sha256 {}\n", hmac_sha256(secret, signed_text));
}

/// Takes as long wherever the difference is: a signature must not be guessed digit by digit.
bool is_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace

std::string hmac_sha256(const std::string& secret, std::string_view bytes) {
  std::string block = secret.size() > kBlock ? bytes_of(sha256(secret)) : secret;
  block.resize(kBlock, '\0');
  const std::string inner = bytes_of(sha256(masked(block, 0x36) + std::string(bytes)));
  return sha256(masked(block, 0x5c) + inner);
}

std::string pack_entry(const std::string& key, std::string_view value, const std::string& secret) {
  const std::string head = head_of(key, value.size());
  return head + digest_line(head, value, secret) + std::string(value);
}

std::optional<std::string> unpack_entry(const std::string& key, std::string_view bytes,
                                        const std::string& secret) {
  // What the entry must be follows from its value: it is written again and compared, so that no
  // field of it is ever believed.
  size_t at = 0;
  for (int lines = 0; lines < 4; ++lines) {
    const size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) return {};
    at = end + 1;
  }
  const std::string_view value = bytes.substr(at);
  const std::string head = head_of(key, value.size());
  if (!is_equal(bytes.substr(0, at), head + digest_line(head, value, secret))) return {};
  return std::string(value);
}

}  // namespace warpledger::store
