# A program per file of targets/. Coverage is that of the library alone: inputs that take new ways
# through a reference are of no use.
target_compile_options(posenc PRIVATE -fsanitize=fuzzer-no-link)

file(GLOB helper_sources CONFIGURE_DEPENDS tests/fuzz/*.cpp tests/cpp/*.cpp tests/cpp/samples/*.cpp)
list(FILTER helper_sources EXCLUDE REGEX
  "/(main|no_memory|content_loss|hook_losses|masked_cases|finite_differences)\\.cpp$")
# Objects, as nothing names the start of libFuzzer in start.cpp.
add_library(posenc_fuzz_helpers OBJECT ${helper_sources})
target_link_libraries(posenc_fuzz_helpers PUBLIC posenc)
target_include_directories(posenc_fuzz_helpers PUBLIC tests/cpp tests/fuzz)

file(GLOB target_sources CONFIGURE_DEPENDS tests/fuzz/targets/*.cpp)
foreach(source IN LISTS target_sources)
  cmake_path(GET source STEM target)
  add_executable(posenc_fuzz_${target} ${source})
  target_link_libraries(posenc_fuzz_${target} PRIVATE posenc_fuzz_helpers)
  target_link_options(posenc_fuzz_${target} PRIVATE -fsanitize=fuzzer)
endforeach()
