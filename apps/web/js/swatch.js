// A fabric as a small picture: its weave, a few yarns wide, in its own colours.

const to_screen = (x) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * Math.pow(Math.min(1, x), 1 / 2.4) - 0.055));
const css = (colour, light) => `rgb(${colour.map((x) => to_screen(x * light)).join(" ")})`;

/** As the shader's (shaders/weave.glsl). */
function warp_on_top([weft, warp, shift], i, j) {
  const period = weft + warp;
  if (period < 1) return true;
  const turn = (x) => ((x % period) + period) % period;
  return turn(i - shift * turn(j)) >= weft;
}

export function draw_swatch(canvas, look) {
  const pen = canvas.getContext("2d"), size = canvas.width;
  if (look.construction === "felt") {
    pen.fillStyle = css(look.warp_colour, 1);
    pen.fillRect(0, 0, size, size);
    for (let k = 0; k < 260; ++k) { // fibres, placed by a fixed rule: the same picture every time
      const x = (k * 61.8) % size, y = (k * 38.2 * 1.7) % size, angle = k * 2.4;
      pen.strokeStyle = css(look.warp_colour, k % 2 ? 1.35 : 0.72);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + 7 * Math.cos(angle), y + 7 * Math.sin(angle));
      pen.stroke();
    }
    return;
  }
  const yarns = 11, cell = size / yarns, knit = look.construction === "knit";
  for (let j = 0; j < yarns; ++j)
    for (let i = 0; i < yarns; ++i) {
      const warp = knit || warp_on_top(look.weave, i, j), colour = warp ? look.warp_colour : look.weft_colour;
      const along = pen.createLinearGradient(i * cell, j * cell, warp ? i * cell : (i + 1) * cell, warp ? (j + 1) * cell : j * cell);
      const depth = 0.25 + 0.45 * (look.groove ?? 0.4);
      along.addColorStop(0, css(colour, 1 - depth));
      along.addColorStop(0.5, css(colour, 1.12));
      along.addColorStop(1, css(colour, 1 - depth));
      pen.fillStyle = along;
      pen.fillRect(i * cell, j * cell, cell + 0.5, cell + 0.5);
    }
}
