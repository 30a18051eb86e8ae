#include <cmath>

#include "arrays.h"
#include "base/suggest.h"
#include "bindings.h"
#include "lab/compare/compare.h"
#include "lab/validate/validate.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

using Progress = std::optional<std::function<void(double)>>;

/// Tells Python how far long work is, and lets Ctrl-C end it. To be called with the lock released.
void tell(const Progress& progress, double fraction) {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (progress) (*progress)(fraction);
}

/// E and S per check point, as in `selvage compare --json`.
py::dict compare(const LoadedScene& scene, double dt, double reference_dt, double check_time, int count, int threads,
                 const Progress& progress) {
    std::vector<MotionError> errors;
    {
        const py::gil_scoped_release release;
        const auto run = [&](double step, const ComparePlan& plan) {
            Result<Motion> motion = record_motion(scene.desc, step, plan);
            if (motion) return std::move(*motion);
            const py::gil_scoped_acquire lock;
            return take(std::move(motion));
        };
        const Motion motion = run(dt, {check_time, count, threads, {}});
        const Motion reference =
            run(reference_dt, {check_time, count, threads, [&](double fraction) { tell(progress, fraction); }});
        errors = compare_motions(reference, motion);
    }
    py::list points;
    for (std::size_t c = 0; c < errors.size(); ++c) {
        py::dict point;
        point["index"] = c + 1;
        point["time"] = static_cast<double>(c + 1) * check_time;
        point["E"] = errors[c].error;
        point["S"] = errors[c].similarity;
        points.append(point);
    }
    py::dict out;
    out["solver"] = solver_name(scene.desc.solver);
    out["dt"] = dt;
    out["reference_dt"] = reference_dt;
    out["checkpoints"] = points;
    return out;
}

py::dict row_dict(const ValidationRow& row) {
    py::dict out;
    out["name"] = row.name;
    out["expected"] = row.expected;
    out["got"] = row.got;
    out["error"] = row.error;
    out["tolerance"] = row.tolerance;
    out["unit"] = row.unit;
    out["pass"] = row.pass;
    return out;
}

std::vector<std::string> check_names() {
    std::vector<std::string> names;
    for (const ValidationCheck& check : validation_checks())
        names.push_back(check.name);
    return names;
}

/// Rows as in `selvage validate --json`; `only` is a check or one check/solver row, "" all.
py::list validate(const std::string& only, const Progress& progress) {
    const std::string check_name = only.substr(0, only.find('/'));
    const bool one_row = only.find('/') != std::string::npos;
    std::vector<ValidationRow> rows;
    {
        const py::gil_scoped_release release;
        const std::vector<ValidationCheck>& checks = validation_checks();
        for (std::size_t c = 0; c < checks.size(); ++c) {
            tell(progress, static_cast<double>(c) / static_cast<double>(checks.size()));
            if (!check_name.empty() && checks[c].name != check_name) continue;
            for (ValidationRow& row : checks[c].run())
                if (!one_row || row.name == only) rows.push_back(std::move(row));
        }
        tell(progress, 1.0);
    }
    if (rows.empty())
        check(fail(SELVAGE_ERROR_ARGUMENT, concat("no check \"", only, "\"; expected one of: ", join(check_names()))));
    py::list out;
    for (const ValidationRow& row : rows)
        out.append(row_dict(row));
    return out;
}

} // namespace

void bind_lab(py::module_& module) {
    module.def("compare", &compare, py::arg("scene"), py::arg("dt"), py::arg("reference_dt"), py::arg("check"),
               py::arg("count"), py::arg("threads"), py::arg("progress"));
    module.def("validate", &validate, py::arg("only"), py::arg("progress"));
    module.def("checks", &check_names);
}

} // namespace selvage::python
