// A source is a picture that a canvas can draw: image, w and h of it upright, and close,
// which gives its memory back.
import * as api from "./api.js";
import { t } from "./language.js";

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

// standIn returns a PNG that the server makes of a file that the browser does not read, such
// as TIFF, of its first page.
export async function standIn(blob, signal) {
	return (await api.upscale("scale=1&model=bicubic&format=png&first-frame=true", blob, signal)).blob;
}

// open makes a source of a file.
export async function open(blob, signal) {
	const source = await decode(blob) ?? await decode(await standIn(blob, signal));
	if (!source) throw new api.Refused(t("this browser cannot show it"));
	return source;
}
