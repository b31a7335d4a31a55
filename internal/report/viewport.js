"use strict";
// A viewport is the part of a scene of w×h pixels that a canvas shows, with a divider. Its
// state belongs to the page: zoom is pixels of the screen for one of the scene, 0 means that
// all of it fits; x, y is the place in the scene at the middle; split is where the divider
// is, 0..1 across. change sets parts of the state and has it drawn, size is that of the
// scene, and divided tells whether the divider is there to be dragged.
function makeViewport(canvas, { state, change, size, divided, mostZoom = 64 }) {
	const clamp = (v, lo, hi) => Math.min(Math.max(v, lo), hi);

	function resize() {
		const w = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)), h = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
		if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
	}
	function fitting() {
		const { w, h } = size(), all = Math.min(canvas.width / w, canvas.height / h, mostZoom);
		return all > 1 ? Math.floor(all) : all; // whole pixels where they are enlarged
	}
	const zoom = () => state.zoom || fitting();
	const middle = () => state.zoom ? state : { x: size().w / 2, y: size().h / 2 };
	const inside = (x, y) => ({ x: clamp(x, 0, size().w), y: clamp(y, 0, size().h) });

	// zoomTo zooms so that the point px, py of the canvas stays where it is.
	function zoomTo(wanted, px = canvas.width / 2, py = canvas.height / 2) {
		const from = zoom(), to = clamp(wanted, Math.min(fitting(), 1) / 2, mostZoom);
		const dx = px - canvas.width / 2, dy = py - canvas.height / 2, { x, y } = middle();
		change({ zoom: to, ...inside(x + dx / from - dx / to, y + dy / from - dy / to) });
	}

	// step zooms to the next power of two.
	function step(by) {
		const power = Math.log2(zoom());
		zoomTo(2 ** (by > 0 ? Math.floor(power + 1e-6) + 1 : Math.ceil(power - 1e-6) - 1));
	}

	function move(dx, dy) {
		const from = middle();
		change({ zoom: zoom(), ...inside(from.x - dx / zoom(), from.y - dy / zoom()) });
	}

	// seen is where the scene lies on the canvas.
	function seen() {
		const z = zoom(), { x, y } = middle();
		return { left: Math.round(canvas.width / 2 - x * z), top: Math.round(canvas.height / 2 - y * z), zoom: z, width: canvas.width, height: canvas.height };
	}

	// checks is what transparency shows.
	function checks(ctx) {
		const c = document.createElement("canvas"), g = c.getContext("2d");
		c.width = c.height = 16;
		g.fillStyle = "#fff";
		g.fillRect(0, 0, 16, 16);
		g.fillStyle = "#ccc";
		g.fillRect(0, 0, 8, 8);
		g.fillRect(8, 8, 8, 8);
		return ctx.createPattern(c, "repeat");
	}

	// divide draws one picture on the left of the divider, another on its right.
	function divide(ctx, left, right) {
		const at = Math.round(state.split * canvas.width), { width, height } = canvas, r = devicePixelRatio;
		left();
		ctx.save();
		ctx.beginPath();
		ctx.rect(at, 0, width, height);
		ctx.clip();
		ctx.clearRect(0, 0, width, height);
		right();
		ctx.restore();
		ctx.fillStyle = "rgba(0, 0, 0, .5)";
		ctx.fillRect(at - 2 * r, 0, 4 * r, height);
		ctx.fillStyle = "#fff";
		ctx.fillRect(at - r, 0, 2 * r, height);
		ctx.beginPath();
		ctx.arc(at, height / 2, 13 * r, 0, 7);
		ctx.fill();
		ctx.fillStyle = "#333";
		for (const side of [-1, 1]) {
			ctx.beginPath();
			ctx.moveTo(at + side * 9 * r, height / 2);
			ctx.lineTo(at + side * 3 * r, height / 2 - 5 * r);
			ctx.lineTo(at + side * 3 * r, height / 2 + 5 * r);
			ctx.fill();
		}
	}

	canvas.addEventListener("wheel", event => {
		event.preventDefault();
		const lines = event.deltaMode ? 30 : 1;
		zoomTo(zoom() * 2 ** clamp(-event.deltaY * lines / 200, -1, 1), event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio);
	}, { passive: false });

	// One pointer drags the divider or the scene; two of them pinch it.
	const pointers = new Map(); // where they are, on the canvas
	let dragged = "";
	const onDivider = event => divided() && Math.abs(event.offsetX - state.split * canvas.clientWidth) < (event.pointerType === "touch" ? 28 : 16); // fingers are wider
	const pair = () => {
		const [p, q] = [...pointers.values()];
		return { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2, apart: Math.max(Math.hypot(p.x - q.x, p.y - q.y), 1) };
	};
	canvas.addEventListener("pointerdown", event => {
		pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		dragged = pointers.size > 1 ? "pinch" : onDivider(event) ? "split" : "move";
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		canvas.style.cursor = dragged === "move" ? "grabbing" : dragged || onDivider(event) ? "ew-resize" : "";
		const last = pointers.get(event.pointerId), to = { x: event.offsetX, y: event.offsetY }, r = devicePixelRatio;
		if (!last) return;
		const before = dragged === "pinch" && pointers.size === 2 && pair();
		pointers.set(event.pointerId, to);
		if (before) {
			const after = pair();
			zoomTo(zoom() * after.apart / before.apart, before.x * r, before.y * r);
			move((after.x - before.x) * r, (after.y - before.y) * r);
		}
		if (dragged === "split") change({ split: clamp(to.x / canvas.clientWidth, 0, 1) });
		if (dragged === "move") move((to.x - last.x) * r, (to.y - last.y) * r);
	});
	for (const end of ["pointerup", "pointercancel"]) {
		canvas.addEventListener(end, event => {
			pointers.delete(event.pointerId);
			if (pointers.size === 0) dragged = "";
			else if (pointers.size === 1) dragged = "move"; // the finger that stays
		});
	}

	// actions are what keys do, by their names.
	const actions = {
		",": () => change({ view: "slider", split: clamp(state.split - 0.02, 0, 1) }), ".": () => change({ view: "slider", split: clamp(state.split + 0.02, 0, 1) }),
		"+": () => step(1), "=": () => step(1), "-": () => step(-1), 0: () => zoomTo(1), f: () => change({ zoom: 0 }), s: () => change({ view: "slider" }),
		ArrowLeft: () => move(64, 0), ArrowRight: () => move(-64, 0), ArrowUp: () => move(0, 64), ArrowDown: () => move(0, -64),
	};
	return { resize, fitting, zoom, middle, zoomTo, step, seen, checks, divide, actions };
}
