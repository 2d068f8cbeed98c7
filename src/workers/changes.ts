// What differs between the accepted catalog of a worker and its latest one, and what is accepted of it.
import { hashOfJson } from "./hash-of-json";
import type { WorkerDiff } from "./schema";
import type { WorkerTool } from "./tool";

/** A tool with its name at this server, `Toolkit.Tool`; with `@version`, if the worker has several versions of a toolkit. */
interface Named {
  name: string;
  tool: WorkerTool;
  hash: string;
}

export type ToolChange = WorkerDiff["tools"][number];

const FIELDS = [
  "description",
  "input",
  "output",
  "modes",
  "metadata",
  "authorization",
  "secrets",
  "notInferrable",
  "sendsMetadata",
  "deprecation",
  "upstream",
  "toolkit",
  "original",
] as const satisfies readonly (keyof WorkerTool)[];

/** `toolkit`: that of tools which name none. */
export function changesBetween(
  accepted: readonly WorkerTool[],
  latest: readonly WorkerTool[],
  toolkit: string,
): ToolChange[] {
  const [old, young] = [byKey(accepted, toolkit), byKey(latest, toolkit)];
  const changes: ToolChange[] = [];
  for (const [key, { name, tool, hash }] of young) {
    const before = old.get(key);
    const facts = { name, latest_hash: hash, latest_description: tool.description };
    if (before === undefined) changes.push({ ...facts, change: "new" });
    else if (before.hash !== hash)
      changes.push({
        ...facts,
        change: "changed",
        accepted_hash: before.hash,
        accepted_description: before.tool.description,
        fields: FIELDS.filter((field) => !Bun.deepEquals(before.tool[field], tool[field])),
      });
  }
  for (const [key, { name, tool, hash }] of old) {
    if (young.has(key)) continue;
    changes.push({
      name,
      change: "missing",
      accepted_hash: hash,
      accepted_description: tool.description,
    });
  }
  return changes;
}

/**
 * The accepted tools after the changes of `names` (as in the diff, in any case; undefined: all) are accepted, in the order of
 * the worker, and the names that match no change.
 */
export function acceptedWith(
  accepted: readonly WorkerTool[],
  latest: readonly WorkerTool[],
  toolkit: string,
  names: readonly string[] | undefined,
): { tools: WorkerTool[]; unknown: string[] } {
  if (names === undefined) return { tools: [...latest], unknown: [] };
  const changes = changesBetween(accepted, latest, toolkit);
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const chosen = changes.filter(({ name }) => wanted.has(name.toLowerCase()));
  const found = new Set(chosen.map(({ name }) => name.toLowerCase()));
  const taken = new Set(chosen.map(({ name }) => name));
  const [old, young] = [byKey(accepted, toolkit), byKey(latest, toolkit)];
  const tools = [...young].flatMap(([key, { name, tool }]) => {
    if (taken.has(name)) return [tool];
    const before = old.get(key);
    return before === undefined ? [] : [before.tool];
  });
  const kept = [...old].flatMap(([key, { name, tool }]) => (young.has(key) || taken.has(name) ? [] : [tool]));
  return { tools: [...tools, ...kept], unknown: names.filter((name) => !found.has(name.toLowerCase())) };
}

function byKey(tools: readonly WorkerTool[], toolkit: string): Map<string, Named> {
  const versions = new Map<string, Set<string>>();
  for (const tool of tools) {
    const name = tool.toolkit?.name ?? toolkit;
    const known = versions.get(name) ?? new Set();
    versions.set(name, known.add(tool.toolkit?.version ?? ""));
  }
  return new Map(
    tools.map((tool) => {
      const kit = tool.toolkit?.name ?? toolkit;
      const version = tool.toolkit?.version ?? "";
      const name = `${kit}.${tool.name}`;
      const shown = (versions.get(kit)?.size ?? 0) > 1 && version !== "" ? `${name}@${version}` : name;
      return [`${name}@${version}`.toLowerCase(), { name: shown, tool, hash: hashOfJson(tool) }];
    }),
  );
}
