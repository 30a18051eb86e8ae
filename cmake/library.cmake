# The library: the engine's objects in one file that exports the functions of selvage.h and nothing else.
# selvage_library, also selvage::selvage, is static or shared as BUILD_SHARED_LIBS says. When this project is not part
# of another one the other kind is made too, from the same objects; it is selvage_shared or selvage_static.

find_package(Threads REQUIRED)
include(CheckLinkerFlag)
set(SELVAGE_ELF OFF)
if(UNIX AND NOT APPLE AND NOT EMSCRIPTEN)
    set(SELVAGE_ELF ON)
endif()

# Inside another project folders that read the same headers are compiled as one.
function(selvage_join folder into)
    get_target_property(files selvage_${folder} SOURCES)
    get_target_property(place selvage_${folder} SOURCE_DIR)
    list(TRANSFORM files PREPEND ${place}/)
    target_sources(selvage_${into} PRIVATE ${files})
    target_include_directories(selvage_${into} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    set_target_properties(selvage_${folder} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
set(joined "")
if(NOT PROJECT_IS_TOP_LEVEL AND NOT SELVAGE_WEB)
    selvage_join(mesh_files scene)
    selvage_join(character_files scene)
    target_link_libraries(selvage_scene PRIVATE selvage_readers)
    selvage_join(character geometry)
    selvage_join(model geometry)
    selvage_join(base collision)
    selvage_join(math collision)
    selvage_join(sim scene)
    selvage_join(world scene)
    selvage_join(api scene)
    set(joined base math mesh_files character character_files model sim world api)
endif()

set(engine "")
foreach(folder base math geometry mesh_files character character_files collision model solvers scene sim world api)
    if(NOT TARGET selvage_${folder} OR folder IN_LIST joined)
        continue()
    endif()
    get_target_property(type selvage_${folder} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
        continue()
    endif()
    set_target_properties(selvage_${folder} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # unique symbols would be seen across libraries, hidden or not
        target_compile_options(selvage_${folder} PRIVATE -fno-gnu-unique)
    endif()
    if(NOT PROJECT_IS_TOP_LEVEL)
        # Few large files at once on all cores: a folder need not wait for those it stands on, and the compiler has more
        # memory before it stops to collect garbage (a tenth of its time).
        set_target_properties(selvage_${folder} PROPERTIES
            UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0 EXCLUDE_FROM_ALL ON OPTIMIZE_DEPENDENCIES ON)
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(selvage_${folder} PRIVATE --param=ggc-min-heapsize=1000000)
        endif()
    endif()
    list(APPEND engine $<TARGET_OBJECTS:selvage_${folder}>)
endforeach()
if(TARGET selvage_api AND WIN32 AND BUILD_SHARED_LIBS)
    target_compile_definitions(selvage_api PRIVATE SELVAGE_SHARED SELVAGE_BUILDING)
endif()

# What both kinds have in common.
function(selvage_finish_library target kind)
    add_library(selvage::${kind} ALIAS ${target})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME selvage EXPORT_NAME ${kind})
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} PRIVATE Threads::Threads)
    if(SELVAGE_SANITIZE)
        target_link_options(${target} PUBLIC -fsanitize=${SELVAGE_SANITIZE})
    endif()
endfunction()

function(selvage_add_shared target)
    add_library(${target} SHARED ${engine})
    selvage_finish_library(${target} shared)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    if(WIN32)
        target_compile_definitions(${target} INTERFACE SELVAGE_SHARED)
    endif()
    if(SELVAGE_ELF)
        target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL
            -Wl,--version-script,${PROJECT_SOURCE_DIR}/cmake/selvage.map)
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/selvage.map)
    endif()
endfunction()

# An archive has no list of exports. Where the tools can, its objects are linked into one in which all other symbols
# become local, so that the tinygltf or JSON reader of the program it goes into never meets the one in here.
function(selvage_add_static target)
    set(parts ${engine})
    check_linker_flag(CXX -Wl,--force-group-allocation SELVAGE_LINKER_JOINS_GROUPS)
    if(SELVAGE_ELF AND CMAKE_OBJCOPY AND SELVAGE_LINKER_JOINS_GROUPS AND NOT SELVAGE_SANITIZE)
        set(parts ${CMAKE_CURRENT_BINARY_DIR}/selvage_joined.o)
        add_custom_command(OUTPUT ${parts}
            COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${parts} ${engine}
            COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=selvage_* ${parts}
            DEPENDS ${engine} COMMAND_EXPAND_LISTS VERBATIM
            COMMENT "Joining the engine's objects")
        set_source_files_properties(${parts} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        list(APPEND parts ${PROJECT_SOURCE_DIR}/cmake/joined.cpp)
    endif()
    add_library(${target} STATIC ${parts})
    selvage_finish_library(${target} static)
endfunction()

set(SELVAGE_LIBRARIES selvage_library)
if(BUILD_SHARED_LIBS)
    selvage_add_shared(selvage_library)
else()
    selvage_add_static(selvage_library)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT WIN32 AND NOT EMSCRIPTEN)
    if(BUILD_SHARED_LIBS)
        selvage_add_static(selvage_static)
        list(APPEND SELVAGE_LIBRARIES selvage_static)
    else()
        selvage_add_shared(selvage_shared)
        list(APPEND SELVAGE_LIBRARIES selvage_shared)
    endif()
endif()
# selvage.hpp needs C++20; selvage.h does with any C or C++.
target_compile_features(selvage_library INTERFACE $<BUILD_INTERFACE:cxx_std_20>)
add_library(selvage::selvage ALIAS selvage_library)
