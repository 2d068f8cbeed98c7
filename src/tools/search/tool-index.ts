// Ranks tools by the words of a search: by their names, descriptions and parameters.
import MiniSearch, { type Query as IndexQuery } from "minisearch";
import { isObject } from "../../base";
import type { Tool } from "../registry";
import { type Deed, deedOf, type Query, queryOf } from "./query";
import { type Meanings, meaningsWith } from "./meanings";
import { stemOf, wordsIn } from "./words";

/** The number of a tool that matches. A higher score is a better match. */
export interface Match {
  id: number;
  score: number;
}

interface Entry {
  id: number;
  name: string;
  toolkit: string;
  description: string;
  parameters: string;
}

/** What is indexed of a tool: one with an endless description must not fill the memory. */
const MOST_DESCRIPTION = 2000;
const MOST_PARAMETERS = 100;
const MOST_PARAMETER = 200;
/** Tools that are indexed without a pause, so that other requests wait a few milliseconds at most. */
const AT_ONCE = 10;

// Found with the questions in test/search that may be used for it.
const FIELDS = { name: 3, toolkit: 2, description: 1, parameters: 0.3 };
const BM25 = { k: 1.2, b: 0.7, d: 0.5 };
const RELATED = 0.6;
/** A word that no tool has may be the start of one, or mistyped. */
const UNKNOWN = { prefix: 0.5, fuzzy: 0.3 };
const SHORTEST_PREFIX = 3;
const SHORTEST_MISTYPED = 5;
/** A tool that deletes, for a search that does not ask for it; one that changes something, for a question. */
const NOT_ASKED = { deletes: 0.6, writes: 0.8 };
const DEPRECATED = 0.5;

export class ToolIndex {
  readonly #tools: readonly Tool[];
  readonly #index: MiniSearch<Entry>;
  readonly #deeds: Deed[] = [];
  readonly #meanings: Meanings;
  /** The stems of all tools. */
  readonly #known = new Set<string>();

  private constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    const catalogs = [...new Set(tools.map(({ catalog }) => catalog))];
    this.#meanings = meaningsWith(catalogs.map(({ everydayWords = {} }) => everydayWords));
    this.#index = new MiniSearch<Entry>({
      fields: Object.keys(FIELDS),
      tokenize: wordsIn,
      processTerm: (word) => {
        const stem = stemOf(word);
        this.#known.add(stem);
        return stem;
      },
    });
  }

  /** Takes its time, in which other work goes on. */
  static async of(tools: readonly Tool[]): Promise<ToolIndex> {
    const made = new ToolIndex(tools);
    for (let start = 0; start < tools.length; start += AT_ONCE) {
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      for (const [at, tool] of tools.slice(start, start + AT_ONCE).entries()) made.#add(tool, start + at);
    }
    return made;
  }

  #add(tool: Tool, id: number): void {
    this.#deeds.push(deedOf(tool.definition.name));
    this.#index.add(entryOf(tool, id));
  }

  /** The numbers of the tools that match, the best first. */
  search(text: string): Match[] {
    const query = queryOf(text, this.#meanings);
    const found = this.#index.search(this.#queryFor(query), {
      tokenize: (word) => [word],
      processTerm: (stem) => stem,
      boost: FIELDS,
      bm25: BM25,
      boostTerm: (stem) => (query.words.has(stem) ? 1 : RELATED),
      boostDocument: (id) => this.#fitOf(Number(id), query),
    });
    return found
      .map(({ id, score, queryTerms }) => ({ id: Number(id), score: score / Math.sqrt(queryTerms.length) }))
      .toSorted((left, right) => right.score - left.score || left.id - right.id);
  }

  #queryFor({ words, related, expressions }: Query): IndexQuery {
    const unknown = [...words].filter((stem) => !this.#known.has(stem));
    return {
      combineWith: "OR",
      queries: [
        ...words.difference(new Set(unknown)),
        ...related,
        ...expressions.map((stems) => ({ combineWith: "AND" as const, queries: [...stems] })),
        {
          combineWith: "OR" as const,
          queries: unknown,
          prefix: (stem: string) => stem.length >= SHORTEST_PREFIX,
          fuzzy: (stem: string) => stem.length >= SHORTEST_MISTYPED && 1,
          weights: UNKNOWN,
        },
      ],
    };
  }

  #fitOf(id: number, { deletes, asks }: Query): number {
    const deed = this.#deeds[id];
    const definition = this.#tools[id]?.definition;
    if (deed === undefined || definition === undefined) return 1;
    const isDeprecated = definition.replacement !== undefined || definition.deprecation !== undefined;
    return (
      (deed.deletes && !deletes ? NOT_ASKED.deletes : 1) *
      (deed.writes && asks ? NOT_ASKED.writes : 1) *
      (isDeprecated ? DEPRECATED : 1)
    );
  }
}

function entryOf({ definition, catalog: { toolkit } }: Tool, id: number): Entry {
  const { name } = definition;
  try {
    const { description, input } = definition;
    const parameters = Object.entries(input.properties).slice(0, MOST_PARAMETERS);
    return {
      id,
      name,
      toolkit: toolkit.name,
      description: description.slice(0, MOST_DESCRIPTION),
      parameters: parameters.map(([each, schema]) => `${each} ${meaningOf(schema)}`).join(" "),
    };
  } catch {
    // A stored catalog that cannot be read costs its own tools their descriptions.
    return { id, name, toolkit: toolkit.name, description: "", parameters: "" };
  }
}

function meaningOf(schema: unknown): string {
  const text = isObject(schema) ? schema["description"] : undefined;
  return typeof text === "string" ? text.slice(0, MOST_PARAMETER) : "";
}
