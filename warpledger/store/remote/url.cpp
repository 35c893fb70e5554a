#include "warpledger/store/remote/url.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::store {
namespace {

constexpr std::string_view kHttp = "http://", kRedis = "redis://";

Diagnostic refused(const std::string& why) {
  return {.message = fmt::format("the remote store's address: {}", why),
          .hint = "http://HOST[:PORT][/FOLDER] or redis://HOST[:PORT][/DATABASE]",
          .code = "store-url"};
}

/// Bytes that could end a line of HTTP or split it have no place in an address.
bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_number(const std::string& text, size_t digits) {
  return !text.empty() && text.size() <= digits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// USER:PASSWORD@ off the front.
void take_user(std::string& rest, RemoteUrl& url) {
  const size_t at = rest.substr(0, rest.find('/')).rfind('@');
  if (at == std::string::npos) return;
  const std::string who = rest.substr(0, at);
  const size_t colon = std::min(who.find(':'), who.size());
  url.user = who.substr(0, colon);
  url.password = colon < who.size() ? who.substr(colon + 1) : "";
  rest.erase(0, at + 1);
}

/// HOST[:PORT] or [IPV6][:PORT].
Status take_host(const std::string& text, RemoteUrl& url) {
  const bool bracketed = text.starts_with('[');
  const size_t close = bracketed ? text.find(']') : 0;
  if (close == std::string::npos) return refused("']' is missing");
  const size_t colon = text.find(':', close);
  url.host = bracketed ? text.substr(1, close - 1) : text.substr(0, colon);
  if (colon != std::string::npos) url.port = text.substr(colon + 1);
  if (url.host.empty()) return refused("it names no host");
  if (!is_number(url.port, 5)) return refused(fmt::format("'{}' is not a port", url.port));
  return {};
}

}  // namespace

bool is_remote_url(const std::string& text) {
  return text.starts_with(kHttp) || text.starts_with(kRedis);
}

Result<RemoteUrl> parse_remote_url(const std::string& text) {
  if (!is_plain(text)) return refused("it contains a blank or a control character");
  if (!is_remote_url(text)) return refused(fmt::format("'{}' is not one", text));
  const bool http = text.starts_with(kHttp);
  RemoteUrl url{.kind = http ? RemoteUrl::Kind::kHttp : RemoteUrl::Kind::kRedis,
                .port = http ? "80" : "6379"};
  std::string rest = text.substr(http ? kHttp.size() : kRedis.size());
  take_user(rest, url);
  const size_t slash = std::min(rest.find('/'), rest.size());
  WL_TRY_STATUS(take_host(rest.substr(0, slash), url));
  url.path = rest.substr(slash);
  if (http) {
    if (!url.path.ends_with('/')) url.path += '/';
    return url;
  }
  if (!url.path.empty()) url.path.erase(0, 1);
  if (!url.path.empty() && !is_number(url.path, 4))
    return refused(fmt::format("'{}' is not the number of a database", url.path));
  return url;
}

std::string to_text(const RemoteUrl& url) {
  const bool http = url.kind == RemoteUrl::Kind::kHttp;
  const bool bracketed = url.host.find(':') != std::string::npos;
  return fmt::format("{}{}:{}{}{}", http ? kHttp : kRedis,
                     bracketed ? "[" + url.host + "]" : url.host, url.port, http ? "" : "/",
                     http || !url.path.empty() ? url.path : "0");
}

}  // namespace warpledger::store
