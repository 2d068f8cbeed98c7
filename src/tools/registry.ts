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
  readonly modelName: string;
  /** The newest version of the tool that replaces it. */
  replacedBy?: Tool | undefined;
}

/** A toolkit and its tools, sorted by name. */
export interface CatalogSummary {
  toolkit: Catalog["toolkit"];
  tools: { name: string; description: string; replacement: string | undefined }[];
}

/** A tool of a worker that cannot be offered. */
export interface SkippedTool {
  workerId: string;
  /** `Toolkit.DoThis` */
  name: string;
  reason: string;
}

const NO_REPLACEMENT: { replacement?: string } = {};

/** Longer names are not looked up: the work grows with the square of the length. */
const MAX_NAME_LENGTH = 500;

export class Registry {
  /** The newest version of each tool, sorted by fully qualified name. */
  readonly tools: readonly Tool[];
  /** All versions of all tools, sorted by fully qualified name. */
  readonly versions: readonly Tool[];
  /** The versions of a tool, newest first, by qualified name in lower case. */
  readonly #byName: Map<string, Tool[]>;
  /** The names for models; made when one is first needed: a project may have many thousands of tools. */
  readonly #models: () => ModelNames;
  /** Tools of workers that are not in this registry. */
  readonly skipped: readonly SkippedTool[];

  /**
   * Throws when two catalogs have the same tool in the same version, or a type that cannot be described. With `base`, the
   * catalogs are those of workers, and a tool that cannot be added is skipped: what comes from outside breaks nothing. The
   * tools of `base` keep their names.
   */
  constructor(catalogs: readonly Catalog[], base?: Registry) {
    this.#byName = new Map(base === undefined ? [] : base.#byName);
    const nameOf = (tool: Tool): string => this.#models().names.get(tool) ?? tool.qualifiedName;
    const given = catalogs
      .flatMap((catalog) => catalog.tools.map((definition) => new NamedTool(catalog, definition, nameOf)))
      .toSorted(byName);
    const added = base === undefined ? this.#addAll(given) : this.#addForeign(given, base);
    this.skipped = given.filter((tool) => !added.has(tool)).map(skippedTool);
    this.versions = [...(base?.versions ?? []), ...added].toSorted(byName);
    this.tools = this.versions.filter(({ newest }) => newest);
    for (const tool of added) {
      const { replacement } = tool.catalog.worker === undefined ? tool.definition : NO_REPLACEMENT;
      if (replacement !== undefined) tool.replacedBy = this.#lookUp(replacement);
    }
    this.#models = lazily(() => this.#namesForModels(added, base));
  }

  /** This registry with the tools of workers. */
  with(catalogs: readonly Catalog[]): Registry {
    return new Registry(catalogs, this);
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

  /** Like `find`; undefined for an unknown name. */
  peek(name: string, version?: string): Tool | undefined {
    try {
      return this.find(name, version);
    } catch {
      return undefined;
    }
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

  #namesForModels(added: ReadonlySet<Tool>, base: Registry | undefined): ModelNames {
    const tools = new Map(base === undefined ? [] : base.#models().tools);
    const split = (plain: string): Tool | undefined => this.#split(plain.toLowerCase());
    const names = modelNames([...added], split, new Set(tools.keys()));
    for (const [tool, name] of names) tools.set(name.toLowerCase(), tool);
    return { names, tools };
  }

  #addAll(tools: readonly Tool[]): ReadonlySet<Tool> {
    for (const tool of tools) {
      requireDescribable(tool);
      if (!this.#add(tool)) throw new Error(`two tools have the name ${tool.fullyQualifiedName}`);
    }
    return new Set(tools);
  }

  #addForeign(tools: readonly Tool[], base: Registry): ReadonlySet<Tool> {
    const ours = new Set(base.versions.map(({ catalog }) => catalog.toolkit.name.toLowerCase()));
    return new Set(
      tools.filter((tool) => !ours.has(tool.catalog.toolkit.name.toLowerCase()) && this.#add(tool)),
    );
  }

  /** False for a name that is taken, also one that differs only in case. */
  #add(tool: Tool): boolean {
    const key = tool.qualifiedName.toLowerCase();
    const versions = this.#byName.get(key);
    if (versions === undefined) {
      this.#byName.set(key, [tool]);
      return true;
    }
    if (
      versions.some(
        (one) =>
          versionOf(one) === versionOf(tool) ||
          one.qualifiedName !== tool.qualifiedName ||
          one.catalog.worker?.id !== tool.catalog.worker?.id,
      )
    )
      return false;
    const all = [...versions, tool].toSorted((left, right) => newestFirst(versionOf(left), versionOf(right)));
    for (const [index, one] of all.entries()) one.newest = index === 0;
    this.#byName.set(key, all);
    return true;
  }

  #lookUp(bare: string): Tool | undefined {
    const name = bare.toLowerCase();
    const dotted = this.#byName.get(name)?.[0];
    if (dotted !== undefined || name.includes(".")) return dotted;
    return this.#models().tools.get(name) ?? this.#split(name);
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

class NamedTool implements Tool {
  readonly catalog: Catalog;
  readonly definition: ToolDefinition;
  readonly qualifiedName: string;
  readonly fullyQualifiedName: string;
  newest = true;
  replacedBy?: Tool | undefined;
  readonly #nameOf: (tool: Tool) => string;

  /** `nameOf`: the name for models, which is unique among all tools. */
  constructor(catalog: Catalog, definition: ToolDefinition, nameOf: (tool: Tool) => string) {
    this.catalog = catalog;
    this.definition = definition;
    this.qualifiedName = `${catalog.toolkit.name}.${definition.name}`;
    this.fullyQualifiedName = `${this.qualifiedName}@${catalog.toolkit.version}`;
    this.#nameOf = nameOf;
  }

  get modelName(): string {
    return this.#nameOf(this);
  }
}

interface ModelNames {
  names: ReadonlyMap<Tool, string>;
  /** By name in lower case. */
  tools: ReadonlyMap<string, Tool>;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function byName(left: Tool, right: Tool): number {
  return left.fullyQualifiedName < right.fullyQualifiedName ? -1 : 1;
}

function skippedTool({ catalog, qualifiedName }: Tool): SkippedTool {
  const reason = "Another tool has this name. Give the worker another toolkit name.";
  return { workerId: catalog.worker?.id ?? "", name: qualifiedName, reason };
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
