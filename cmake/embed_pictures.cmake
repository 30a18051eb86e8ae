# selvage_embed_pictures(OUTPUT FOLDER) compiles FOLDER/*.jpg into scene_pictures() of apps/viewer/scene_pictures.h.
function(selvage_embed_pictures output folder)
    file(GLOB pictures CONFIGURE_DEPENDS ${folder}/*.jpg)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFOLDER=${folder}
                -P ${PROJECT_SOURCE_DIR}/cmake/embed_pictures_script.cmake
        DEPENDS ${pictures} ${PROJECT_SOURCE_DIR}/cmake/embed_pictures_script.cmake
        COMMENT "Embedding apps/viewer/pictures/"
        VERBATIM)
endfunction()
