#include "cli/commands/serve.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/commands/request.h"
#include "cli/options/open_store.h"
#include "warpledger/base/parallel.h"
#include "warpledger/cell/cell.h"
#include "warpledger/serve/line_server.h"
#include "warpledger/serve/workers.h"

namespace warpledger::cli {
namespace {

struct ServeOptions {
  std::string socket;
  bool no_store = false, no_isolation = false;
  BatchOptions batch;
};

std::array<int, 2> stop_pipe = {-1, -1};  // a handler can reach nothing else

/// The first SIGINT or SIGTERM ends the server when its requests are answered, the second at once.
void stop_serving(int signal) {
  [[maybe_unused]] const ssize_t told = ::write(stop_pipe[1], "s", 1);
  std::signal(signal, SIG_DFL);
}

uint32_t jobs_of(const BatchOptions& options) {
  return options.jobs != 0 ? options.jobs : available_threads();
}

/// What answers lines: threads of this process, or processes that put each kernel into a cell,
/// which threads could not: they would fork while others hold locks.
class Answering {
 public:
  static Result<std::unique_ptr<Answering>> begin(Session& session, const BatchOptions& options) {
    std::unique_ptr<Answering> made(new Answering(session, options));
    if (!made->limits_.isolate) {
      made->store_ = open_store(session, options.store);
      return made;
    }
    WL_TRY(made->workers_,
           serve::Workers::start(
               jobs_of(options), [&here = *made] { return here.in_worker(); },
               [](int signal) {
                 return refusal_line({.message = fmt::format("the request's process ended with "
                                                             "signal {}",
                                                             signal),
                                      .code = "worker-ended"});
               }));
    return made;
  }

  [[nodiscard]] serve::LineFunction function() {
    if (workers_) return [this](const std::string& line) { return workers_->answer(line); };
    return [this](const std::string& line) {
      return answer_request(line, pointer_to(store_), limits_);
    };
  }

 private:
  Answering(Session& session, const BatchOptions& options)
      : session_(session),
        keeps_(options.store),
        limits_{.seconds = options.seconds, .isolate = options.isolate && cell::can_run_here()} {}

  serve::LineFunction in_worker() {
    store_ = open_store(session_, keeps_);
    return [this](const std::string& line) {
      return answer_request(line, pointer_to(store_), limits_);
    };
  }

  Session& session_;
  bool keeps_;
  RequestLimits limits_;
  std::optional<store::Store> store_;
  std::unique_ptr<serve::Workers> workers_;
};

Status serve_requests(Session& session, const ServeOptions& options) {
  WL_TRY(const std::unique_ptr<Answering> answering, Answering::begin(session, options.batch));
  if (::pipe2(stop_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return Diagnostic{.message = "no pipe for signals", .code = "socket"};
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop_serving);
  const serve::ServerOptions server{
      .path = options.socket,
      .jobs = jobs_of(options.batch),
      .too_long = refusal_line({.message = "the request is longer than 8 MiB",
                                .hint = "write the PTX to a file, and pass its path",
                                .code = "too-long"}),
      .too_many = refusal_line({.message = "too many clients are connected",
                                .hint = "send several requests over one connection",
                                .code = "busy"})};
  return serve::serve_lines(server, answering->function(), stop_pipe[0], [&] {
    if (!session.quiet) session.err << fmt::format("serving at {}\n", options.socket) << std::flush;
  });
}

}  // namespace

Status answer_batch(Session& session, const BatchOptions& options) {
  WL_TRY(const std::unique_ptr<Answering> answering, Answering::begin(session, options));
  const serve::LineFunction answer = answering->function();
  if (options.file == "-") {
    serve::answer_lines(std::cin, session.out, jobs_of(options), answer);
    return {};
  }
  std::ifstream file(options.file);
  if (!file) {
    return Diagnostic{
        .message = fmt::format("cannot read '{}'", options.file),
        .hint = "--batch takes a file with one request per line, or - for standard input",
        .code = "no-file"};
  }
  serve::answer_lines(file, session.out, jobs_of(options), answer);
  return {};
}

void add_serve(Command& app, Session& session) {
  auto options = std::make_shared<ServeOptions>();
  Command command = add_command(
      app, "serve", "answer profile and explain requests over a Unix socket, with warm caches",
      "  warpledger serve --socket /run/user/1000/warpledger\n"
      "  echo '{\"file\": \"k.ptx\", \"gpu\": \"a100\", \"grid\": [64], \"block\": "
      "[256], \"arguments\": [\"f32[16384]\"]}' | nc -NU /run/user/1000/warpledger");
  command->add_option("--socket", options->socket, "path of the socket; only its owner can connect")
      ->type_name("PATH")
      ->required();
  command
      ->add_option("--jobs", options->batch.jobs, "requests at a time; 0: one for each processor")
      ->capture_default_str();
  command
      ->add_option("--timeout", options->batch.seconds, "seconds after which a launch is stopped")
      ->positive()
      ->capture_default_str();
  command->add_flag("--no-store", options->no_store,
                    "do not use stored results, and do not store new ones");
  command->add_flag("--no-isolation", options->no_isolation,
                    "run kernels in this process, with your rights");
  command->callback([options, &session] {
    options->batch.store = !options->no_store;
    options->batch.isolate = !options->no_isolation;
    if (const Status done = serve_requests(session, *options); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
