#include "tests/support/loaded_ptx.h"

#include "warpledger/ptx/parser.h"

namespace warpledger::test {

LoadedPtx load_ptx(std::string name, std::string text, exec::DeviceMemory& memory) {
  LoadedPtx loaded;
  auto parsed = ptx::parse(std::move(name), std::move(text));
  if (!parsed) {
    loaded.error = parsed.error();
    return loaded;
  }
  loaded.module = std::make_shared<const ptx::Module>(*std::move(parsed));
  auto image = exec::Image::load(*loaded.module, memory);
  if (image)
    loaded.image = std::make_unique<exec::Image>(*std::move(image));
  else
    loaded.error = image.error();
  return loaded;
}

}  // namespace warpledger::test
