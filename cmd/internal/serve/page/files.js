// Pictures that are dropped, pasted or chosen, with the folder they come from.
const $ = id => document.getElementById(id);
const known = /\.(png|jpe?g|gif|bmp|tiff?|webp|avif|heic|heif|jxl|dng|nef|cr2|cr3|arw|raf|orf|rw2|pef|srw|psd|xcf|jp2)$/i;

// readEntry adds the files of a file or folder to a list, in the order of their names.
async function readEntry(entry, folder, list) {
	if (entry.isFile) {
		list.push({ file: await new Promise((done, fail) => entry.file(done, fail)), folder });
		return;
	}
	const reader = entry.createReader(), inside = [];
	for (;;) { // a folder is handed over in parts
		const part = await new Promise((done, fail) => reader.readEntries(done, fail));
		if (!part.length) break;
		inside.push(...part);
	}
	inside.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
	for (const e of inside) await readEntry(e, `${folder}${entry.name}/`, list);
}

// take hands over the pictures of a list and how many files of folders are none.
function take(list, add) {
	const wanted = list.filter(({ file, folder }) => !folder || known.test(file.name));
	add(wanted, list.length - wanted.length);
}

async function dropped(transfer, add) {
	// The entries have to be asked for before anything is waited for.
	const items = [...transfer.items].filter(item => item.kind === "file");
	const entries = items.map(item => item.webkitGetAsEntry?.() ?? { loose: item.getAsFile() });
	const list = [];
	for (const entry of entries) {
		if (entry.loose) list.push({ file: entry.loose, folder: "" });
		else await readEntry(entry, "", list).catch(() => {}); // what cannot be read is not there
	}
	take(list, add);
}

// watch calls add with pictures and how many files were none, and truth with the file that
// is to be the truth of the chosen picture, of whom named gives the name, or "".
export function watch({ add, truth, named }) {
	const cover = $("drop"), zones = [...cover.querySelectorAll("p")];
	let inside = 0;
	const hasFiles = event => event.dataTransfer?.types.includes("Files");
	const zone = event => event.target.closest?.("[data-drop]")?.dataset.drop ?? "add";
	addEventListener("dragenter", event => {
		if (!hasFiles(event)) return;
		event.preventDefault();
		inside++;
		$("dropName").textContent = named();
		zones[1].hidden = !named();
		cover.hidden = false;
	});
	addEventListener("dragover", event => {
		if (!hasFiles(event)) return;
		event.preventDefault();
		event.dataTransfer.dropEffect = "copy";
		for (const p of zones) p.classList.toggle("over", p.dataset.drop === zone(event));
	});
	addEventListener("dragleave", event => {
		if (hasFiles(event) && --inside <= 0) end();
	});
	addEventListener("drop", event => {
		if (!hasFiles(event)) return;
		event.preventDefault();
		const where = zone(event);
		end();
		if (where === "truth" && named()) truth(event.dataTransfer.files[0]);
		else dropped(event.dataTransfer, add);
	});
	const end = () => {
		inside = 0;
		cover.hidden = true;
	};
	addEventListener("paste", event => {
		const list = [...event.clipboardData?.files ?? []].map(file => ({ file, folder: "" }));
		if (!list.length) return;
		event.preventDefault();
		take(list, add);
	});

	const picked = (id, handle) => $(id).addEventListener("change", event => {
		const list = [...event.target.files];
		event.target.value = ""; // the same again is a choice, too
		handle(list);
	});
	for (const id of ["choose", "chooseHere"]) $(id).addEventListener("click", () => $("files").click());
	$("chooseFolder").addEventListener("click", () => $("folder").click());
	picked("files", list => take(list.map(file => ({ file, folder: "" })), add));
	picked("folder", list => {
		const path = file => file.webkitRelativePath.slice(0, -file.name.length);
		list.sort((a, b) => a.webkitRelativePath.localeCompare(b.webkitRelativePath, undefined, { numeric: true }));
		take(list.map(file => ({ file, folder: path(file) })), add);
	});
	picked("truthFile", list => { if (list[0]) truth(list[0]); });
}
