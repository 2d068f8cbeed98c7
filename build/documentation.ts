// Puts the pages of the documentation into the executable, as one compressed file that is read when somebody asks for a page.
import { readFiles } from "../src/documentation/sources";

const NAME = "documentation.json.zst";

/** Replaces the module that reads the pages from the folders of the sources. */
export const embeddedPages: Bun.BunPlugin = {
  name: "embedded pages",
  setup: (build) => {
    build.onLoad({ filter: /src\/documentation\/sources\.ts$/ }, () => ({
      contents: `import path from ${JSON.stringify(NAME)} with { type: "file" };
export async function readFiles() {
  return JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(await Bun.file(path).bytes())));
}
`,
      loader: "ts",
    }));
    build.onResolve({ filter: /^documentation\.json\.zst$/ }, () => ({ path: NAME, namespace: "pages" }));
    build.onLoad({ filter: /.*/, namespace: "pages" }, async () => ({
      contents: Bun.zstdCompressSync(JSON.stringify(await readFiles()), { level: 19 }),
      loader: "file",
    }));
  },
};
