# Options of the WebAssembly builds.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(POSENC_SMALL_OPTIONS -Oz)
# Files whose loops run over whole tensors.
set(POSENC_FAST_SOURCES
  cpp/core/dot.cpp
  cpp/attention/decode.cpp
  cpp/attention/decode_kernels.cpp
  cpp/attention/forward.cpp
  cpp/attention/kernels.cpp
  cpp/attention/rows.cpp
  cpp/attention/tile.cpp
  cpp/model/activation.cpp
  cpp/model/linear.cpp
  cpp/model/matrix.cpp
  cpp/train/adamw.cpp
  cpp/train/products.cpp
  cpp/attention/backward_block.cpp
  cpp/attention/backward_head.cpp
  cpp/position/angle_table.cpp
  cpp/position/position.cpp
  cpp/position/rotation.cpp
  cpp/position/sinusoidal.cpp)

target_compile_options(posenc_options INTERFACE
  -msimd128 -mbulk-memory -fno-exceptions -fno-rtti -DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
if(POSENC_RELAXED)
  target_compile_options(posenc_options INTERFACE -mrelaxed-simd)
endif()

# The glue is an ES module for pages and workers; whoever loads it passes the bytes in, so the same
# file runs in Node. It never evaluates text, so it works under a strict content security policy.
set(POSENC_MODULE_LINK_OPTIONS
  --bind
  -mbulk-memory
  # Also when linking: it selects the run-time library that fits.
  -fno-rtti
  -sMODULARIZE
  -sEXPORT_ES6
  -sENVIRONMENT=web,worker
  -sDYNAMIC_EXECUTION=0
  -sFILESYSTEM=0
  -sALLOW_MEMORY_GROWTH
  -sINITIAL_MEMORY=16MB
  -sMAXIMUM_MEMORY=2GB
  -sSTACK_SIZE=256KB
  -sMALLOC=emmalloc
  # A failed allocation returns null and becomes a status; it must not end the module.
  -sABORTING_MALLOC=0
  -sEXPORTED_FUNCTIONS=_malloc,_free
  -sEXPORTED_RUNTIME_METHODS=HEAPU8,HEAP32,HEAPF32,HEAPF64)

# Memory that threads share has a bounded size, as engines set the whole address range aside
# (emscripten-core/emscripten issue 19374). Objects and run-time library are those of the other
# modules, so that nothing is built twice: what helpers run has no thread-local and no lazy statics,
# which the linker cannot know, and takes memory behind a lock (cpp/bindings/threads/heap.cpp).
set(POSENC_THREADS_LINK_OPTIONS
  -sIMPORTED_MEMORY
  -sMAXIMUM_MEMORY=1GB
  -Wl,--shared-memory,--no-check-features,--wrap=malloc,--wrap=free)

# Emscripten's compact pow and logarithms, where they are built: 8 kB less than the tables of the
# usual ones (compressed), and only constructors call them.
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libc_optz.a
  OUTPUT_VARIABLE compact_libc OUTPUT_STRIP_TRAILING_WHITESPACE)
if(EXISTS "${compact_libc}")
  list(APPEND POSENC_MODULE_LINK_OPTIONS -lc_optz)
endif()
