// The studies, one file each where they are long, and what those have in common that run kernels.
#pragma once

#include "cli/options/open_store.h"
#include "cli/options/sampling_options.h"
#include "warpledger/sweep/files.h"
#include "warpledger/sweep/profiled.h"

namespace warpledger::cli {

void add_study_gemm(Command& study, Session& session);
void add_study_sweep(Command& study, Session& session);

/// --threads --max-seconds --exact --no-sass --no-store.
struct StudyFlags {
  SamplingFlags sampling = {.sampling = study::RunOptions{}.sampling};
  bool no_sass = false, no_store = false;
};
void add_study_flags(Command& command, StudyFlags& flags);

/// `store` must outlive what is run.
[[nodiscard]] study::RunOptions run_options(const StudyFlags& flags,
                                            std::optional<store::Store>& store);

/// Writes every file into the folder, which is made when it is not there, and names them.
[[nodiscard]] Status write_all(Session& session, const std::string& folder,
                               const study::Files& files);

}  // namespace warpledger::cli
