// The calls of the server. A call fails with Refused, when the server says why; with Gone,
// when there is no answer; with Moved, when there is a server that does not know the
// address of this page; or as fetch does when its signal says that it is no longer wanted.

import { t } from "./language.js";

// Where there is no server, workers of the browser answer.
const { local } = JSON.parse(document.getElementById("settings").textContent);
const { fetch, EventSource } = local ? await import("./local.js") : globalThis;

export class Refused extends Error {
	constructor(message, exit, wait) {
		super(message);
		Object.assign(this, { exit, wait }); // wait: seconds after which to ask again; 0: never
	}
}
export class Gone extends Error {}
export class Moved extends Error {}

async function call(path, init) {
	let answer;
	try {
		answer = await fetch(path, { cache: "no-store", redirect: "error", ...init });
	} catch (problem) {
		if (init.signal?.aborted) throw problem;
		throw new Gone(t("the server does not answer"));
	}
	if (answer.ok) return answer;
	if ([401, 403, 404].includes(answer.status)) throw new Moved(t("the address of this page is no longer known"));
	const text = await answer.text().catch(() => "");
	let said = {};
	try { said = JSON.parse(text); } catch { /* not by the server itself */ }
	const again = [429, 503].includes(answer.status);
	throw new Refused(said.error || text.trim().slice(0, 300) || t("the server answers {1}", answer.status), said.exit, again ? Math.max(1, +answer.headers.get("Retry-After") || 2) : 0);
}

// read takes the body of an answer, which may end before it is whole.
async function read(answer, how, signal) {
	try {
		return await answer[how]();
	} catch (problem) {
		if (signal?.aborted) throw problem;
		throw new Gone(t("the answer was cut off"));
	}
}

const post = (path, params, body, signal) => call(`${path}?${params}`, { method: "POST", body, signal });

// upscale returns a picture enlarged: blob, the file; info, what the server tells of it;
// name, what the server would call it.
export async function upscale(params, file, signal) {
	const answer = await post("v1/upscale", params, file, signal);
	let info = {};
	try { info = JSON.parse(answer.headers.get("Superres-Result") || "{}"); } catch { /* then without */ }
	return { blob: await read(answer, "blob", signal), info, name: fileName(answer.headers.get("Content-Disposition") || "") };
}

// fileName is the name in a Content-Disposition, by RFC 6266; undefined: there is none.
function fileName(text) {
	const encoded = /filename\*=utf-8''([^;\s]+)/i.exec(text), plain = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	return encoded ? decodeURIComponent(encoded[1]) : plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2];
}

// inspect returns what the server would do with a picture.
export async function inspect(params, file, signal) {
	return read(await post("v1/inspect", params, file, signal), "json", signal);
}

// follow hands over what the server tells of the call of an id, and returns how to stop it.
export function follow(id, tell) {
	const source = new EventSource("v1/events?id=" + encodeURIComponent(id));
	source.addEventListener("message", ({ data }) => {
		try { tell(JSON.parse(data)); } catch { /* a later one may be readable */ }
	});
	return () => source.close();
}

// given returns the file number n of those that the command line gave the page.
export const given = async n => read(await call(`v1/given?n=${n}`, {}), "blob");

// stay tells the server that the page is open, until it is closed.
export function stay() {
	new EventSource("v1/window").addEventListener("error", () => connection.lost());
}

// newID is an id that no other page has, also where the page is no secure context.
export const newID = () => [...crypto.getRandomValues(new Uint8Array(12))].map(v => v.toString(16).padStart(2, "0")).join("");

// The connection: lost after a call without an answer until the server is there again, which
// is asked for after 1, 2, 4, 8 and then every 10 seconds, and when the page is looked at.
// state is "here", "gone" or "moved"; watch has a function called when it changes.
export const connection = { state: "here", watch: () => {}, lost, moved: () => become("moved") };

function become(state) {
	if (connection.state === state) return;
	connection.state = state;
	connection.watch(state);
}

let timer = 0, pause = 1;
function lost() {
	if (connection.state !== "here") return;
	become("gone");
	pause = 1;
	ask();
}
async function ask() {
	clearTimeout(timer);
	try {
		await call("page.css", { method: "HEAD" });
		become("here");
	} catch (problem) {
		become(problem instanceof Moved ? "moved" : "gone");
		pause = Math.min(pause * 2, 10);
		timer = setTimeout(ask, pause * 500);
	}
}
addEventListener("online", () => { if (connection.state !== "here") ask(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && connection.state !== "here") ask(); });

// failed tells what becomes of a call that failed: "again", once the server is there or has
// room, or "" when its words are for people to read.
export function failed(problem) {
	if (problem instanceof Gone) connection.lost();
	else if (problem instanceof Moved) connection.moved();
	else return problem.wait ? "again" : "";
	return "again";
}
