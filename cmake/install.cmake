# What `cmake --install` installs, in three parts that are also the Debian packages: library (libselvage0: the shared
# library), development (libselvage-dev: headers, static library, CMake and pkg-config files) and program (selvage).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ${SELVAGE_LIBRARIES} EXPORT selvageTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/selvage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(SELVAGE_TOOLS)
    install(TARGETS selvage RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    if(TARGET selvage-mpi) # in no package: it would need MPI for everyone
        install(TARGETS selvage-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
    endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/selvage)
install(EXPORT selvageTargets NAMESPACE selvage:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/selvageConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/selvageConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/selvageConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/selvageConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/selvageConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT development)

# From its own place, so that the folder may be moved.
file(RELATIVE_PATH SELVAGE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SELVAGE_PC_PREFIX "${SELVAGE_PC_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/selvage.pc.in ${CMAKE_CURRENT_BINARY_DIR}/selvage.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/selvage.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Ours, and those of the headers that are compiled in.
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE.third-party third_party)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/copyright "${license}\n${third_party}")
set(parts library libselvage0 development libselvage-dev)
if(SELVAGE_TOOLS)
    list(APPEND parts program selvage)
endif()
while(parts)
    list(POP_FRONT parts part package)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${part})
endwhile()

if(PROJECT_IS_TOP_LEVEL)
    include(${PROJECT_SOURCE_DIR}/cmake/packages.cmake)
endif()
