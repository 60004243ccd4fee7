"use strict";
const $ = (id) => document.getElementById(id);

// packed returns the file that the element holds, by base 85 and gzip.
function packed(id) {
	const text = $(id).textContent, size = Math.floor(text.length * 4 / 5);
	const words = new DataView(new ArrayBuffer(size + 4));
	for (let i = 0, at = 0; i < text.length; at += 4) {
		let word = 0;
		for (const end = i + 5; i < end; i++) {
			const c = i < text.length ? text.charCodeAt(i) : 117;
			word = 85 * word + (c === 118 ? 60 : c) - 33;
		}
		words.setUint32(at, word);
	}
	const stream = new Blob([new Uint8Array(words.buffer, 0, size)]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
}

const program = WebAssembly.compileStreaming(packed("program"));
const worker = URL.createObjectURL(new Blob([$("worker").textContent]));
const out = "nmu-out";

let input = null; // the argument INPUT and its files, as paths and blobs
let stop = null; // ends what runs; null while nothing does

// run runs nmu in a worker, and gives said each line on stderr. Its outcome has the exit status, the text on stdout and
// the files in the folder out. started gets the function that interrupts the command, and ends it if called again.
async function run(args, files, said, started) {
	const module = await program;
	return new Promise((done) => {
		const job = new Worker(worker);
		let stdout = "", rest = "", asked = false;
		const end = (status, files, last) => {
			job.terminate();
			if (rest || last) said(rest + last);
			done({ status, stdout, files });
		};
		started(() => {
			if (asked) end(130, [], "stopped at once; nothing is kept");
			asked = true;
			job.postMessage({ interrupt: true });
		});
		job.onerror = (e) => end(1, [], `the program has failed: ${e.message}`);
		job.onmessage = ({ data }) => {
			if (data.fd === 1) stdout += data.text;
			else if (data.fd === 2) {
				const lines = (rest + data.text).split("\n");
				rest = lines.pop();
				lines.forEach(said);
			} else end(data.status, data.files, "");
		};
		job.postMessage({ module, args, files, out: `/${out}/` });
	});
}

// quoted returns a command line as a shell takes it.
const quoted = (args) => ["nmu", ...args].map((a) => (/^[\w@%+=:,./-]+$/.test(a) ? a : `'${a.replaceAll("'", `'\\''`)}'`)).join(" ");

// words splits options at spaces, but for those in quotes.
const words = (text) => [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([w]) => w.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));

function busy(on, text) {
	for (const id of ["start", "advise"]) $(id).disabled = on || !input;
	for (const id of ["file", "example"]) $(id).disabled = on;
	$("stop").hidden = $("progress").hidden = !on;
	$("stop").textContent = "Stop";
	if (on) $("progress").removeAttribute("value");
	$("state").textContent = text;
}

// step shows a line of progress. Other lines of JSON say how the run has ended.
function step(line) {
	const at = JSON.parse(line);
	if (at.event !== "step") return;
	const left = at.remaining === null ? "" : `, about ${Math.ceil(at.remaining)} s left`;
	if (at.remaining !== null) $("progress").value = at.elapsed / (at.elapsed + at.remaining);
	const error = at.relative_error === null ? "" : `, relative error ${at.relative_error.toPrecision(4)}`;
	$("state").textContent = `Restart ${at.restart} of ${at.restarts}, iteration ${at.iteration} of at most ${at.iterations}, ${at.factor} of ${at.rank} factors finished${error}${left}.`;
}

// perform runs a command and shows what it says in an element. It returns the outcome.
async function perform(args, element) {
	const began = performance.now();
	$("line").textContent = quoted(args);
	$("said").textContent = element.textContent = "";
	element.classList.remove("failed");
	busy(true, "Running.");
	const outcome = await run(args, input.files, (line) => {
		if (line.startsWith('{"schema":"nmu-progress/')) step(line);
		else element.textContent += line + "\n";
	}, (f) => { stop = f; });
	stop = null;
	element.textContent += outcome.stdout;
	element.classList.toggle("failed", outcome.status !== 0);
	busy(false, `${outcome.status === 0 ? "Done" : "Ended early"} after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
	return outcome;
}

// take makes files the input, and shows how nmu reads them.
async function take(files, more = "") {
	if (!files.length) return;
	const header = files.find((f) => /\.hdr$/i.test(f.name));
	const folder = files.length > 1 ? "input/" : "";
	const name = (f) => folder + f.name.replace(/^-/, "./-");
	input = { argument: folder && !header ? "input" : name(header ?? files[0]), files: files.map((f) => [name(f), f]) };
	$("more").value = more;
	$("results").hidden = true;
	const size = files.reduce((sum, f) => sum + f.size, 0);
	if (size < 2e8) return void await perform(["look", input.argument], $("read"));
	$("read").textContent = `${(size / 1e6).toFixed(0)} MB are not looked at before the run.`;
	busy(false, "");
}

function show(files) {
	for (const link of $("files").querySelectorAll("a")) URL.revokeObjectURL(link.href);
	$("files").replaceChildren(...files.map(([name, blob]) => {
		const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name, textContent: `Save ${name}` });
		const item = document.createElement("li");
		item.append(link, ` (${blob.size < 1e6 ? Math.ceil(blob.size / 1e3) + " KB" : (blob.size / 1e6).toFixed(1) + " MB"})`);
		return item;
	}));
	$("results").hidden = files.length === 0;
}

$("form").onsubmit = async (e) => {
	e.preventDefault();
	show([]);
	const args = ["factor", input.argument, "--method", $("method").value, "--rank", $("rank").value, ...words($("more").value), "--report", "--progress", "json", "--out", out];
	const { files } = await perform(args, $("said"));
	show(files);
	const report = files.find(([name]) => name === "report.html");
	$("report").hidden = !report;
	if (report) $("report").srcdoc = await report[1].text();
};
$("advise").onclick = () => perform(["rank", input.argument, "--ranks", $("ranks").value, "--method", $("method").value], $("said"));
$("stop").onclick = () => {
	$("stop").textContent = "Stop at once";
	$("state").textContent = "Stopping; what is finished is kept.";
	stop?.();
};
$("file").onchange = () => take([...$("file").files]);
$("example").onclick = async () => {
	busy(true, "Unpacking.");
	await take([new File([await packed("swimmer").blob()], "swimmer.npy")], "--image 20x11");
};
$("help").ontoggle = async () => {
	const text = $("help").querySelector("pre");
	if (!text.textContent) text.textContent = (await run(["factor", "--help"], [], () => {}, () => {})).stdout;
};
for (const [event, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
	document.addEventListener(event, (e) => {
		e.preventDefault();
		$("drop").classList.toggle("over", over);
		if (event === "drop" && !$("file").disabled) take([...e.dataTransfer.files]);
	});
}
program.catch((e) => busy(true, `The program cannot be compiled: ${e.message}`));
