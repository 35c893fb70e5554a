#include "warpledger/store/remote/reply.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace warpledger::store {
namespace {

constexpr size_t kMostHeadBytes = size_t{64} << 10;
constexpr std::string_view kLineEnd = "\r\n";

/// The whole text as a number.
template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number, base);
  if (text.empty() || stop != end || fault != std::errc()) return {};
  return number;
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

/// The head of an answer; lines that we do not need are skipped.
struct Head {
  int status = 0;
  std::optional<size_t> length = {};
  bool is_chunked = false;
  bool may_reuse = true;
};

bool read_field(std::string_view line, Head& head) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string name = lower(line.substr(0, colon));
  const std::string value = lower(trimmed(line.substr(colon + 1)));
  if (name == "content-length") {
    const auto length = number_of<size_t>(value);
    if (!length || *length > kMostReplyBytes || head.length.value_or(*length) != *length)
      return false;
    head.length = length;
  } else if (name == "transfer-encoding") {
    if (value != "chunked") return false;
    head.is_chunked = true;
  } else if (name == "connection") {
    head.may_reuse = value != "close";
  }
  return true;
}

std::optional<Head> read_head(std::string_view text) {
  // "HTTP/1.1 200 OK"
  size_t end = std::min(text.find(kLineEnd), text.size());
  const std::string_view first = text.substr(0, end);
  if (!first.starts_with("HTTP/1.") || first.size() < 12 || first[8] != ' ') return {};
  const auto status = number_of<int>(first.substr(9, 3));
  if (!status || *status < 100 || (first.size() > 12 && first[12] != ' ')) return {};
  Head head{.status = *status, .may_reuse = first[7] == '1'};
  while (end < text.size()) {
    const size_t begin = end + kLineEnd.size();
    end = std::min(text.find(kLineEnd, begin), text.size());
    if (!read_field(text.substr(begin, end - begin), head)) return {};
  }
  return head;
}

Progress read_chunks(std::string_view bytes, std::string& body) {
  while (true) {
    const size_t end = bytes.find(kLineEnd);
    if (end == std::string_view::npos) return bytes.size() > 64 ? Progress::kBad : Progress::kMore;
    const auto size = number_of<size_t>(bytes.substr(0, std::min(end, bytes.find(';'))), 16);
    if (!size || *size > kMostReplyBytes - body.size()) return Progress::kBad;
    bytes.remove_prefix(end + kLineEnd.size());
    if (bytes.size() < *size + kLineEnd.size()) return Progress::kMore;
    if (bytes.substr(*size, kLineEnd.size()) != kLineEnd) return Progress::kBad;
    if (*size == 0) return bytes.size() == 2 ? Progress::kDone : Progress::kBad;
    body += bytes.substr(0, *size);
    bytes.remove_prefix(*size + kLineEnd.size());
  }
}

Progress read_body(const Head& head, std::string_view rest, bool has_ended, HttpReply& reply) {
  if (head.is_chunked) return read_chunks(rest, reply.body);
  const bool is_empty = head.status == 204 || head.status == 304;
  const std::optional<size_t> length = is_empty ? std::optional<size_t>(0) : head.length;
  if (!length) {  // it ends with the connection
    reply.may_reuse = false;
    if (!has_ended) return rest.size() > kMostReplyBytes ? Progress::kBad : Progress::kMore;
    reply.body = rest;
    return Progress::kDone;
  }
  if (rest.size() > *length) return Progress::kBad;  // nobody asked for more
  if (rest.size() < *length) return Progress::kMore;
  reply.body = rest;
  return Progress::kDone;
}

/// What cannot be finished any more.
Progress ended(Progress progress, bool has_ended) {
  return progress == Progress::kMore && has_ended ? Progress::kBad : progress;
}

}  // namespace

Progress parse_http(std::string_view bytes, bool has_ended, HttpReply& reply) {
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  while (true) {
    const size_t end = bytes.find(kHeadEnd);
    if (end == std::string_view::npos)
      return ended(bytes.size() > kMostHeadBytes ? Progress::kBad : Progress::kMore, has_ended);
    const std::optional<Head> head = read_head(bytes.substr(0, end));
    if (!head) return Progress::kBad;
    bytes.remove_prefix(end + kHeadEnd.size());
    if (head->status < 200) continue;  // "100 Continue" and the like stand before the answer
    reply = {.status = head->status, .may_reuse = head->may_reuse};
    return ended(read_body(*head, bytes, has_ended, reply), has_ended);
  }
}

Progress parse_redis(std::string_view bytes, RedisReply& reply) {
  const size_t end = bytes.find(kLineEnd);
  if (end == std::string_view::npos)
    return bytes.size() > kMostHeadBytes ? Progress::kBad : Progress::kMore;
  const std::string_view line = bytes.substr(1, std::max<size_t>(end, 1) - 1);
  const std::string_view rest = bytes.substr(end + kLineEnd.size());
  const char kind = end == 0 ? '\0' : bytes[0];
  if (kind == '$') {
    if (line == "-1") return reply = {}, rest.empty() ? Progress::kDone : Progress::kBad;
    const auto size = number_of<size_t>(line);
    if (!size || *size > kMostReplyBytes) return Progress::kBad;
    if (rest.size() < *size + kLineEnd.size()) return Progress::kMore;
    if (rest.substr(*size) != kLineEnd) return Progress::kBad;
    reply = {.value = std::string(rest.substr(0, *size))};
    return Progress::kDone;
  }
  if (!rest.empty() || (kind != '+' && kind != '-' && kind != ':')) return Progress::kBad;
  reply =
      kind == '-' ? RedisReply{.error = std::string(line)} : RedisReply{.value = std::string(line)};
  return Progress::kDone;
}

}  // namespace warpledger::store
