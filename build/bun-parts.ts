// What Bun's executable contains: the page about licences that belongs to its version is in the package of its types.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BunPart {
  name: string;
  /** An SPDX expression: of alternatives, the one that is used here. */
  licence: string;
}

export interface BunLicences {
  version: string;
  /** The page of Bun, in Markdown. */
  page: string;
  parts: BunPart[];
}

/** What the page writes in the column of licences. A new wording needs a new row. */
const WORDINGS: Readonly<Record<string, string>> = {
  MIT: "MIT",
  "MIT licensed": "MIT",
  "MIT (bundled xxhash is BSD 2-Clause)": "MIT AND BSD-2-Clause",
  "MIT (portions derived from Chromium proto-quic, BSD 3-Clause)": "MIT AND BSD-3-Clause",
  "Apache 2.0": "Apache-2.0",
  "Apache 2.0 licensed": "Apache-2.0",
  "BSD 2-Clause": "BSD-2-Clause",
  "BSD 2-Clause (portions derived from libpng, PNG Reference Library License v2)":
    "BSD-2-Clause AND libpng-2.0",
  "BSD 3-Clause": "BSD-3-Clause",
  "BSD 3-Clause / IJG / zlib": "BSD-3-Clause AND IJG AND Zlib",
  "LGPL v2.1": "LGPL-2.1-only",
  zlib: "Zlib",
  "ICU license": "Unicode-3.0 AND ICU",
  "public domain": "blessing",
  "dual-licensed under the Perl License or the MIT License": "MIT",
  "dual-licensed under the BSD License or GPLv2 license": "BSD-3-Clause",
  "dual-licensed under CC0 1.0 or the BSD 2-Clause License": "BSD-2-Clause",
};

/** Where the page only says "several licenses". */
const SEVERAL: Readonly<Record<string, string>> = {
  boringssl: "Apache-2.0 AND ISC AND MIT AND BSD-3-Clause AND OpenSSL",
  libarchive: "BSD-2-Clause AND BSD-3-Clause",
};

/** Named in the text above the tables. */
const ENGINE: BunPart = { name: "JavaScriptCore and WebCore of WebKit", licence: "LGPL-2.0-or-later" };
const ENGINE_SENTENCE = "Bun statically links JavaScriptCore (and WebKit), which is LGPL-2 licensed.";

/** @throws Error if the page is not of this version of Bun, or says something that has no row here. */
export function licencesOfBun(root: string): BunLicences {
  const folder = join(root, "node_modules/bun-types");
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  if (version !== Bun.version)
    throw new Error(`bun-types is of version ${version}, and Bun of ${Bun.version}: they must be the same.`);
  const page = readFileSync(join(folder, "docs/project/license.mdx"), "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .trim();
  return { version, page, parts: partsOf(page) };
}

/** The rows of the tables, and the engine. */
export function partsOf(page: string): BunPart[] {
  if (!page.includes(ENGINE_SENTENCE) || !page.startsWith("Bun itself is MIT-licensed."))
    throw new Error("The page of Bun says something else about its own licence or that of JavaScriptCore.");
  const rows = [...page.matchAll(/^\| (.*?) \| (.*?) \|$/gm)]
    .map((match) => match.slice(1, 3).map((cell) => plain(cell)))
    .filter(([name = ""]) => !/^(?:Library|Package|-+)$/.test(name));
  return [ENGINE, ...rows.map(([name = "", wording = ""]) => ({ name, licence: licenceOf(name, wording) }))];
}

function licenceOf(name: string, wording: string): string {
  const licence = wording === "several licenses" ? SEVERAL[name] : WORDINGS[wording];
  if (licence === undefined)
    throw new Error(`Bun contains ${name}, "${wording}": add the licence to build/bun-parts.ts.`);
  return licence;
}

// "[`zstd`](address)" → "zstd"
function plain(cell: string): string {
  return cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim();
}
