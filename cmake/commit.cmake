# Of which commit the sources are, PLATTER_COMMIT, and when it was made, PLATTER_COMMIT_DATE (RFC 2822): as git says, in
# a clone; else as `git archive` wrote into commit.txt; else nothing.
find_package(Git QUIET)
set(PLATTER_COMMIT "")
set(PLATTER_COMMIT_DATE "")
function(ask_git result)
  execute_process(COMMAND ${GIT_EXECUTABLE} -c safe.directory=* ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  set(${result} "" PARENT_SCOPE)
  if(status EQUAL 0)
    set(${result} "${answer}" PARENT_SCOPE)
  endif()
endfunction()

file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/commit.txt told LIMIT_COUNT 1)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  ask_git(told log -1 "--format=%h %cD")
  ask_git(log rev-parse --git-path logs/HEAD)  # grows with every commit
  get_filename_component(log "${log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(EXISTS ${log})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
endif()
if(told MATCHES "^([0-9a-f]+) (.+)$")
  set(PLATTER_COMMIT ${CMAKE_MATCH_1})
  set(PLATTER_COMMIT_DATE ${CMAKE_MATCH_2})
endif()
