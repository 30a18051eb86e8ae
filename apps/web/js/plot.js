// Time per frame over the last seconds: what a frame cost, against the time that it lasts.

const KEPT = 150;

export class PacePlot {
  constructor(canvas) {
    this.canvas = canvas;
    this.costs = [];
  }

  add(ms) {
    this.costs.push(ms);
    if (this.costs.length > KEPT) this.costs.shift();
  }

  clear() {
    this.costs.length = 0;
  }

  /** `budget`: length of a frame [ms]; colours from the page's theme. */
  draw(budget, colours) {
    const { canvas, costs } = this, pen = canvas.getContext("2d");
    const { width, height } = canvas, top = Math.max(1.5 * budget, 1.15 * Math.max(0, ...costs));
    const y = (ms) => height - 2 - (ms / top) * (height - 6);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = colours.line;
    pen.setLineDash([6, 6]);
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(0, y(budget));
    pen.lineTo(width, y(budget));
    pen.stroke();
    pen.setLineDash([]);
    if (costs.length < 2) return;
    const step = width / (KEPT - 1), first = width - (costs.length - 1) * step;
    pen.beginPath();
    costs.forEach((ms, i) => pen.lineTo(first + i * step, y(ms)));
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 2.5;
    pen.lineJoin = "round";
    pen.stroke();
    pen.lineTo(width, height);
    pen.lineTo(first, height);
    pen.closePath();
    pen.globalAlpha = 0.16;
    pen.fillStyle = colours.accent;
    pen.fill();
    pen.globalAlpha = 1;
  }
}
