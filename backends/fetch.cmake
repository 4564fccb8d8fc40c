# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fetching a dependency once: checked by hash, complete before it gets its name, kept outside the build folder.
include_guard(GLOBAL)

option(ABAX_DOWNLOAD "Fetch what is not installed (Kokkos, Catch2, CLI11, JSON); OFF never uses the network" ON)

if(DEFINED ENV{ABAX_CACHE})
  set(default_cache "$ENV{ABAX_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(default_cache "$ENV{XDG_CACHE_HOME}/abax")
elseif(DEFINED ENV{HOME})
  set(default_cache "$ENV{HOME}/.cache/abax")
else()
  set(default_cache "${CMAKE_BINARY_DIR}/cache")
endif()
set(ABAX_CACHE_DIR "${default_cache}" CACHE PATH "Where fetched sources are kept, for all build folders")
unset(default_cache)

# Sets `result` to the folder `entry` of the cache, or to nothing, with the reason in `error`.
# An entry that does not exist is made by `producer(error folder ARGN...)`, which leaves it in `folder`/tree.
# Two configures at once are safe: a lock lets one of them fetch, and the entry appears by a rename, whole or not at
# all, also on file systems without locks.
function(abax_fetch result error entry producer)
  set(place "${ABAX_CACHE_DIR}/${entry}")
  set(${error} "" PARENT_SCOPE)
  set(${result} "${place}" PARENT_SCOPE)
  if(IS_DIRECTORY "${place}")
    return()
  endif()
  set(${result} "" PARENT_SCOPE)
  if(NOT ABAX_DOWNLOAD AND NOT "${ARGN}" MATCHES "^file:")
    set(${error} "not fetched: ABAX_DOWNLOAD is OFF, and ${place} does not exist" PARENT_SCOPE)
    return()
  endif()

  file(MAKE_DIRECTORY "${ABAX_CACHE_DIR}")
  file(LOCK "${ABAX_CACHE_DIR}/lock" GUARD FUNCTION TIMEOUT 600 RESULT_VARIABLE locked)
  if(NOT IS_DIRECTORY "${place}") # another configure may have made it meanwhile
    string(RANDOM LENGTH 12 random)
    set(folder "${ABAX_CACHE_DIR}/.incoming-${random}")
    file(MAKE_DIRECTORY "${folder}")
    cmake_language(CALL ${producer} problem "${folder}" ${ARGN})
    if(NOT problem)
      file(RENAME "${folder}/tree" "${place}" RESULT renamed) # fails if another was faster
    endif()
    file(REMOVE_RECURSE "${folder}")
    if(problem)
      set(${error} "${problem}" PARENT_SCOPE)
      return()
    elseif(NOT IS_DIRECTORY "${place}")
      set(${error} "could not write ${place}: ${renamed}" PARENT_SCOPE)
      return()
    endif()
  endif()
  set(${result} "${place}" PARENT_SCOPE)
endfunction()

# Sets `error` unless `file` has one of the hashes.
function(abax_check_hash error file)
  file(SHA256 "${file}" hash)
  if(hash IN_LIST ARGN)
    set(${error} "" PARENT_SCOPE)
  else()
    list(JOIN ARGN " or " wanted)
    set(${error} "${file} has SHA-256 ${hash}, not ${wanted}" PARENT_SCOPE)
  endif()
endfunction()

# Producer: an archive with one folder in it, from a URL (file:// counts as one).
function(abax_produce_archive error folder url sha256)
  set(archive "${folder}/archive")
  # Without an answer within seconds this is a closed network. Only then is patience due: for a slow one.
  if(NOT url MATCHES "^file:")
    file(DOWNLOAD "${url}" "${archive}" TIMEOUT 5 RANGE_START 0 RANGE_END 0 STATUS status)
    list(POP_FRONT status code text)
    if(code AND NOT EXISTS "${archive}")
      set(size 0)
    else()
      file(SIZE "${archive}" size)
    endif()
    if(code AND size EQUAL 0) # a server that ignores ranges may have run into the time-out with data flowing
      set(${error} "${url}: ${text}" PARENT_SCOPE)
      return()
    endif()
  endif()
  file(DOWNLOAD "${url}" "${archive}" TIMEOUT 600 INACTIVITY_TIMEOUT 20 STATUS status)
  list(POP_FRONT status code text)
  if(code)
    set(${error} "${url}: ${text}" PARENT_SCOPE)
    return()
  endif()
  abax_check_hash(problem "${archive}" ${sha256})
  if(problem)
    set(${error} "${url}: ${problem}" PARENT_SCOPE)
    return()
  endif()
  file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}/unpacked")
  file(GLOB top LIST_DIRECTORIES true "${folder}/unpacked/*")
  file(RENAME "${top}" "${folder}/tree")
  set(${error} "" PARENT_SCOPE)
endfunction()

# Runs a command; sets `error` to `what` and the command's last words if it fails.
function(abax_run error what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 300)
  set(${error} "" PARENT_SCOPE)
  if(NOT code EQUAL 0)
    string(STRIP "${output}" output)
    string(REGEX REPLACE "[ \n]*\n[ \n]*" "\n        " output "${output}")
    set(${error} "${what} failed (${code}): ${output}" PARENT_SCOPE)
  endif()
endfunction()

# Runs an apt-get command on the mirrors this machine is set up with, on binary packages (`kind` deb) or source packages
# (deb-src) of the suite CODENAME`suffix`, checked by apt's own signatures. What it downloads lies in `folder`. Needs no
# root and changes nothing outside `folder`: apt gets its own lists, state and cache there.
function(abax_apt error folder kind suffix)
  find_program(ABAX_APT_GET apt-get)
  mark_as_advanced(ABAX_APT_GET)
  cmake_host_system_information(RESULT os QUERY DISTRIB_INFO)
  list(JOIN ARGN " " what)
  if(NOT ABAX_APT_GET OR NOT os_VERSION_CODENAME)
    set(${error} "apt-get ${what}: no apt-get here" PARENT_SCOPE)
    return()
  endif()

  execute_process(COMMAND "${ABAX_APT_GET}" indextargets --format "$(RELEASE) $(COMPONENT) $(REPO_URI)"
                  OUTPUT_VARIABLE targets ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" targets "${targets}")
  list(REMOVE_DUPLICATES targets)
  set(keyring "/usr/share/keyrings/${os_ID}-archive-keyring.gpg")
  set(options "target=Packages")
  if(kind STREQUAL "deb-src")
    set(options "target=Sources")
  endif()
  if(EXISTS "${keyring}")
    string(APPEND options " signed-by=${keyring}")
  endif()
  set(sources "")
  foreach(target IN LISTS targets)
    if(target MATCHES "^${os_VERSION_CODENAME} ([^ ]+) (.+)$")
      string(APPEND sources "${kind} [${options}] ${CMAKE_MATCH_2} ${os_VERSION_CODENAME}${suffix} ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
  if(NOT sources)
    set(${error} "apt-get ${what}: no mirror of ${os_VERSION_CODENAME} is known here" PARENT_SCOPE)
    return()
  endif()

  file(MAKE_DIRECTORY "${folder}/apt/state" "${folder}/apt/lists/partial" "${folder}/apt/cache/archives/partial")
  file(WRITE "${folder}/apt/sources.list" "${sources}")
  # Read after the system's configuration, whose proxies stay and whose hooks, meant for the system's own lists, go.
  file(WRITE "${folder}/apt/apt.conf" "\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User \"root\";
Acquire::Languages \"none\";
Acquire::Retries \"1\";
Acquire::http::Timeout \"15\";
Acquire::https::Timeout \"15\";
Dir::State \"${folder}/apt/state\";
Dir::State::Lists \"${folder}/apt/lists\";
Dir::Cache \"${folder}/apt/cache\";
Dir::Etc::SourceList \"${folder}/apt/sources.list\";
Dir::Etc::SourceParts \"-\";
")
  set(apt "${CMAKE_COMMAND}" -E chdir "${folder}"
          "${CMAKE_COMMAND}" -E env LC_ALL=C "${ABAX_APT_GET}" -qq -c apt/apt.conf)
  abax_run(problem "apt-get update" ${apt} --error-on=any update)
  if(NOT problem)
    abax_run(problem "apt-get ${what}" ${apt} ${ARGN})
  endif()
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# Unpacks a Debian package of the suite CODENAME`suffix` into `folder`/tree. The .deb stays in `folder`, for who wants
# to check its hash.
function(abax_apt_unpack error folder package suffix)
  find_program(ABAX_DPKG dpkg)
  mark_as_advanced(ABAX_DPKG)
  if(NOT ABAX_DPKG)
    set(${error} "Debian package ${package}: no dpkg here" PARENT_SCOPE)
    return()
  endif()
  abax_apt(problem "${folder}" deb "${suffix}" download ${package})
  if(NOT problem)
    file(GLOB deb "${folder}/${package}_*.deb")
    abax_run(problem "dpkg -x ${deb}" "${ABAX_DPKG}" -x "${deb}" "${folder}/tree")
  endif()
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# Downloads one source package from the Python package index that pip is set up with, into `folder`.
# pip wants to know what it downloads and would fetch and run the package's build backend to ask; a backend of three
# lines in its place answers from what is known anyway, so that nothing unpinned is fetched or run.
function(abax_pip_download error folder package version sha256 backend)
  find_program(ABAX_PYTHON NAMES python3 python)
  mark_as_advanced(ABAX_PYTHON)
  if(NOT ABAX_PYTHON)
    set(${error} "Python package ${package}: no python3 here" PARENT_SCOPE)
    return()
  endif()
  set(pip "${ABAX_PYTHON}" -m pip)
  abax_run(problem "${ABAX_PYTHON} -m pip" ${pip} --version)
  if(problem) # as on a plain Debian, which packages pip apart; pip runs out of its own wheel
    abax_apt_unpack(no_wheel "${folder}/pip" python3-pip-whl "")
    file(GLOB wheel "${folder}/pip/tree/usr/share/python-wheels/pip-*.whl")
    if(NOT wheel)
      set(${error} "${problem}\n      and without pip of its own: ${no_wheel}" PARENT_SCOPE)
      return()
    endif()
    set(pip "${ABAX_PYTHON}" "${wheel}/pip")
  endif()

  file(WRITE "${folder}/requirements.txt" "${package}==${version} --hash=sha256:${sha256}\n")
  string(REPLACE "." "/" module "${backend}")
  file(WRITE "${folder}/backend/${module}.py" "\
import pathlib
def prepare_metadata_for_build_wheel(folder, settings=None):
    (info := pathlib.Path(folder, '${package}-${version}.dist-info')).mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\\nName: ${package}\\nVersion: ${version}\\n')
    return info.name
")
  abax_run(problem "pip download ${package}==${version}"
           "${CMAKE_COMMAND}" -E env "PYTHONPATH=${folder}/backend" PIP_REQUIRE_VIRTUALENV=0
           ${pip} download --quiet --no-input --disable-pip-version-check --no-cache-dir --timeout 15 --retries 1
           --no-deps --no-binary :all: --no-build-isolation --require-hashes
           --requirement "${folder}/requirements.txt" --dest "${folder}/download")
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# Producer: one package, compiled by Debian, as a tree to look for it in: "NAME" of this suite, or "NAME/SUFFIX".
# ARGN: the hashes it may have.
function(abax_produce_debian_package error folder package)
  string(REGEX MATCH "^([^/]+)/?(.*)$" package "${package}")
  abax_apt_unpack(problem "${folder}" "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
  if(NOT problem)
    file(GLOB deb "${folder}/*.deb")
    abax_check_hash(problem "${deb}" ${ARGN})
  endif()
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# Provides the imported target `TARGET` of package `NAME`, VERSION or newer of its major version: installed, or brought
# by a project around Abax; else from the official release archive at URL with SHA256; else Debian's package DEBIAN
# (NAME, or NAME/SUFFIX for the suite CODENAME`SUFFIX`) with one of the HASHES. WITHOUT says how to do without it.
# NAME_EXTRAS is set to where the package keeps its CMake modules, unless a project around Abax brought it.
function(abax_dependency)
  cmake_parse_arguments(PARSE_ARGV 0 it "" "NAME;VERSION;TARGET;URL;SHA256;DEBIAN;WITHOUT" "HASHES")
  string(TOLOWER "${it_NAME}" lower)
  string(TOUPPER "${it_NAME}" upper)
  set(ABAX_${upper}_URL "" CACHE STRING "${it_NAME}'s release archive elsewhere: on a mirror, or file:///...")
  set(ABAX_${upper}_SHA256 ${it_SHA256} CACHE STRING "The SHA-256 of ${it_NAME}'s release archive")
  mark_as_advanced(ABAX_${upper}_URL ABAX_${upper}_SHA256)

  # 1. Installed, or brought by a project around Abax.
  set(source "${FETCHCONTENT_SOURCE_DIR_${upper}}")
  if(NOT TARGET ${it_TARGET} AND NOT source)
    find_package(${it_NAME} ${it_VERSION} CONFIG QUIET GLOBAL)
    if(NOT ${it_NAME}_FOUND)
      set(tried "1. an installed package: none of version ${it_VERSION}")
      foreach(config version IN ZIP_LISTS ${it_NAME}_CONSIDERED_CONFIGS ${it_NAME}_CONSIDERED_VERSIONS)
        string(APPEND tried ", ${version} in ${config}")
      endforeach()
    endif()
  endif()

  if(NOT TARGET ${it_TARGET})
    # 2. The release, unless this machine has turned to Debian before: no new build folder waits for a time-out again.
    set(debian_entry "${lower}-debian-${CMAKE_SYSTEM_PROCESSOR}")
    string(LENGTH "${lower}-" prefix)
    math(EXPR length "${prefix} + 16")
    string(SUBSTRING "${lower}-${ABAX_${upper}_SHA256}" 0 ${length} release_entry)
    if(NOT source AND (ABAX_${upper}_URL OR NOT IS_DIRECTORY "${ABAX_CACHE_DIR}/${debian_entry}"))
      set(url "${ABAX_${upper}_URL}")
      if(NOT url)
        set(url "${it_URL}")
      endif()
      abax_fetch(source problem ${release_entry} abax_produce_archive "${url}" ${ABAX_${upper}_SHA256})
      string(APPEND tried "\n   2. the release archive: ${problem}")
      if(problem)
        message(STATUS "${it_NAME}: no release archive (${problem}), so from Debian")
      endif()
    endif()
    if(source)
      add_subdirectory("${source}" "${PROJECT_BINARY_DIR}/${lower}" SYSTEM EXCLUDE_FROM_ALL)
      set(${it_NAME}_EXTRAS "${source}/extras" PARENT_SCOPE)
      message(STATUS "${it_NAME}: built from ${source}")
    else()
      # 3. Debian.
      abax_fetch(root problem ${debian_entry} abax_produce_debian_package ${it_DEBIAN} ${it_HASHES})
      string(APPEND tried "\n   3. Debian's ${it_DEBIAN}: ${problem}")
      if(root)
        find_package(${it_NAME} ${it_VERSION} CONFIG REQUIRED GLOBAL PATHS "${root}/usr" NO_DEFAULT_PATH)
      endif()
    endif()
  endif()
  if(${it_NAME}_FOUND)
    set(${it_NAME}_EXTRAS "${${it_NAME}_DIR}" PARENT_SCOPE)
    message(STATUS "${it_NAME} ${${it_NAME}_VERSION}: installed in ${${it_NAME}_DIR}")
  endif()

  if(NOT TARGET ${it_TARGET})
    message(FATAL_ERROR
      " ${it_NAME} ${it_VERSION} is not installed and could not be fetched. Tried:\n   ${tried}\n"
      " Any one of these helps:\n"
      "   - build without it: ${it_WITHOUT}\n"
      "   - install it and pass -D${it_NAME}_ROOT=PREFIX\n"
      "   - unpack its source anywhere and pass -DFETCHCONTENT_SOURCE_DIR_${upper}=FOLDER\n"
      "   - bring its release archive here and pass -DABAX_${upper}_URL=file:///PATH\n"
      "   - copy the cache of a machine that has built Abax to ${ABAX_CACHE_DIR}, or pass -DABAX_CACHE_DIR=FOLDER\n")
  endif()
endfunction()
