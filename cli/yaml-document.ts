// A YAML or JSON document that knows the place of each of its values. JSON is also valid YAML.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { FieldError } from "../src/errors";

/** A mistake in a document. Lines and columns begin with 1. */
export interface Problem {
  line: number;
  column: number;
  message: string;
}

export interface ParsedDocument {
  value: unknown;
  /** Why it is not valid YAML. */
  problems: Problem[];
  /** The error of a field at the place of its value; an unknown field at its name, a missing one at its record. */
  located(error: FieldError): Problem;
}

/** Aliases that repeat each other would make a small document huge. */
const MAX_ALIASES = 100;

export function parseYaml(text: string): ParsedDocument {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true } as const;
  const document = parseDocument(text, { ...options, logLevel: "error" });
  const placeAt = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems = document.errors.map(({ code, message, pos: [start, end] }) => ({
    ...placeAt(start),
    message: code === "DUPLICATE_KEY" ? `${wordAt(text, start, end)} is given twice` : plain(code, message),
  }));
  return {
    ...valueOf(document, problems),
    located: (error) => {
      const { offset, node } = placeOf(document, error);
      return { ...placeAt(offset), message: `${error.field} ${error.message}${hintFor(error, node)}` };
    },
  };
}

function valueOf(document: Document, problems: Problem[]): { value: unknown; problems: Problem[] } {
  if (problems.length > 0) return { value: undefined, problems };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), problems };
  } catch {
    const message = "an alias (*name) has no anchor (&name) before it, or there are too many of them";
    return { value: undefined, problems: [{ line: 1, column: 1, message }] };
  }
}

// The texts of the parser for these are meant for programmers.
function plain(code: string, message: string): string {
  if (code === "MULTIPLE_DOCS") return "a second document begins here; use one file for each";
  // After the colon, the parser repeats the text, which may be a secret.
  return `not valid YAML or JSON: ${message.replace(/: ".*$/s, "")}`;
}

function wordAt(text: string, start: number, end: number): string {
  const quoted = /^(["'])(.*?)\1/.exec(text.slice(start, start + 200))?.[2];
  return quoted ?? /^[^\s:,}\]]+/.exec(text.slice(start, Math.max(end, start + 200)))?.[0] ?? "a key";
}

/** How to write the value instead, if that is known. */
function hintFor(error: FieldError, node: Node | null): string {
  if (!isScalar(node)) return "";
  return error.message === "must be string" && node.value !== null ? " (write it in quotes)" : "";
}

/** Where the field of an error is, or the deepest record that leads to it. */
function placeOf(document: Document, { field, rule }: FieldError): { offset: number; node: Node | null } {
  const names = field === "" ? [] : field.split(".");
  let node = document.contents;
  let offset = startOf(node);
  for (let at = 0; at < names.length;) {
    const found = step(document, node, names.slice(at));
    if (found === undefined) return { offset, node: null };
    const isLast = at + found.taken >= names.length;
    offset = isLast && rule === "unknown" ? found.keyStart : (startOfValue(found) ?? offset);
    node = found.value;
    at += found.taken;
  }
  return { offset, node };
}

interface Found {
  value: Node | null;
  keyStart: number;
  /** The name of a field may contain dots, which also separate names. */
  taken: number;
}

function step(document: Document, node: Node | null, names: readonly string[]): Found | undefined {
  const inner = isAlias(node) ? (node.resolve(document) ?? null) : node;
  if (isSeq<Node | null>(inner)) {
    const item = inner.items[Number(names[0])];
    return item === undefined ? undefined : { value: item, keyStart: startOf(item), taken: 1 };
  }
  if (!isMap<Node, Node | null>(inner)) return undefined;
  for (let taken = 1; taken <= names.length; taken++) {
    const name = names.slice(0, taken).join(".");
    const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair !== undefined) return { value: pair.value, keyStart: startOf(pair.key), taken };
  }
  return undefined;
}

function startOfValue({ value, keyStart }: Found): number | undefined {
  // A record in a block begins in a later line; its name is what people look for.
  return isMap(value) || isSeq(value) || value === null ? keyStart : startOf(value);
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
