// What the form says.
import { t } from "./language.js";

const form = document.getElementById("form"), $ = id => document.getElementById(id);
const value = name => form.elements[name].value;

// The form has the values, ranges and defaults of the server's options, and the names of the user's models.
const settings = JSON.parse($("settings").textContent);
const options = Object.fromEntries(settings.options.map(o => [o.name, o]));
for (const name of settings.models ?? []) form.elements.model.add(new Option(name, name));
$("modelPart").hidden = !settings.models?.length;
for (const name of options.format.values) form.elements.format.add(new Option(name.toUpperCase(), name));
Object.assign(form.elements.quality, { min: options.quality.least, max: options.quality.most, value: options.quality.default });
for (const [field, name] of [["size", "scale"], ["effort", "effort"], ["denoise", "denoise"]]) form.elements[field].value = options[name].default;

const fields = ["size", "scale", "pixels", "model", "effort", "denoise", "level", "format", "quality"];
const valuesOf = () => Object.fromEntries(fields.map(name => [name, value(name)]));

// put gives the form values, except those that it cannot have.
function put(values) {
	for (const name of fields) {
		const e = form.elements[name], had = e.value;
		if (typeof values[name] !== "string") continue;
		e.value = values[name];
		if (e.value !== values[name] || e.validity?.valid === false) e.value = had;
	}
}

// The browser keeps the form from one visit to the next.
const kept = "superres.settings", defaults = valuesOf();
try {
	put(JSON.parse(localStorage.getItem(kept)) ?? {});
} catch { /* it keeps nothing here, or something else */ }
if (settings.scale) put({ size: ["2", "3", "4"].includes(`${settings.scale}`) ? `${settings.scale}` : "scale", scale: `${settings.scale}` });
function keep() {
	try {
		localStorage.setItem(kept, JSON.stringify(valuesOf()));
	} catch { /* then not */ }
}

// The settings that are in force are those that the form had when it was last at rest and all
// of its numbers could be meant: key is their text, params the same as parameters of a call.
// Those that are as by default are there as well: the same settings give the same text.
let inForce = read().toString();
export const key = () => inForce;
export const params = () => new URLSearchParams(inForce);

function read() {
	const p = new URLSearchParams(), size = value("size");
	if (size === "scale") p.set("scale", +value("scale"));
	else if (size === "fit") p.set("fit", `${+value("pixels")}x${+value("pixels")}`);
	else if (size === "width") p.set("width", +value("pixels"));
	else p.set("scale", size);
	if (value("model")) { // which has no smaller one, and may not know noise
		p.set("model", value("model"));
		p.set("effort", value("effort") === "max" ? "max" : "best");
	} else {
		p.set("effort", value("effort"));
		p.set("denoise", value("denoise") === "level" ? value("level") : value("denoise"));
	}
	if (value("format")) p.set("format", value("format"));
	if (["", "jpeg", "avif"].includes(value("format"))) p.set("quality", +value("quality"));
	return p;
}

// complaint says in words what is wrong with a number, "" where nothing is.
function complaint(e) {
	if (e.closest("[hidden]") || e.checkValidity()) return "";
	if (e.step === "any") return e.value ? t("{1} cannot be used: enter a number from {2} to {3}", e.value, e.min, e.max) : t("Enter a number from {1} to {2}", e.min, e.max);
	return e.value ? t("{1} cannot be used: enter a whole number from {2} to {3}", e.value, e.min, e.max) : t("Enter a whole number from {1} to {2}", e.min, e.max);
}

const valid = () => [...form.elements].every(e => e.closest("[hidden]") || e.checkValidity());

// sized are the parameters that make the same size of the first page by a model, as PNG.
export function sized(p, model) {
	const q = new URLSearchParams([...p].filter(([name]) => ["scale", "fit", "width"].includes(name)));
	q.set("model", model);
	q.set("format", "png");
	q.set("first-frame", "true");
	return q;
}

// words are the settings in short.
function words(p) {
	const effort = { fast: t("Fast"), best: t("Best"), max: t("Max") };
	const size = p.has("scale") ? `${p.get("scale")}×` : p.has("fit") ? `${parseInt(p.get("fit"), 10)} px` : t("{1} px wide", p.get("width"));
	const noise = { auto: "", 0: t("noise kept") }[p.get("denoise") ?? "auto"] ?? t("noise {1}", p.get("denoise"));
	return [size, p.get("model"), effort[p.get("effort")].toLowerCase(), noise, p.get("format")?.toUpperCase()].filter(Boolean).join(", ");
}

function show() {
	const size = value("size");
	$("scalePart").hidden = size !== "scale";
	$("pixelsPart").hidden = size !== "fit" && size !== "width";
	$("pixelsName").textContent = size === "width" ? t("Width") : t("Longest side");
	$("noisePart").hidden = $("fastPart").hidden = value("model") !== "";
	$("levelPart").hidden = value("denoise") !== "level";
	$("levelText").value = value("level");
	$("qualityPart").hidden = !["", "jpeg", "avif"].includes(value("format"));
	for (const e of form.querySelectorAll("input[type=number]")) {
		const text = complaint(e), place = $(`${e.name}Wrong`);
		if (place.textContent !== text) place.textContent = text;
		e.ariaInvalid = Boolean(text);
	}
	for (const e of form.querySelectorAll(".says")) e.textContent = e.parentElement.querySelector(":checked").closest("label").title;
	$("defaults").hidden = fields.every(name => value(name) === defaults[name]);
	$("chosenSettings").textContent = words(params());
}

// watch calls changed when other settings have come in force.
export function watch(changed) {
	let timer = 0;
	const check = () => {
		if (!valid() || read().toString() === inForce) return;
		inForce = read().toString();
		keep();
		show();
		changed();
	};
	form.addEventListener("input", () => {
		show();
		clearTimeout(timer);
		timer = setTimeout(check, 350);
	});
	$("defaults").addEventListener("click", () => {
		put(defaults);
		form.elements.size[0].focus(); // the button goes
		form.dispatchEvent(new Event("input"));
	});
	form.addEventListener("submit", event => event.preventDefault());
	show();
}
