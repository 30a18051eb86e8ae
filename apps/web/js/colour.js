/** What fills the eye from afar: warp and weft as far as each is on top. Linear. */
export function mean_colour({ weave, warp_colour, weft_colour }) {
  const [weft, warp] = weave, share = weft + warp > 0 ? warp / (weft + warp) : 1;
  return warp_colour.map((x, k) => share * x + (1 - share) * weft_colour[k]);
}
