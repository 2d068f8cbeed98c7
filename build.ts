// Builds the one executable: `bun build.ts [--target bun-linux-arm64 --runtime PATH] [--outfile dist/runtime]`.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    outfile: { type: "string", default: "dist/runtime" },
    /** Another system, for example bun-linux-arm64. */
    target: { type: "string" },
    /** Bun's own executable for that system, when it must not be downloaded. */
    runtime: { type: "string" },
  },
});

// Script and style of the documentation page are 1.9 MB as they are, 0.5 MB gzipped; the server sends them so.
const gzippedFiles: Bun.BunPlugin = {
  name: "gzipped files",
  setup: (build) => {
    build.onLoad({ filter: /swagger-ui-dist\/[\w-]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: Bun.gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: "file",
    }));
  },
};

mkdirSync(dirname(values.outfile), { recursive: true });
const result = await Bun.build({
  entrypoints: ["cli/main.ts"],
  target: "bun",
  // Said, since bytecode makes it cjs otherwise, which cannot be split.
  format: "esm",
  minify: true,
  bytecode: true,
  // Readable stack traces; the map beside the executable is not shipped.
  sourcemap: "linked",
  // What is imported when it is needed is a piece of its own, and loaded only then. Pieces were put together in a wrong
  // order where files import each other in a circle: a project rule forbids such circles.
  splitting: true,
  plugins: [gzippedFiles],
  compile: {
    outfile: values.outfile,
    // By default the executable would read .env and bunfig.toml of whatever folder it is started in.
    autoloadDotenv: false,
    autoloadBunfig: false,
    ...(values.target === undefined ? {} : { target: values.target as Bun.Build.CompileTarget }),
    ...(values.runtime === undefined ? {} : { executablePath: values.runtime }),
  },
});
if (!result.success) throw new AggregateError(result.logs, "the build failed");
for (const output of result.outputs) {
  if (output.path.endsWith(".map")) rmSync(output.path, { force: true });
}
const megabytes = (statSync(values.outfile).size / 1_000_000).toFixed(1);
process.stdout.write(`${values.outfile} ${megabytes} MB\n`);
