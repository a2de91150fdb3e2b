# Options of the native builds, which test and time the kernels. Assertions stay on.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # xsimd then has the same 128-bit vectors as in WebAssembly.
  target_compile_options(posenc_options INTERFACE -msse4.1)
endif()

if(POSENC_SANITIZE OR POSENC_FUZZ)
  # Reports name lines; whole debug information, which takes long to write, is for debuggers.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(posenc_options INTERFACE ${sanitizers})
  target_link_options(posenc_options INTERFACE ${sanitizers})
endif()
