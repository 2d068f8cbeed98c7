// What the bundler does with some packages, and with the pages of the documentation.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/**
 * The emulator of the chat platform has thirteen others, which the sandbox does not use, and reads fonts of its pages from
 * files next to its sources when it is loaded.
 */
const oneEmulator: Bun.BunPlugin = {
  name: "one emulator",
  setup: (build) => {
    build.onLoad({ filter: /\/emulate\/dist\/(?:api|dist-\w+)\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source
        .replaceAll(/readFileSync\(join\(__dirname, "fonts", "[^"]+"\)\)/g, "new Uint8Array()")
        .replaceAll(/await import\("\.\/(dist-\w+\.js)"\)/g, (whole, file: string) =>
          usesName(path, file, "slack") ? whole : "undefined",
        );
      return { contents, loader: "js" };
    });
  },
};

/** Whether a part of the emulator is the plugin of this name. */
function usesName(api: string, file: string, name: string): boolean {
  const text = readFileSync(join(dirname(api), file), "utf8");
  return new RegExp(`^ {2}name: "${name}",$`, "m").test(text);
}

/**
 * The authorization server looks lifetimes up by the names of its classes, and compares stored kinds with them. The bundler
 * shortens names, and then tokens never expire and nothing complains, so each class says its name itself.
 */
const namedClasses: Bun.BunPlugin = {
  name: "named classes",
  setup: (build) => {
    build.onLoad({ filter: /\/oidc-provider\/lib\/models\/\w+\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source.replaceAll(
        /\bclass (\w+)( extends [\w.()]+)? \{/g,
        (whole, name: string) => `${whole} static name = "${name}";`,
      );
      return { contents, loader: "js" };
    });
  },
};

export const plugins: Bun.BunPlugin[] = [
  gzippedFiles,
  withoutScalarThemes,
  embeddedPages,
  oneEmulator,
  namedClasses,
];
