"use strict";
// The cubic of Keys with a = −½, as the model bicubic has it, edges mirrored: for each
// of the samples lo..hi-1 of a larger axis four samples of the small one and weights.
function taps(lo, hi, own, all) {
	const list = [];
	for (let v = lo; v < hi; v++) {
		const u = (v + 0.5) * own / all - 0.5, base = Math.floor(u);
		for (let k = base - 1; k <= base + 2; k++) {
			const t = Math.abs(u - k), mirrored = k < 0 ? -k - 1 : k >= own ? 2 * own - 1 - k : k;
			const weight = t < 1 ? 1.5 * t ** 3 - 2.5 * t ** 2 + 1 : t < 2 ? -0.5 * t ** 3 + 2.5 * t ** 2 - 4 * t + 2 : 0;
			list.push([Math.min(Math.max(mirrored, 0), own - 1), weight]);
		}
	}
	return list;
}

// enlargeBicubic returns a canvas with the part X0..X1-1, Y0..Y1-1 of what bicubic makes of
// a picture of ownW×ownH pixels at a size of w×h, none of them less. gather gives what can
// be drawn of its pixels x0..x1-1, y0..y1-1, and where in that they begin.
function enlargeBicubic({ ownW, ownH, w, h }, [X0, Y0, X1, Y1], gather) {
	const across = taps(X0, X1, ownW, w), down = taps(Y0, Y1, ownH, h);
	const ends = list => list.reduce(([lo, hi], [at]) => [Math.min(lo, at), Math.max(hi, at + 1)], [Infinity, 0]);
	const [x0, x1] = ends(across), [y0, y1] = ends(down), width = X1 - X0, height = Y1 - Y0, n = x1 - x0;
	const from = gather(x0, y0, x1, y1), small = document.createElement("canvas");
	Object.assign(small, { width: n, height: y1 - y0 });
	const g = small.getContext("2d", { willReadFrequently: true });
	g.drawImage(from.source, from.x, from.y, n, y1 - y0, 0, 0, n, y1 - y0);
	const pixels = g.getImageData(0, 0, n, y1 - y0).data;
	const wide = new Float32Array(4 * width * (y1 - y0)); // premultiplied
	for (let y = 0; y < y1 - y0; y++) {
		for (let x = 0; x < width; x++) {
			const to = 4 * (y * width + x);
			for (let k = 4 * x; k < 4 * x + 4; k++) {
				const at = 4 * (y * n + across[k][0] - x0), alpha = pixels[at + 3] * across[k][1];
				for (let c = 0; c < 3; c++) wide[to + c] += pixels[at + c] * alpha / 255;
				wide[to + 3] += alpha;
			}
		}
	}
	const out = new ImageData(width, height), sum = new Float64Array(4 * width);
	for (let y = 0; y < height; y++) {
		sum.fill(0);
		for (let k = 4 * y; k < 4 * y + 4; k++) {
			const row = 4 * width * (down[k][0] - y0), weight = down[k][1];
			for (let x = 0; x < 4 * width; x++) sum[x] += wide[row + x] * weight;
		}
		for (let x = 0; x < 4 * width; x += 4) {
			const alpha = sum[x + 3];
			for (let c = 0; c < 3; c++) out.data[4 * width * y + x + c] = alpha > 0 ? sum[x + c] * 255 / alpha : 0;
			out.data[4 * width * y + x + 3] = alpha;
		}
	}
	const canvas = document.createElement("canvas");
	Object.assign(canvas, { width, height });
	canvas.getContext("2d").putImageData(out, 0, 0);
	return canvas;
}
