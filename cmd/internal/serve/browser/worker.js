// A worker of the page without a server: it runs superres.wasm, which does one job at a time.
importScripts("wasm_exec.js");

const reader = new FileReaderSync(), words = new TextDecoder();
const files = new Map(), open = new Map(); // the temporary files of the program, in memory: by their names, and those open
let said = "", next = 10;

// unknown calls back with the error of what the program cannot do here.
function unknown(callback, code) { callback(Object.assign(new Error(code), { code })); }

function attempt(callback, act) {
	let result;
	try {
		result = act();
	} catch (problem) {
		return unknown(callback, problem.code ?? "EIO");
	}
	callback(null, result);
}

function fail(code) { throw Object.assign(new Error(code), { code }); }
const file = fd => open.get(fd) ?? fail("EBADF");

function resize(f, size) {
	if (size > f.data.length) {
		const more = new Uint8Array(Math.max(size, 2 * f.data.length));
		more.set(f.data.subarray(0, f.size));
		f.data = more;
	} else if (size < f.size) f.data.fill(0, size, f.size);
	f.size = size;
}

const status = f => ({
	dev: 1, ino: 1, mode: 0o100600, nlink: 1, uid: 0, gid: 0, rdev: 0, size: f.size, blksize: 4096, blocks: Math.ceil(f.size / 512),
	atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => false,
});

Object.assign(fs, {
	constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 },
	writeSync(fd, bytes) { // of the program's own output and errors
		said = (said + words.decode(bytes)).slice(0, 4096);
		return bytes.length;
	},
	open(path, flags, mode, callback) {
		attempt(callback, () => {
			if (!(flags & 64) || files.has(path)) fail(files.has(path) ? "EEXIST" : "ENOENT"); // new files alone
			const f = { data: new Uint8Array(1 << 16), size: 0, at: 0 };
			files.set(path, f);
			open.set(next, f);
			return next++;
		});
	},
	close(fd, callback) { attempt(callback, () => { open.delete(fd); }); },
	unlink(path, callback) { attempt(callback, () => { if (!files.delete(path)) fail("ENOENT"); }); },
	fstat(fd, callback) { attempt(callback, () => status(file(fd))); },
	stat(path, callback) { attempt(callback, () => status(files.get(path) ?? fail("ENOENT"))); },
	lstat(path, callback) { fs.stat(path, callback); },
	ftruncate(fd, size, callback) { attempt(callback, () => resize(file(fd), size)); },
	read(fd, buffer, offset, length, position, callback) {
		attempt(callback, () => {
			const f = file(fd), at = position ?? f.at, part = f.data.subarray(at, Math.max(at, Math.min(at + length, f.size)));
			buffer.set(part, offset);
			if (position === null) f.at += part.length;
			return part.length;
		});
	},
	write(fd, buffer, offset, length, position, callback) {
		attempt(callback, () => {
			if (fd < 3) return fs.writeSync(fd, buffer.subarray(offset, offset + length));
			const f = file(fd), at = position ?? f.at;
			if (at + length > f.size) resize(f, at + length);
			f.data.set(buffer.subarray(offset, offset + length), at);
			if (position === null) f.at += length;
			return length;
		});
	},
});

// What the program calls, besides wasm_exec.js.
const turns = new MessageChannel();
globalThis.host = {
	read: (blob, offset, length) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length))),
	// yield calls back after what has come meanwhile, such as the end of a job that is no longer wanted.
	yield(callback) {
		turns.port1.onmessage = callback;
		turns.port2.postMessage(0);
	},
	progress: share => postMessage({ share }),
};

const go = new Go();
let program, memory;
go.exit = code => postMessage({ ended: true, failed: failure(code) });

// failure is what is told of a program that has ended.
function failure(code) {
	const why = said.split("\n").find(line => /^(panic|fatal error): /.test(line)) ?? `exit code ${code}`;
	if (/out of memory|cannot allocate/.test(said)) {
		return { error: "this picture takes more memory than this browser has; enlarge it less, or use the program superres", exit: 7 };
	}
	return { error: `the program has failed on this picture: ${why}; please report it, with the picture`, exit: 4 };
}

async function begin(module) {
	const instance = await WebAssembly.instantiate(module, go.importObject);
	memory = instance.exports.mem;
	go.run(instance);
}

onmessage = async ({ data: { module, job, cancel } }) => {
	if (module) program = begin(module);
	else if (cancel) globalThis.superres?.cancel();
	else if (job) {
		try {
			await program;
		} catch (problem) { // of the browser, for want of memory
			postMessage({ ended: true, failed: { error: `superres.wasm cannot be started: ${problem.message}`, exit: 7 } });
			return;
		}
		const parts = [];
		globalThis.superres.run(job.call, job.params, job.files, job.files.map(f => f.size), part => parts.push(part), (failed, name, type, event) => {
			const blob = parts.length ? new Blob(parts, { type }) : null;
			postMessage({ failed: failed ? JSON.parse(failed) : null, name, type, event, blob, memory: memory.buffer.byteLength });
		});
	}
};
