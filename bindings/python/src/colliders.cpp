#include "arrays.h"
#include "bindings.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

selvage_collider create_collider(selvage_world world, int shape, const Triple& size,
                                 const std::optional<Numbers>& vertices, const std::optional<Indices>& triangles,
                                 const std::optional<std::string>& file, const std::optional<Numbers>& heights,
                                 const Triple& position, const Quadruple& rotation, double friction, double thickness) {
    selvage_collider_desc desc = selvage_collider_desc_default();
    desc.shape = static_cast<selvage_shape>(shape);
    std::copy(size.begin(), size.end(), desc.size);
    desc.vertices = data_of(vertices);
    desc.vertex_count = rows_of(vertices, 3);
    desc.triangles = data_of(triangles);
    desc.triangle_count = rows_of(triangles, 3);
    desc.file = file ? file->c_str() : nullptr;
    if (heights) {
        if (heights->ndim() != 2) check(fail(SELVAGE_ERROR_ARGUMENT, "expected rows and columns of heights"));
        desc.heights = heights->data();
        desc.resolution[0] = static_cast<std::int32_t>(heights->shape(1)); // a row runs along x
        desc.resolution[1] = static_cast<std::int32_t>(heights->shape(0));
    }
    std::copy(position.begin(), position.end(), desc.position);
    std::copy(rotation.begin(), rotation.end(), desc.rotation);
    desc.friction = friction;
    desc.thickness = thickness;
    selvage_collider collider = 0;
    selvage_result code = SELVAGE_OK;
    {
        const py::gil_scoped_release release;
        code = selvage_collider_create(world, &desc, &collider);
    }
    check(code);
    return collider;
}

} // namespace

void bind_colliders(py::module_& module) {
    module.def("collider_create", &create_collider, py::arg("world"), py::arg("shape"), py::arg("size"),
               py::arg("vertices"), py::arg("triangles"), py::arg("file"), py::arg("heights"), py::arg("position"),
               py::arg("rotation"), py::arg("friction"), py::arg("thickness"));
    module.def(
        "collider_destroy", [](selvage_collider collider) { check(selvage_collider_destroy(collider)); },
        py::arg("collider"));
    struct Placing {
        const char* name;
        selvage_result (*call)(selvage_collider, const double*, const double*);
    };
    for (const Placing& placing :
         {Placing{"collider_move", selvage_collider_move}, Placing{"collider_teleport", selvage_collider_teleport}})
        module.def(
            placing.name,
            [call = placing.call](selvage_collider collider, const Triple& position, const Quadruple& rotation) {
                check(call(collider, position.data(), rotation.data()));
            },
            py::arg("collider"), py::arg("position"), py::arg("rotation"));
    module.def(
        "collider_set_vertices",
        [](selvage_collider collider, const Numbers& xyz) {
            check(selvage_collider_set_vertices(collider, xyz.data(), rows_of(xyz, 3)));
        },
        py::arg("collider"), py::arg("xyz"));
    module.def(
        "collider_pose",
        [](selvage_collider collider) {
            Triple p{};
            Quadruple r{};
            check(selvage_collider_pose(collider, p.data(), r.data()));
            return std::make_pair(std::make_tuple(p[0], p[1], p[2]), std::make_tuple(r[0], r[1], r[2], r[3]));
        },
        py::arg("collider"));
}

} // namespace selvage::python
