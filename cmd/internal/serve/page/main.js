// The page: what is added, chosen and saved, and what is said about it.
import * as api from "./api.js";
import * as files from "./files.js";
import { t } from "./language.js";
import * as list from "./list.js";
import { makeQueue } from "./queue.js";
import * as settings from "./settings.js";
import { sizeOf } from "./sizes.js";
import * as view from "./view.js";
import * as words from "./words.js";
import { zip } from "./zip.js";

const $ = id => document.getElementById(id);
const server = JSON.parse($("settings").textContent);
const pictures = [];
let next = 1, undo = null;

const queue = makeQueue({
	pictures, key: settings.key, chosen: view.chosen, changed: () => update(),
	finished: p => {
		const state = queue.stateOf(p), left = pictures.filter(q => ["waiting", "working"].includes(queue.stateOf(q))).length;
		if (state === "done") say(left ? t("{1} is done, {2} left.", p.name, left) : t("{1} is done, nothing left.", p.name));
		if (state === "failed") say(t("{1} failed.", p.name));
	},
});
view.use(queue);

// say has a screen reader say a few words.
function say(text) { $("status").textContent = text; }

const sizeAfter = p => {
	if (p.result && queue.stateOf(p) === "done" && p.result.info.width) return { w: p.result.info.width, h: p.result.info.height };
	return p.size ? sizeOf(settings.params(), p.size.w, p.size.h) : null;
};

// update brings the page up to date, once for all that has changed, and in less than a tenth
// of the time where there are many pictures.
let updating = false, cost = 5; // ms
function update() {
	if (updating) return;
	updating = true;
	setTimeout(() => {
		const began = performance.now();
		updating = false;
		show();
		cost = performance.now() - began;
	}, Math.min(Math.max(10 * cost, 50), 1000));
}

function show() {
	const p = leave(), results = pictures.filter(q => q.result);
	document.body.classList.toggle("empty", !pictures.length);
	const states = { working: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 };
	let place = 0, share = 0;
	for (const q of pictures) {
		const state = queue.stateOf(q);
		states[state]++;
		q.place = state === "waiting" ? ++place : 0;
		share += ["working", "waiting"].includes(state) ? q.work?.share ?? 0 : 1;
		list.showRow(q, { state, to: sizeAfter(q), chosen: q === p, paused: queue.paused });
	}
	const busy = states.working + states.waiting, left = busy && !queue.paused ? queue.left(sizeAfter) : null;
	$("totalBar").value = pictures.length ? share / pictures.length : 0;
	$("totalText").textContent = [
		t("{1} of {2} done", states.done, pictures.length), states.failed && t("{1} failed", states.failed), states.cancelled && t("{1} cancelled", states.cancelled),
		busy && queue.paused && t("paused"), left !== null && words.left(left),
	].filter(Boolean).join(", ");
	$("pause").textContent = queue.paused ? t("Go on") : t("Pause");
	$("pause").disabled = !busy && !queue.paused;
	$("savePart").hidden = !pictures.length;
	$("save").disabled = !p?.result;
	$("save").title = p?.result ? nameOf(p) : "";
	$("saveAll").textContent = t("Save all {1} as ZIP", results.length);
	$("saveAll").hidden = results.length < 2;
	$("saveAll").disabled = saving;
	$("clear").disabled = !pictures.length;
	document.title = busy ? `${Math.round(100 * share / pictures.length)} % - superres` : "superres";
	view.refresh();
	$("facts").textContent = words.facts(p?.found);
	$("truthPart").hidden = !p;
}

// leave has a picture that failed leave the stage to the next that did not, or the one before,
// unless it was chosen by hand or has a result of other settings, and returns the picture on the stage.
function leave() {
	const p = view.chosen(), failed = q => queue.stateOf(q) === "failed";
	if (!p || p.picked || p.result || !failed(p)) return p;
	const at = pictures.indexOf(p), next = pictures.slice(at).find(q => !failed(q)) ?? pictures.slice(0, at).findLast(q => !failed(q));
	if (next) view.choose(next).then(update);
	return next ?? p;
}

const phone = matchMedia("(max-width: 860px)");

// add puts pictures into the list, and shows the first if none is shown.
function add(found, others) {
	const first = found.length && !pictures.length;
	const large = found.filter(({ file }) => server.max_bytes && file.size > server.max_bytes);
	for (const { file, folder } of found) {
		const p = { id: next++, file, folder, name: folder + file.name, size: null, found: null, work: null, result: null, failed: null, cancelled: false, cuts: 0, saved: false, stand: null };
		if (large.some(l => l.file === file)) p.failed = { exit: 4, text: t("{1} are too much, at most {2} are read", words.size(file.size), words.size(server.max_bytes)) };
		pictures.push(p);
		list.makeRow(p, rowActions);
		if (!p.failed) list.drawThumb(p, update);
	}
	const not = others === 1 ? t("1 file left out that is no picture by name.") : t("{1} files left out that are no pictures by name.", others);
	say((found.length === 1 ? t("1 picture added.") : t("{1} pictures added.", found.length)) + (others ? ` ${not}` : ""));
	if (!found.length && !others) tell(t("There is no picture in it."));
	if (others) tell(not);
	if (!view.chosen() && found.length) choose(pictures.at(-found.length));
	if (first && phone.matches) $("folded").open = false; // so that the picture is seen
	const lost = document.activeElement.matches("body, #chooseHere");
	show();
	if (first && lost) pictures[0].row.querySelector(".pick").focus({ preventScroll: true });
	inspect();
	queue.go();
}

// addGiven adds the pictures that the command line gave.
async function addGiven() {
	for (const [i, { name, folder }] of (server.given ?? []).entries()) {
		try {
			const blob = await api.given(i);
			add([{ file: new File([blob], name, { type: blob.type }), folder }], 0);
		} catch (problem) {
			tell(`${name}: ${problem.message}`);
		}
	}
}

function choose(p) {
	const scroll = p && view.chosen() && phone.matches;
	view.choose(p).then(update);
	if (scroll) $("view").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
	update();
}

// inspect asks the server about the pictures that wait, one after the other.
let inspecting = false;
async function inspect() {
	if (inspecting) return;
	inspecting = true;
	for (;;) {
		const p = pictures.find(q => !q.looked && queue.stateOf(q) === "waiting");
		if (!p || api.connection.state !== "here") break;
		p.looked = true;
		try {
			const params = settings.params();
			params.set("name", p.file.name);
			const plan = await api.inspect(params, p.file);
			plan.sought = params.get("denoise") === "auto";
			p.size = { w: plan.input_width, h: plan.input_height };
			if (queue.stateOf(p) === "waiting") p.found = plan;
			else p.found ??= plan;
		} catch (problem) {
			const again = api.failed(problem);
			p.looked = !again;
			if (problem.wait) await new Promise(done => setTimeout(done, problem.wait * 1000));
			if (!again && problem.exit === 4 && queue.stateOf(p) === "waiting") p.failed = { exit: 4, text: problem.message };
		}
		update();
	}
	inspecting = false;
}

// remove takes pictures out, and keeps them for undo.
function remove(some) {
	const shown = view.chosen(), at = pictures.indexOf(shown), all = [...pictures];
	for (const p of some) {
		queue.stop(p);
		list.removeRow(p);
	}
	pictures.splice(0, pictures.length, ...pictures.filter(p => !some.includes(p)));
	if (some.includes(shown)) choose(all.slice(at).find(p => !some.includes(p)) ?? pictures.at(-1) ?? null);
	const text = some.length === 1 ? t("{1} is removed.", some[0].name) : t("{1} pictures removed.", some.length);
	tell(text, () => {
		pictures.splice(0, pictures.length, ...all.filter(p => some.includes(p) || pictures.includes(p)), ...pictures.filter(p => !all.includes(p)));
		for (const p of pictures) $("list").append(p.row);
		if (!view.chosen()) choose(pictures[0]);
		queue.go();
		$("list").querySelector(".pick").focus();
	});
	say(text);
	update();
}

// tell shows a line above the list, for a time, with what undoes it.
let telling = 0;
function tell(text, back = null) {
	undo = back;
	$("noticeText").textContent = text;
	$("undo").hidden = !back;
	$("notice").hidden = false;
	clearTimeout(telling);
	telling = setTimeout(forget, 20000);
}
function forget() { // and what undo would bring back
	if ($("notice").contains(document.activeElement) && document.hasFocus()) {
		telling = setTimeout(forget, 20000);
		return;
	}
	$("notice").hidden = true;
	undo = null;
}
$("undo").addEventListener("click", () => {
	$("notice").hidden = true;
	undo?.();
	undo = null;
	show();
});

function save(blob, name) {
	const link = document.createElement("a");
	link.download = name;
	link.href = URL.createObjectURL(blob);
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function saveOne(p) {
	save(p.result.blob, nameOf(p));
	p.saved = true;
}

const ends = { "image/png": "png", "image/jpeg": "jpg", "image/tiff": "tif", "image/bmp": "bmp" };
const nameOf = p => p.result.name ?? `${p.file.name.replace(/\.[^.]*$/, "")}_large.${ends[p.result.blob.type] ?? "png"}`;

let saving = false;
async function saveAll() {
	const some = pictures.filter(p => p.result);
	saving = true;
	update();
	try {
		save(await zip(some.map(p => ({ name: p.folder + nameOf(p), blob: p.result.blob, time: new Date() }))), "superres.zip");
		for (const p of some) p.saved = true;
		say(t("The ZIP file is saved."));
	} catch (problem) {
		tell(t("The ZIP file could not be made: {1}. Save the pictures one by one.", problem.message));
	}
	saving = false;
	update();
}

const rowActions = {
	pick: p => { p.picked = true; choose(p); },
	cancel: p => { queue.cancel(p); say(t("{1} is cancelled.", p.name)); },
	again: p => queue.again(p),
	save: saveOne,
	remove: p => remove([p]),
};

$("chooseTruth").addEventListener("click", () => $("truthFile").click());
$("pause").addEventListener("click", () => { queue.pause(!queue.paused); update(); });
$("save").addEventListener("click", () => saveOne(view.chosen()));
$("saveAll").addEventListener("click", saveAll);
$("clear").addEventListener("click", () => { remove([...pictures]); $("undo").focus(); });

files.watch({
	add, named: () => view.chosen()?.name ?? "",
	truth: file => {
		view.chosen().truth = file;
		update();
	},
});

// Settings that change: first what is seen, then all.
let changes = 0;
settings.watch(async () => {
	queue.hold();
	queue.restart();
	for (const p of pictures) p.looked = false;
	show();
	const mine = ++changes;
	await Promise.race([view.preview(), new Promise(done => setTimeout(done, 20000))]);
	if (mine === changes) {
		queue.release();
		inspect();
	}
	update();
});

api.connection.watch = state => {
	const place = $("trouble");
	place.hidden = state === "here";
	if (state === "gone") place.textContent = server.local ? t("superres.wasm cannot be loaded. All is kept here, and goes on when it can.") : server.window ? t("The program does not answer, or has ended. What is done can still be saved here.") : t("The server does not answer. All is kept here, and goes on when it is back; if it was stopped, start superres serve again.");
	if (state === "moved") place.textContent = t("The server was started again under a new address: open the page from the line it has printed. What is done can still be saved here.");
	say(state === "here" ? t("The server is back.") : "");
	if (state === "here") {
		queue.go();
		inspect();
		view.preview();
	}
	update();
};

addEventListener("beforeunload", event => {
	if (pictures.some(p => p.result && !p.saved || ["working", "waiting"].includes(queue.stateOf(p)))) event.preventDefault();
});

const here = /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);
$("about").textContent = server.local ? t("enlarges pictures in this browser; they go nowhere else") : here ? t("enlarges pictures on this computer; they go nowhere else") : t("enlarges pictures on {1}; they go nowhere else", location.hostname);
$("about").title = `superres ${server.version ?? ""}`;
if (phone.matches) $("folded").open = false;
if (server.window) api.stay();
show();
addGiven();
document.body.dataset.ready = "yes";
