"use strict";
// Two of the pictures of a section can be laid over one another, with a divider between
// them or in turn. Without a script they are side by side alone.
for (const section of document.querySelectorAll("section")) {
	const images = [...section.querySelectorAll("img[data-scene]")];
	const scenes = [...new Set(images.map(image => image.dataset.scene))];
	const of = scene => images.filter(image => image.dataset.scene === scene);
	if (scenes.every(scene => of(scene).length < 2)) continue;
	const make = (name, properties, ...children) => {
		const made = Object.assign(document.createElement(name), properties);
		made.append(...children);
		return made;
	};
	const choice = (text, list) => {
		const select = make("select", {}, ...list.map((name, i) => make("option", { value: i }, name)));
		return [make("label", { hidden: list.length < 2 }, text, select), select];
	};
	const [sceneLabel, scene] = choice("Picture", scenes);
	const [aLabel, a] = choice("A", []), [bLabel, b] = choice("B", []);
	aLabel.hidden = bLabel.hidden = false;
	const split = make("input", { type: "range", min: 0, max: 100, step: 0.5, value: 50 });
	const flicker = make("button", { type: "button", title: "A and B in turn" }, "Flicker");
	const left = make("img", { className: "pixels" }), right = make("img", { className: "pixels" });
	const stage = make("div", { className: "stage" }, left, right);
	const status = make("span", {});
	status.setAttribute("role", "status");
	const viewer = make("div", { className: "viewer" }, make("div", {}, sceneLabel, aLabel, bLabel, make("label", {}, "Divider", split), flicker, status), stage);

	let alone = ""; // "a" or "b": in turn, without the divider
	const shown = () => of(scenes[scene.value]);
	function draw() {
		const list = shown();
		for (const [to, from] of [[left, list[a.value]], [right, list[b.value]]]) {
			if (to.getAttribute("src") !== from.getAttribute("src")) to.setAttribute("src", from.getAttribute("src"));
			to.alt = from.alt;
		}
		const zoom = Math.max(1, Math.floor(Math.min(640, viewer.clientWidth || 640) / list[a.value].naturalWidth));
		stage.style.width = zoom * list[a.value].naturalWidth + "px";
		stage.style.setProperty("--split", { a: "100%", b: "0%" }[alone] ?? split.value + "%");
		stage.classList.toggle("alone", alone !== "");
		status.textContent = alone ? list[alone === "a" ? a.value : b.value].dataset.by : "";
	}
	function fill() {
		const list = shown();
		const first = (by, at) => {
			const found = list.findIndex(image => image.dataset.by === by);
			return found < 0 ? at : found;
		};
		for (const [select, at] of [[a, first(section.dataset.a, list.length - 2)], [b, first(section.dataset.b, list.length - 1)]]) {
			const before = select.value || at;
			select.replaceChildren(...list.map((image, i) => make("option", { value: i }, image.dataset.by)));
			select.value = Math.min(before, list.length - 1);
		}
		draw();
	}
	scene.addEventListener("change", fill);
	for (const select of [a, b]) select.addEventListener("change", draw);
	split.addEventListener("input", () => { alone = ""; draw(); });
	flicker.addEventListener("click", () => { alone = alone === "b" ? "a" : "b"; draw(); });
	const drag = event => {
		if (!event.buttons) return;
		split.value = 100 * (event.clientX - stage.getBoundingClientRect().left) / stage.clientWidth;
		alone = "";
		draw();
	};
	stage.addEventListener("pointerdown", event => { event.preventDefault(); drag(event); });
	stage.addEventListener("pointermove", drag);
	const after = section.querySelector(".pictures, .wide");
	after.before(viewer);
	if (after.matches(".pictures")) { // a strip on a narrow screen, which keys move
		after.tabIndex = 0;
		after.setAttribute("role", "group");
		after.setAttribute("aria-label", "All pictures");
	}
	fill();
	addEventListener("load", draw);
	addEventListener("resize", draw);
}
