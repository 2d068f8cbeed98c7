// Rebuilds a schema keyword by keyword: what a check would misread is converted, and what it cannot use is left out. The
// worker itself still checks what was left out.
import { isObject, visible } from "../base";
import { formOf } from "./keywords";
import { nullableSchema } from "./nullable";
import { currentKeywords, DIALECT } from "./older-drafts";
import { longestText } from "./pattern";
import { escaped, pointed, referenceTo } from "./pointer";
import { type Node, referenceOf, type References } from "./references";
import { LONGEST_NAME } from "./steps";
import { convertLimits, hasUnknownType, plainValue } from "./values";

/** More of them would be compiled to code that is nested too deeply. */
const MOST_ALTERNATIVES = 500;
const MOST_MEMBERS = 2000;
/** Characters of code, roughly: a check repeats the path of a value for each keyword and each of its parts. */
const MOST_CODE = 4_000_000;
const MOST_REASONS = 50;
const LONGEST_REASON = 200;

export interface CleanOptions {
  references: References;
  /** Whether the document follows a draft up to 7. */
  isOldDraft: boolean;
  /** Schemas whose references must not be followed. */
  opened: ReadonlySet<Node>;
  /** Whether something was left out of a schema, or of one that it contains or refers to. */
  isLossy(node: unknown): boolean;
}

export class Cleaner {
  /** Schemas out of which something was left. */
  readonly lossy = new Set<Node>();
  readonly #options: CleanOptions;
  readonly #reasons: string[] = [];
  #count = 0;
  #code = MOST_CODE;
  /** Where each schema is in the result, as a JSON pointer. */
  readonly #places = new Map<Node, string>();
  readonly #pending: { node: Node; target: Node }[] = [];

  constructor(options: CleanOptions) {
    this.#options = options;
  }

  /** What was left out, and why. */
  get dropped(): string[] {
    const more = this.#count - this.#reasons.length;
    return more === 0 ? this.#reasons : [...this.#reasons, `and ${more} more`];
  }

  /** The whole document, with every schema that it refers to. */
  document(root: Node): Node {
    const { nullable: _, ...keywords } = root;
    const result = this.#node(root, keywords, "");
    // Without it, a compiler may search the whole document for each reference.
    if (result["$schema"] !== undefined || this.#pending.length > 0) result["$schema"] = DIALECT;
    const definitions = isObject(result["$defs"]) ? result["$defs"] : {};
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      const { node, target } = next;
      const place = this.#places.get(target);
      if (place === undefined || !isObject(pointed(result, place))) {
        const name = freeName(definitions);
        result["$defs"] = definitions;
        definitions[name] = this.#schema(target, `/$defs/${name}`);
        this.#places.set(target, `/$defs/${name}`);
      }
      node["$ref"] = referenceTo(this.#places.get(target) ?? "");
    }
    return result;
  }

  #schema(value: unknown, at: string): Node | boolean | undefined {
    if (typeof value === "boolean") return value;
    if (!isObject(value)) return undefined;
    const { keywords, around } = nullableSchema(value);
    if (around === undefined) return this.#node(value, keywords, at);
    this.#places.set(value, at);
    const alternatives = [this.#node(value, keywords, `${at}/anyOf/0`), { type: "null" }];
    return { ...this.#node(around, around, at), anyOf: alternatives };
  }

  /** `given`: the keywords of `source`, perhaps converted. */
  #node(source: Node, given: Node, at: string): Node {
    if (!this.#places.has(source)) this.#places.set(source, at);
    const keywords = currentKeywords(given, this.#options.isOldDraft);
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(keywords)) {
      const here = `${at}/${escaped(keyword)}`;
      this.#code -= at.length * (1 + partsOf(value));
      const cleaned =
        this.#code < 0 && formOf(keyword) !== undefined
          ? this.#drop(source, here, "the schema is too complex")
          : this.#keyword(source, keyword, value, here);
      if (cleaned !== undefined) kept.push([keyword, cleaned]);
    }
    // Assigning `__proto__` would set the prototype.
    const node: Node = Object.fromEntries(kept);
    convertLimits(node);
    this.#refer(source, node, at);
    this.#relax(source, keywords, node, at);
    return node;
  }

  /** The value of a keyword; undefined to leave it out. */
  #keyword(source: Node, keyword: string, value: unknown, at: string): unknown {
    const form = formOf(keyword);
    switch (form) {
      case undefined:
        return value;
      case "place":
        return undefined;
      case "reference":
        // Where it leads is known when all is cleaned.
        return keyword === "$ref" ? "#" : undefined;
      case "schema":
        return this.#schema(value, at) ?? this.#drop(source, at, "it is not a schema");
      case "schemas":
        return this.#schemas(source, value, at);
      case "map":
        return this.#map(source, keyword, value, at);
      case "pattern":
        return longestText(value) !== undefined
          ? value
          : this.#drop(source, at, "it cannot be checked safely");
      case "type":
        // Without the unknown ones, a list of types would refuse what the worker takes.
        return hasUnknownType(value)
          ? this.#drop(source, at, "the type is unknown")
          : plainValue(form, value);
      case "text":
      case "label":
      case "flag":
      case "list":
        return plainValue(form, value);
      default:
        return plainValue(form, value) ?? this.#drop(source, at, "its value cannot be used");
    }
  }

  #schemas(source: Node, value: unknown, at: string): unknown {
    if (!Array.isArray(value) || value.length === 0)
      return this.#drop(source, at, "it is not a list of schemas");
    if (value.length > MOST_ALTERNATIVES) return this.#drop(source, at, "it has too many entries");
    const schemas = value.map((each: unknown, index) => this.#schema(each, `${at}/${index}`));
    return schemas.includes(undefined)
      ? this.#drop(source, at, "it has an entry that is not a schema")
      : schemas;
  }

  #map(source: Node, keyword: string, value: unknown, at: string): unknown {
    if (!isObject(value)) return this.#drop(source, at, "it is not an object");
    const entries = Object.entries(value);
    if (entries.length > MOST_MEMBERS) return this.#drop(source, at, "it has too many members");
    const kept: [string, unknown][] = [];
    for (const [name, each] of entries) {
      const here = `${at}/${escaped(name)}`;
      if (keyword === "patternProperties" && !isSafeName(name)) {
        this.#drop(source, here, "the pattern cannot be checked safely");
        continue;
      }
      kept.push([name, this.#schema(each, here) ?? this.#open(source, here)]);
    }
    return Object.fromEntries(kept);
  }

  #open(source: Node, at: string): Node {
    this.#drop(source, at, "it is not a schema");
    return {};
  }

  #drop(source: Node, at: string, why: string): undefined {
    this.lossy.add(source);
    this.#count++;
    if (this.#reasons.length < MOST_REASONS) this.#reasons.push(`${shown(at)}: ${why}`);
    return undefined;
  }

  #refer(source: Node, node: Node, at: string): void {
    const target = referenceOf(source) === undefined ? true : this.#options.references.targetOf(source);
    if (isObject(target) && !this.#options.opened.has(source)) {
      node["$ref"] = "#";
      this.#pending.push({ node, target });
      return;
    }
    delete node["$ref"];
    if (target === undefined)
      this.#drop(source, `${at}/$ref`, "the schema does not contain what it refers to");
    else if (target === false) node["not"] = {};
    else if (target !== true) this.#drop(source, `${at}/$ref`, "it refers to itself too often");
  }

  // What is left out must never make the check stricter than the worker's own.
  #relax(source: Node, keywords: Node, node: Node, at: string): void {
    const { isLossy } = this.#options;
    const leaveOut = (...keywords: readonly string[]): void => {
      for (const keyword of keywords) {
        if (node[keyword] === undefined) continue;
        delete node[keyword];
        this.#drop(source, `${at}/${keyword}`, "it depends on a part that was left out");
      }
    };
    if (isLossy(keywords["not"])) leaveOut("not");
    if (isLossy(keywords["if"])) leaveOut("if", "then", "else");
    if (isLossy(keywords["contains"])) leaveOut("maxContains");
    if (isLossy(source)) leaveOut("unevaluatedProperties", "unevaluatedItems");
    if (lost(keywords, node, "properties") || lost(keywords, node, "patternProperties"))
      leaveOut("additionalProperties");
    if (lost(keywords, node, "prefixItems")) leaveOut("items");
    const { oneOf } = node;
    if (oneOf === undefined || ![keywords["oneOf"]].flat().some(isLossy)) return;
    leaveOut("oneOf");
    // An alternative that takes more than before may take what another one takes.
    if (node["anyOf"] === undefined) node["anyOf"] = oneOf;
  }
}

/** Whether a keyword, or some of its members, were left out. */
function lost(source: Node, node: Node, keyword: string): boolean {
  const [before, after] = [source[keyword], node[keyword]];
  if (before === undefined) return false;
  return (
    after === undefined || (isObject(after) && Object.keys(after).length < Object.keys(Object(before)).length)
  );
}

/** For patterns of names, which the compiler joins to one, with all their groups. */
function isSafeName(pattern: string): boolean {
  return (longestText(pattern) ?? 0) >= LONGEST_NAME && !pattern.includes("(?<");
}

function partsOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function shown(pointer: string): string {
  const text = visible(pointer.slice(0, LONGEST_REASON + 1));
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
}

function freeName(definitions: Node): string {
  for (let number = Object.keys(definitions).length + 1; ; number++) {
    if (!Object.hasOwn(definitions, `schema${number}`)) return `schema${number}`;
  }
}
