// The native tests: `posenc_tests` runs all of them, `posenc_tests -tc="*window*"` those whose name
// matches.
//
//   core/       arithmetic against long double, random numbers, memory
//   position/   one file per encoding: values from its paper and from reports of bugs
//   laws/       what must hold for every line of the registry
//   samples/    sample values of each encoding, with their float64 references, for the laws
//   attention/  masks, stages, hooks and bad input of the engine
//   golden/     numbers of other implementations (tests/golden)
//
// table.hpp compares, reference.hpp is float64 and independent of the kernels, attention_case.hpp
// runs both.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if defined(__SANITIZE_ADDRESS__)
/// Lets the tests ask for more memory than there is: malloc then returns null, as without the
/// sanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif
