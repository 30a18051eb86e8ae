#include "arrays.h"
#include "bindings.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

using Vectors = py::array_t<double>;

/// A state, normals or mesh of a cloth as an array on the engine's own memory.
template <class Number, class Look>
py::array_t<Number> look_at(selvage_cloth handle, const Look& look) {
    std::span<const Number> numbers;
    std::shared_ptr<const void> keeper;
    check(with_cloth(handle, Mode::reader, [&](World& world, const WorldCloth& cloth) {
        std::tie(numbers, keeper) = look(world, cloth);
        return SELVAGE_OK;
    }));
    return view_of<Number>(numbers.data(), {static_cast<py::ssize_t>(numbers.size() / 3), 3}, std::move(keeper));
}

template <class Number, class T>
std::span<const Number> numbers_of(std::span<const T> items) {
    static_assert(sizeof(T) == 3 * sizeof(Number));
    return {reinterpret_cast<const Number*>(items.data()), 3 * items.size()};
}

using Numbers3 = std::pair<std::span<const double>, std::shared_ptr<const void>>;

Vectors positions(selvage_cloth handle) {
    return look_at<double>(handle, [](const World&, const WorldCloth& cloth) -> Numbers3 {
        return {numbers_of<double>(cloth.positions()), cloth.island->shared_from_this()};
    });
}

Vectors velocities(selvage_cloth handle) {
    return look_at<double>(handle, [](const World&, const WorldCloth& cloth) -> Numbers3 {
        return {numbers_of<double>(cloth.velocities()), cloth.island->shared_from_this()};
    });
}

Vectors normals(selvage_cloth handle) {
    return look_at<double>(handle, [](const World& world, const WorldCloth& cloth) -> Numbers3 {
        const std::span<const Vec3> made = world.normals(cloth);
        return {numbers_of<double>(made), cloth.normals.data};
    });
}

py::array_t<std::int32_t> triangles(selvage_cloth handle) {
    return look_at<std::int32_t>(handle, [](const World&, const WorldCloth& cloth) {
        const std::span<const Triangle> made = cloth.desc.given_mesh->mesh.triangles;
        return std::pair<std::span<const std::int32_t>, std::shared_ptr<const void>>(numbers_of<std::int32_t>(made),
                                                                                     cloth.desc.given_mesh);
    });
}

/// (uv, the three of each triangle), or None.
py::object pattern(selvage_cloth handle) {
    std::shared_ptr<const GeneratedMesh> mesh;
    check(with_cloth(handle, Mode::reader, [&](World&, const WorldCloth& cloth) {
        mesh = cloth.desc.given_mesh;
        return SELVAGE_OK;
    }));
    const TriangleMesh& m = mesh->mesh;
    if (m.uv.empty()) return py::none();
    const std::vector<Triangle>& corners = m.uv_triangles.empty() ? m.triangles : m.uv_triangles;
    return py::make_tuple(
        view_of<double>(&m.uv.front().x, {static_cast<py::ssize_t>(m.uv.size()), 2}, mesh),
        view_of<std::int32_t>(corners.front().data(), {static_cast<py::ssize_t>(corners.size()), 3}, mesh));
}

void fill_material(const std::map<std::string, double>& from, selvage_material& to) {
    to.struct_size = sizeof to;
    to.density = from.at("density");
    to.thickness = from.at("thickness");
    to.stretch_warp = from.at("stretch_warp");
    to.stretch_weft = from.at("stretch_weft");
    to.shear = from.at("shear");
    to.bend_warp = from.at("bend_warp");
    to.bend_weft = from.at("bend_weft");
    to.bend_bias = from.at("bend_bias");
    to.damping = from.at("damping");
    to.friction = from.at("friction");
}

selvage_cloth create_cloth(selvage_world world, const std::optional<Numbers>& points,
                           const std::optional<Indices>& faces, const std::optional<Numbers>& rest,
                           const std::optional<Numbers>& uv, const std::optional<std::string>& file, int generator,
                           const Triple& size, const std::array<std::int32_t, 2>& resolution, const Triple& position,
                           const Quadruple& rotation, const std::optional<std::string>& name, const std::string& fabric,
                           const std::optional<std::map<std::string, double>>& material,
                           const std::optional<Indices>& pins, const std::optional<std::string>& pin_groups,
                           bool self_collision, double contact_distance, const Triple& velocity,
                           double velocity_damping) {
    selvage_cloth_desc desc = selvage_cloth_desc_default();
    desc.name = name ? name->c_str() : nullptr;
    desc.positions = data_of(points);
    desc.vertex_count = rows_of(points, 3);
    desc.triangles = data_of(faces);
    desc.triangle_count = rows_of(faces, 3);
    if (rest) check_rows(rows_of(*rest, 3), desc.vertex_count);
    if (uv) check_rows(rows_of(*uv, 2), desc.vertex_count);
    desc.rest_positions = data_of(rest);
    desc.uv = data_of(uv);
    desc.file = file ? file->c_str() : nullptr;
    desc.generator = static_cast<selvage_generator>(generator);
    std::copy(size.begin(), size.end(), desc.size);
    std::copy(resolution.begin(), resolution.end(), desc.resolution);
    std::copy(position.begin(), position.end(), desc.position);
    std::copy(rotation.begin(), rotation.end(), desc.rotation);
    desc.fabric = fabric.c_str();
    selvage_material numbers{};
    if (material) {
        fill_material(*material, numbers);
        desc.material = &numbers;
    }
    desc.pins = data_of(pins);
    desc.pin_count = rows_of(pins, 1);
    desc.pin_groups = pin_groups ? pin_groups->c_str() : nullptr;
    desc.self_collision = self_collision ? 1 : 0;
    desc.contact_distance = contact_distance;
    std::copy(velocity.begin(), velocity.end(), desc.velocity);
    desc.velocity_damping = velocity_damping;
    selvage_cloth cloth = 0;
    selvage_result code = SELVAGE_OK;
    {
        const py::gil_scoped_release release;
        code = selvage_cloth_create(world, &desc, &cloth);
    }
    check(code);
    return cloth;
}

selvage_cloth create_cloth_from_json(selvage_world world, const std::string& json, const std::string& directory) {
    selvage_cloth cloth = 0;
    selvage_result code = SELVAGE_OK;
    {
        const py::gil_scoped_release release;
        code = selvage_cloth_create_from_json(world, json.c_str(), directory.c_str(), &cloth);
    }
    check(code);
    return cloth;
}

std::string text_of(selvage_cloth cloth, selvage_result (*get)(selvage_cloth, const char**)) {
    const char* text = "";
    check(get(cloth, &text));
    return text;
}

void bind_reading(py::module_& module) {
    module.def("cloth_positions", &positions, py::arg("cloth"));
    module.def("cloth_velocities", &velocities, py::arg("cloth"));
    module.def("cloth_normals", &normals, py::arg("cloth"));
    module.def("cloth_triangles", &triangles, py::arg("cloth"));
    module.def("cloth_pattern", &pattern, py::arg("cloth"));
    module.def("cloth_name", [](selvage_cloth cloth) { return text_of(cloth, selvage_cloth_name); }, py::arg("cloth"));
    module.def(
        "cloth_warnings", [](selvage_cloth cloth) { return text_of(cloth, selvage_cloth_warnings); }, py::arg("cloth"));
    module.def(
        "cloth_group",
        [](selvage_cloth cloth, const std::string& name) {
            const std::int32_t* vertices = nullptr;
            size_t count = 0;
            check(selvage_cloth_group(cloth, name.c_str(), &vertices, &count));
            return py::array_t<std::int32_t>(static_cast<py::ssize_t>(count), vertices); // a copy: it is short
        },
        py::arg("cloth"), py::arg("name"));
    module.def(
        "cloth_bounds",
        [](selvage_cloth cloth) {
            Triple low{}, high{};
            check(selvage_cloth_bounds(cloth, low.data(), high.data()));
            return std::make_pair(std::make_tuple(low[0], low[1], low[2]), std::make_tuple(high[0], high[1], high[2]));
        },
        py::arg("cloth"));
    module.def(
        "cloth_is_awake",
        [](selvage_cloth cloth) {
            int awake = 0;
            check(selvage_cloth_is_awake(cloth, &awake));
            return awake != 0;
        },
        py::arg("cloth"));
}

void bind_moving(py::module_& module) {
    module.def(
        "cloth_set_state",
        [](selvage_cloth cloth, const Numbers& x, const std::optional<Numbers>& v) {
            if (v) check_rows(rows_of(*v, 3), rows_of(x, 3));
            check(selvage_cloth_set_state(cloth, x.data(), data_of(v), rows_of(x, 3)));
        },
        py::arg("cloth"), py::arg("positions"), py::arg("velocities"));
    module.def(
        "cloth_teleport",
        [](selvage_cloth cloth, const Quadruple& rotation, const Triple& translation, bool stop) {
            check(selvage_cloth_teleport(cloth, rotation.data(), translation.data(), stop ? 1 : 0));
        },
        py::arg("cloth"), py::arg("rotation"), py::arg("translation"), py::arg("stop"));
    module.def(
        "cloth_pin",
        [](selvage_cloth cloth, const Indices& vertices) {
            check(selvage_cloth_pin(cloth, vertices.data(), rows_of(vertices, 1)));
        },
        py::arg("cloth"), py::arg("vertices"));
    module.def(
        "cloth_move_pins",
        [](selvage_cloth cloth, const Indices& vertices, const Numbers& targets) {
            check_rows(rows_of(targets, 3), rows_of(vertices, 1));
            check(selvage_cloth_move_pins(cloth, vertices.data(), targets.data(), rows_of(vertices, 1)));
        },
        py::arg("cloth"), py::arg("vertices"), py::arg("targets"));
    module.def(
        "cloth_unpin",
        [](selvage_cloth cloth, const std::optional<Indices>& vertices) {
            if (vertices && vertices->size() == 0) return;
            check(selvage_cloth_unpin(cloth, data_of(vertices), rows_of(vertices, 1)));
        },
        py::arg("cloth"), py::arg("vertices"));
    struct Plain {
        const char* name;
        selvage_result (*call)(selvage_cloth);
    };
    for (const Plain& plain :
         {Plain{"cloth_reset", selvage_cloth_reset}, Plain{"cloth_wake", selvage_cloth_wake},
          Plain{"cloth_sleep", selvage_cloth_sleep}, Plain{"cloth_destroy", selvage_cloth_destroy}})
        module.def(plain.name, [call = plain.call](selvage_cloth cloth) { check(call(cloth)); }, py::arg("cloth"));
}

void bind_hands(py::module_& module) {
    module.def(
        "cloth_attach",
        [](selvage_cloth cloth, const Indices& vertices, const Triple& position, const Quadruple& rotation) {
            selvage_attachment attachment = 0;
            check(selvage_cloth_attach(cloth, vertices.data(), rows_of(vertices, 1), position.data(), rotation.data(),
                                       &attachment));
            return attachment;
        },
        py::arg("cloth"), py::arg("vertices"), py::arg("position"), py::arg("rotation"));
    module.def(
        "attachment_move",
        [](selvage_attachment attachment, const Triple& position, const Quadruple& rotation) {
            check(selvage_attachment_move(attachment, position.data(), rotation.data()));
        },
        py::arg("attachment"), py::arg("position"), py::arg("rotation"));
    module.def(
        "attachment_destroy", [](selvage_attachment attachment) { check(selvage_attachment_destroy(attachment)); },
        py::arg("attachment"));
    module.def(
        "cloth_grab",
        [](selvage_cloth cloth, std::int32_t triangle, const Triple& weights) {
            selvage_grab grab = 0;
            check(selvage_cloth_grab(cloth, triangle, weights.data(), &grab));
            return grab;
        },
        py::arg("cloth"), py::arg("triangle"), py::arg("weights"));
    module.def(
        "grab_move", [](selvage_grab grab, const Triple& target) { check(selvage_grab_move(grab, target.data())); },
        py::arg("grab"), py::arg("target"));
    module.def(
        "grab_position",
        [](selvage_grab grab) {
            Triple point{};
            check(selvage_grab_position(grab, point.data()));
            return std::make_tuple(point[0], point[1], point[2]);
        },
        py::arg("grab"));
    module.def("grab_release", [](selvage_grab grab) { check(selvage_grab_release(grab)); }, py::arg("grab"));
}

} // namespace

void bind_cloths(py::module_& module) {
    module.def("cloth_create", &create_cloth, py::arg("world"), py::arg("positions"), py::arg("triangles"),
               py::arg("rest"), py::arg("uv"), py::arg("file"), py::arg("generator"), py::arg("size"),
               py::arg("resolution"), py::arg("position"), py::arg("rotation"), py::arg("name"), py::arg("fabric"),
               py::arg("material"), py::arg("pins"), py::arg("pin_groups"), py::arg("self_collision"),
               py::arg("contact_distance"), py::arg("velocity"), py::arg("velocity_damping"));
    module.def("cloth_from_json", &create_cloth_from_json, py::arg("world"), py::arg("json"), py::arg("directory"));
    bind_reading(module);
    bind_moving(module);
    bind_hands(module);
}

} // namespace selvage::python
