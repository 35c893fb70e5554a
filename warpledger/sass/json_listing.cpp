#include <nlohmann/json.hpp>

#include "warpledger/sass/code.h"

namespace warpledger::sass {
namespace {

using Json = nlohmann::json;

Diagnostic bad(const char* what) { return {.message = what, .code = "bad-listing"}; }

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// nvdisasm 13.2 leaves out a comma: "R20[R1+0x14]" for the two operands of LDL.
std::vector<std::string> separate(std::vector<std::string> operands) {
  std::vector<std::string> separated;
  for (std::string& operand : operands) {
    const size_t open = operand.find('[');
    const bool is_register = operand.starts_with('R') || operand.starts_with("UR");
    if (open != std::string::npos && is_register) {
      separated.push_back(operand.substr(0, open));
      operand.erase(0, open);
    }
    separated.push_back(std::move(operand));
  }
  return separated;
}

Instruction read_one(const Json& json) {
  Instruction instruction;
  instruction.predicate = text_of(json, "predicate");
  instruction.opcode = text_of(json, "opcode");
  instruction.operands = separate(split_operands(text_of(json, "operands")));
  const auto attributes = json.find("other-attributes");
  const bool is_flow = attributes != json.end() && attributes->is_object() &&
                       text_of(*attributes, "control-flow") == "True";
  // The last operand of BRX, EXIT and similar is not an address, or is relative to a register.
  const std::string base = instruction.base();
  if (is_flow && !instruction.operands.empty() && base != "BRX" && base != "JMX" && base != "BPT")
    instruction.target = read_address(instruction.operands.back());
  return instruction;
}

}  // namespace

Result<std::vector<Function>> read_json_listing(std::string_view text) {
  constexpr uint64_t kInstructionBytes = 16;  // since sm_70; the JSON form knows no older code
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array() || json.size() < 2 || !json[1].is_array())
    return bad("the listing is not nvdisasm's JSON");
  std::vector<Function> functions;
  for (const Json& entry : json[1]) {
    if (!entry.is_object()) return bad("a function of the listing is not an object");
    const auto start = entry.find("start");
    const auto code = entry.find("sass-instructions");
    if (start == entry.end() || !start->is_number_unsigned() || code == entry.end() ||
        !code->is_array())
      return bad("a function of the listing has no start or no instructions");
    Function function{text_of(entry, "function-name"), {}};
    uint64_t address = start->get<uint64_t>();
    for (const Json& instruction : *code) {
      if (!instruction.is_object()) return bad("an instruction of the listing is not an object");
      function.instructions.push_back(read_one(instruction));
      function.instructions.back().address = address;
      address += kInstructionBytes;
    }
    functions.push_back(std::move(function));
  }
  if (functions.empty()) return bad("the listing contains no function");
  return functions;
}

}  // namespace warpledger::sass
