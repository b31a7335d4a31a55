// The list of pictures: a row for each, with what can be done with it.
import * as api from "./api.js";
import { t } from "./language.js";
import { standIn } from "./source.js";
import * as words from "./words.js";

const list = document.getElementById("list");

function make(tag, properties = {}, ...children) {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children);
	return e;
}

// makeRow makes the row of a picture. on has what its buttons do: pick, cancel, again, save
// and remove, each of the picture.
export function makeRow(p, on) {
	const button = (name, act, text = name) => {
		const b = make("button", { type: "button", textContent: text, className: act });
		b.setAttribute("aria-label", `${name} ${p.name}`);
		if (text !== name) b.title = name;
		b.addEventListener("click", () => on[act](p));
		return b;
	};
	const thumb = make("canvas", { width: 112, height: 112 });
	thumb.setAttribute("aria-hidden", "true");
	const name = make("b", { textContent: p.name, title: p.name }), sizes = make("small"), found = make("span", { className: "soft" });
	const pick = make("button", { type: "button", className: "pick" }, thumb, make("span", {}, name, sizes));
	pick.addEventListener("click", () => on.pick(p));
	const acts = { save: button(t("Save"), "save"), cancel: button(t("Cancel"), "cancel"), again: button(t("Try again"), "again"), remove: button(t("Remove"), "remove", "×") };
	const bar = make("progress", { max: 1 }), text = make("span");
	bar.setAttribute("aria-label", p.name);
	p.row = make("li", {}, pick, make("div", { className: "acts" }, ...Object.values(acts)), make("div", { className: "state" }, bar, found, text));
	p.shown = { thumb, sizes, found, pick, acts, bar, text };
	list.append(p.row);
}

// setText changes what is there only when it is another: that is drawn, and read, again.
function setText(e, text) {
	if (e.textContent !== text) e.textContent = text;
}

// showRow brings the row of a picture up to date: its state by the queue, the size that
// its result will have, and whether it is chosen.
export function showRow(p, { state, to, chosen, paused }) {
	const { sizes, found, pick, acts, bar, text } = p.shown, { work, result } = p;
	const look = state + (chosen ? " chosen" : "");
	if (p.row.className !== look) p.row.className = look;
	if (pick.ariaPressed !== String(chosen)) pick.ariaPressed = chosen;
	setText(sizes, p.size ? `${p.size.w}×${p.size.h}${to && state !== "failed" ? ` → ${to.w}×${to.h}` : ""}` : words.size(p.file.size));
	setText(found, words.found(p.found));
	found.hidden = !found.textContent;
	bar.hidden = state !== "working";
	if (work && (work.share || work.place)) bar.value = work.share;
	else bar.removeAttribute("value");
	const kept = result && state !== "done" ? `; ${t("the result of other settings is kept")}` : "";
	const time = work?.left == null ? "" : `, ${words.left(work.left)}`;
	setText(text, {
		working: work?.place ? t("Waiting for the server, place {1}", work.place) : work?.share ? `${Math.round(100 * work.share)} %${time}` : t("Being enlarged"),
		waiting: (paused ? t("Paused") : p.place ? t("Waiting, place {1}", p.place) : t("Waiting")) + kept,
		done: result ? `${t("Done in {1}", words.seconds(result.seconds))}, ${words.size(p.file.size)} → ${words.size(result.blob.size)}${(result.info.warnings ?? []).map(w => `; ${w}`).join("")}` : "",
		failed: t("Failed: {1}", p.failed?.text.replace(`${p.file.name}: `, "")) + kept,
		cancelled: t("Cancelled") + kept,
	}[state]);
	const had = Object.values(acts).includes(document.activeElement) && document.activeElement;
	acts.cancel.hidden = state !== "working" && state !== "waiting";
	acts.again.hidden = state !== "failed" && state !== "cancelled";
	acts.save.hidden = !result;
	if (had && had.hidden) Object.values(acts).find(b => !b.hidden).focus(); // not lost for the keyboard
}

// removeRow takes the row away; the keyboard goes on at the next.
export function removeRow(p) {
	const next = p.row.nextElementSibling ?? p.row.previousElementSibling;
	const had = p.row.contains(document.activeElement);
	p.row.remove();
	if (had) (next?.querySelector(".pick") ?? document.getElementById("choose")).focus();
}

// Arrows go from row to row.
list.addEventListener("keydown", event => {
	const row = event.target.closest("li"), to = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key];
	if (!to || !event.target.matches(".pick")) return;
	event.preventDefault();
	to.querySelector(".pick").focus();
});

// Thumbnails are made one after the other: a large picture takes much memory while it is
// read. What tells its size is there before that. Those of files that the browser does not read
// are made by the server, which may be busy, so that no other waits for them.
let own = Promise.resolve(), servers = Promise.resolve();
export function drawThumb(p, changed) {
	const byServer = async () => {
		if (!p.row.isConnected || p.failed || api.connection.state !== "here") return;
		p.stand = await standIn(p.file);
		await draw(p, p.stand, changed);
	};
	own = own.then(async () => {
		if (!p.row.isConnected) return;
		await draw(p, p.file, changed).catch(() => { servers = servers.then(byServer).catch(() => {}); }); // then without
	});
}

async function draw(p, source, changed) {
	const image = new Image(), url = URL.createObjectURL(source);
	try {
		await new Promise((done, fail) => Object.assign(image, { onload: done, onerror: fail, src: url }));
		p.size ??= { w: image.naturalWidth, h: image.naturalHeight };
		changed();
		const bitmap = await createImageBitmap(image, { resizeHeight: 112, resizeQuality: "medium" });
		const { thumb } = p.shown, k = Math.min(112 / bitmap.width, 1), w = bitmap.width * k, h = bitmap.height * k;
		thumb.getContext("2d").drawImage(bitmap, (112 - w) / 2, (112 - h) / 2, w, h);
		bitmap.close();
	} finally {
		URL.revokeObjectURL(url);
	}
}
