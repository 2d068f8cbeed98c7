// The project rules, checked on the text of the files: allowed imports, length of files, outbound calls.
import { posix } from "node:path";
import { vendorViolations } from "./vendor-words";

export interface SourceFile {
  /** From the root of the checkout, with `/`. */
  path: string;
  text: string;
}

const LONGEST = 300;

/** One sentence per violation, with the path of the file. */
export function violationsOf(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.flatMap((file) => [
    ...importViolations(file, paths),
    ...lengthViolations(file),
    ...callViolations(file),
    ...loadViolations(file),
    ...vendorViolations(file),
    ...asyncViolations(file),
  ]);
}

/** A lock file that was created with a mirror contains its address for every package. */
export function lockViolations(text: string): string[] {
  return text.includes("://")
    ? ["bun.lock contains download addresses; create it with the default registry"]
    : [];
}

/** All imports and re-exports of a file as written, including types and dynamic imports. */
export function importsOf(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const patterns = [
    /^\s*(?:import|export)\s+[\w\s{},*$]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*(?:import|export)\s*[{*][\w\s{},*$]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  const found = patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
  return [...new Set(found)];
}

function importViolations(file: SourceFile, paths: ReadonlySet<string>): string[] {
  const violations: string[] = [];
  const found = stripper.scanImports(file.text);
  const loaded = new Set(found.map(({ path }) => path));
  const atOnce = new Set(found.filter(({ kind }) => kind !== "dynamic-import").map(({ path }) => path));
  for (const specifier of importsOf(file.text)) {
    const target = targetOf(file.path, specifier, paths);
    if (target === undefined) continue;
    const rule =
      brokenRule(file.path, target, !loaded.has(specifier)) ??
      brokenRuleOfSandbox(file.path, target, atOnce.has(specifier));
    if (rule !== undefined) violations.push(`${file.path} imports ${specifier}: ${rule}`);
  }
  return violations;
}

// The file or folder of a relative import; undefined for packages.
function targetOf(from: string, specifier: string, paths: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith(".")) {
    const root = specifier.split("/")[0] ?? "";
    return ["src", "catalogs", "server", "cli", "build", "test"].includes(root) ? specifier : undefined;
  }
  const plain = posix.join(posix.dirname(from), specifier);
  return [`${plain}.ts`, `${plain}/index.ts`, plain].find((path) => paths.has(path)) ?? plain;
}

function brokenRule(from: string, target: string, onlyTypes: boolean): string | undefined {
  // The product's version is only there.
  if (target === "package.json") return undefined;
  const [part = "", area] = placeOf(from);
  const [targetPart = "", targetArea] = placeOf(target);
  if (targetPart === "test") return "nothing outside test/ imports tests";
  if (part === "src") return brokenRuleOfSrc(area, targetPart, targetArea, target);
  if (part === "catalogs") return brokenRuleOfCatalogs(targetPart, target, onlyTypes);
  if (targetPart === "build" && part !== "build") return "the product imports nothing of build/";
  if (part === "server" && targetPart === "cli") return "server imports nothing of cli";
  if (part === "cli" && targetPart === "server") {
    const allowed = from === "cli/serve.ts" && isIndexOf("server", target);
    return allowed ? undefined : "of cli only cli/serve.ts imports the server, through server/index.ts";
  }
  return undefined;
}

// The stand-ins are large, and the start of every other command would pay for them.
function brokenRuleOfSandbox(from: string, target: string, isLoadedAtOnce: boolean): string | undefined {
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  for (const folder of ["catalogs/sandbox", "cli/sandbox"]) {
    if (!isIn(target, folder) || isIn(from, folder)) continue;
    const isAllowed =
      folder === "cli/sandbox" ? from === "cli/commands/sandbox.ts" : isIn(from, "cli/sandbox");
    if (!isAllowed || isLoadedAtOnce) return `only the command sandbox loads ${folder}, when it runs`;
  }
  return undefined;
}

function brokenRuleOfSrc(
  area: string | undefined,
  targetPart: string,
  targetArea: string | undefined,
  target: string,
): string | undefined {
  if (targetPart !== "src") return "src imports nothing of catalogs, server or cli";
  if (area === targetArea) return undefined;
  if (target === "src/runtime.ts") return "areas do not import the composition root";
  if (targetArea === undefined) return undefined;
  return isIndexOf(`src/${targetArea}`, target) || isSchema(target)
    ? undefined
    : `${targetArea} is imported through its index.ts only`;
}

// An area's second entry point: the schemas of its records.
function isSchema(target: string): boolean {
  return /^src\/[^/]+\/(?:[^/]+\/)?(?:[a-z]+-)?schema(?:\.ts)?$/.test(target);
}

function brokenRuleOfCatalogs(targetPart: string, target: string, onlyTypes: boolean): string | undefined {
  if (targetPart === "catalogs") return undefined;
  if (["src/tools", "src/egress"].some((area) => isIndexOf(area, target))) return undefined;
  if (["src/providers", "src/config"].some((area) => isIndexOf(area, target)))
    return onlyTypes ? undefined : "catalogs import only types of src/providers and src/config";
  return "catalogs import only src/tools and src/egress, through their index.ts";
}

// The top-level folder and, below src, the area: `src/store/port.ts` → src, store.
function placeOf(path: string): (string | undefined)[] {
  const [part, area, ...rest] = path.split("/");
  const isFolder = rest.length > 0 || (area !== undefined && !area.includes("."));
  return part !== undefined && area !== undefined && isFolder ? [part, area] : [part];
}

function isIndexOf(folder: string, target: string): boolean {
  return [folder, `${folder}/index`, `${folder}/index.ts`].includes(target);
}

function lengthViolations({ path, text }: SourceFile): string[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > LONGEST
    ? [`${path} has ${lines} lines: past ${LONGEST}, look for the second thing in it`]
    : [];
}

// It loads streams, which would slow down every start.
function loadViolations({ path, text }: SourceFile): string[] {
  const imports = new Bun.Transpiler({ loader: "ts", target: "bun" }).scanImports(text);
  return imports.some((found) => found.path === "node:crypto")
    ? [`${path} imports node:crypto: load it with nodeCrypto()`]
    : [];
}

/** A value that may be a promise is handled by the store and its caches; everything above them is plain async. */
function asyncViolations({ path, text }: SourceFile): string[] {
  if (!path.startsWith("src/") || path.startsWith("src/store/")) return [];
  const word = /\bAwaitable\b|\binstanceof Promise\b/.exec(text)?.[0];
  return word === undefined ? [] : [`${path} uses ${word}: outside src/store, functions are async`];
}

// Removes types and comments, so that a signature `fetch(request)` of an interface is not found.
const stripper = new Bun.Transpiler({ loader: "ts", target: "bun" });

function callViolations({ path, text }: SourceFile): string[] {
  if (!path.startsWith("src/")) return [];
  const code = stripper.transformSync(text);
  const violations: string[] = [];
  if (/\bconsole\.(?:log|info|warn|error|debug)\(/.test(code))
    violations.push(`${path} prints: src writes to its log`);
  if (!path.startsWith("src/egress/") && callsFetch(code))
    violations.push(`${path} calls fetch: only src/egress makes outbound calls`);
  return violations;
}

function callsFetch(code: string): boolean {
  if (/\b(?:globalThis|self|window|Bun)\s*(?:\.\s*fetch\b|\[\s*["']fetch["']\s*\])/.test(code)) return true;
  return [...code.matchAll(/(?<![\w$.#])fetch\s*\(/g)].some((call) => !isDefinition(code, call.index));
}

// `fetch(request) {` in a class or an object defines a method of this name; a call is never followed by a brace.
function isDefinition(code: string, start: number): boolean {
  let depth = 0;
  for (let at = code.indexOf("(", start); at < code.length; at++) {
    if (code[at] === "(") depth++;
    if (code[at] === ")") depth--;
    if (depth === 0) return /^\s*\{/.test(code.slice(at + 1));
  }
  return false;
}
