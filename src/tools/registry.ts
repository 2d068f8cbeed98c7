// The tools of all catalogs, found by any of the names that people and models use for them.
import { toolNotFound, malformedRequest } from "../errors";
import { nearest } from "../base";
import { modelNames } from "./formats/names";
import type { Catalog, ToolDefinition } from "./definition";

/** A tool with its place: what the services work with. */
export interface Tool {
  catalog: Catalog;
  definition: ToolDefinition;
  /** `Toolkit.DoThis` */
  qualifiedName: string;
  /** `Toolkit.DoThis@1.0.0` */
  fullyQualifiedName: string;
  /** Whether it is the newest version that this server has. */
  newest: boolean;
  /** `Toolkit_DoThis`: the name under which models know it; of an older version `Toolkit_DoThis_0_9_0`. */
  modelName: string;
}

/** A toolkit and its tools, sorted by name. */
export interface CatalogSummary {
  toolkit: Catalog["toolkit"];
  tools: { name: string; description: string; replacement: string | undefined }[];
}

export class Registry {
  /** The newest version of each, sorted by fully qualified name. */
  readonly tools: readonly Tool[];
  /** All versions of all, sorted likewise. */
  readonly versions: readonly Tool[];
  /** By qualified name in small letters: the versions of a tool, newest first. */
  readonly #byName = new Map<string, Tool[]>();
  readonly #byModelName = new Map<string, Tool>();

  /** Throws when two catalogs have the same tool in the same version. */
  constructor(catalogs: readonly Catalog[]) {
    this.versions = catalogs
      .flatMap((catalog) => catalog.tools.map((definition) => toolOf(catalog, definition)))
      .toSorted((left, right) => (left.fullyQualifiedName < right.fullyQualifiedName ? -1 : 1));
    for (const tool of this.versions) this.#add(tool);
    for (const versions of this.#byName.values()) {
      versions.sort((left, right) => newestFirst(versionOf(left), versionOf(right)));
      for (const [index, tool] of versions.entries()) tool.newest = index === 0;
    }
    this.tools = this.versions.filter(({ newest }) => newest);
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
        `The name asks for another version of ${found.qualifiedName} than tool_version does.`,
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
    // Also names that differ in their case alone: nobody could tell which is meant.
    if (
      versions.some((one) => versionOf(one) === versionOf(tool) || one.qualifiedName !== tool.qualifiedName)
    )
      throw new Error(`two tools are called ${tool.fullyQualifiedName}`);
    this.#byName.set(key, [...versions, tool]);
  }

  #lookUp(bare: string): Tool | undefined {
    const name = bare.toLowerCase();
    const dotted = this.#byName.get(name)?.[0];
    if (dotted !== undefined || name.includes(".")) return dotted;
    return this.#byModelName.get(name) ?? this.#split(name);
  }

  #split(name: string): Tool | undefined {
    // `_` may also stand inside a name: the first one that splits into a known toolkit and tool counts.
    for (let at = name.indexOf("_"); at > 0; at = name.indexOf("_", at + 1)) {
      const tool = this.#byName.get(`${name.slice(0, at)}.${name.slice(at + 1)}`)?.[0];
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  #unknown(name: string): Error {
    const shown = /^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : "of this form";
    // The dots of a version part nothing.
    if (!/[._]/.test(name.split("@", 1)[0] ?? "")) {
      return malformedRequest(`failed to parse tool name ${shown}: it must be Toolkit.Tool`);
    }
    const names = this.tools.map(({ qualifiedName }) => qualifiedName);
    const guess = nearest(name.replace("_", "."), names);
    return toolNotFound(`There is no tool ${shown}${guess === undefined ? "." : `; did you mean ${guess}?`}`);
  }
}

function toolOf(catalog: Catalog, definition: ToolDefinition): Tool {
  const qualifiedName = `${catalog.toolkit.name}.${definition.name}`;
  const fullyQualifiedName = `${qualifiedName}@${catalog.toolkit.version}`;
  // Named for models once all tools are known: no two may be called alike.
  return { catalog, definition, qualifiedName, fullyQualifiedName, newest: true, modelName: qualifiedName };
}

function versionOf({ catalog }: Tool): string {
  return catalog.toolkit.version;
}

function shownVersion(version: string): string {
  return /^[\w.+-]{0,100}$/.test(version) ? `"${version}"` : "of this form";
}

const SEMANTIC = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** For sorting, newest first. What is no semantic version is older than all that are, and compared by its digits. */
export function newestFirst(left: string, right: string): number {
  const [leftFits, rightFits] = [SEMANTIC.test(left), SEMANTIC.test(right)];
  if (leftFits !== rightFits) return leftFits ? -1 : 1;
  // Build metadata counts for nothing in that order: then the text decides, so that the order is always the same.
  const order = leftFits ? Bun.semver.order(right, left) : 0;
  return order !== 0 ? order : right.localeCompare(left, "en", { numeric: true });
}
