// A server with programs, as a process of its own that tests can kill. Prints the ids of the programs, one line.
import { silentLog } from "../../../src/base";
import { ProcessHost, type ProcessSpec } from "../../../src/processes";

const [executable = "[]", specs = "[]"] = process.argv.slice(2);
const host = new ProcessHost({ executable: JSON.parse(executable), hidden: [], log: silentLog });
// Written by the test.
const wanted = JSON.parse(specs) as ProcessSpec[];
const running = await Promise.all(wanted.map((spec) => host.start(spec)));
console.log(JSON.stringify(running.map(({ pid }) => pid)));
await Bun.stdin.text();
