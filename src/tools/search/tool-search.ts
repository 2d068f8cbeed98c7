// The search for tools of a project. An index is made when a project first searches, and again after its tools have changed.
import type { Registry, Tool } from "../registry";
import type { ToolIndex } from "./tool-index";

/** Tools in all indexes together: one of 2,000 tools has about 10 MB. */
const MOST_TOOLS = 20_000;

/** Matches that are much worse than the best one are noise. */
const WORST = 0.3;

interface Kept {
  tools: readonly Tool[];
  index: Promise<ToolIndex>;
}

export class ToolSearch {
  readonly #builtIn: Registry;
  /** By project, the least recently used first. The empty name: the tools that are compiled in, for all projects without others. */
  readonly #kept = new Map<string, Kept>();

  constructor(builtIn: Registry) {
    this.#builtIn = builtIn;
  }

  /**
   * Those of the given tools of a registry that match a search, the best first. Only they are compared: a tool that a user must
   * not see leaves out no other one.
   */
  async ranked(
    projectId: string,
    registry: Registry,
    among: readonly Tool[],
    text: string,
  ): Promise<readonly Tool[]> {
    const { versions } = registry;
    const { index } = this.#of(registry === this.#builtIn ? "" : projectId, versions);
    const matches = (await index).search(text);
    // By name: the registry may have been loaded again since the tools were chosen.
    const chosen = new Map(among.map((tool) => [tool.fullyQualifiedName, tool]));
    const found = matches.flatMap(({ id, score }) => {
      const tool = chosen.get(versions[id]?.fullyQualifiedName ?? "");
      return tool === undefined ? [] : [{ tool, score }];
    });
    const least = (found[0]?.score ?? 0) * WORST;
    return found.filter(({ score }) => score >= least).map(({ tool }) => tool);
  }

  #of(key: string, versions: readonly Tool[]): Kept {
    const known = this.#kept.get(key);
    // A change of a worker makes a new registry, also for projects whose own tools stay as they are.
    const kept =
      known !== undefined && hasSame(known.tools, versions)
        ? known
        : { tools: versions, index: indexOf(versions) };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    this.#forgetOldest();
    return kept;
  }

  #forgetOldest(): void {
    let total = 0;
    for (const { tools } of this.#kept.values()) total += tools.length;
    for (const [key, { tools }] of this.#kept) {
      if (total <= MOST_TOOLS || this.#kept.size === 1) return;
      this.#kept.delete(key);
      total -= tools.length;
    }
  }
}

/** Most processes never search, so the index is loaded late. */
async function indexOf(tools: readonly Tool[]): Promise<ToolIndex> {
  const { ToolIndex } = await import("./tool-index");
  return ToolIndex.of(tools);
}

function hasSame(known: readonly Tool[], now: readonly Tool[]): boolean {
  return (
    known.length === now.length && now.every(({ definition }, at) => definition === known[at]?.definition)
  );
}
