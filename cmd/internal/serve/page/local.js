// The calls of the page without a server: workers of the browser, each with a superres.wasm of its own, answer them.
// fetch and EventSource are what api.js uses of those of the browser.
import { t } from "./language.js";

const memory = navigator.deviceMemory ?? 8; // GiB, as far as the browser says
const most = memory < 4 ? 1 : Math.min(Math.max((navigator.hardwareConcurrency ?? 2) - 1, 2), 3);
const grown = 768 << 20; // bytes; WebAssembly gives no memory back, so a worker with more is ended
const patience = 2000; // ms that a worker has to stop what is no longer wanted

// load gets the program, and shows how much of it is there.
let loading = null;
function load() {
	loading ??= compile().catch(problem => {
		loading = null; // to be tried again
		throw problem;
	});
	return loading;
}

async function compile() {
	const about = document.getElementById("about"), answer = await globalThis.fetch("superres.wasm");
	if (!answer.ok) throw new Error(`superres.wasm: ${answer.status}`);
	const words = about.textContent, copy = answer.clone();
	const counted = count(answer.body, bytes => { about.textContent = t("superres is loaded, {1} MB so far", (bytes / 1e6).toFixed(1)); });
	try {
		// Browsers keep what they compile of an answer, but only of one with the type of WebAssembly.
		const streams = copy.headers.get("Content-Type") === "application/wasm";
		return streams ? await WebAssembly.compileStreaming(copy) : await WebAssembly.compile(await copy.arrayBuffer());
	} finally {
		await counted;
		about.textContent = words;
	}
}

async function count(stream, tell) {
	let bytes = 0;
	try {
		for (const reader = stream.getReader();;) {
			const { done, value } = await reader.read();
			if (done) return;
			tell(bytes += value.length);
		}
	} catch { /* the other copy tells */ }
}

const workers = [], waiting = [];

// acquire returns an idle worker, or a new one where fewer than most are there, once it is the call's turn. What is
// looked at comes first.
function acquire(first, signal) {
	return new Promise((done, fail) => {
		const call = { done, fail };
		if (first) waiting.unshift(call);
		else waiting.push(call);
		signal?.addEventListener("abort", () => {
			const i = waiting.indexOf(call);
			if (i >= 0) waiting.splice(i, 1);
			fail(signal.reason);
		});
		next();
	});
}

function next() {
	while (waiting.length) {
		let w = workers.find(w => !w.busy);
		if (!w && workers.length < most) workers.push(w = { busy: false, worker: null });
		if (!w) return;
		w.busy = true;
		waiting.shift().done(w);
	}
}

function release(w, reusable) {
	if (!reusable) {
		w.worker?.terminate();
		w.worker = null;
	}
	w.busy = false;
	next();
}

// work has a worker do a job. tell is called with the share that is done.
async function work(job, first, signal, tell) {
	const module = await load();
	signal?.throwIfAborted();
	const w = await acquire(first, signal);
	if (!w.worker) {
		w.worker = new Worker("worker.js");
		w.worker.postMessage({ module });
	}
	return new Promise((done, fail) => {
		let over = 0;
		const end = (reusable, settle = () => {}, value) => {
			clearTimeout(over);
			w.worker.onmessage = w.worker.onerror = null;
			signal?.removeEventListener("abort", stop);
			release(w, reusable);
			settle(value);
		};
		const stop = () => {
			w.worker.postMessage({ cancel: true });
			over = setTimeout(() => end(false), patience);
			fail(signal.reason);
		};
		w.worker.onmessage = ({ data }) => {
			if ("share" in data) tell(data.share);
			else end(!data.ended && data.memory < grown, done, data);
		};
		w.worker.onerror = event => end(false, done, { failed: { error: t("the program failed: {1}", event.message), exit: 1 } });
		signal?.addEventListener("abort", stop);
		w.worker.postMessage({ job });
	});
}

const watches = new Map(); // id → EventSource

export class EventSource extends EventTarget {
	constructor(address) {
		super();
		this.id = new URL(address, location.href).searchParams.get("id");
		watches.set(this.id, this);
	}
	close() { watches.delete(this.id); }
}

export async function fetch(path, { method = "GET", body, signal } = {}) {
	const url = new URL(path, location.href), call = url.pathname.match(/\/v1\/(\w+)$/)?.[1], params = url.searchParams;
	if (!call) { // api.js asks whether the server is there again
		await load();
		return new Response(null);
	}
	const id = params.get("id"), files = [body];
	params.delete("id");
	let began = performance.now();
	const { failed, name, type, event, blob } = await work({ call, params: String(params), files }, params.has("region"), signal, share => {
		if (!share) began = performance.now();
		const left = (performance.now() - began) / 1000 * (1 - share) / Math.max(share, 1e-3);
		const data = JSON.stringify({ event: "progress", share, seconds_left: left });
		watches.get(id)?.dispatchEvent(new MessageEvent("message", { data }));
	});
	if (failed) return new Response(JSON.stringify(failed), { status: 422 });
	if (call !== "upscale") return new Response(event);
	const headers = { "Content-Type": type, "Superres-Result": escaped(event), "Content-Disposition": `attachment; filename*=utf-8''${encodeURIComponent(name)}` };
	return new Response(blob, { headers });
}

// escaped returns JSON as a header may have it.
function escaped(text) { return text.replace(/[^\0-\x7f]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`); }

load().catch(() => {}); // at once; who needs it tries again
