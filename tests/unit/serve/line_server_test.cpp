#include "warpledger/serve/line_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "tests/unit/store/folder.h"

namespace warpledger::serve {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using store::testing::Folder;

class Running {
 public:
  Running(ServerOptions options, LineFunction answer) : options_(std::move(options)) {
    EXPECT_EQ(::pipe(stop_), 0);
    std::promise<void> ready;
    thread_ = std::thread([this, answer = std::move(answer), &ready] {
      done_ = serve_lines(options_, answer, stop_[0], [&] { ready.set_value(); });
    });
    ready.get_future().wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (thread_.joinable()) stop();
    ::close(stop_[0]);
    ::close(stop_[1]);
  }
  void stop() {
    EXPECT_EQ(::write(stop_[1], "s", 1), 1);
    thread_.join();
    EXPECT_TRUE(done_.ok());
  }

 private:
  ServerOptions options_;
  int stop_[2] = {-1, -1};
  Status done_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }
  void send(const std::string& text) const {
    static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
  }
  void end() const { ::shutdown(socket_, SHUT_WR); }
  /// What comes until the other side closes.
  [[nodiscard]] std::string all() const {
    std::string text;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::recv(socket_, buffer, sizeof buffer, 0)) > 0)
      text.append(buffer, static_cast<size_t>(count));
    return text;
  }
  [[nodiscard]] std::string line() const {
    std::string text;
    char c = 0;
    while (::recv(socket_, &c, 1, 0) == 1 && c != '\n') text += c;
    return text;
  }

 private:
  int socket_;
};

std::string echo(const std::string& line) { return "<" + line + ">"; }

TEST(LineServer, AnswersEachClientInItsOrder) {
  const Folder folder;
  const Running server({.path = folder.file("s"), .jobs = 2}, echo);
  std::vector<std::thread> clients;
  for (int c = 0; c < 20; ++c) {
    clients.emplace_back([&, c] {
      const Client client(folder.file("s"));
      std::string text, expected;
      for (int i = 0; i < 50; ++i) {
        text += std::to_string(c * i) + "\n";
        expected += "<" + std::to_string(c * i) + ">\n";
      }
      client.send(text);
      client.end();
      EXPECT_EQ(client.all(), expected);
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(LineServer, OnlyItsOwnerMayConnect) {
  const Folder folder;
  const Running server({.path = folder.file("s")}, echo);
  struct stat seen = {};
  ASSERT_EQ(::stat(folder.file("s").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 0777, 0600U);
}

TEST(LineServer, ALineThatIsTooLongIsRefusedAndOthersAreNot) {
  const Folder folder;
  const Running server({.path = folder.file("s"), .most_line_bytes = 100, .too_long = "no"}, echo);
  const Client greedy(folder.file("s"));
  greedy.send(std::string(1000, 'x'));
  EXPECT_EQ(greedy.all(), "no\n");
  const Client other(folder.file("s"));
  other.send(std::string(100, 'x') + "\n");
  EXPECT_EQ(other.line(), "<" + std::string(100, 'x') + ">");
}

TEST(LineServer, AClientTooManyIsToldSo) {
  const Folder folder;
  const Running server({.path = folder.file("s"), .most_clients = 2, .too_many = "busy"}, echo);
  const Client a(folder.file("s")), b(folder.file("s"));
  a.send("a\n");
  b.send("b\n");
  EXPECT_EQ(a.line() + b.line(), "<a><b>");
  const Client c(folder.file("s"));
  EXPECT_EQ(c.all(), "busy\n");
}

TEST(LineServer, ClientsThatDieLeaveItWell) {
  const Folder folder;
  std::atomic<int> answered = 0;
  const Running server({.path = folder.file("s"), .jobs = 2}, [&](const std::string& line) {
    ++answered;
    std::this_thread::sleep_for(milliseconds(1));
    return std::string(1 << 20, 'y') + line;
  });
  for (int i = 0; i < 100; ++i) {
    const Client dying(folder.file("s"));
    dying.send(i % 3 == 0 ? "half a li" : "one\ntwo\nthree\n");
  }
  const Client living(folder.file("s"));
  living.send("here\n");
  EXPECT_EQ(living.line().substr(1 << 20), "here");
  EXPECT_LT(answered, 201);  // requests 2 and 3 of disconnected clients are not run
}

TEST(LineServer, StoppingAnswersWhatWasBegunAndRemovesTheSocket) {
  const Folder folder;
  std::promise<void> begun;
  Running server({.path = folder.file("s")}, [&](const std::string& line) {
    begun.set_value();
    std::this_thread::sleep_for(milliseconds(30));
    return echo(line);
  });
  const Client client(folder.file("s")), idle(folder.file("s"));
  client.send("first\nsecond\n");
  begun.get_future().wait();
  server.stop();
  EXPECT_EQ(client.all(), "<first>\n");
  EXPECT_EQ(idle.all(), "");
  EXPECT_FALSE(fs::exists(folder.file("s")));
}

Status attempt(const std::string& path) {
  return serve_lines({.path = path}, echo, STDIN_FILENO, [] { FAIL() << "it serves"; });
}

TEST(LineServer, TakesNoPathThatSomebodyUses) {
  const Folder folder;
  std::ofstream(folder.file("file")) << "mine";
  EXPECT_FALSE(attempt(folder.file("file")).ok());
  EXPECT_TRUE(fs::exists(folder.file("file")));
  const Running server({.path = folder.file("s")}, echo);
  EXPECT_FALSE(attempt(folder.file("s")).ok());
  EXPECT_FALSE(attempt(folder.file(std::string(200, 'n'))).ok());
}

TEST(LineServer, TakesThePathOfAServerThatIsNoMore) {
  const Folder folder;
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, folder.file("s").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(left);
  const Running server({.path = folder.file("s")}, echo);
  const Client client(folder.file("s"));
  client.send("x\n");
  EXPECT_EQ(client.line(), "<x>");
}

}  // namespace
}  // namespace warpledger::serve
