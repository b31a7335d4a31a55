// How numbers and findings are said.
import { t } from "./language.js";

export function size(n) {
	const units = [t("bytes"), "KB", "MB", "GB"];
	let i = 0;
	for (; n >= 1000 && i < 3; i++) n /= 1000;
	return `${i && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

export function seconds(s) {
	if (s < 10) return `${+s.toFixed(1)} s`;
	if (s < 100) return `${Math.round(s)} s`;
	const minutes = Math.round(s / 60);
	return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const left = s => s < 1 ? t("nearly done") : t("about {1} left", seconds(Math.round(s)));

// found says in plain words what was found about a picture, and what is done about it.
export function found(info) {
	if (!info?.model) return "";
	const list = [], level = info.level ?? 0;
	if (info.noise >= 1) list.push(info.noise < 4 ? t("a little noise") : info.noise < 12 ? t("noise") : t("much noise"));
	else if (info.colour_noise) list.push(t("noise in colour"));
	if (info.jpeg_quality) list.push(t("JPEG quality about {1}", info.jpeg_quality));
	if (info.webp_index) list.push(t("WebP compression"));
	if (info.palette) list.push(t("few colours"));
	if (info.blur) list.push(t("blur"));
	if (info.sharpening) list.push(t("sharpening"));
	if (info.salt) list.push(t("salt and pepper"));
	if (!info.sought) return level ? t("Cleaned as set by hand") : "";
	if (!list.length && !level) {
		const isClean = info.model === "photo" && !info.robust && !info.plain && !info.sharpening;
		return isClean ? t("No noise or compression found") : t("Not quite clean: enlarged with care");
	}
	const much = level < 0.22 ? t("cleaned a little") : level < 0.45 ? t("cleaned") : t("cleaned a lot");
	const text = `${list.join(t(" and ")) || t("Some flaws")}: ${level ? much : info.blur || info.sharpening || info.salt ? t("undone") : t("left as it is")}${info.varies ? t(", more where there is more") : ""}`;
	return text[0].toUpperCase() + text.slice(1);
}

// facts says in numbers what was found about a picture, and which model enlarges it.
export function facts(info) {
	if (!info?.model) return "";
	const list = [];
	const least = info.varies ? `${(info.noise_least ?? 0).toFixed(1)}–` : "";
	if (info.noise) list.push(t("noise of {1} levels", least + info.noise.toFixed(1)));
	if (info.colour_noise) list.push(t("noise of {1} levels in colour", info.colour_noise.toFixed(1)));
	if (info.jpeg_quality) list.push(t("JPEG compression of quality {1}", info.jpeg_quality));
	if (info.webp_index) list.push(t("WebP compression"));
	if (info.palette) list.push(t("a palette of few colours, as noise of {1} levels", info.palette.toFixed(1)));
	if (info.blur) list.push(t("blur of {1} pixels undone", info.blur.toFixed(1)));
	if (info.sharpening) list.push(t("detail {1} times too strong, undone", info.sharpening.toFixed(2)));
	if (info.salt) list.push(t("salt and pepper in {1} % of the samples, taken out", (100 * info.salt).toFixed(2)));
	const short = v => +v.toPrecision(2);
	const level = info.varies ? `${short(info.level_least ?? 0)}–${short(info.level)}` : info.level && short(info.level);
	const percent = v => `${Math.round(100 * v)} %`;
	if (info.plain) list.push(t("{1} of the added detail left out", percent(info.plain)));
	const model = info.model + (info.robust ? ` + ${percent(info.robust)} photo-real` : "");
	return [level ? t("model {1} at level {2}", model, level) : t("model {1}", model), ...list].join("; ");
}
