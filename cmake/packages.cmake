# Debian packages by CPack; scripts/packages makes them. One per part of install.cmake.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME selvage)
set(CPACK_PACKAGE_VENDOR "The Selvage authors")
set(CPACK_PACKAGE_CONTACT "The Selvage authors")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/out/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development)
if(SELVAGE_TOOLS)
    list(APPEND CPACK_COMPONENTS_ALL program)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libselvage${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "The shared library.
Simulates woven and knitted fabrics, their contact with themselves and with
moving bodies, with the same results on every machine.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libselvage-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libselvage${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers and static library.
For C and C++ programs; found by CMake and by pkg-config.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME selvage)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ffmpeg, fonts-dejavu-core, libgl1-mesa-dri")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "The command line program and the viewer.
Runs scenes, draws pictures and films of them, writes animated meshes.")

include(CPack)
