#pragma once

#include "model/material.h"

namespace selvage {

// Readings of the usual instruments and programs in their own units, and what they are in ours. Fields left at 0 leave
// the material's number as it is. docs/reference/fabrics.md has the formulas, their sources and an example of each.

/// Kawabata's KES-FB, as its charts print them.
struct KesReading {
    double weight = 0.0;                                 ///< W [mg/cm2].
    double thickness = 0.0;                              ///< T at 0.5 gf/cm2 [mm].
    double extension_warp = 0.0;                         ///< EMT, strain at 500 gf/cm [%].
    double extension_weft = 0.0;                         ///< [%].
    double shear_warp = 0.0, shear_weft = 0.0;           ///< G [gf/(cm degree)].
    double bending_warp = 0.0, bending_weft = 0.0;       ///< B [gf cm2/cm].
    double hysteresis_warp = 0.0, hysteresis_weft = 0.0; ///< 2HB [gf cm/cm].
};

/// CSIRO's FAST (SiroFAST).
struct FastReading {
    double weight = 0.0;                                         ///< W [g/m2].
    double thickness = 0.0;                                      ///< T2, at 2 gf/cm2 [mm].
    double extension_warp = 0.0, extension_weft = 0.0;           ///< E100, strain at 100 gf/cm [%].
    double extension_bias = 0.0;                                 ///< EB5, strain on the bias at 5 gf/cm [%].
    double bending_length_warp = 0.0, bending_length_weft = 0.0; ///< C [mm].
};

/// The physical properties of a CLO fabric file.
struct CloReading {
    double density = 0.0;                                              ///< [g/mm2].
    double thickness = 0.0;                                            ///< [mm].
    double stretch_warp = 0.0, stretch_weft = 0.0, shear = 0.0;        ///< [g/s2].
    double bending_warp = 0.0, bending_weft = 0.0, bending_bias = 0.0; ///< [g mm2/(s2 rad)].
};

/// A material file of ARCSim: the row at rest of "stretching" and the first column of "bending".
struct ArcsimReading {
    double density = 0.0;                              ///< [kg/m2].
    double k11 = 0.0, k22 = 0.0, k33 = 0.0;            ///< Of the first row [N/m].
    double bend_0 = 0.0, bend_45 = 0.0, bend_90 = 0.0; ///< [N m].
};

void read_into(Material& material, const KesReading& reading);
void read_into(Material& material, const FastReading& reading);
void read_into(Material& material, const CloReading& reading);
void read_into(Material& material, const ArcsimReading& reading);

} // namespace selvage
