"use strict";
// One canvas shows all views. A picture has so many pixels, and covers so much (w, h) of
// the scene, whose unit is a pixel of the largest picture.
(() => {
	const { scene, pictures } = JSON.parse(document.getElementById("data").textContent);
	const $ = id => document.getElementById(id);
	const images = [...document.querySelectorAll("#pictures img")];
	const canvas = $("canvas"), ctx = canvas.getContext("2d");
	const views = ["slider", "one", "diff"], mostZoom = 64, mostGain = 7;
	const clamp = (v, lo, hi) => Math.min(Math.max(v, lo), hi);

	// What is shown. zoom is pixels of the screen for one of the scene, 0 means that all
	// of it fits; x, y is the place in the scene at the middle; gain is a power of two.
	const start = { view: "slider", a: 0, b: 1, show: 0, zoom: 0, x: scene.w / 2, y: scene.h / 2, split: 0.5, gain: 3 };
	const state = { ...start };

	// The state is kept behind the # of the address, with pictures from 1 and the gain as
	// it is; what is missing there is as at the start.
	function read() {
		const hash = new URLSearchParams(location.hash.slice(1));
		const number = (name, lo, hi, fallback) => {
			const v = parseFloat(hash.get(name));
			return Number.isFinite(v) ? clamp(v, lo, hi) : fallback;
		};
		const picture = name => Math.round(number(name, 1, pictures.length, start[name] + 1)) - 1;
		Object.assign(state, {
			view: views.includes(hash.get("view")) ? hash.get("view") : start.view,
			a: picture("a"), b: picture("b"), show: picture("show"),
			zoom: number("zoom", 0, mostZoom, 0), x: number("x", 0, scene.w, start.x), y: number("y", 0, scene.h, start.y),
			split: number("split", 0, 1, start.split), gain: Math.round(Math.log2(number("gain", 1, 2 ** mostGain, 2 ** start.gain))),
		});
	}

	function written() {
		const short = v => String(Math.round(v * 1000) / 1000);
		const parts = ["view=" + state.view];
		if (state.view === "one") parts.push("show=" + (state.show + 1));
		parts.push("a=" + (state.a + 1), "b=" + (state.b + 1));
		if (state.view === "slider") parts.push("split=" + short(state.split));
		if (state.view === "diff") parts.push("gain=" + 2 ** state.gain);
		if (state.zoom) parts.push("zoom=" + short(state.zoom), "x=" + short(state.x), "y=" + short(state.y));
		return parts.join("&");
	}

	let keeping = 0; // browsers allow only so many changes of the address
	function keep(text) {
		clearTimeout(keeping);
		keeping = setTimeout(() => {
			if (location.hash.slice(1) === text) return;
			try { history.replaceState(null, "", "#" + text); } catch { /* not from every place */ }
		}, 250);
	}

	function fitting() {
		const all = Math.min(canvas.width / scene.w, canvas.height / scene.h, mostZoom);
		return all > 1 ? Math.floor(all) : all; // whole pixels where they are enlarged
	}
	const zoom = () => state.zoom || fitting();

	// change sets parts of the state and draws it.
	let waiting = false;
	function change(parts) {
		Object.assign(state, parts);
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => { waiting = false; draw(); });
	}

	// zoomTo zooms so that the point px, py of the canvas stays where it is.
	function zoomTo(wanted, px = canvas.width / 2, py = canvas.height / 2) {
		const from = zoom(), to = clamp(wanted, Math.min(fitting(), 1) / 2, mostZoom);
		const dx = px - canvas.width / 2, dy = py - canvas.height / 2;
		const { x, y } = state.zoom ? state : start;
		change({ zoom: to, ...inside(x + dx / from - dx / to, y + dy / from - dy / to) });
	}
	const inside = (x, y) => ({ x: clamp(x, 0, scene.w), y: clamp(y, 0, scene.h) });

	// step zooms to the next power of two.
	function step(by) {
		const power = Math.log2(zoom());
		zoomTo(2 ** (by > 0 ? Math.floor(power + 1e-6) + 1 : Math.ceil(power - 1e-6) - 1));
	}

	function move(dx, dy) {
		const from = state.zoom ? state : start;
		change({ zoom: zoom(), ...inside(from.x - dx / zoom(), from.y - dy / zoom()) });
	}

	const checks = (() => {
		const c = document.createElement("canvas"), g = c.getContext("2d");
		c.width = c.height = 16;
		g.fillStyle = "#fff";
		g.fillRect(0, 0, 16, 16);
		g.fillStyle = "#ccc";
		g.fillRect(0, 0, 8, 8);
		g.fillRect(8, 8, 8, 8);
		return ctx.createPattern(c, "repeat");
	})();

	// layer draws source, which covers w×h of the scene, where it is seen.
	function layer(source, sw, sh, w, h) {
		const z = zoom(), { x, y } = state.zoom ? state : start;
		const left = Math.round(canvas.width / 2 - x * z), top = Math.round(canvas.height / 2 - y * z);
		const kx = w / sw * z, ky = h / sh * z; // of the screen for a pixel
		const x0 = Math.max(0, Math.floor(-left / kx)), x1 = Math.min(sw, Math.ceil((canvas.width - left) / kx));
		const y0 = Math.max(0, Math.floor(-top / ky)), y1 = Math.min(sh, Math.ceil((canvas.height - top) / ky));
		if (x1 <= x0 || y1 <= y0) return;
		ctx.imageSmoothingEnabled = kx < 2 && Math.abs(kx - 1) > 1e-3;
		ctx.imageSmoothingQuality = "high";
		ctx.fillStyle = checks;
		ctx.fillRect(left, top, Math.round(w * z), Math.round(h * z));
		const [u0, u1] = [x0, x1].map(x => Math.round(left + x * kx)), [v0, v1] = [y0, y1].map(y => Math.round(top + y * ky));
		ctx.drawImage(source, x0, y0, x1 - x0, y1 - y0, u0, v0, u1 - u0, v1 - v0);
	}
	const picture = i => layer(images[i], images[i].naturalWidth, images[i].naturalHeight, pictures[i].w, pictures[i].h);

	// difference returns |A − B| × gain as a picture of the scene, made band by band, of
	// what the two look like over grey, the smaller one with its pixels repeated.
	let made = { key: "", canvas: document.createElement("canvas") };
	function difference() {
		const { a, b, gain } = state, key = [a, b, gain].join();
		if (made.key === key) return made.canvas;
		const w = Math.min(pictures[a].w, pictures[b].w), h = Math.min(pictures[a].h, pictures[b].h), rows = 128;
		made.canvas.width = w;
		made.canvas.height = h;
		const to = made.canvas.getContext("2d"), band = document.createElement("canvas");
		band.width = w;
		band.height = rows;
		const g = band.getContext("2d", { willReadFrequently: true });
		const pixels = (i, y, n) => {
			g.fillStyle = "#808080";
			g.fillRect(0, 0, w, rows);
			g.imageSmoothingEnabled = false;
			g.drawImage(images[i], 0, -y, pictures[i].w, pictures[i].h);
			return g.getImageData(0, 0, w, n);
		};
		for (let y = 0; y < h; y += rows) {
			const n = Math.min(rows, h - y), p = pixels(a, y, n), q = pixels(b, y, n).data;
			for (let k = 0; k < q.length; k++) {
				p.data[k] = k % 4 === 3 ? 255 : Math.abs(p.data[k] - q[k]) << gain;
			}
			to.putImageData(p, 0, y);
		}
		made.key = key;
		return made.canvas;
	}

	function divider() {
		const at = Math.round(state.split * canvas.width), r = devicePixelRatio;
		ctx.fillStyle = "rgba(0, 0, 0, .5)";
		ctx.fillRect(at - 2 * r, 0, 4 * r, canvas.height);
		ctx.fillStyle = "#fff";
		ctx.fillRect(at - r, 0, 2 * r, canvas.height);
		ctx.beginPath();
		ctx.arc(at, canvas.height / 2, 13 * r, 0, 7);
		ctx.fill();
		ctx.fillStyle = "#333";
		for (const side of [-1, 1]) {
			ctx.beginPath();
			ctx.moveTo(at + side * 9 * r, canvas.height / 2);
			ctx.lineTo(at + side * 3 * r, canvas.height / 2 - 5 * r);
			ctx.lineTo(at + side * 3 * r, canvas.height / 2 + 5 * r);
			ctx.fill();
		}
	}

	function draw() {
		const w = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)), h = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
		if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
		ctx.clearRect(0, 0, w, h);
		const { view, a, b, show } = state, name = i => `${i + 1} ${pictures[i].name}`;
		switch (view) {
		case "one":
			picture(show);
			break;
		case "diff": {
			const d = difference();
			layer(d, d.width, d.height, d.width, d.height);
			break;
		}
		case "slider":
			picture(a);
			ctx.save();
			ctx.beginPath();
			ctx.rect(Math.round(state.split * w), 0, w, h);
			ctx.clip();
			ctx.clearRect(0, 0, w, h);
			picture(b);
			ctx.restore();
			divider();
		}
		const text = { one: name(show), slider: `left A: ${name(a)}, right B: ${name(b)}`, diff: `|A − B| × ${2 ** state.gain}, A: ${name(a)}, B: ${name(b)}` }[view];
		const percent = `${Math.round(zoom() * 1000) / 10} %`;
		$("status").textContent = `${text}; zoom ${percent}`;
		canvas.setAttribute("aria-label", text);
		$("left").textContent = { one: name(show), slider: "A: " + name(a), diff: `|A − B| × ${2 ** state.gain}` }[view];
		$("right").textContent = view === "slider" ? "B: " + name(b) : "";
		for (const button of document.querySelectorAll("button[data-view], button[data-show]")) {
			const on = button.dataset.view ? button.dataset.view === view : view === "one" && +button.dataset.show === show;
			button.setAttribute("aria-pressed", on);
		}
		for (const label of document.querySelectorAll("[data-for]")) label.classList.toggle("off", label.dataset.for !== view);
		$("a").value = a;
		$("b").value = b;
		$("split").value = 100 * state.split;
		$("gain").value = state.gain;
		$("gain").setAttribute("aria-valuetext", "times " + 2 ** state.gain);
		$("times").textContent = "×" + 2 ** state.gain;
		const hash = written();
		document.body.dataset.state = hash;
		keep(hash);
	}

	const flicker = () => change({ view: "one", show: state.view === "one" && state.show === state.b ? state.a : state.b });
	const actions = {
		" ": flicker, s: () => change({ view: "slider" }), d: () => change({ view: "diff" }), x: () => change({ a: state.b, b: state.a }),
		",": () => change({ view: "slider", split: clamp(state.split - 0.02, 0, 1) }), ".": () => change({ view: "slider", split: clamp(state.split + 0.02, 0, 1) }),
		"[": () => change({ gain: Math.max(state.gain - 1, 0) }), "]": () => change({ gain: Math.min(state.gain + 1, mostGain) }),
		"+": () => step(1), "=": () => step(1), "-": () => step(-1), 0: () => zoomTo(1), f: () => change({ zoom: 0 }),
		ArrowLeft: () => move(64, 0), ArrowRight: () => move(-64, 0), ArrowUp: () => move(0, 64), ArrowDown: () => move(0, -64),
	};
	pictures.forEach((_, i) => { actions[i + 1] = () => change({ view: "one", show: i }); });

	addEventListener("keydown", event => {
		const { key, target } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, key)) return;
		if (target.matches("select") || target.matches("input") && key.startsWith("Arrow") || target.matches("button") && key === " ") return;
		event.preventDefault();
		actions[key]();
	});
	addEventListener("click", event => {
		const button = event.target.closest("button");
		if (!button) return;
		const { view, show } = button.dataset;
		if (view) change({ view });
		else if (show) change({ view: "one", show: +show });
		else ({ flicker, out: () => step(-1), in: () => step(1), fit: actions.f, whole: actions[0] })[button.id]();
		if (event.detail) canvas.focus({ preventScroll: true }); // by a pointer: the space bar is free again
	});
	for (const id of ["a", "b"]) {
		$(id).addEventListener("change", event => change({ [id]: +event.target.value, ...(state.view === "one" && { view: "slider" }) }));
	}
	$("split").addEventListener("input", event => change({ split: event.target.value / 100 }));
	$("gain").addEventListener("input", event => change({ gain: +event.target.value }));

	canvas.addEventListener("wheel", event => {
		event.preventDefault();
		const lines = event.deltaMode ? 30 : 1;
		zoomTo(zoom() * 2 ** clamp(-event.deltaY * lines / 200, -1, 1), event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio);
	}, { passive: false });
	let drag = null, last = null; // "split" or "move", and from where
	const onDivider = event => state.view === "slider" && Math.abs(event.offsetX - state.split * canvas.clientWidth) < 16;
	canvas.addEventListener("pointerdown", event => {
		drag = onDivider(event) ? "split" : "move";
		last = event;
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		canvas.style.cursor = drag === "move" ? "grabbing" : drag || onDivider(event) ? "ew-resize" : "";
		if (drag === "split") change({ split: clamp(event.offsetX / canvas.clientWidth, 0, 1) });
		if (drag === "move") move((event.offsetX - last.offsetX) * devicePixelRatio, (event.offsetY - last.offsetY) * devicePixelRatio);
		last = event;
	});
	for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { drag = null; });

	$("pictures").hidden = true; // without a script they are seen as they are
	addEventListener("load", () => {
		if (images.some(image => !image.naturalWidth)) {
			$("status").textContent = "This browser cannot show a picture of the page.";
			return;
		}
		read();
		addEventListener("hashchange", () => { read(); change({}); });
		new ResizeObserver(() => change({})).observe(canvas);
		draw();
	});
})();
