// The pages of a TIFF file: each can be had as a file that begins with it.

const most = 10000; // pages of a file; the server reads no more

// pagesOf returns where the directories of the pages of a file are, of which smaller copies and
// masks are none. It is empty for a file that is no TIFF.
async function pagesOf(blob) {
	const read = async (at, n) => new DataView(await blob.slice(at, at + n).arrayBuffer());
	const head = await read(0, 8), list = [], been = new Set();
	if (head.byteLength < 8) return list;
	const order = head.getUint16(0), little = order === 0x4949;
	if (!little && order !== 0x4d4d || head.getUint16(2, little) !== 42) return list;
	for (let at = head.getUint32(4, little); at && !been.has(at) && been.size < most;) {
		been.add(at);
		const count = await read(at, 2), n = count.byteLength < 2 ? 0 : count.getUint16(0, little);
		const entries = await read(at + 2, 12 * n + 4);
		if (entries.byteLength < 12 * n + 4) break; // it is cut off
		let kind = 0;
		for (let i = 0; i < n; i++) if (entries.getUint16(12 * i, little) === 254) kind = entries.getUint32(12 * i + 8, little);
		if (!(kind & 5)) list.push(at); // 1: a smaller copy, 4: a mask
		at = entries.getUint32(12 * n, little);
	}
	return list;
}

// count returns how many pages a file has, 1 for one that is no TIFF.
export async function count(blob) { return Math.max(1, (await pagesOf(blob)).length); }

// page returns a file with page n, from 0, as its first, which is the file itself where it has no
// such page.
export async function page(blob, n) {
	const at = n ? (await pagesOf(blob))[n] : 0;
	if (!at) return blob;
	const head = new Uint8Array(await blob.slice(0, 8).arrayBuffer());
	new DataView(head.buffer).setUint32(4, at, head[0] === 0x49);
	return new Blob([head, blob.slice(8)], { type: blob.type });
}
