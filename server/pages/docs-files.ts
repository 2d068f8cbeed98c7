// Script and style of the documentation page: files of swagger-ui-dist inside the executable. The build compresses them;
// when the server runs from source, they are compressed on first use.
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import style from "swagger-ui-dist/swagger-ui.css" with { type: "file" };

export const DOCS_FILES = {
  "swagger-ui-bundle.js": { path: script, type: "text/javascript; charset=utf-8" },
  "swagger-ui.css": { path: style, type: "text/css; charset=utf-8" },
} as const;

export type DocsFile = keyof typeof DOCS_FILES;

const compressed = new Map<DocsFile, Promise<Uint8Array<ArrayBuffer>>>();

/** The file, gzipped. */
export function gzippedFile(name: DocsFile): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = compressed.get(name);
  if (bytes === undefined) {
    bytes = read(DOCS_FILES[name].path);
    compressed.set(name, bytes);
  }
  return bytes;
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Bun.file(path).bytes();
  const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return gzipped ? bytes : Bun.gzipSync(bytes);
}
