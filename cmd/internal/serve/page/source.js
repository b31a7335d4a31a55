// A source is a picture that a canvas can draw: image, w and h of it upright, and close,
// which gives its memory back.
import * as api from "./api.js";

async function decode(blob) {
	const url = URL.createObjectURL(blob), image = new Image();
	image.src = url;
	try {
		await image.decode();
	} catch {
		URL.revokeObjectURL(url);
		return null;
	}
	return { image, w: image.naturalWidth, h: image.naturalHeight, close: () => URL.revokeObjectURL(url) };
}

// open makes a source of a file. The server makes a PNG of what the browser does not read,
// such as TIFF.
export async function open(blob, signal) {
	const own = await decode(blob);
	if (own) return own;
	const { blob: png } = await api.upscale("scale=1&model=bicubic&format=png", blob, signal);
	const stand = await decode(png);
	if (!stand) throw new api.Refused("this browser cannot show it");
	return { ...stand, png };
}
