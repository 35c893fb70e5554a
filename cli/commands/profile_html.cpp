#include "cli/commands/profile_html.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/terminal/files.h"
#include "warpledger/base/file.h"
#include "warpledger/render/html.h"
#include "warpledger/render/picture.h"
#include "warpledger/render/table.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

Status write_charts(const std::string& folder, const Document& document) {
  std::map<std::string, std::string> files;
  for (const auto& [page, illustration] : illustrations_of(document)) {
    const std::string stem = document.pages.size() == 1
                                 ? illustration->name
                                 : fmt::format("{}-{}", page, illustration->name);
    for (const char* ending : {".svg", ".png"}) {
      WL_TRY(files[stem + ending], render(illustration->wide, *picture_format_of(ending)));
    }
    files[stem + ".csv"] = to_csv(illustration->data);
  }
  return write_files(folder, files);
}

}  // namespace

report::Sources find_sources(const ReportOptions& options, const std::vector<Profile>& launches) {
  report::Sources sources;
  for (const Profile& launch : launches) {
    std::vector<std::string> folders = options.folders;
    folders.push_back(std::filesystem::path(launch.file).parent_path().string());
    if (!launch.source_folder.empty()) folders.push_back(launch.source_folder);
    for (const std::string& name : report::source_files(launch)) {
      for (const std::string& folder : folders) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        std::error_code failed;  // a name may be too long for any file
        if (sources.contains(name) || !std::filesystem::is_regular_file(path, failed)) continue;
        if (const auto text = read_file(path)) sources[name] = report::lines_of(*text);
      }
    }
  }
  return sources;
}

void add_report_options(Command& command, ReportOptions& options) {
  command
      .add_option("--report-json", options.model, "write the contents of the HTML report as JSON")
      ->option_text("FILE");
  command.add_option("--charts", options.charts, "write the charts as SVG, PNG and CSV")
      ->option_text("DIR");
  command
      .add_option("--source-folder", options.folders,
                  "folder to search for source files that are neither beside FILE nor where the "
                  "compiler found them; may be repeated")
      ->option_text("DIR");
}

Status write_report(const ReportOptions& options, const std::vector<Profile>& launches,
                    const report::Codes& codes) {
  if (!options.is_wanted()) return {};
  const Document document = report::document_of(launches, find_sources(options, launches), codes);
  if (!options.file.empty()) WL_TRY_STATUS(write_file(options.file, to_html(document)));
  if (!options.model.empty()) {
    const std::string text =
        to_json(document).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    WL_TRY_STATUS(write_file(options.model, text + "\n"));
  }
  if (!options.charts.empty()) WL_TRY_STATUS(write_charts(options.charts, document));
  return {};
}

}  // namespace warpledger::cli
