// The statements of all services, by a process that loads them with an observer in place of `query`.
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
const PORT = join(ROOT, "src/store/port.ts");
const DECLARES = /\b(?:query|named|command|insertInto|update|rowCommands)\(|\bquery</;

export async function statementsOfServices(): Promise<string[]> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdout: "pipe", stderr: "inherit" });
  const texts: unknown = JSON.parse(await child.stdout.text());
  return (Array.isArray(texts) ? texts : []).map(String);
}

async function collect(): Promise<string[]> {
  const texts = new Set<string>();
  Bun.plugin({
    name: "statements",
    setup(build) {
      build.onLoad({ filter: /src\/store\/port\.ts$/ }, async () => ({
        loader: "ts",
        contents: (await Bun.file(PORT).text()).replace(
          "  return { text };",
          "  (globalThis as any).statementSeen(text);\n  return { text };",
        ),
      }));
    },
  });
  Object.assign(globalThis, { statementSeen: (text: string) => texts.add(text) });
  for (const file of (await Array.fromAsync(new Bun.Glob("src/**/*.ts").scan(ROOT))).toSorted()) {
    if (/^src\/store\/(?:sqlite|migrate|copies|erasure|write-health)/.test(file)) continue;
    if (DECLARES.test(await Bun.file(join(ROOT, file)).text())) await import(join(ROOT, file));
  }
  return [...texts].filter((text) => !text.startsWith("PRAGMA") && !/\broom\b/.test(text));
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await collect()));
  process.exit(0);
}
