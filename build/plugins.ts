// What the bundler does with two packages, and with the pages of the documentation.
import { embeddedPages } from "./documentation";

/** The script and style of the documentation page have 1.9 MB, gzipped 0.5 MB. The server sends them gzipped. */
const gzippedFiles: Bun.BunPlugin = {
  name: "gzipped files",
  setup: (build) => {
    build.onLoad({ filter: /swagger-ui-dist\/[\w-]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: Bun.gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: "file",
    }));
  },
};

/**
 * The swagger plugin imports the style of a page that this server does not serve (it has its own). Loading it builds some
 * 10,000 functions of a schema library: 3 MB of memory and 8 ms at each start.
 */
const withoutScalarThemes: Bun.BunPlugin = {
  name: "without the themes of Scalar",
  setup: (build) => {
    build.onLoad({ filter: /@scalar\/themes\/.*\.js$/ }, () => ({
      contents: 'export const elysiajsTheme = "";',
      loader: "js",
    }));
  },
};

export const plugins: Bun.BunPlugin[] = [gzippedFiles, withoutScalarThemes, embeddedPages];
