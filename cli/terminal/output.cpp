#include "cli/terminal/output.h"

#include <fmt/core.h>

#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/render/picture.h"

namespace warpledger::cli {
namespace {

std::string shown(const Answer& answer, Format format) {
  if (format == Format::kText && !answer.text.empty()) return answer.text;
  if (format == Format::kJson && !answer.json.empty()) return answer.json;
  return render(answer.report, format);
}

}  // namespace

Result<std::string> exported(const Answer& answer, const std::string& path) {
  if (const auto picture = picture_format_of(path)) {
    if (answer.drawing) return render(answer.drawing(), *picture);
    return Diagnostic{
        .message = fmt::format("cannot export to '{}': this command produces no chart", path),
        .hint = "export to .txt, .json, .csv or .md",
        .code = "no-picture"};
  }
  std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".txt") ending = ".text";
  if (ending == ".wlrep") ending = ".json";  // a report that reads back
  const auto format = parse_format(ending.empty() ? "" : ending.substr(1));
  if (format) return shown(answer, *format);
  return Diagnostic{
      .message = fmt::format("unknown output format: '{}' has no recognized extension", path),
      .hint = "use .txt, .json, .csv, .md, .svg, .png or .pdf",
      .code = "unknown-format"};
}

namespace {

Status export_to(const Answer& answer, const std::string& path) {
  WL_TRY(const std::string bytes, exported(answer, path));
  return write_file(path, bytes);
}

}  // namespace

void add_output_options(Command& command, OutputOptions& options) {
  command.add_option("--format", options.format, "output format")
      ->one_of({"text", "json", "csv", "md"})
      ->capture_default_str()
      ->group("Output");
  command.add_flag("--json", options.json, "short for --format json")->group("Output");
  command
      .add_option("--export", options.exports,
                  "also write the output to FILE, in the format of its extension")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false)
      ->group("Output");
}

Status write_exports(const OutputOptions& options, const Answer& answer) {
  for (const std::string& path : options.exports) {
    WL_TRY_STATUS(export_to(answer, path));
  }
  return {};
}

std::string shown(const OutputOptions& options, const Answer& answer) {
  return shown(answer, options.json ? Format::kJson : *parse_format(options.format));
}

void print(Session& session, const OutputOptions& options, const Answer& answer) {
  if (const Status written = write_exports(options, answer); !written)
    return fail(session, written.error());
  session.out << shown(options, answer);
}

}  // namespace warpledger::cli
