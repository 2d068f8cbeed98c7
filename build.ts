// Builds one executable: `bun build.ts [--target linux-arm64 [--runtimes DIR]] [--outfile dist/runtime]`.
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildExecutable } from "./build/targets";

const { values } = parseArgs({
  options: {
    outfile: { type: "string", default: "dist/runtime" },
    /** One of the targets in build/targets.ts; by default this system. */
    target: { type: "string" },
    /** A folder with the archives of Bun's packages, to avoid the download. */
    runtimes: { type: "string" },
  },
});

const { path } = await buildExecutable(values);
const megabytes = (statSync(path).size / 1_000_000).toFixed(1);
process.stdout.write(`${path} ${megabytes} MB\n`);
