
// One run of nmu, in a worker. The text stands behind wasm_exec.js, which calls the functions of globalThis.fs
// as those of Node.js. The files are in memory, but for those of the user, which are read where they are.
(() => {
	"use strict";
	const directory = 0o40755, regular = 0o100644;
	const nodes = new Map(); // by their absolute paths
	const opened = new Map(); // by their descriptors
	let created = 0, nextDescriptor = 3;

	const fail = (code) => { throw Object.assign(new Error(code), { code }); };
	const make = (mode, data, size) => ({ mode, data, size, inode: ++created, time: Date.now() });
	const resolve = (path) => {
		const parts = [];
		for (const part of path.split("/")) {
			if (part === "..") parts.pop();
			else if (part && part !== ".") parts.push(part);
		}
		return "/" + parts.join("/");
	};
	const within = (path) => (path === "/" ? path : path + "/");
	const find = (path) => nodes.get(resolve(path)) ?? fail("ENOENT");
	const descriptor = (fd) => opened.get(fd) ?? fail("EBADF");
	const insert = (path, node) => {
		path = resolve(path);
		const parent = find(path + "/..");
		if (parent.mode !== directory) fail("ENOTDIR");
		nodes.set(path, node);
		return node;
	};
	const names = (path) => {
		const prefix = within(resolve(path));
		return [...nodes.keys()].filter((p) => p.startsWith(prefix) && p !== "/" && !p.slice(prefix.length).includes("/")).map((p) => p.slice(prefix.length)).sort();
	};
	const resize = (node, size) => {
		if (node.data instanceof Blob) fail("EROFS");
		if (size > node.data.length) {
			const data = new Uint8Array(Math.max(size, 2 * node.data.length));
			data.set(node.data.subarray(0, node.size));
			node.data = data;
		}
		node.data.fill(0, Math.min(size, node.size), Math.max(size, node.size));
		node.size = size;
	};
	const stat = (node) => ({
		dev: 1, ino: node.inode, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: node.size, blksize: 4096,
		blocks: Math.ceil(node.size / 512), atimeMs: node.time, mtimeMs: node.time, ctimeMs: node.time, isDirectory: () => node.mode === directory,
	});
	const remove = (path, mode, code) => {
		if (find(path).mode !== mode) fail(code);
		if (mode === directory && names(path).length) fail("ENOTEMPTY");
		nodes.delete(resolve(path));
	};
	const decoders = [, new TextDecoder(), new TextDecoder()];
	const print = (fd, bytes) => postMessage({ fd, text: decoders[fd].decode(bytes, { stream: true }) });

	const O = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
	const reader = new FileReaderSync();
	const calls = {
		open(path, flags) {
			let node = nodes.get(resolve(path));
			if (!node) node = flags & O.O_CREAT ? insert(path, make(regular, new Uint8Array(0), 0)) : fail("ENOENT");
			else if (flags & O.O_CREAT && flags & O.O_EXCL) fail("EEXIST");
			else if (node.mode === directory && flags & (O.O_WRONLY | O.O_RDWR)) fail("EISDIR");
			else if (node.mode !== directory && flags & O.O_DIRECTORY) fail("ENOTDIR");
			if (flags & O.O_TRUNC) resize(node, 0);
			opened.set(nextDescriptor, { node, at: 0, append: flags & O.O_APPEND });
			return nextDescriptor++;
		},
		close(fd) { opened.delete(fd); },
		read(fd, buffer, offset, length, position) {
			if (fd === 0) return 0;
			const f = descriptor(fd), from = position ?? f.at;
			if (f.node.mode === directory) fail("EISDIR");
			const n = Math.max(0, Math.min(length, f.node.size - from));
			const data = f.node.data instanceof Blob ? new Uint8Array(reader.readAsArrayBuffer(f.node.data.slice(from, from + n))) : f.node.data.subarray(from, from + n);
			buffer.set(data, offset);
			if (position === null) f.at += n;
			return n;
		},
		write(fd, buffer, offset, length, position) {
			const bytes = buffer.subarray(offset, offset + length);
			if (fd < 3) {
				print(fd, bytes);
				return length;
			}
			const f = descriptor(fd), from = f.append ? f.node.size : position ?? f.at;
			if (from + length > f.node.size) resize(f.node, from + length);
			f.node.data.set(bytes, from);
			f.node.time = Date.now();
			if (position === null) f.at = from + length;
			return length;
		},
		stat: (path) => stat(find(path)),
		lstat: (path) => stat(find(path)),
		fstat: (fd) => (fd < 3 ? stat(make(0o20600, null, 0)) : stat(descriptor(fd).node)),
		readdir: (path) => (find(path).mode === directory ? names(path) : fail("ENOTDIR")),
		mkdir(path) { nodes.has(resolve(path)) ? fail("EEXIST") : insert(path, make(directory, null, 0)); },
		rmdir(path) { remove(path, directory, "ENOTDIR"); },
		unlink(path) { remove(path, regular, "EISDIR"); },
		rename(from, to) {
			const node = find(from), old = nodes.get(resolve(to));
			if (old && old.mode !== node.mode) fail(old.mode === directory ? "EISDIR" : "ENOTDIR");
			if (old && old.mode === directory && names(to).length) fail("ENOTEMPTY");
			insert(to, node);
			[from, to] = [resolve(from), resolve(to)];
			if (from === to) return;
			for (const [path, inside] of [...nodes]) {
				if (!path.startsWith(within(from))) continue;
				nodes.delete(path);
				nodes.set(to + path.slice(from.length), inside);
			}
			nodes.delete(from);
		},
		link(from, to) { nodes.has(resolve(to)) ? fail("EEXIST") : insert(to, find(from)); },
		truncate(path, size) { resize(find(path), size); },
		ftruncate(fd, size) { resize(descriptor(fd).node, size); },
		fsync() {}, chmod() {}, fchmod() {}, chown() {}, fchown() {}, lchown() {}, utimes() {},
		symlink: () => fail("EPERM"),
		readlink: () => fail("EINVAL"),
	};
	const reply = (call) => (...args) => {
		const done = args.pop();
		let value, error = null;
		try {
			value = call(...args);
		} catch (e) { // a file that has changed since, or no memory
			error = typeof e.code === "string" ? e : Object.assign(new Error(e), { code: e instanceof RangeError ? "ENOSPC" : "EIO" });
		}
		// Between two texts on stderr, such as lines of progress, the worker takes messages.
		if (call === calls.write && args[0] === 2) setTimeout(done, 0, error, value);
		else done(error, value);
	};
	globalThis.fs = { constants: O, writeSync: print };
	for (const [name, call] of Object.entries(calls)) globalThis.fs[name] = reply(call);
	globalThis.path = { resolve: (...parts) => resolve(parts.join("/")) };
	globalThis.process = { pid: 1, ppid: 0, cwd: () => "/", chdir() {}, umask: () => 0o22, getuid: () => 0, geteuid: () => 0, getgid: () => 0, getegid: () => 0, getgroups: () => [0] };

	globalThis.onmessage = async ({ data }) => {
		if (data.interrupt) return globalThis.interrupt?.();
		for (const path of ["/", "/tmp", "/dev"]) nodes.set(path, make(directory, null, 0));
		for (const [path, file] of data.files) {
			if (path.includes("/")) nodes.set(resolve(path + "/.."), make(directory, null, 0));
			insert(path, make(regular, file, file.size));
		}
		const go = new Go();
		go.argv = ["nmu", ...data.args];
		go.env = { HOME: "/", TMPDIR: "/tmp" };
		let status = 0;
		go.exit = (code) => { status = code; };
		await go.run(await WebAssembly.instantiate(data.module, go.importObject));
		const written = [...nodes].filter(([path, node]) => path.startsWith(data.out) && node.mode === regular);
		postMessage({ status, files: written.map(([path, node]) => [path.slice(data.out.length), new Blob([node.data.subarray(0, node.size)])]) });
	};
})();
