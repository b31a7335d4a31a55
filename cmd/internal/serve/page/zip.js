// A ZIP archive of files as they are, "stored": pictures do not get smaller. It is a Blob of
// the Blobs of its files, which takes no memory for them again. By APPNOTE.TXT of PKWARE,
// with the 64-bit fields of 4.5.3 for what begins past 4 GiB, and names in UTF-8 (bit 11).
const table = new Uint32Array(256).map((_, n) => {
	for (let k = 0; k < 8; k++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
	return n;
});

// crc32 is the checksum of a Blob, which is read in pieces.
async function crc32(blob) {
	let c = 0xffffffff;
	const reader = blob.stream().getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return (c ^ 0xffffffff) >>> 0;
		for (let i = 0; i < value.length; i++) c = table[(c ^ value[i]) & 255] ^ c >>> 8;
	}
}

// bytes packs numbers, each with how many bytes it has, the lowest first.
function bytes(...fields) {
	const view = new DataView(new ArrayBuffer(fields.reduce((n, [size]) => n + size, 0)));
	let at = 0;
	for (const [size, v] of fields) {
		if (size === 2) view.setUint16(at, v, true);
		else if (size === 4) view.setUint32(at, v, true);
		else view.setBigUint64(at, BigInt(v), true);
		at += size;
	}
	return view.buffer;
}

// unique numbers names that are there already: "a (2).png". Upper and lower case are one:
// not every system tells them apart.
export function unique(names) {
	const taken = new Set();
	return names.map(name => {
		const dot = name.lastIndexOf("."), end = dot > name.lastIndexOf("/") + 1 ? dot : name.length;
		let free = name;
		for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name.slice(0, end)} (${n})${name.slice(end)}`;
		taken.add(free.toLowerCase());
		return free;
	});
}

// zip packs files, each with a name, a Blob of less than 4 GiB and a time; what begins past
// far, or numbers more than many, is told in 64 bits.
export async function zip(files, far = 0xffffffff, many = 0xffff) {
	const parts = [], directory = [], names = unique(files.map(f => f.name));
	let at = 0;
	for (const [i, { blob, time }] of files.entries()) {
		const name = new TextEncoder().encode(names[i]), crc = await crc32(blob);
		const clock = time.getHours() << 11 | time.getMinutes() << 5 | time.getSeconds() >> 1;
		const day = Math.max(0, time.getFullYear() - 1980) << 9 | time.getMonth() + 1 << 5 | time.getDate();
		const common = [[2, 0x0800], [2, 0], [2, clock], [2, day], [4, crc], [4, blob.size], [4, blob.size], [2, name.length]];
		const extra = at >= far ? bytes([2, 1], [2, 8], [8, at]) : new ArrayBuffer(0);
		parts.push(bytes([4, 0x04034b50], [2, 20], ...common, [2, 0]), name, blob);
		directory.push(bytes([4, 0x02014b50], [2, 45], [2, extra.byteLength ? 45 : 20], ...common, [2, extra.byteLength], [2, 0], [2, 0], [2, 0], [4, 0], [4, extra.byteLength ? 0xffffffff : at]), name, extra);
		at += 30 + name.length + blob.size;
	}
	const size = directory.reduce((n, part) => n + part.byteLength, 0), n = files.length, end = [];
	const large = at >= far || n >= many;
	if (large) {
		end.push(bytes([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, n], [8, n], [8, size], [8, at]));
		end.push(bytes([4, 0x07064b50], [4, 0], [8, at + size], [4, 1]));
	}
	const count = large ? 0xffff : n;
	end.push(bytes([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, large ? 0xffffffff : size], [4, large ? 0xffffffff : at], [2, 0]));
	return new Blob([...parts, ...directory, ...end], { type: "application/zip" });
}
