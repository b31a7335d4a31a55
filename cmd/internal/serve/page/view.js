// The view of the chosen picture before and after, in a scene of the size of its result.
import * as api from "./api.js";
import { mostDetailed } from "./detail.js";
import { t } from "./language.js";
import * as pages from "./pages.js";
import * as settings from "./settings.js";
import { sizeOf } from "./sizes.js";
import { open } from "./source.js";

const $ = id => document.getElementById(id), { makeViewport, enlargeBicubic } = globalThis;
const canvas = $("canvas"), ctx = canvas.getContext("2d");
// How many pixels of a picture are enlarged at once for a preview, how many of the scene by
// bicubic: for the sake of time.
const mostPreview = 2.5e5, mostEnlarged = 6e6;

// What is shown: view is before, after, sure, truth or slider, the rest is of the viewport.
const state = { view: "slider", zoom: 1, x: 0, y: 0, split: 0.5 };
let scene = { w: 1, h: 1 };
const viewport = makeViewport(canvas, { state, change, size: () => scene, divided: () => state.view === "slider" });
const checks = viewport.checks(ctx);

// against is the model that the picture is enlarged by before, "" for bicubic.
const against = $("against");
for (const name of JSON.parse($("settings").textContent).compared ?? []) if (name !== "bicubic") against.add(new Option(name, name));

// current is the chosen picture with its sources, before, after, sure and truth, where they are ready; words is what is
// wrong; patches are parts of it: after, with the settings as they are, and before, by the model against; page is the
// one that is seen, from 0, of so many pages.
const make = (p, page = 0) => ({ p, page, pages: 1, sources: {}, words: "", patches: {}, stop: new AbortController() });
const none = make(null);
let current = none;
let stateOf = () => "waiting";
export const chosen = () => current.p;
export const use = queue => { stateOf = queue.stateOf; };

let drawing = false;
function change(parts) {
	Object.assign(state, parts);
	if (!drawing) {
		drawing = true;
		requestAnimationFrame(() => { drawing = false; draw(); });
	}
	if (parts.zoom !== undefined) soon();
}

// choose shows another picture, or with null none.
export async function choose(p) {
	if (current.p !== p) await begin(p, 0);
}

// turn shows another page of the chosen picture, after the last one the first.
function turn(by) {
	const { p, page, pages } = current;
	if (pages > 1) begin(p, (page + by + pages) % pages);
}

async function begin(p, page) {
	close();
	current = p ? make(p, page) : none;
	if (state.view === "truth" && !p?.truth) state.view = "slider";
	change({});
	if (!p) return;
	const mine = current;
	mine.pages = p.pages = await pages.count(p.file).catch(() => 1);
	await load(mine, "before", page ? p.file : p.stand ?? p.file);
	if (current !== mine || !mine.sources.before) return;
	const { w, h } = mine.sources.before;
	if (!page) p.size ??= { w, h };
	scene = sizeOf(settings.params(), w, h);
	change(opening());
	refresh();
}

// opening is where a picture is seen first: at two pixels of the page for one of the result, on
// the part with the most detail, or all of it if it is small.
function opening() {
	viewport.resize();
	const { image, w, h } = current.sources.before, zoom = 2 * Math.max(1, Math.round(devicePixelRatio));
	if (viewport.fitting() >= zoom) return { zoom: 0, x: scene.w / 2, y: scene.h / 2 };
	const [across, down] = [scene.w / w, scene.h / h];
	const { x, y } = mostDetailed(image, w, h, canvas.width / zoom / across, canvas.height / zoom / down);
	return { zoom, x: x * across, y: y * down };
}

function close() {
	current.stop.abort();
	drop();
	for (const s of Object.values(current.sources)) s?.close();
	for (const patch of Object.values(current.patches)) patch.bitmap.close();
	made = {};
}

// load opens a source of the picture that is shown.
async function load(mine, what, blob) {
	try {
		const source = await open(await pages.page(blob, mine.page), mine.stop.signal);
		if (current !== mine) return source.close();
		mine.sources[what]?.close();
		mine.sources[what] = source;
	} catch (problem) {
		if (current !== mine) return;
		api.failed(problem);
		mine.words = what === "before" ? t("No view: {1}", problem.message) : what === "truth" ? t("The truth cannot be shown: {1}", problem.message) : t("The result cannot be shown: {1}", problem.message);
	}
	change({});
}

// refresh takes over what has become of the chosen picture: its result, its truth, the
// settings.
export function refresh() {
	const { p, sources } = current, mine = current;
	if (!p) return;
	if (!sources.before) return change({});
	if (stateOf(p) === "done") drop("after");
	const want = { after: stateOf(p) === "done" ? p.result.blob : null, truth: p.truth ?? null };
	for (const [what, blob] of Object.entries(want)) {
		if ((mine.wanted ??= {})[what] === blob) continue;
		mine.wanted[what] = blob;
		if (blob) load(mine, what, blob);
		else {
			sources[what]?.close();
			sources[what] = null;
		}
	}
	if (!want.after) {
		sources.sure?.close();
		sources.sure = mine.sureOf = null;
		if (state.view === "sure") state.view = "slider";
	} else if (state.view === "sure") makeSure(mine);
	const to = want.after && mine.pages === 1 && p.result.info.width ? { w: p.result.info.width, h: p.result.info.height } : sizeOf(settings.params(), sources.before.w, sources.before.h);
	if (to.w !== scene.w || to.h !== scene.h) { // the same place is in the middle
		Object.assign(state, { x: state.x * to.w / scene.w, y: state.y * to.h / scene.h });
		scene = to;
	}
	if (!p.truth && state.view === "truth") state.view = "slider";
	change({});
}

// makeSure asks for the map of what is sure in the result, once for each result.
async function makeSure(mine) {
	const { p } = mine, of = p.result.blob, params = settings.params();
	if (mine.sureOf === of) return;
	mine.sureOf = of;
	params.set("map", "true");
	params.set("name", p.file.name);
	mine.words = t("working out what is sure");
	change({});
	try {
		const { blob } = await api.upscale(params, await pages.page(p.file, mine.page), mine.stop.signal);
		if (mine.sureOf === of) mine.words = "";
		if (mine.sureOf === of && current === mine) await load(mine, "sure", blob);
	} catch (problem) {
		if (current !== mine || mine.stop.signal.aborted) return;
		mine.words = api.failed(problem) ? "" : t("What is sure is not known: {1}", problem.message);
		mine.sureOf = null;
		change({});
	}
}

// The previews: the part that is seen, with the settings as they are, and by the model against.
const asked = { after: null, before: null }; // what stops a call
let timer = 0;
function drop(...which) {
	for (const what of which.length ? which : ["after", "before"]) {
		asked[what]?.abort();
		asked[what] = null;
	}
}
function soon() {
	clearTimeout(timer);
	timer = setTimeout(() => preview(), 400);
}

// wanted is the part of the chosen picture that is seen, or as much of its middle as is
// enlarged quickly, in its own pixels.
function wanted() {
	const { left, top, zoom, width, height } = viewport.seen(), { w, h } = current.sources.before;
	const across = scene.w / w * zoom, down = scene.h / h * zoom, clamp = (v, hi) => Math.min(Math.max(v, 0), hi);
	let [x0, x1] = [clamp(Math.floor(-left / across), w), clamp(Math.ceil((width - left) / across), w)];
	let [y0, y1] = [clamp(Math.floor(-top / down), h), clamp(Math.ceil((height - top) / down), h)];
	const less = Math.sqrt(mostPreview / ((x1 - x0) * (y1 - y0)));
	if (less < 1) {
		const [dx, dy] = [(x1 - x0) * (1 - less) / 2, (y1 - y0) * (1 - less) / 2];
		[x0, x1, y0, y1] = [Math.ceil(x0 + dx), Math.floor(x1 - dx), Math.ceil(y0 + dy), Math.floor(y1 - dy)];
	}
	return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
}

// keyOf is the text of the settings of a preview.
const keyOf = what => what === "after" ? settings.key() : `${against.value} ${scene.w}×${scene.h}`;

// preview enlarges what is seen, unless the whole is there or comes as soon. It returns when
// it is shown, or will not be.
export async function preview() {
	clearTimeout(timer);
	const { p, sources } = current;
	if (!p || !sources.before || api.connection.state !== "here") return drop();
	const { w, h } = wanted(), whole = w * h > 0.8 * sources.before.w * sources.before.h;
	const unwanted = { after: ["done", "failed"].includes(stateOf(p)) || whole, before: !against.value };
	await Promise.all(["after", "before"].map(what => unwanted[what] ? drop(what) : enlarge(what)));
}

// enlarge has the server enlarge what is seen for a preview.
async function enlarge(what) {
	const { p } = current, mine = current, patch = mine.patches[what];
	const params = what === "after" ? settings.params() : settings.sized(settings.params(), against.value);
	const key = keyOf(what), region = wanted(), { x, y, w, h } = region;
	const holds = patch?.key === key && patch.x <= x && patch.y <= y && patch.x + patch.w >= x + w && patch.y + patch.h >= y + h;
	if (w < 1 || h < 1 || holds) return drop(what);
	asked[what]?.abort();
	const stop = asked[what] = new AbortController();
	// JPEG shows what its quality does; all else is seen as PNG.
	if ((params.get("format") ?? p.file.type.replace("image/", "")) !== "jpeg") params.set("format", "png");
	params.set("region", [x, y, w, h].join());
	params.set("name", p.file.name);
	mine.words = "";
	change({});
	try {
		const { blob } = await api.upscale(params, await pages.page(p.file, mine.page), stop.signal), bitmap = await createImageBitmap(blob);
		if (current !== mine || stop.signal.aborted) return bitmap.close();
		mine.patches[what]?.bitmap.close();
		mine.patches[what] = { key, bitmap, ...region };
	} catch (problem) {
		if (stop.signal.aborted || current !== mine) return;
		mine.words = api.failed(problem) ? "" : t("No preview: {1}", problem.message);
		if (problem.wait) timer = setTimeout(preview, problem.wait * 1000);
	} finally {
		if (asked[what] === stop) asked[what] = null;
		change({});
	}
}

// part gives the pixels of a source of w×h that are seen when it covers a part of the scene,
// and where they are on the canvas.
function part(w, h, { x, y, w: width, h: height } = { x: 0, y: 0, ...scene }) {
	const on = viewport.seen(), kx = width / w * on.zoom, ky = height / h * on.zoom, left = on.left + x * on.zoom, top = on.top + y * on.zoom;
	const x0 = Math.max(0, Math.floor(-left / kx)), x1 = Math.min(w, Math.ceil((on.width - left) / kx));
	const y0 = Math.max(0, Math.floor(-top / ky)), y1 = Math.min(h, Math.ceil((on.height - top) / ky));
	const [u0, u1] = [x0, x1].map(v => Math.round(left + v * kx)), [v0, v1] = [y0, y1].map(v => Math.round(top + v * ky));
	return x1 > x0 && y1 > y0 && { x0, y0, x1, y1, scale: kx, at: [u0, v0, u1 - u0, v1 - v0] };
}

function put(image, p, dx = 0, dy = 0) {
	if (!p) return;
	ctx.imageSmoothingEnabled = p.scale < 2 && Math.abs(p.scale - 1) > 1e-3;
	ctx.imageSmoothingQuality = "high";
	ctx.drawImage(image, p.x0 - dx, p.y0 - dy, p.x1 - p.x0, p.y1 - p.y0, ...p.at);
}

// putPatch draws a preview, if there is one of the settings as they are.
function putPatch(what) {
	const { sources, patches } = current, patch = patches[what];
	if (!shows(what)) return;
	// A region has the pixels of the result that it touches.
	const { bitmap } = patch, x = Math.floor(patch.x * scene.w / sources.before.w), y = Math.floor(patch.y * scene.h / sources.before.h);
	put(bitmap, part(bitmap.width, bitmap.height, { x, y, w: bitmap.width, h: bitmap.height }));
}
const shows = what => (what === "after" || against.value) && current.patches[what]?.key === keyOf(what);

// before draws the picture as the model against makes it, as far as that is there.
function before() {
	bicubic();
	putPatch("before");
}

// bicubic draws the picture as bicubic makes it, a bit more than is seen, so that it can be
// moved; where little of a pixel is seen the browser's reduction will do.
let made = {};
function bicubic() {
	const { image, w, h } = current.sources.before, all = part(scene.w, scene.h), grid = 256;
	if (!all || viewport.zoom() < 1 || (all.x1 - all.x0) * (all.y1 - all.y0) > mostEnlarged || scene.w < w || scene.h < h) return put(image, part(w, h));
	const [X0, Y0] = [all.x0, all.y0].map(v => Math.floor(v / grid) * grid);
	const X1 = Math.min(Math.ceil(all.x1 / grid) * grid, scene.w), Y1 = Math.min(Math.ceil(all.y1 / grid) * grid, scene.h);
	const key = [X0, Y0, X1, Y1, scene.w, scene.h].join();
	if (made.key !== key) made = { key, canvas: enlargeBicubic({ ownW: w, ownH: h, ...scene }, [X0, Y0, X1, Y1], (x, y) => ({ source: image, x, y })) };
	put(made.canvas, all, X0, Y0);
}

function after() {
	const { sources } = current;
	if (sources.after) return put(sources.after.image, part(sources.after.w, sources.after.h));
	bicubic();
	putPatch("after");
}
const sure = () => { const s = current.sources.sure; return s ? put(s.image, part(s.w, s.h)) : after(); };
const painters = { before, after, sure, truth: () => current.sources.truth && put(current.sources.truth.image, part(current.sources.truth.w, current.sources.truth.h)) };

function ground() {
	const { left, top, zoom } = viewport.seen();
	ctx.fillStyle = checks;
	ctx.fillRect(left, top, Math.round(scene.w * zoom), Math.round(scene.h * zoom));
}

function draw() {
	viewport.resize();
	ctx.clearRect(0, 0, canvas.width, canvas.height);
	const { p, sources, words } = current, { view } = state, ready = Boolean(sources.before);
	const paint = what => { ground(); painters[what](); };
	if (ready && view === "slider") viewport.divide(ctx, () => paint("before"), () => paint("after"));
	else if (ready) paint(view);
	const previewed = !sources.after && shows("after"), model = settings.params().get("model") ?? p?.found?.model;
	const after = [t("after"), against.value && model].filter(Boolean).join(": ");
	const names = {
		before: shows("before") ? against.value : against.value ? t("bicubic, until {1} is there", against.value) : `${t("before")}: bicubic`,
		after: sources.after ? after : previewed ? `${after}: ${t("preview")}` : `${after}: ${t("not ready yet")}`,
		sure: sources.sure ? t("dark: sure to a level, bright: up to 32 levels off") : after, truth: t("truth"),
	};
	const what = view === "slider" ? t("left {1}, right {2}", names.before, names.after) : names[view];
	const which = current.pages > 1 ? t("page {1} of {2}", current.page + 1, current.pages) : "";
	const title = p ? [p.name, which, what].filter(Boolean).join(", ") : t("No picture");
	if (canvas.getAttribute("aria-label") !== title) canvas.setAttribute("aria-label", title);
	$("left").textContent = ready ? names[view === "slider" ? "before" : view] : "";
	$("right").textContent = ready && view === "slider" ? names.after : "";
	const percent = t("zoom {1} %", Math.round(viewport.zoom() * 1000) / 10);
	$("shown").textContent = !p ? "" : ready ? [p.name, which, `${scene.w}×${scene.h}`, percent, asked.after || asked.before ? t("enlarging the part that you see") : words].filter(Boolean).join("; ") : words || t("reading {1}", p.name);
	for (const button of document.querySelectorAll("#view [data-view]")) button.setAttribute("aria-pressed", button.dataset.view === view);
	document.querySelector("#view [data-view=truth]").hidden = !p?.truth;
	document.querySelector("#view [data-view=sure]").hidden = !sources.after;
	$("pagePart").hidden = !which;
	$("pageText").textContent = which;
	$("splitPart").hidden = view !== "slider" || !ready;
	$("split").value = 100 * state.split;
	canvas.dataset.state = JSON.stringify({ ...state, x: Math.round(state.x * 100) / 100, y: Math.round(state.y * 100) / 100, scene, shown: viewport.zoom(), after: sources.after ? "whole" : previewed ? "preview" : "", against: shows("before") ? against.value : "" });
}

// full shows the canvas alone, on all of the screen where the browser allows it.
async function full(on = !document.body.classList.contains("full")) {
	document.body.classList.toggle("full", on);
	$("full").textContent = on ? t("Back") : t("Full screen");
	try {
		if (on) await document.documentElement.requestFullscreen();
		else if (document.fullscreenElement) await document.exitFullscreen();
	} catch { /* then in the window */ }
	change({});
}
addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) full(false); });

const has = { truth: () => current.p?.truth, sure: () => current.sources.after };
const show = view => () => {
	if (has[view] && !has[view]()) return;
	change({ view });
	if (view === "sure") makeSure(current);
};
const actions = {
	...viewport.actions, 1: show("before"), 2: show("after"), 3: show("truth"), 4: show("sure"), w: () => full(), Escape: () => full(false),
	" ": () => change({ view: state.view === "after" ? "before" : "after" }), PageUp: () => turn(-1), PageDown: () => turn(1),
};
$("view").addEventListener("keydown", event => {
	const { key, target } = event;
	if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, key)) return;
	if (key.startsWith("Page") && current.pages === 1) return;
	if (target.matches("select") || target.matches("input") && key.startsWith("Arrow") || target.matches("button, summary") && key === " ") return;
	event.preventDefault();
	actions[key]();
});
$("view").addEventListener("click", event => {
	const button = event.target.closest("button");
	if (!button) return;
	if (button.dataset.view) show(button.dataset.view)();
	else actions[button.dataset.do]?.();
});
against.addEventListener("input", () => {
	change({});
	preview();
});
$("split").addEventListener("input", event => change({ split: event.target.value / 100 }));
new ResizeObserver(() => change({})).observe(canvas);
