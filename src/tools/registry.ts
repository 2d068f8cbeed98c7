// The tools of all catalogs, found by any of the names that people and models use for them.
import { malformedRequest, toolNotFound, unknownRecord } from "../errors";
import { nearest } from "../base";
import { modelNames } from "./formats/names";
import type { Catalog, ToolDefinition } from "./definition";
import { requireDescribable } from "./describable";

/** A tool with its catalog and its names. */
export interface Tool {
  catalog: Catalog;
  definition: ToolDefinition;
  /** `Toolkit.DoThis` */
  qualifiedName: string;
  /** `Toolkit.DoThis@1.0.0` */
  fullyQualifiedName: string;
  /** Whether it is the newest version on this server. */
  newest: boolean;
  /** `Toolkit_DoThis`: its name for models; `Toolkit_DoThis_0_9_0` for an older version. */
  modelName: string;
  /** The newest version of the tool that replaces it. */
  replacedBy?: Tool | undefined;
}

/** A toolkit and its tools, sorted by name. */
export interface CatalogSummary {
  toolkit: Catalog["toolkit"];
  tools: { name: string; description: string; replacement: string | undefined }[];
}

/** Longer names are not looked up: the work grows with the square of the length. */
const MAX_NAME_LENGTH = 500;

export class Registry {
  /** The newest version of each tool, sorted by fully qualified name. */
  readonly tools: readonly Tool[];
  /** All versions of all tools, sorted by fully qualified name. */
  readonly versions: readonly Tool[];
  /** The versions of a tool, newest first, by qualified name in lower case. */
  readonly #byName = new Map<string, Tool[]>();
  readonly #byModelName = new Map<string, Tool>();

  /** Throws when two catalogs have the same tool in the same version, or a type that cannot be described. */
  constructor(catalogs: readonly Catalog[]) {
    this.versions = catalogs
      .flatMap((catalog) => catalog.tools.map((definition) => toolOf(catalog, definition)))
      .toSorted((left, right) => (left.fullyQualifiedName < right.fullyQualifiedName ? -1 : 1));
    for (const tool of this.versions) {
      requireDescribable(tool);
      this.#add(tool);
    }
    for (const versions of this.#byName.values()) {
      versions.sort((left, right) => newestFirst(versionOf(left), versionOf(right)));
      for (const [index, tool] of versions.entries()) tool.newest = index === 0;
    }
    this.tools = this.versions.filter(({ newest }) => newest);
    for (const tool of this.versions) {
      const { replacement } = tool.definition;
      if (replacement !== undefined) tool.replacedBy = this.#lookUp(replacement);
    }
    for (const [tool, name] of modelNames(this.versions, (plain) => this.#split(plain.toLowerCase()))) {
      tool.modelName = name;
      this.#byModelName.set(name.toLowerCase(), tool);
    }
  }

  /**
   * The tool of a name: `Toolkit.DoThis` or `Toolkit_DoThis` (the form that models can use), any case, with an
   * optional `@version`; without a version the newest. Throws `malformed_request` for a name without toolkit,
   * `tool_not_found` otherwise.
   */
  find(name: string, version?: string): Tool {
    // A long name of separators would be split at each of them.
    if (name.length > MAX_NAME_LENGTH) throw toolNotFound("There is no tool with such a long name.");
    const [bare = "", named, ...rest] = name.split("@");
    const found = rest.length > 0 ? undefined : this.#lookUp(bare);
    if (found === undefined) throw this.#unknown(name);
    const wanted = version ?? named;
    if (wanted === undefined) return found;
    const versions = this.#byName.get(found.qualifiedName.toLowerCase()) ?? [found];
    const tool = versions.find((one) => versionOf(one) === wanted);
    if (tool === undefined) {
      const has = versions.map(versionOf).join(", ");
      throw toolNotFound(
        `${found.qualifiedName} has no version ${shownVersion(wanted)}; this server has ${has}.`,
      );
    }
    if (named !== undefined && named !== wanted)
      throw toolNotFound(
        `The name and tool_version contain different versions of ${found.qualifiedName}. Give only one.`,
      );
    return tool;
  }

  /** All toolkits and their tools, the same for every caller. */
  summary(): CatalogSummary[] {
    const toolkits = new Set(this.tools.map(({ catalog }) => catalog.toolkit));
    return [...toolkits].map((toolkit) => ({
      toolkit,
      tools: this.tools
        .filter(({ catalog }) => catalog.toolkit === toolkit)
        .map(({ qualifiedName: name, definition: { description, replacement } }) => ({
          name,
          description,
          replacement,
        })),
    }));
  }

  /** All scopes that the tools of a well-known provider need, sorted. */
  scopesOf(providerId: string): string[] {
    const needs = this.versions.map(({ definition }) => definition.authorization);
    const scopes = needs.flatMap((need) => (need?.provider === providerId ? need.scopes : []));
    return [...new Set(scopes)].toSorted();
  }

  #add(tool: Tool): void {
    const key = tool.qualifiedName.toLowerCase();
    const versions = this.#byName.get(key) ?? [];
    // Also refuses names that differ only in case.
    if (
      versions.some((one) => versionOf(one) === versionOf(tool) || one.qualifiedName !== tool.qualifiedName)
    )
      throw new Error(`two tools have the name ${tool.fullyQualifiedName}`);
    this.#byName.set(key, [...versions, tool]);
  }

  #lookUp(bare: string): Tool | undefined {
    const name = bare.toLowerCase();
    const dotted = this.#byName.get(name)?.[0];
    if (dotted !== undefined || name.includes(".")) return dotted;
    return this.#byModelName.get(name) ?? this.#split(name);
  }

  #split(name: string): Tool | undefined {
    // Names may also contain `_`: the first one that separates a known toolkit from a tool counts.
    for (let at = name.indexOf("_"); at > 0; at = name.indexOf("_", at + 1)) {
      const tool = this.#byName.get(`${name.slice(0, at)}.${name.slice(at + 1)}`)?.[0];
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  #unknown(name: string): Error {
    const quoted = /^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : undefined;
    // Dots of the version do not count.
    if (!/[._]/.test(name.split("@", 1)[0] ?? "")) {
      return malformedRequest(
        `failed to parse tool name${quoted === undefined ? "" : ` ${quoted}`}: it must be Toolkit.Tool`,
        unknownRecord("tool_name"),
      );
    }
    const names = this.tools.map(({ qualifiedName }) => qualifiedName);
    const guess = nearest(name.replace("_", "."), names);
    return toolNotFound(
      `There is no tool ${quoted ?? "with this name"}${guess === undefined ? "." : `; did you mean ${guess}?`}`,
    );
  }
}

function toolOf(catalog: Catalog, definition: ToolDefinition): Tool {
  const qualifiedName = `${catalog.toolkit.name}.${definition.name}`;
  const fullyQualifiedName = `${qualifiedName}@${catalog.toolkit.version}`;
  // The constructor sets the name for models once all tools are known, because it must be unique.
  return { catalog, definition, qualifiedName, fullyQualifiedName, newest: true, modelName: qualifiedName };
}

function versionOf({ catalog }: Tool): string {
  return catalog.toolkit.version;
}

function shownVersion(version: string): string {
  return /^[\w.+-]{0,100}$/.test(version) ? `"${version}"` : "with this number";
}

const SEMANTIC = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** For sorting by semantic version, newest first. Other versions are older than semantic ones, and sorted by digits. */
export function newestFirst(left: string, right: string): number {
  const [leftFits, rightFits] = [SEMANTIC.test(left), SEMANTIC.test(right)];
  if (leftFits !== rightFits) return leftFits ? -1 : 1;
  // Semantic order ignores build metadata; the text decides then, so that the order is stable.
  const order = leftFits ? Bun.semver.order(right, left) : 0;
  return order !== 0 ? order : right.localeCompare(left, "en", { numeric: true });
}
