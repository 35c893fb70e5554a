// The numbers of the fields in the messages of .ncu-rep (rep_file.h), message by message, as
// NVIDIA's FileFormat/*.proto of Nsight Compute 2022.3 has them. Private to ncu/.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpledger::ncu::rep {

inline constexpr std::string_view kMagic{"NVR\0", 4};
inline constexpr uint64_t kVersion = 7;

struct FileHeader {
  static constexpr uint32_t kVersion = 1;
};
struct BlockHeader {
  static constexpr uint32_t kSources = 1, kResults = 2, kSession = 3, kStrings = 4, kPayload = 5,
                            kProcess = 6, kRanges = 7;
};
struct Process {
  static constexpr uint32_t kId = 1, kHost = 2, kName = 3;
};
struct Strings {
  static constexpr uint32_t kString = 1;
};
struct Session {
  static constexpr uint32_t kCreated = 2, kDevices = 6, kComment = 7, kVersions = 8,
                            kExecutable = 9, kCommand = 11;
};
struct Device {
  static constexpr uint32_t kId = 1, kName = 2, kAttributes = 3;
};
struct Attribute {
  static constexpr uint32_t kName = 1, kValue = 2;
};
struct Version {
  static constexpr uint32_t kProvider = 1, kVersion = 2;
};
struct Executable {
  static constexpr uint32_t kPath = 1;
};
struct Value {
  static constexpr uint32_t kText = 1, kFloat = 2, kDouble = 3, kUint32 = 4, kUint64 = 5;
};
struct Metric {
  static constexpr uint32_t kName = 1, kValue = 2, kInstances = 3;
};
struct Instance {
  static constexpr uint32_t kId = 1, kValue = 2;
};
struct Extent {
  static constexpr uint32_t kX = 1, kY = 2, kZ = 3;
};
struct Source {
  static constexpr uint32_t kReference = 1, kPtx = 3, kCubin = 4, kSassLevel = 5, kRevision = 6,
                            kFlags = 7, kFiles = 8;
};
struct SourceFiles {
  static constexpr uint32_t kFile = 1;
};
struct SourceFile {
  static constexpr uint32_t kName = 1, kText = 2;
};
struct Result {
  static constexpr uint32_t kThread = 1, kCall = 2, kProgram = 3, kKernel = 4, kMangled = 5,
                            kFunction = 6, kDemangled = 7, kDimensions = 8, kOffset = 9, kGrid = 10,
                            kBlock = 11, kComment = 12, kMetrics = 13, kCreated = 14, kSource = 15,
                            kApi = 16, kSections = 17, kRules = 19, kContext = 22, kStream = 23,
                            kRecord = 290029;  // ours
};
struct Section {
  static constexpr uint32_t kId = 1, kTitle = 2, kOrder = 3, kHeader = 4, kBody = 5, kMetrics = 6,
                            kExtends = 9;
};
struct SectionHeader {
  static constexpr uint32_t kMetrics = 2;
};
struct SectionMetrics {
  static constexpr uint32_t kMetrics = 1;
};
struct SectionBody {
  static constexpr uint32_t kItems = 1;
};
struct SectionMetric {
  static constexpr uint32_t kName = 1, kLabel = 2, kUnit = 5;
};
struct Rule {
  static constexpr uint32_t kId = 1, kTitle = 2, kBody = 3, kSection = 4;
};
struct RuleBody {
  static constexpr uint32_t kItems = 1;
};
struct RuleItem {
  static constexpr uint32_t kMessage = 1, kSpeedup = 10;
};
struct Speedup {
  static constexpr uint32_t kType = 1, kPercent = 2;
  static constexpr uint64_t kLocal = 1, kGlobal = 2;
};
struct Message {
  static constexpr uint32_t kText = 1, kMark = 2, kId = 3, kTitle = 4;
};

}  // namespace warpledger::ncu::rep
