// Which sanitizer a build has, for the few places that must know: WL_ADDRESS_SANITIZER and
// WL_THREAD_SANITIZER are 0 or 1, with gcc and with clang.
#pragma once

#if defined(__has_feature)
#define WL_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define WL_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#if defined(__SANITIZE_ADDRESS__)
#define WL_ADDRESS_SANITIZER 1
#else
#define WL_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__)
#define WL_THREAD_SANITIZER 1
#else
#define WL_THREAD_SANITIZER 0
#endif
#endif
