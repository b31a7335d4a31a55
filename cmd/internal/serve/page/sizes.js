// What size a result has.

// sizeOf is the size of the result for a picture of w×h, by the parameters of a call. Sides are
// computed exactly, from the scale as it is written in decimal, and rounded to the nearest pixel,
// halves up, as the program does it.
export function sizeOf(p, w, h) {
	const times = (side, n, d) => Math.max(1, Number((2n * BigInt(side) * BigInt(n) + BigInt(d)) / (2n * BigInt(d))));
	if (p.has("scale")) {
		const [whole, rest = ""] = p.get("scale").split(".");
		const n = whole + rest, d = 10n ** BigInt(rest.length);
		return { w: times(w, n, d), h: times(h, n, d) };
	}
	const side = parseInt(p.get("fit") ?? p.get("width"), 10);
	if (p.has("fit") && h > w) return { w: times(w, side, h), h: side };
	return { w: side, h: times(h, side, w) };
}
