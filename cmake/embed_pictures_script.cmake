# Run at build time: writes the pictures of FOLDER as arrays of bytes.
file(GLOB pictures ${FOLDER}/*.jpg)
set(arrays "")
set(entries "")
set(index 0)
foreach(picture IN LISTS pictures)
    get_filename_component(name ${picture} NAME_WE)
    file(READ ${picture} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "constexpr unsigned char kPicture${index}[] = {${bytes}};\n")
    string(APPEND entries "        {\"${name}\", kPicture${index}},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"scene_pictures.h\"\n\nnamespace selvage {\n\nnamespace {\n${arrays}} // namespace\n
const std::vector<ScenePicture>& scene_pictures() {\n    static const std::vector<ScenePicture> pictures = {\n${entries}    };
    return pictures;\n}\n\n} // namespace selvage\n")
