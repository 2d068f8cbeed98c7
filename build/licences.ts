// The packages whose files are in the executable, with the licence of each.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import standardTexts from "spdx-license-list/full";

export interface LicenceText {
  /** The file of the package, or the name of the licence if its text is the standard one. */
  source: string;
  text: string;
}

export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression. */
  licence: string;
  texts: LicenceText[];
  /** Names of the packages that it needs and that are in the executable too. */
  dependencies: string[];
  /** Names of packages that its publisher had put into its files. */
  contains: string[];
}

/** Licences whose terms a release fulfils by passing on their texts. Another one needs a decision. */
const FULFILLED: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
  "Zlib",
]);

/** The folders and files of the product itself, and the documentation, which the build makes of them. */
const OWN = /^(?:src|server|cli|catalogs)\/|^package\.json$|^pages:/;
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const TEXT_FILE = /^(?:licen[sc]e|notice|copying|copyright)(?![a-z])(?!.*\.[cm]?[jt]sx?$)/i;

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/**
 * The packages that the given files belong to, sorted by name.
 *
 * @param inputs paths from the root of the checkout, as the bundler lists them.
 * @throws Error for a file that belongs to no package, and for a licence that is not in `FULFILLED`.
 */
export function packagesOf(inputs: readonly string[], root: string): BundledPackage[] {
  const files = new Map<string, string[]>();
  for (const input of inputs.filter((one) => !OWN.test(one))) {
    const folder = PACKAGE.exec(input)?.[1];
    if (folder === undefined) throw new Error(`${input} belongs neither to the product nor to a package.`);
    files.set(folder, [...(files.get(folder) ?? []), input]);
  }
  const packages = [...files].map(([folder, ofFolder]) => packageOf(join(root, folder), ofFolder, root));
  const names = new Set(packages.map(({ name }) => name));
  return packages
    .map((one) => ({ ...one, dependencies: one.dependencies.filter((name) => names.has(name)) }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

function packageOf(folder: string, files: readonly string[], root: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const licence = expressionOf(manifest);
  const own = readdirSync(folder)
    .filter((name) => TEXT_FILE.test(name))
    .sort()
    .map((name) => ({ source: name, text: readFileSync(join(folder, name), "utf8") }));
  const texts = own.length > 0 ? own : standardTextsOf(manifest, licence);
  return {
    name: manifest.name,
    version: manifest.version,
    licence,
    texts: [...texts, ...files.flatMap((file) => noticesFor(join(root, file)))],
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort(),
    contains: [...new Set(files.flatMap((file) => packagesInside(join(root, file))))].sort(),
  };
}

/** Every licence of an expression must be one that a release fulfils; of alternatives, one. */
function expressionOf(manifest: Manifest): string {
  // `MIT/Apache-2.0` is how Rust's packages wrote alternatives.
  const expression = (manifest.license ?? "").replaceAll(/\s*\/\s*/g, " OR ");
  const fulfilled = expression.split(" OR ").some((option) => idsIn(option).every((id) => FULFILLED.has(id)));
  if (fulfilled) return expression;
  throw new Error(
    `${manifest.name} ${manifest.version} has the licence "${expression}": decide whether a release fulfils it, and add it to FULFILLED in build/licences.ts.`,
  );
}

// A package without a text: the standard one, with the author as the holder of the copyright.
function standardTextsOf(manifest: Manifest, licence: string): LicenceText[] {
  const author = typeof manifest.author === "string" ? manifest.author : manifest.author?.name;
  return idsIn(licence).map((id) => ({
    source: `${id}, the standard text; the package names ${author ?? "its contributors"} as the author`,
    text: standardText(id),
  }));
}

function idsIn(expression: string): string[] {
  return expression.replaceAll(/[()]/g, "").split(/ (?:OR|AND) /);
}

/** @throws Error if the list of SPDX does not have it. */
export function standardText(id: string): string {
  const full = standardTexts[id];
  if (full === undefined) throw new Error(`${id} is not a licence in the list of SPDX.`);
  return full.licenseText;
}

// Bundlers write the notices of what they put into `x.js` to `x.js.LICENSE.txt`.
function noticesFor(file: string): LicenceText[] {
  const notices = `${file}.LICENSE.txt`;
  if (!existsSync(notices)) return [];
  return [{ source: notices.slice(dirname(file).length + 1), text: readFileSync(notices, "utf8") }];
}

// The source map of a bundle lists the files that it was made from.
function packagesInside(file: string): string[] {
  if (!existsSync(`${file}.map`) || !existsSync(`${file}.LICENSE.txt`)) return [];
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources?: string[] };
  return (map.sources ?? []).flatMap(
    (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.slice(1, 2) ?? [],
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
