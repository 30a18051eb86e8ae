#include "lab/validate/drape_pairs.h"

#include "base/concat.h"
#include "model/fabric_units.h"

namespace selvage {

namespace {

/// Petrak and others, Sustainability 17 (2025) 1388, doi 10.3390/su17041388 (CC BY), tables 1, 2, 4 and 5: KES-FB
/// measurements, printed in the units of CLO, and drape coefficients. Stretch is printed as the load of 490.33 N/m over
/// the stretched length, so that the extension follows from it.
DrapePair petrak(const char* sample, const char* what, double weight, double thickness, double stretch_warp,
                 double stretch_weft, double shear, double bend_warp, double bend_weft, double coefficient) {
    constexpr double kLoad = 490333.0; // [g/s2]
    const auto secant = [](double printed) { return 1e-3 * kLoad / (kLoad / printed - 1.0); };
    DrapePair pair{concat("petrak-", sample),
                   {},
                   coefficient,
                   concat("Petrak et al. 2025, tables 1, 2, 4, 5: ", what),
                   "friction of bending not reported: none"};
    CloReading reading;
    reading.density = 1e-6 * weight;
    reading.thickness = thickness;
    reading.shear = shear;
    reading.bending_warp = bend_warp;
    reading.bending_weft = bend_weft;
    read_into(pair.material, reading);
    pair.material.stretch_warp = secant(stretch_warp);
    pair.material.stretch_weft = secant(stretch_weft);
    return pair;
}

/// Matsudaira, Masuda, Wada and Yokura, Journal of Textile Engineering 61 (2015) 69, doi 10.4188/jte.61.69, tables 1 and
/// 2: KES readings, the mean of warp and weft, and drape coefficients.
DrapePair matsudaira(const char* sample, const char* what, double weight, double thickness, double bending,
                     double hysteresis, double coefficient) {
    DrapePair pair{concat("matsudaira-", sample),
                   {},
                   coefficient,
                   concat("Matsudaira et al. 2015, tables 1 and 2: ", what),
                   "shear and stretch were not at hand: 40 N/m and 5000 N/m"};
    KesReading reading;
    reading.weight = weight;
    reading.thickness = thickness;
    reading.bending_warp = reading.bending_weft = bending;
    reading.hysteresis_warp = reading.hysteresis_weft = hysteresis;
    read_into(pair.material, reading);
    pair.material.shear = 40.0;
    pair.material.stretch_warp = pair.material.stretch_weft = 5000.0;
    return pair;
}

} // namespace

const std::vector<DrapePair>& drape_pairs() {
    static const std::vector<DrapePair> pairs = {
        petrak("m1", "polyester, twill 3/1", 135.17, 0.31, 477226, 458614, 41000, 1950, 610, 0.223),
        petrak("m2", "polyester, plain", 83.66, 0.25, 471944, 373515, 46000, 850, 330, 0.228),
        petrak("m3", "75 wool 15 polyester 10 elastane, twill 2/1", 178.70, 0.40, 449656, 439815, 50000, 2140, 2000,
               0.349),
        petrak("m4", "63 polyester 33 viscose 4 elastane, twill 2/1", 286.13, 0.61, 403447, 401762, 61000, 2970, 2400,
               0.286),
        petrak("m5", "97 polyester 3 elastane, plain", 242.00, 0.56, 407166, 415023, 57000, 3220, 3880, 0.443),
        petrak("m6", "65 cotton 31 polyester 4 elastane, twill 2/1", 253.36, 0.62, 473860, 404746, 126000, 7430, 3700,
               0.549),
        matsudaira("a", "cotton broadcloth, plain", 12.38, 0.497, 0.118, 0.124, 0.829),
        matsudaira("b", "wool tropical, plain", 16.29, 0.407, 0.067, 0.033, 0.498),
        matsudaira("c", "polyester tropical, plain", 11.65, 0.340, 0.077, 0.029, 0.507),
        matsudaira("f", "polyester faille", 10.43, 0.226, 0.019, 0.007, 0.283),
    };
    return pairs;
}

} // namespace selvage
