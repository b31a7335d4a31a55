// The words of the page in the language of the browser. English is in index.html and the scripts; the other languages
// have a table each, de.json and so on, from the English text to theirs.
const others = ["de", "fr", "es", "zh", "ja"];
const wanted = navigator.languages.map(name => name.slice(0, 2).toLowerCase());
export const language = wanted.find(name => name === "en" || others.includes(name)) ?? "en";
let table = {};
if (language !== "en") {
	try {
		table = await (await fetch(`${language}.json`)).json();
	} catch { /* then in English */ }
}

// t returns an English text in the language of the page, with values for {1}, {2} and so on.
export function t(text, ...values) {
	return (table[text] ?? text).replace(/\{(\d)\}/g, (_, i) => values[i - 1]);
}

// What index.html says. A key in brackets, as in [space], becomes a kbd element.
document.documentElement.lang = language;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
while (walker.nextNode()) texts.push(walker.currentNode);
for (const node of texts) {
	const text = node.data.trim();
	if (!text || node.parentElement.closest("noscript")) continue;
	if (table[text]) node.data = node.data.replace(text, () => table[text]);
	if (!/\[.+?\]/.test(text)) continue;
	node.replaceWith(...node.data.split(/\[(.+?)\]/).map((part, i) => i % 2 ? Object.assign(document.createElement("kbd"), { textContent: part }) : part));
}
for (const name of ["title", "aria-label"]) {
	for (const e of document.body.querySelectorAll(`[${name}]`)) e.setAttribute(name, t(e.getAttribute(name)));
}
