# selvage_embed(FUNCTION FOLDER NAME...) compiles FOLDER/NAME.json into `const std::vector<BuiltinFile>& FUNCTION()`.
function(selvage_embed function folder)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
    list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/${folder}/\\1.json" OUTPUT_VARIABLE files)
    list(JOIN ARGN "," names)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} -DFOLDER=${PROJECT_SOURCE_DIR}/${folder}
                -DNAMES=${names} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
        COMMENT "Embedding ${folder}/"
        VERBATIM)
endfunction()
