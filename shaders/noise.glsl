// 0..1 by pixel, evenly spread over neighbours (interleaved gradient noise, Jimenez 2014).
float pixel_noise(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }
