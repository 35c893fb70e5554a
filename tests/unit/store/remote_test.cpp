#include "warpledger/store/remote/remote.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "tests/unit/store/folder.h"
#include "warpledger/store/remote/entry.h"
#include "warpledger/store/remote/url.h"
#include "warpledger/store/store.h"

namespace warpledger::store {
namespace {

using testing::Folder;

/// A server that keeps what is PUT, and may be made to lie.
class HttpServer {
 public:
  HttpServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    ::listen(socket_, 8);
    thread_ = std::thread([this] { run(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/c", port_); }

  /// What it holds, by path.
  std::map<std::string, std::string> held() {
    const std::lock_guard lock(mutex_);
    return held_;
  }
  void hold(const std::string& path, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    held_[path] = bytes;
  }
  void set_reply(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    reply_ = bytes;
  }

 private:
  void run() {
    std::vector<std::thread> threads;
    int client = -1;
    while ((client = ::accept(socket_, nullptr, nullptr)) >= 0) {
      threads.emplace_back([this, client] {
        while (answer(client)) {
        }
        ::close(client);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  bool answer(int client) {
    std::string text;
    size_t head = 0, length = 0;
    char buffer[4096];
    while (head == 0 || text.size() < head + length) {
      const ssize_t count = ::recv(client, buffer, sizeof buffer, 0);
      if (count <= 0) return false;
      text.append(buffer, static_cast<size_t>(count));
      if (const size_t end = text.find("\r\n\r\n"); head == 0 && end != std::string::npos) {
        head = end + 4;
        if (const size_t at = text.find("Content-Length: "); at < head)
          length = std::stoul(text.substr(at + 16));
      }
    }
    const std::string reply = reply_to(text.substr(0, head), text.substr(head));
    ::send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
    const std::lock_guard lock(mutex_);
    return reply_.empty();
  }

  std::string reply_to(const std::string& head, const std::string& body) {
    const std::lock_guard lock(mutex_);
    if (!reply_.empty()) return reply_;
    const std::string path = head.substr(4, head.find(' ', 4) - 4);
    if (head.starts_with("PUT ")) {
      held_[path] = body;
      return "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    }
    const auto found = held_.find(path);
    if (found == held_.end()) return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", found->second.size()) +
           found->second;
  }

  int socket_;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string> held_;
  std::string reply_;
  std::thread thread_;
};

/// A machine of the fleet: a file of its own, the server that all share.
Store machine(const Folder& folder, const std::string& name, const HttpServer& server,
              const std::string& secret = "") {
  Result<Store> store =
      Store::open({.path = folder.file(name), .remote = {.url = server.url(), .secret = secret}});
  EXPECT_TRUE(store.ok()) << store.error().message;
  return *std::move(store);
}

std::optional<std::string> found(Store& store, const std::string& key) {
  const auto value = store.find(key);
  EXPECT_TRUE(value.ok());
  return *value;
}

TEST(RemoteStore, WhatOneMachineKeepsAnotherFinds) {
  const Folder folder;
  HttpServer server;
  const std::string value(100'000, 'v');
  EXPECT_TRUE(
      machine(folder, "a", server).put("k", value).ok());  // sent when it ends, at the latest
  Store other = machine(folder, "b", server);
  EXPECT_EQ(found(other, "k"), value);
  EXPECT_EQ(other.remote()->found, 1U);
  EXPECT_EQ(found(other, "absent"), std::nullopt);
}

TEST(RemoteStore, WhatCameFromThereIsKeptHere) {
  const Folder folder;
  HttpServer server;
  EXPECT_TRUE(machine(folder, "a", server).put("k", "value").ok());
  Store other = machine(folder, "b", server);
  EXPECT_EQ(found(other, "k"), "value");
  server.hold("/c/k", "gone");
  EXPECT_EQ(found(other, "k"), "value");
  EXPECT_EQ(other.remote()->found, 1U);  // not asked again
}

TEST(RemoteStore, APoisonedEntryIsNotBelievedAndIsReplaced) {
  const Folder folder;
  HttpServer server;
  const std::string entry = pack_entry("k", "value", "");
  for (const std::string& poison :
       {std::string("anything"), std::string(), pack_entry("other", "value", ""),
        entry.substr(0, entry.size() - 1), entry + "!"}) {
    server.hold("/c/k", poison);
    Store store = machine(folder, "a", server);
    EXPECT_EQ(found(store, "k"), std::nullopt);
    EXPECT_EQ(store.remote()->refused, 1U);
  }
  EXPECT_TRUE(machine(folder, "b", server).put("k", "computed").ok());
  EXPECT_EQ(server.held()["/c/k"], pack_entry("k", "computed", ""));
}

TEST(RemoteStore, WithASecretOnlyWhoKnowsItIsBelieved) {
  const Folder folder;
  HttpServer server;
  EXPECT_TRUE(machine(folder, "a", server, "secret").put("k", "value").ok());
  Store friendly = machine(folder, "b", server, "secret");
  EXPECT_EQ(found(friendly, "k"), "value");
  server.hold("/c/k", pack_entry("k", "forged", ""));
  Store careful = machine(folder, "c", server, "secret");
  EXPECT_EQ(found(careful, "k"), std::nullopt);
  EXPECT_EQ(careful.remote()->refused, 1U);
}

TEST(RemoteStore, ATruncatedAnswerIsNone) {
  const Folder folder;
  HttpServer server;
  const std::string entry = pack_entry("k", "value", "");
  server.set_reply(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", entry.size()) +
                   entry.substr(0, entry.size() - 2));
  Store store = machine(folder, "a", server);
  EXPECT_EQ(found(store, "k"), std::nullopt);
  EXPECT_NE(store.remote()->failure, "");
}

TEST(RemoteStore, AServerThatIsGoneCostsOneWaitAndNoAnswer) {
  const Folder folder;
  std::string url;
  {
    const HttpServer server;
    url = server.url();
  }
  Result<Store> store = Store::open({.path = folder.file("a"), .remote = {.url = url}});
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(found(*store, "k" + std::to_string(i)), std::nullopt);
    EXPECT_TRUE(store->put("k" + std::to_string(i), "v").ok());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3));
  EXPECT_EQ(found(*store, "k7"), "v");
}

TEST(RemoteUrl, HasItsParts) {
  const auto url = parse_remote_url("http://me:pass@[::1]:8080/cache");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, "8080");
  EXPECT_EQ(url->path, "/cache/");
  EXPECT_EQ(url->password, "pass");
  EXPECT_EQ(to_text(*url), "http://[::1]:8080/cache/");
  EXPECT_EQ(parse_remote_url("redis://h/3")->path, "3");
  EXPECT_EQ(parse_remote_url("redis://h")->port, "6379");
}

TEST(RemoteUrl, OthersAreRefused) {
  for (const char* text : {"", "ftp://h", "https://h", "http://", "http://h:x", "http://h\r\nX: y",
                           "redis://h/x", "http://[::1"}) {
    EXPECT_FALSE(parse_remote_url(text).ok()) << text;
  }
}

TEST(DefaultStore, IsAFileAServerOrBoth) {
  const auto with = [](const char* said) {
    ::setenv("WARPLEDGER_STORE", said, 1);
    return default_store_options();
  };
  EXPECT_EQ(with("/a b/s").path, "/a b/s");
  EXPECT_EQ(with("/a b/s").remote.url, "");
  EXPECT_EQ(with("/a b/s http://h/").path, "/a b/s");
  EXPECT_EQ(with("/a b/s http://h/").remote.url, "http://h/");
  EXPECT_EQ(with("redis://h").remote.url, "redis://h");
  EXPECT_TRUE(with("redis://h").path.ends_with("store-1.sqlite"));
  ::unsetenv("WARPLEDGER_STORE");
}

}  // namespace
}  // namespace warpledger::store
