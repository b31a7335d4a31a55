// The scores of the chosen picture and of bicubic, where there is a truth.
import * as api from "./api.js";
import { t } from "./language.js";
import * as settings from "./settings.js";

const $ = id => document.getElementById(id);
let stop = new AbortController(), shown = null;

function make(tag, text = "", scope = "") {
	const e = document.createElement(tag);
	e.textContent = text;
	if (scope) e.scope = scope;
	return e;
}

function table(p, rows) {
	const all = make("table"), head = all.createTHead().insertRow(), body = all.createTBody();
	all.append(make("caption", [p.pages > 1 && t("page 1"), t("against {1}", p.truth.name), p.scores.protocol && t("protocol {1}", p.scores.protocol)].filter(Boolean).join(", ")));
	for (const name of ["", t("PSNR of Y, dB"), t("SSIM of Y")]) head.append(name ? make("th", name, "col") : make("td"));
	for (const [name, s] of rows) {
		const row = body.insertRow();
		row.append(make("th", name, "row"), make("td", s.psnr?.toFixed(2) ?? "∞"), make("td", s.ssim?.toFixed(4) ?? t("too small")));
	}
	return all;
}

// show shows the scores of a picture, made again where its result or its truth is another;
// done tells whether its result is there.
export async function show(p, done) {
	const place = $("scores"), key = p?.truth && done ? p.result : null;
	const button = make("button", p?.truth ? t("Another truth") : t("Score against a truth"));
	button.type = "button";
	button.title = t("the picture as it should be: PSNR and SSIM of the result, and of bicubic");
	button.addEventListener("click", () => $("truthFile").click());
	const put = (...parts) => {
		const had = place.contains(document.activeElement);
		place.replaceChildren(...parts, button);
		if (had) button.focus();
	};
	const now = [p?.id, p?.truth?.name, p?.truth?.lastModified, done && p?.truth ? p.result.key : ""].join();
	if (shown === now) return;
	shown = now;
	stop.abort();
	stop = new AbortController();
	if (!p) return place.replaceChildren();
	if (!p.truth) return put();
	if (!key) return put(make("p", t("The scores come with the result.")));
	const { signal } = stop;
	if (p.scores?.of !== p.result || p.scores.truth !== p.truth) {
		put(make("p", t("The result is being scored.")));
		try {
			const { width, input_width } = p.result.info, border = Math.min(Math.max(Math.round(width / input_width) || 2, 1), 16);
			const after = await api.score(border, p.result.blob, p.truth, signal);
			const { blob } = await api.upscale(settings.sized(new URLSearchParams(p.result.key), "bicubic"), p.file, signal);
			const before = await api.score(border, blob, p.truth, signal);
			p.scores = { of: p.result, truth: p.truth, protocol: after.protocol, before, after };
		} catch (problem) {
			if (signal.aborted) return;
			shown = null; // again when something changes
			const again = api.failed(problem);
			return put(make("p", again ? t("The scores come when the server answers.") : t("No scores: {1}", problem.message)));
		}
		if (signal.aborted) return;
	}
	put(table(p, [["bicubic", p.scores.before], ["superres", p.scores.after]]));
}
