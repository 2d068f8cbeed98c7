// Which files import each other in a circle, as the compiler sees it: types are no import, and what is imported when it is
// needed is evaluated later. The executable is built in pieces, and where a circle lies
// across two of them one may run before what it needs.
import { posix } from "node:path";
import type { SourceFile } from "./rules";

const compiler = new Bun.Transpiler({ loader: "ts", target: "bun" });

/** Each circle once, as the sorted paths of its files. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, importedBy(file, files)]));
  const reach = new Map(files.map(({ path }) => [path, reachedFrom(path, imports)]));
  const circles = new Map<string, string[]>();
  for (const [path, reached] of reach) {
    if (!reached.has(path)) continue;
    const circle = [...reached].filter((other) => reach.get(other)?.has(path)).sort();
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
