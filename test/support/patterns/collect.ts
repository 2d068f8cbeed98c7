// Collects the regular expressions of the sources and of the packages in the executable, from their syntax trees.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isIdentifier, isNode, parseScript, type SyntaxNode } from "./syntax";

export interface Found {
  /** The file, relative to the root of the project. */
  file: string;
  pattern: string;
  flags: string;
}

/** An expression that is not a literal; the test lists samples for it. */
export interface Built {
  file: string;
  /** `new RegExp(...)`, or the value of a member `pattern`. */
  expression: string;
}

export interface Collected {
  literals: Found[];
  built: Built[];
  /** The values of members `format`, which the schemas check with patterns of their own. */
  formats: Set<string>;
}

const ROOT = join(import.meta.dir, "../../..");
const FOLDERS = ["src", "server", "cli", "catalogs"];

/** The expressions of the project's own sources. */
export function ofSources(): Collected {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", deadCodeElimination: false });
  const collected: Collected = { literals: [], built: [], formats: new Set() };
  for (const folder of FOLDERS) {
    for (const name of new Bun.Glob("**/*.ts").scanSync({ cwd: join(ROOT, folder) })) {
      const file = `${folder}/${name}`;
      // Only in the sandbox, whose callers are on this machine.
      if (file.startsWith("catalogs/sandbox/")) continue;
      const script = transpiler.transformSync(readFileSync(join(ROOT, file), "utf8"));
      collect(script, () => file, collected);
    }
  }
  return collected;
}

/** The expressions of the packages that the executable contains. */
export async function ofPackages(): Promise<Collected> {
  const { outputs } = await Bun.build({ entrypoints: [join(ROOT, "cli/main.ts")], target: "bun" });
  const script = (await outputs[0]?.text()) ?? "";
  const collected: Collected = { literals: [], built: [], formats: new Set() };
  collect(script, modulesOf(script), collected);
  const ofPackage = ({ file }: { file: string }): boolean => file.startsWith("node_modules/");
  const { literals, built, formats } = collected;
  return { literals: literals.filter(ofPackage), built: built.filter(ofPackage), formats };
}

/** The expressions of one script. */
export function ofScript(script: string): Collected {
  const collected: Collected = { literals: [], built: [], formats: new Set() };
  collect(script, () => "script", collected);
  return collected;
}

function collect(script: string, fileAt: (position: number) => string, into: Collected): void {
  visit(parseScript(script), (node) => {
    const file = fileAt(node.start);
    const { regex, type, key, value: member } = node;
    if (regex !== undefined) into.literals.push({ file, ...regex });
    if (
      type === "Property" &&
      isIdentifier(key, "format") &&
      isNode(member) &&
      typeof member.value === "string"
    )
      into.formats.add(member.value);
    const expression = built(node);
    if (expression === undefined) return;
    const { value } = expression;
    // JSON Schema applies patterns in Unicode mode.
    if (typeof value === "string") into.literals.push({ file, pattern: value, flags: "u" });
    else into.built.push({ file, expression: script.slice(expression.start, expression.end) });
  });
}

/** `new RegExp(...)`, or the value of a member `pattern` of an object. */
function built(node: SyntaxNode): SyntaxNode | undefined {
  const { type, callee, key, value } = node;
  if (type === "NewExpression" || type === "CallExpression")
    return isIdentifier(callee, "RegExp") ? node : undefined;
  return type === "Property" && isIdentifier(key, "pattern") && isNode(value) ? value : undefined;
}

function visit(value: unknown, seen: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, seen);
  if (!isNode(value)) return;
  seen(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null && !(inner instanceof RegExp)) visit(inner, seen);
  }
}

// The bundler writes the path of each module into a comment before it.
function modulesOf(script: string): (position: number) => string {
  const marks = [...script.matchAll(/^ *\/\/ (\S+\.[cm]?[jt]s)$/gm)].map((match) => ({
    at: match.index,
    file: relative(ROOT, join(process.cwd(), match[1] ?? "")),
  }));
  return (position) => marks.findLast(({ at }) => at < position)?.file ?? "";
}
