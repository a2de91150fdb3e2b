// What the helpers of the native tests need outside of a test: their failed assertions end the
// program, as those of the fuzz targets do.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "require.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  static doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData& failed) {
    posenc::fuzz::require(!failed.m_failed, std::string(failed.m_file) + ": " + failed.m_expr);
  });
  return 0;
}

/// Lets malloc return null where more is asked for than there can be, as without the sanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
