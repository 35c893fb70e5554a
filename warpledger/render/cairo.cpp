#include "warpledger/render/cairo.h"

#include <dlfcn.h>

namespace warpledger {
namespace {

Result<Cairo> find_functions() {
  const Diagnostic absent{.message = "PNG and PDF need cairo, which is not installed",
                          .hint = "apt-get install libcairo2, or export to .svg",
                          .code = "no-cairo"};
  // Never closed: whoever uses fonts may have left handlers behind.
  void* library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absent;
  Cairo cairo;
#define WL_CAIRO_FIND(name)                                                            \
  cairo.name = reinterpret_cast<decltype(cairo.name)>(dlsym(library, "cairo_" #name)); \
  if (cairo.name == nullptr) return absent
  WL_CAIRO_FUNCTIONS(WL_CAIRO_FIND);
#undef WL_CAIRO_FIND
  return cairo;
}

}  // namespace

Result<const Cairo*> load_cairo() {
  static const Result<Cairo> cairo = find_functions();
  if (!cairo) return cairo.error();
  return &*cairo;
}

}  // namespace warpledger
