// The queue decides which pictures are enlarged when. What is wanted is that every picture
// has a result of the settings as they are; one that has not, and was not cancelled or
// refused, waits. Settings that change take those along that are done: each keeps its
// result until there is the new one, and it is not made again when they are changed back.
import * as api from "./api.js";
import { t } from "./language.js";

const mostAtOnce = 2, mostCuts = 3;

// makeQueue makes a queue of a list of pictures. chosen gives the one that is looked at, it
// comes first; key gives the settings as a text; changed is called when something about a picture
// has changed, finished when its work is at an end.
export function makeQueue({ pictures, chosen, key, changed, finished }) {
	const running = new Map(); // picture → what stops it
	let paused = false, held = false, retry = 0, resting = false;
	const pace = { pixels: 0, seconds: 0 }; // of what was enlarged with these settings

	// stateOf is what is with a picture: working, done, failed, cancelled or waiting.
	function stateOf(p) {
		if (running.has(p)) return "working";
		if (p.result?.key === key()) return "done";
		if (p.failed && (p.failed.key === key() || p.failed.exit === 4)) return "failed";
		return p.cancelled ? "cancelled" : "waiting";
	}

	const waiting = () => {
		const list = pictures.filter(p => stateOf(p) === "waiting"), i = list.indexOf(chosen());
		if (i > 0) list.unshift(...list.splice(i, 1));
		return list;
	};

	function go() {
		if (paused || held || resting || api.connection.state !== "here") return;
		for (const p of waiting().slice(0, mostAtOnce - running.size)) run(p);
	}

	// rest waits until the server has room.
	function rest(seconds) {
		clearTimeout(retry);
		resting = true;
		retry = setTimeout(() => { resting = false; go(); }, seconds * 1000);
	}

	async function run(p) {
		const stop = new AbortController(), made = key(), id = api.newID(), began = performance.now();
		running.set(p, stop);
		p.failed = null;
		p.work = { share: 0, left: null, place: 0, began };
		changed(p);
		const parameters = new URLSearchParams(made);
		parameters.set("id", id);
		parameters.set("name", p.file.name);
		const call = api.upscale(parameters, p.file, stop.signal);
		// After the call: browsers have few connections to a server, and the calls come first.
		const unfollow = api.follow(id, event => {
			if (running.get(p) !== stop) return;
			if (event.event === "queued") p.work.place = event.place ?? 0;
			if (event.event === "progress") Object.assign(p.work, { place: 0, share: event.share ?? 0, left: event.seconds_left ?? null });
			changed(p);
		});
		try {
			const { blob, info, name } = await call, seconds = (performance.now() - began) / 1000;
			p.result = { key: made, blob, info, name, seconds: info.seconds ?? seconds };
			p.cuts = 0;
			p.saved = false;
			if (info.input_width) p.size = { w: info.input_width, h: info.input_height };
			if (info.model) p.found = { ...info, sought: parameters.get("denoise") === "auto" };
			if (info.width && made === key()) {
				pace.pixels += info.width * info.height;
				pace.seconds += seconds;
			}
		} catch (problem) {
			if (stop.signal.aborted) { /* somebody knows why */ } else if (!api.failed(problem)) {
				p.failed = { key: made, exit: problem.exit, text: problem.message };
			} else if (problem.wait) {
				rest(problem.wait);
			} else if (problem instanceof api.Gone && ++p.cuts >= mostCuts) { // then it is the picture
				p.failed = { key: made, text: t("the connection was cut {1} times while this picture was in work; try it again, or with a smaller size", mostCuts) };
				p.cuts = 0;
			}
		} finally {
			unfollow();
			running.delete(p);
			p.work = null;
			changed(p);
			if (!stop.signal.aborted) finished(p);
			go();
		}
	}

	// left is how many seconds all that waits is likely to take; null: nobody knows.
	function left(sizeOf) {
		const rate = pace.seconds > 0 ? pace.pixels / pace.seconds : 0;
		let seconds = 0;
		for (const p of pictures) {
			const state = stateOf(p);
			if (state === "working" && p.work.left !== null) seconds += p.work.left;
			else if (state === "working" || state === "waiting") {
				const to = sizeOf(p);
				if (!rate || !to) return null;
				seconds += to.w * to.h * (1 - (p.work?.share ?? 0)) / rate;
			}
		}
		return seconds / Math.min(mostAtOnce, Math.max(1, running.size));
	}

	return {
		stateOf, go, left,
		get paused() { return paused; },
		pause(yes) {
			paused = yes;
			go();
		},
		// hold keeps new work back until release, for something that is waited for.
		hold() { held = true; },
		release() {
			held = false;
			go();
		},
		// restart stops what was begun with other settings.
		restart() {
			pace.pixels = pace.seconds = 0;
			for (const stop of running.values()) stop.abort();
		},
		stop(p) { running.get(p)?.abort(); },
		cancel(p) {
			p.cancelled = true;
			running.get(p)?.abort();
			changed(p);
		},
		again(p) {
			p.cancelled = false;
			p.failed = null;
			changed(p);
			go();
		},
	};
}
