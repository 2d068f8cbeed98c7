// Builds the executable: `bun build.ts [--target bun-linux-arm64 --runtime PATH] [--outfile dist/runtime]`.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { embeddedPages } from "./build/documentation";

const { values } = parseArgs({
  options: {
    outfile: { type: "string", default: "dist/runtime" },
    /** Target system, for example bun-linux-arm64; by default this one. */
    target: { type: "string" },
    /** Path of Bun's executable for that system, to avoid the download. */
    runtime: { type: "string" },
  },
});

// The script and style of the documentation page have 1.9 MB, gzipped 0.5 MB. The server sends them gzipped.
const gzippedFiles: Bun.BunPlugin = {
  name: "gzipped files",
  setup: (build) => {
    build.onLoad({ filter: /swagger-ui-dist\/[\w-]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: Bun.gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: "file",
    }));
  },
};

// The swagger plugin imports the style of a page that this server does not serve (it has its own). Loading it builds some
// 10,000 functions of a schema library: 3 MB of memory and 8 ms at each start.
const withoutScalarThemes: Bun.BunPlugin = {
  name: "without the themes of Scalar",
  setup: (build) => {
    build.onLoad({ filter: /@scalar\/themes\/.*\.js$/ }, () => ({
      contents: 'export const elysiajsTheme = "";',
      loader: "js",
    }));
  },
};

// The date of the commit, so that two builds of it are equal.
const commit = Bun.spawnSync(["git", "log", "-1", "--format=%h %cI"], { stderr: "ignore" });
const [hash = "", date = ""] = commit.success ? commit.stdout.toString().trim().split(" ") : [];
const build = hash === "" ? undefined : { commit: hash, date };

mkdirSync(dirname(values.outfile), { recursive: true });
const result = await Bun.build({
  entrypoints: ["cli/main.ts"],
  target: "bun",
  // With bytecode the default is cjs, which cannot be split.
  format: "esm",
  minify: true,
  bytecode: true,
  // For readable stack traces. The separate map file is deleted below.
  sourcemap: "linked",
  // Dynamically imported modules become chunks that are loaded on demand. With circular imports, chunks may run in the
  // wrong order; a project rule forbids circular imports.
  splitting: true,
  define: { RUNTIME_BUILD: JSON.stringify(build) ?? "undefined" },
  plugins: [gzippedFiles, withoutScalarThemes, embeddedPages],
  compile: {
    outfile: values.outfile,
    // By default the executable would read .env and bunfig.toml in its working folder.
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
