#pragma once

namespace selvage {

/// Fuzz on cloth: the "Charlie" distribution of Estevez and Kulla 2017 with its fitted
/// shadowing. Roughness in (0, 1]. For colour 1 [1/sr]; 0 when a cosine is not positive.
double charlie_distribution(double n_dot_h, double roughness);
double charlie_visibility(double n_dot_view, double n_dot_light, double roughness);
double charlie_sheen(double n_dot_view, double n_dot_light, double n_dot_h, double roughness);

/// Fraction of light from direction `cosine` that the sheen alone sends back (colour 1), by quadrature.
double charlie_albedo(double cosine, double roughness);

} // namespace selvage
