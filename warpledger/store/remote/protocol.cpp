#include "warpledger/store/remote/protocol.h"

#include <fmt/core.h>

#include <initializer_list>

namespace warpledger::store {
namespace {

Diagnostic refused(const std::string& what) {
  return {.message = fmt::format("the remote store refuses: {}", what), .code = "store-remote"};
}

/// RFC 4648.
std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// A command of the Redis protocol.
std::string command(std::initializer_list<std::string_view> words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    text += fmt::format("${}\r\n", word.size());
    text += word;
    text += "\r\n";
  }
  return text;
}

Progress parse_redis_reply(std::string_view bytes, bool, RedisReply& reply) {
  return parse_redis(bytes, reply);
}

std::string redis_key(const std::string& key) { return "warpledger:" + key; }

}  // namespace

std::string Protocol::http_head(const char* method, const std::string& key) const {
  const bool bracketed = url_.host.find(':') != std::string::npos;
  std::string head =
      fmt::format("{} {}{} HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: warpledger\r\n", method,
                  url_.path, key, bracketed ? "[" + url_.host + "]" : url_.host, url_.port);
  if (!url_.user.empty())
    head += fmt::format("Authorization: Basic {}\r\n", base64(url_.user + ":" + url_.password));
  return head;
}

template <class Reply, class Parse>
Result<Reply> Protocol::ask_once(const std::string& question, Clock::time_point end, Parse parse) {
  Reply reply;
  Status done = connection_.send(question, end);
  if (done) {
    done = connection_.receive(
        [&](std::string_view bytes, bool has_ended) { return parse(bytes, has_ended, reply); },
        end);
  }
  if (done) return reply;
  connection_.close();
  return done.error();
}

template <class Reply, class Parse>
Result<Reply> Protocol::ask(const std::string& question, Clock::time_point end, Parse parse) {
  if (connection_.is_open()) {
    // The server may have closed it since: no fault of the question's, which is asked again.
    Result<Reply> reply = ask_once<Reply>(question, end, parse);
    if (reply || Clock::now() >= end) return reply;
  }
  WL_TRY_STATUS(connect(end));
  return ask_once<Reply>(question, end, parse);
}

Result<HttpReply> Protocol::ask_http(const std::string& question, Clock::time_point end) {
  WL_TRY(HttpReply reply, ask<HttpReply>(question, end, parse_http));
  if (!reply.may_reuse) connection_.close();
  return reply;
}

Result<RedisReply> Protocol::ask_redis(const std::string& question, Clock::time_point end) {
  WL_TRY(RedisReply reply, ask<RedisReply>(question, end, parse_redis_reply));
  if (!reply.error.empty()) return refused(reply.error);
  return reply;
}

Status Protocol::greet(const std::string& command, Clock::time_point end) {
  WL_TRY(const RedisReply reply, ask_once<RedisReply>(command, end, parse_redis_reply));
  if (reply.error.empty()) return {};
  connection_.close();
  return refused(reply.error);
}

Status Protocol::connect(Clock::time_point end) {
  WL_TRY_STATUS(connection_.open(url_.host, url_.port, end));
  if (url_.kind == RemoteUrl::Kind::kHttp) return {};
  if (!url_.password.empty()) {
    WL_TRY_STATUS(greet(url_.user.empty() ? command({"AUTH", url_.password})
                                          : command({"AUTH", url_.user, url_.password}),
                        end));
  }
  if (!url_.path.empty()) WL_TRY_STATUS(greet(command({"SELECT", url_.path}), end));
  return {};
}

Result<std::optional<std::string>> Protocol::get(const std::string& key, Clock::time_point end) {
  if (url_.kind == RemoteUrl::Kind::kRedis) {
    WL_TRY(RedisReply reply, ask_redis(command({"GET", redis_key(key)}), end));
    return std::move(reply.value);
  }
  WL_TRY(HttpReply reply, ask_http(http_head("GET", key) + "\r\n", end));
  if (reply.status == 404 || reply.status == 410) return std::optional<std::string>();
  if (reply.status != 200) return refused(fmt::format("HTTP status {}", reply.status));
  return std::optional(std::move(reply.body));
}

Status Protocol::put(const std::string& key, const std::string& bytes, Clock::time_point end) {
  if (url_.kind == RemoteUrl::Kind::kRedis) {
    WL_TRY(const RedisReply reply, ask_redis(command({"SET", redis_key(key), bytes}), end));
    return {};
  }
  const std::string head =
      http_head("PUT", key) +
      fmt::format("Content-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
                  bytes.size());
  WL_TRY(const HttpReply reply, ask_http(head + bytes, end));
  if (reply.status >= 300) return refused(fmt::format("HTTP status {}", reply.status));
  return {};
}

}  // namespace warpledger::store
