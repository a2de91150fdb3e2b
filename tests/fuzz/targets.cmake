# A program per entry point that is fuzzed. Coverage is that of the library alone: inputs that take
# new ways through a reference are of no use.
target_compile_options(posenc PRIVATE -fsanitize=fuzzer-no-link)

file(GLOB helper_sources CONFIGURE_DEPENDS tests/cpp/*.cpp tests/cpp/samples/*.cpp)
list(FILTER helper_sources EXCLUDE REGEX
  "/(main|no_memory|content_loss|hook_losses|masked_cases|finite_differences)\\.cpp$")
add_library(posenc_fuzz_helpers STATIC ${helper_sources}
  tests/fuzz/encodings.cpp tests/fuzz/hook_reference.cpp tests/fuzz/problem.cpp
  tests/fuzz/cache_chunk.cpp tests/fuzz/cache_session.cpp)
target_link_libraries(posenc_fuzz_helpers PUBLIC posenc)
target_include_directories(posenc_fuzz_helpers PUBLIC tests/cpp)

foreach(target attention attention_backward kv_cache)
  add_executable(posenc_fuzz_${target} tests/fuzz/${target}.cpp tests/fuzz/start.cpp)
  target_link_libraries(posenc_fuzz_${target} PRIVATE posenc_fuzz_helpers)
  target_link_options(posenc_fuzz_${target} PRIVATE -fsanitize=fuzzer)
endforeach()
