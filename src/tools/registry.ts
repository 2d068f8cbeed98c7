// The tools of all catalogs, found by any of the names that people and models use for them.
import { toolNotFound, malformedRequest } from "../errors";
import { nearest } from "../base";
import { modelNames } from "./formats/names";
import type { Catalog, ToolDefinition } from "./definition";

/** A tool with its place: what the services work with. */
export interface Tool {
  catalog: Catalog;
  definition: ToolDefinition;
  /** `Chat.SendMessage` */
  qualifiedName: string;
  /** `Chat.SendMessage@1.0.0` */
  fullyQualifiedName: string;
  /** `Chat_SendMessage`: the name under which models know it. */
  modelName: string;
}

export class Registry {
  /** Sorted by fully qualified name. */
  readonly tools: readonly Tool[];
  readonly #byName = new Map<string, Tool>();
  readonly #byModelName = new Map<string, Tool>();

  constructor(catalogs: readonly Catalog[]) {
    this.tools = catalogs
      .flatMap((catalog) => catalog.tools.map((definition) => toolOf(catalog, definition)))
      .toSorted((left, right) => (left.fullyQualifiedName < right.fullyQualifiedName ? -1 : 1));
    for (const tool of this.tools) {
      const key = tool.qualifiedName.toLowerCase();
      if (this.#byName.has(key)) throw new Error(`two tools are called ${tool.qualifiedName}`);
      this.#byName.set(key, tool);
    }
    for (const [tool, name] of modelNames(this.tools, (plain) => this.#split(plain.toLowerCase()))) {
      tool.modelName = name;
      this.#byModelName.set(name.toLowerCase(), tool);
    }
  }

  /**
   * The tool of a name: `Chat.SendMessage` or `Chat_SendMessage` (the form that models can use), any case, with an
   * optional `@version`. Throws `malformed_request` for a name without toolkit, `tool_not_found` otherwise.
   */
  find(name: string, version?: string): Tool {
    const [bare = "", named, ...rest] = name.split("@");
    const wanted = version ?? named;
    const tool = rest.length > 0 ? undefined : this.#lookUp(bare);
    if (tool === undefined) throw this.#unknown(name);
    if (wanted !== undefined && wanted !== tool.catalog.toolkit.version) {
      throw toolNotFound(
        `${tool.qualifiedName} has no version "${wanted}"; this server has ${tool.catalog.toolkit.version}.`,
      );
    }
    return tool;
  }

  #lookUp(bare: string): Tool | undefined {
    const name = bare.toLowerCase();
    const dotted = this.#byName.get(name);
    if (dotted !== undefined || name.includes(".")) return dotted;
    return this.#byModelName.get(name) ?? this.#split(name);
  }

  #split(name: string): Tool | undefined {
    // `_` may also stand inside a name: the first one that splits into a known toolkit and tool counts.
    for (let at = name.indexOf("_"); at > 0; at = name.indexOf("_", at + 1)) {
      const tool = this.#byName.get(`${name.slice(0, at)}.${name.slice(at + 1)}`);
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  #unknown(name: string): Error {
    const shown = /^[\w.@-]{1,100}$/.test(name) ? `"${name}"` : "of this form";
    if (!/[._]/.test(name)) {
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
  return { catalog, definition, qualifiedName, fullyQualifiedName, modelName: qualifiedName };
}
