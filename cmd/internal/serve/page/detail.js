// Where a picture has the most detail.

const coarse = 512, most = 8; // longest side of the small copy, and how many parts are looked at closely

// edges returns for each pixel of a part of an image, drawn at w×h, how much it differs from its
// neighbours in brightness. Strong edges count no more than texture does.
function edges(image, x, y, width, height, w, h) {
	const canvas = document.createElement("canvas");
	Object.assign(canvas, { width: w, height: h });
	const g = canvas.getContext("2d", { willReadFrequently: true }), light = new Float32Array(w * h), sums = new Float32Array(w * h);
	g.drawImage(image, x, y, width, height, 0, 0, w, h);
	const { data } = g.getImageData(0, 0, w, h);
	for (let i = 0; i < light.length; i++) light[i] = (0.3 * data[4 * i] + 0.6 * data[4 * i + 1] + 0.1 * data[4 * i + 2]) * data[4 * i + 3] / 255;
	for (let i = 0; i < h - 1; i++) {
		for (let j = 0; j < w - 1; j++) {
			const at = i * w + j;
			sums[at] = Math.min(Math.abs(light[at + 1] - light[at]) + Math.abs(light[at + w] - light[at]), 40);
		}
	}
	return sums;
}

// mostDetailed returns the middle of the part of width×height pixels that has the most detail in an image of
// w×h pixels. Parts are chosen in a small copy, where noise is averaged out, and the best of them
// compared in full, where what is out of focus has little detail. It is the same at every call.
export function mostDetailed(image, w, h, width, height) {
	[width, height] = [Math.min(width, w), Math.min(height, h)];
	const k = Math.min(1, coarse / Math.max(w, h)), W = Math.max(1, Math.round(w * k)), H = Math.max(1, Math.round(h * k));
	const pw = Math.min(W, Math.max(1, Math.round(width * k))), ph = Math.min(H, Math.max(1, Math.round(height * k)));
	const all = edges(image, 0, 0, w, h, W, H), table = new Float64Array((W + 1) * (H + 1)); // sums of all above and left
	for (let y = 0; y < H; y++) {
		for (let x = 0, row = 0; x < W; x++) {
			row += all[y * W + x];
			table[(y + 1) * (W + 1) + x + 1] = table[y * (W + 1) + x + 1] + row;
		}
	}
	const sum = (x, y) => table[(y + ph) * (W + 1) + x + pw] - table[y * (W + 1) + x + pw] - table[(y + ph) * (W + 1) + x] + table[y * (W + 1) + x];
	const parts = [], [dx, dy] = [Math.max(1, pw >> 2), Math.max(1, ph >> 2)];
	for (let y = 0; y <= H - ph; y += dy) for (let x = 0; x <= W - pw; x += dx) parts.push({ x, y, sum: sum(x, y) });
	parts.sort((a, b) => b.sum - a.sum);
	const apart = (a, b) => Math.abs(a.x - b.x) >= pw / 2 || Math.abs(a.y - b.y) >= ph / 2;
	const chosen = [];
	for (const p of parts) if (chosen.length < most && chosen.every(q => apart(p, q))) chosen.push(p);
	let best = null;
	for (const { x, y } of chosen) {
		const left = Math.min(x / k, w - width), top = Math.min(y / k, h - height);
		const less = Math.min(1, coarse / Math.max(width, height)); // the middle of a large part stands for it
		const [cw, ch] = [Math.max(1, Math.round(width * less)), Math.max(1, Math.round(height * less))];
		const detail = edges(image, Math.round(left + (width - cw) / 2), Math.round(top + (height - ch) / 2), cw, ch, cw, ch).reduce((a, b) => a + b);
		if (!best || detail > best.detail) best = { detail, x: left + width / 2, y: top + height / 2 };
	}
	return best;
}
