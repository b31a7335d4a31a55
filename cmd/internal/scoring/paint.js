"use strict";
// A painter draws the pictures of a scene, whose unit is a pixel of the largest of them.
// A picture has ownW×ownH pixels and covers w×h of the scene. It comes in tiles, one for
// each region of the scene that the page has, and reduced.
function makePainter({ pictures, regions }) {
	const reduced = [], tiles = pictures.map(() => []);
	for (const image of document.querySelectorAll("#pictures img")) {
		const { picture, region } = image.dataset;
		if (region) tiles[picture][region] = image;
		else reduced[picture] = image;
	}
	const painter = { paint, reduces, coarse: "" }; // coarse: why less than all pixels are shown

	// reduces tells whether so little of a pixel is seen that the reduced pictures will do.
	function reduces(zoom) { return reduced.length > 0 && zoom < 0.3; }

	// gather returns a source of the pixels x0..x1-1, y0..y1-1 of a picture, and where in
	// it they begin.
	const stage = document.createElement("canvas"), onStage = stage.getContext("2d", { willReadFrequently: true });
	function gather(i, x0, y0, x1, y1) {
		const p = pictures[i], side = regions.side;
		const first = (v, own, all) => Math.floor(v * all / own / side), last = (v, own, all) => Math.ceil(v * all / own / side) - 1;
		const c0 = first(x0, p.ownW, p.w), c1 = last(x1, p.ownW, p.w), r0 = first(y0, p.ownH, p.h), r1 = last(y1, p.ownH, p.h);
		const at = (c, r) => [Math.floor(c * side * p.ownW / p.w), Math.floor(r * side * p.ownH / p.h)];
		const only = tiles[i][r0 * regions.columns + c0];
		if (c0 === c1 && r0 === r1 && only) {
			const [x, y] = at(c0, r0);
			return { source: only, x: x0 - x, y: y0 - y };
		}
		Object.assign(stage, { width: x1 - x0, height: y1 - y0 }); // and cleared
		for (let r = r0; r <= r1; r++) {
			for (let c = c0; c <= c1; c++) {
				const tile = tiles[i][r * regions.columns + c], [x, y] = at(c, r);
				if (tile) {
					onStage.clearRect(x - x0, y - y0, tile.naturalWidth, tile.naturalHeight);
					onStage.drawImage(tile, x - x0, y - y0);
					continue;
				}
				painter.coarse = "reduced where the page has no more";
				const [right, below] = at(c + 1, r + 1), w = Math.min(right, p.ownW) - x, h = Math.min(below, p.ownH) - y;
				const image = reduced[i];
				if (!image || w <= 0 || h <= 0) continue;
				const fx = image.naturalWidth / p.ownW, fy = image.naturalHeight / p.ownH;
				onStage.drawImage(image, x * fx, y * fy, w * fx, h * fy, x - x0, y - y0, w, h);
			}
		}
		return { source: stage, x: 0, y: 0 };
	}

	// enlarged returns the part X0..X1-1, Y0..Y1-1 of the scene as bicubic makes it of a
	// picture, a bit more than that, so that it can be moved.
	const made = new Map();
	function enlarged(i, X0, Y0, X1, Y1) {
		const p = pictures[i], grid = 256;
		[X0, Y0] = [X0, Y0].map(v => Math.floor(v / grid) * grid);
		[X1, Y1] = [Math.min(Math.ceil(X1 / grid) * grid, p.w), Math.min(Math.ceil(Y1 / grid) * grid, p.h)];
		const key = [X0, Y0, X1, Y1].join();
		if (made.get(i)?.key === key) return made.get(i);
		const before = painter.coarse;
		painter.coarse = "";
		const canvas = enlargeBicubic(p, [X0, Y0, X1, Y1], (x0, y0, x1, y1) => gather(i, x0, y0, x1, y1));
		const whole = !painter.coarse;
		painter.coarse ||= before;
		const result = { key, canvas, x: X0, y: Y0 };
		if (whole) made.set(i, result);
		else made.delete(i);
		return result;
	}
	const mostEnlarged = 6e6; // pixels of the scene at once, for the sake of time

	// paint draws a picture so that the scene begins at left, top of a width×height canvas
	// with zoom pixels for one of its own; under is what transparency shows.
	function paint(g, i, { left, top, zoom, width, height }, bicubic, under) {
		const p = pictures[i];
		g.fillStyle = under;
		g.fillRect(left, top, Math.round(p.w * zoom), Math.round(p.h * zoom));
		// part draws the visible pixels of one who has w×h of them.
		const part = (w, h, source) => {
			const kx = p.w / w * zoom, ky = p.h / h * zoom; // of the canvas for a pixel
			const x0 = Math.max(0, Math.floor(-left / kx)), x1 = Math.min(w, Math.ceil((width - left) / kx));
			const y0 = Math.max(0, Math.floor(-top / ky)), y1 = Math.min(h, Math.ceil((height - top) / ky));
			if (x1 <= x0 || y1 <= y0) return;
			const from = source(x0, y0, x1, y1);
			g.imageSmoothingEnabled = (bicubic && !p.sharp && kx > 1 && w === p.ownW || kx < 2) && Math.abs(kx - 1) > 1e-3;
			g.imageSmoothingQuality = "high";
			const [u0, u1] = [x0, x1].map(x => Math.round(left + x * kx)), [v0, v1] = [y0, y1].map(y => Math.round(top + y * ky));
			g.drawImage(from.source, from.x, from.y, x1 - x0, y1 - y0, u0, v0, u1 - u0, v1 - v0);
		};
		if (reduces(zoom)) {
			painter.coarse = "reduced";
			const image = reduced[i];
			part(image.naturalWidth, image.naturalHeight, (x, y) => ({ source: image, x, y }));
		} else if (bicubic && !p.sharp && zoom >= 1 && width * height <= mostEnlarged * zoom * zoom) {
			part(p.w, p.h, (x0, y0, x1, y1) => {
				const e = enlarged(i, x0, y0, x1, y1);
				return { source: e.canvas, x: x0 - e.x, y: y0 - e.y };
			});
		} else {
			part(p.ownW, p.ownH, (x0, y0, x1, y1) => gather(i, x0, y0, x1, y1));
		}
	}
	return painter;
}
