// One canvas shows all views.
(() => {
	const scene = JSON.parse(document.getElementById("data").textContent), { pictures } = scene;
	const $ = id => document.getElementById(id);
	const canvas = $("canvas"), ctx = canvas.getContext("2d");
	const views = ["slider", "one", "diff"], mostZoom = 64, mostGain = 7;
	const clamp = (v, lo, hi) => Math.min(Math.max(v, lo), hi);
	const painter = makePainter(scene);

	// What is shown. zoom is pixels of the screen for one of the scene, 0 means that all
	// of it fits; x, y is the place in the scene at the middle; gain is a power of two.
	// At the start it is a pixel for a pixel of the page where the pictures differ most, without
	// ground beside a scene that fills the canvas, and the divider goes through that place; a
	// scene that the canvas has space for is shown whole.
	const start = { view: "slider", a: 0, b: 1, show: 0, zoom: 1, x: scene.at.x, y: scene.at.y, split: 0.5, gain: 3, bicubic: false };
	const state = { ...start };

	// The state is kept behind the # of the address, with pictures from 1 and the gain as
	// it is; what is missing there is as at the start.
	function read() {
		const same = Math.max(1, Math.round(devicePixelRatio)), across = canvas.width / same, down = canvas.height / same;
		const inside = (v, size, seen) => seen >= size ? size / 2 : clamp(v, seen / 2, size - seen / 2);
		const x = inside(scene.at.x, scene.w, across), y = inside(scene.at.y, scene.h, down);
		if (fitting() >= same) Object.assign(start, { zoom: 0, x: scene.at.x, y: scene.at.y, split: 0.5 });
		else Object.assign(start, { zoom: same, x, y, split: clamp(0.5 + (scene.at.x - x) / across, 0.1, 0.9) });
		const hash = new URLSearchParams(location.hash.slice(1));
		const number = (name, lo, hi, fallback) => {
			const v = parseFloat(hash.get(name));
			return Number.isFinite(v) ? clamp(v, lo, hi) : fallback;
		};
		const picture = name => Math.round(number(name, 1, pictures.length, start[name] + 1)) - 1;
		Object.assign(state, {
			view: views.includes(hash.get("view")) ? hash.get("view") : start.view,
			a: picture("a"), b: picture("b"), show: picture("show"), bicubic: hash.get("small") === "bicubic",
			zoom: hash.get("zoom") === "fit" ? 0 : number("zoom", 0, mostZoom, start.zoom), x: number("x", 0, scene.w, start.x), y: number("y", 0, scene.h, start.y),
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
		if (state.bicubic) parts.push("small=bicubic");
		if (state.zoom) parts.push("zoom=" + short(state.zoom), "x=" + short(state.x), "y=" + short(state.y));
		else parts.push("zoom=fit");
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

	// change sets parts of the state and draws it.
	let waiting = false;
	function change(parts) {
		Object.assign(state, parts);
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => { waiting = false; draw(); });
	}

	const viewport = makeViewport(canvas, { state, change, size: () => scene, divided: () => state.view === "slider", mostZoom });
	const { resize, fitting, zoom, middle, zoomTo, step, seen, divide } = viewport, checks = viewport.checks(ctx);
	const picture = i => painter.paint(ctx, i, seen(), state.bicubic, checks);

	// difference draws |A − B| × gain of what the two look like over grey: pixel by pixel of
	// the scene before it is reduced to what the screen has room for, or else what averages
	// away would not be seen.
	const one = document.createElement("canvas"), other = document.createElement("canvas");
	function difference() {
		const { a, b, gain } = state, on = seen(), k = painter.reduces(on.zoom) ? on.zoom : 1, r = k / on.zoom;
		const w = Math.min(pictures[a].w, pictures[b].w), h = Math.min(pictures[a].h, pictures[b].h);
		const x0 = Math.max(0, Math.floor(-on.left * r)), x1 = Math.min(Math.round(w * k), Math.ceil((canvas.width - on.left) * r));
		const y0 = Math.max(0, Math.floor(-on.top * r)), y1 = Math.min(Math.round(h * k), Math.ceil((canvas.height - on.top) * r));
		if (x1 <= x0 || y1 <= y0) return;
		const part = { left: -x0, top: -y0, zoom: k, width: x1 - x0, height: y1 - y0 };
		for (const [c, i] of [[one, a], [other, b]]) {
			Object.assign(c, { width: part.width, height: part.height });
			painter.paint(c.getContext("2d"), i, part, state.bicubic, "#808080");
		}
		const g = one.getContext("2d");
		g.globalCompositeOperation = "difference";
		g.drawImage(other, 0, 0);
		g.globalCompositeOperation = "lighter"; // twice as much, up to 255
		for (let n = 0; n < gain; n++) g.drawImage(one, 0, 0);
		g.globalCompositeOperation = "source-over";
		ctx.imageSmoothingEnabled = 1 / r < 2 && Math.abs(1 / r - 1) > 1e-3;
		ctx.imageSmoothingQuality = "high";
		const [u0, u1] = [x0, x1].map(x => Math.round(on.left + x / r)), [v0, v1] = [y0, y1].map(y => Math.round(on.top + y / r));
		ctx.drawImage(one, u0, v0, u1 - u0, v1 - v0);
	}

	const name = i => `${i + 1} ${pictures[i].name}`;
	function draw() {
		resize();
		const { width: w, height: h } = canvas;
		ctx.clearRect(0, 0, w, h);
		painter.coarse = "";
		const { view, a, b, show } = state;
		switch (view) {
		case "one":
			picture(show);
			break;
		case "diff":
			difference();
			break;
		case "slider":
			divide(ctx, () => picture(a), () => picture(b));
		}
		const text = { one: name(show), slider: `left A: ${name(a)}, right B: ${name(b)}`, diff: `|A − B| × ${2 ** state.gain}, A: ${name(a)}, B: ${name(b)}` }[view];
		$("status").textContent = `${text}; zoom ${Math.round(zoom() * 1000) / 10} %${painter.coarse && `; ${painter.coarse}`}`;
		canvas.setAttribute("aria-label", text);
		$("left").textContent = { one: name(show), slider: "A: " + name(a), diff: `|A − B| × ${2 ** state.gain}` }[view];
		$("right").textContent = view === "slider" ? "B: " + name(b) : "";
		for (const button of document.querySelectorAll("button[data-view], button[data-show]")) {
			const on = button.dataset.view ? button.dataset.view === view : view === "one" && +button.dataset.show === show;
			button.setAttribute("aria-pressed", on);
		}
		$("bicubic")?.setAttribute("aria-pressed", state.bicubic);
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

	// save offers what is seen as a file, with the names of the pictures.
	async function save() {
		const copy = document.createElement("canvas"), g = copy.getContext("2d"), size = Math.round(14 * devicePixelRatio);
		Object.assign(copy, { width: canvas.width, height: canvas.height });
		g.drawImage(canvas, 0, 0);
		g.font = `${size}px system-ui, sans-serif`;
		g.textBaseline = "middle";
		for (const [id, right] of [["left", false], ["right", true]]) {
			const text = $(id).textContent, w = g.measureText(text).width + size, x = right ? copy.width - w - size / 2 : size / 2;
			if (!text) continue;
			g.fillStyle = "rgba(0, 0, 0, .72)";
			g.fillRect(x, size / 2, w, 1.8 * size);
			g.fillStyle = "#fff";
			g.fillText(text, x + size / 2, 1.4 * size);
		}
		const blob = await new Promise(done => copy.toBlob(done)), link = document.createElement("a");
		link.download = `diff-${Math.round(middle().x)}-${Math.round(middle().y)}.png`;
		link.href = URL.createObjectURL(blob);
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	}

	// full shows the canvas alone, on all of the screen where the browser allows it.
	async function full(on = !document.body.classList.contains("full")) {
		document.body.classList.toggle("full", on);
		try {
			if (on) await document.documentElement.requestFullscreen();
			else if (document.fullscreenElement) await document.exitFullscreen();
		} catch { /* then in the window */ }
	}
	addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) full(false); });

	const flicker = () => change({ view: "one", show: state.view === "one" && state.show === state.b ? state.a : state.b });
	const actions = {
		...viewport.actions, " ": flicker, d: () => change({ view: "diff" }), x: () => change({ a: state.b, b: state.a }),
		"[": () => change({ gain: Math.max(state.gain - 1, 0) }), "]": () => change({ gain: Math.min(state.gain + 1, mostGain) }),
		h: () => change({ zoom: start.zoom || 1, x: start.x, y: start.y }), b: () => $("bicubic") && change({ bicubic: !state.bicubic }), e: save, w: () => full(), Escape: () => full(false),
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
		else ({ flicker, out: () => step(-1), in: () => step(1), fit: actions.f, whole: actions[0], bicubic: actions.b, save, full: actions.w, back: actions.Escape })[button.id]();
		if (event.detail) canvas.focus({ preventScroll: true }); // by a pointer: the space bar is free again
	});
	for (const id of ["a", "b"]) {
		$(id).addEventListener("change", event => change({ [id]: +event.target.value, ...(state.view === "one" && { view: "slider" }) }));
	}
	$("split").addEventListener("input", event => change({ split: event.target.value / 100 }));
	$("gain").addEventListener("input", event => change({ gain: +event.target.value }));

	$("pictures").hidden = true; // without a script they are seen as they are
	addEventListener("load", () => {
		if ([...document.querySelectorAll("#pictures img")].some(image => !image.naturalWidth)) {
			$("status").textContent = "This browser cannot show a picture of the page.";
			return;
		}
		resize();
		read();
		addEventListener("hashchange", () => { read(); change({}); });
		new ResizeObserver(() => change({})).observe(canvas);
		draw();
	});
})();
