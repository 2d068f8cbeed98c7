// Circles of imports. Between files only what is evaluated on loading counts, without types and dynamic imports: the
// executable is built in chunks, and in a circle across two of them one may run before the other is ready. Between
// areas every import counts.
import { posix } from "node:path";
import { importsOf, type SourceFile } from "./rules";

const compiler = new Bun.Transpiler({ loader: "ts", target: "bun" });

/** Each circle of files once, as their sorted paths. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  return circlesIn(new Map(files.map((file) => [file.path, importedBy(file, files)])));
}

/** Each circle of areas once, as their sorted names. Types and dynamic imports count. */
export function areaCircles(files: readonly SourceFile[]): string[][] {
  const imports = new Map<string, string[]>();
  for (const { path, text } of files) {
    const area = areaOf(path);
    const others = importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => areaOf(posix.join(posix.dirname(path), specifier)))
      .filter((other) => other !== area);
    imports.set(area, [...(imports.get(area) ?? []), ...others]);
  }
  return circlesIn(imports);
}

// `src/tools/run.ts` → src/tools, `src/core.ts` → src/core, `server/pages/html.ts` → server.
function areaOf(path: string): string {
  const [part = "", area] = path.split("/");
  return part === "src" && area !== undefined ? `src/${area.replace(/\.ts$/, "")}` : part;
}

function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reach = new Map([...imports.keys()].map((name) => [name, reachedFrom(name, imports)]));
  const circles = new Map<string, string[]>();
  for (const [name, reached] of reach) {
    if (!reached.has(name)) continue;
    const circle = [...reached].filter((other) => reach.get(other)?.has(name)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

function importedBy({ path, text }: SourceFile, files: readonly SourceFile[]): string[] {
  const known = new Set(files.map((file) => file.path));
  return compiler
    .scanImports(text)
    .filter(({ kind, path: specifier }) => kind !== "dynamic-import" && specifier.startsWith("."))
    .flatMap(({ path: specifier }) => {
      const plain = posix.join(posix.dirname(path), specifier);
      return [`${plain}.ts`, `${plain}/index.ts`, plain].find((each) => known.has(each)) ?? [];
    });
}

function reachedFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...(imports.get(start) ?? [])];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(imports.get(path) ?? []));
  }
  return reached;
}
