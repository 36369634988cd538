# A room is a folder of sources and one static library, platter_<name>. What it may use is what it
# links: docs/architecture.md has the rules, tests/house holds the includes against them.

# `sources` of the target are compiled as one, up to `batch` of them at a time; 0: all. CMake's own UNITY_BUILD writes
# the checkout's path into what is compiled, so that ccache knows no other checkout.
function(compile_as_one target batch)
  set(sources ${ARGN})
  if(NOT batch)
    list(LENGTH sources batch)
  endif()
  set(number 0)
  while(sources)
    list(SUBLIST sources 0 ${batch} together)
    list(REMOVE_ITEM sources ${together})
    set(text "")
    foreach(source ${together})
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/together/${target}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)  # written where it differs
    target_sources(${target} PRIVATE ${file})
    set_source_files_properties(${together} PROPERTIES HEADER_FILE_ONLY ON)
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

# In the release build names in unnamed namespaces are of the whole room. The presets dev, debug, asan and tsan compile
# each file alone, so that none leans on its neighbours, and with the warnings that mean nothing where files lie together.
function(compile_together target)
  if(PLATTER_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow -Wno-subobject-linkage)
    compile_as_one(${target} 12 ${ARGN})
  endif()
endfunction()

# APART: each file is compiled alone in every build. AS_ONE: together in every build, but for those of BESIDE.
function(platter_room name)
  cmake_parse_arguments(ROOM "APART;AS_ONE" "" "USES;BESIDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(platter_${name} STATIC ${sources})
    if(ROOM_AS_ONE)
      list(TRANSFORM ROOM_BESIDE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
      list(REMOVE_ITEM sources ${ROOM_BESIDE})
      compile_as_one(platter_${name} 0 ${sources})
    elseif(NOT ROOM_APART)
      compile_together(platter_${name} ${sources})
    endif()
    set(scope PUBLIC)
  else()
    add_library(platter_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(platter_${name} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(platter_${name} ${scope} ${ROOM_USES})
endfunction()

# For a room whose records are written member by member and read again soon: a load of two members at once would have to
# wait until both stores are in the cache.
function(write_members_one_by_one target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-store-merging -fno-tree-slp-vectorize)
  endif()
endfunction()

# These take longer than ./check may (8 minutes, building included) and are left to ./check --long, which says so.
function(left_to_long)
  set_tests_properties(${ARGN} PROPERTIES LABELS long)
endfunction()

# The unit tests of one room: every file of tests/<name>/ in one program; cases with the tag [.long] in a test of
# their own.
function(platter_room_tests name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  compile_together(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE Catch2::Catch2WithMain source_folder ${ROOM_USES})
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  execute_process(COMMAND grep -l "\\[.long\\]" ${sources} OUTPUT_VARIABLE long_cases)
  if(long_cases)
    add_test(NAME ${name}_long COMMAND test_${name} "[.long]")
    set_tests_properties(${name}_long PROPERTIES TIMEOUT 600)
    left_to_long(${name}_long)
  endif()
endfunction()
