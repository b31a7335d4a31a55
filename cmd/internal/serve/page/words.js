// How numbers and findings are said.

export function size(n) {
	const units = ["bytes", "KB", "MB", "GB"];
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

export const left = s => s < 1 ? "nearly done" : `about ${seconds(Math.round(s))} left`;

export const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// found says in plain words what was found about a picture, and what is done about it.
export function found(info) {
	if (!info?.model) return "";
	const list = [], level = info.level ?? 0;
	if (info.noise >= 1) list.push(info.noise < 4 ? "a little noise" : info.noise < 12 ? "noise" : "much noise");
	else if (info.colour_noise) list.push("noise in colour");
	if (info.jpeg_quality) list.push(`JPEG quality about ${info.jpeg_quality}`);
	if (info.webp_index) list.push("WebP compression");
	if (info.palette) list.push("few colours");
	if (info.blur) list.push("blur");
	if (info.sharpening) list.push("sharpening");
	if (info.salt) list.push("salt and pepper");
	if (!info.sought) return level ? "Cleaned as set by hand" : "";
	if (!list.length && !level) {
		const isClean = info.model === "photo" && !info.robust && !info.plain && !info.sharpening;
		return isClean ? "No noise or compression found" : "Not quite clean: enlarged with care";
	}
	const much = level < 0.22 ? "cleaned a little" : level < 0.45 ? "cleaned" : "cleaned a lot";
	const text = `${list.join(" and ") || "Some flaws"}: ${level ? much : info.blur || info.sharpening || info.salt ? "undone" : "left as it is"}${info.varies ? ", more where there is more" : ""}`;
	return text[0].toUpperCase() + text.slice(1);
}

// facts says in numbers what was found about a picture, and which model enlarges it.
export function facts(info) {
	if (!info?.model) return "";
	const list = [];
	const least = info.varies ? `${(info.noise_least ?? 0).toFixed(1)} to ` : "";
	if (info.noise) list.push(`noise of ${least}${info.noise.toFixed(1)} levels`);
	if (info.colour_noise) list.push(`noise of ${info.colour_noise.toFixed(1)} levels in colour`);
	if (info.jpeg_quality) list.push(`JPEG compression of quality ${info.jpeg_quality}`);
	if (info.webp_index) list.push("WebP compression");
	if (info.palette) list.push(`a palette of few colours, as noise of ${info.palette.toFixed(1)} levels`);
	if (info.blur) list.push(`blur of ${info.blur.toFixed(1)} pixels undone`);
	if (info.sharpening) list.push(`detail ${info.sharpening.toFixed(2)} times too strong, undone`);
	if (info.salt) list.push(`salt and pepper in ${(100 * info.salt).toFixed(2)} % of the samples, taken out`);
	const short = v => +v.toPrecision(2);
	const level = info.varies ? `levels of ${short(info.level_least ?? 0)} to ${short(info.level)}` : info.level && `level ${short(info.level)}`;
	const percent = v => `${Math.round(100 * v)} %`;
	if (info.plain) list.push(`${percent(info.plain)} of the added detail left out`);
	const model = info.model + (info.robust ? ` and, to ${percent(info.robust)}, photo-real` : "");
	return [`model ${model}${level ? ` at ${level}` : ""}`, ...list].join("; ");
}
