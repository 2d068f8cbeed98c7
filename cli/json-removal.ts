// Removes a property from JSON with comments. Comments of other properties stay, which the parser's own edits would take along.
import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";

/** The text without the property at a path; the same text if it is not there. */
export function withoutProperty(text: string, path: readonly string[]): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const property = tree === undefined ? undefined : findNodeAtLocation(tree, [...path])?.parent;
  if (property === undefined) return text;
  const comma = commaAfter(text, endOf(property)) ?? commaBefore(text, property);
  return without(text, comma, property.offset, endOf(property));
}

const endOf = ({ offset, length }: Node): number => offset + length;

function commaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

function commaBefore(text: string, property: Node): number | undefined {
  const all = property.parent?.children ?? [];
  const previous = all[all.indexOf(property) - 1];
  return previous === undefined ? undefined : commaAfter(text, endOf(previous));
}

/** Without a comma, and without the text from `start` to `end` and the rest of its lines. */
function without(text: string, comma: number | undefined, start: number, end: number): string {
  const isBehind = comma !== undefined && comma >= end;
  const last = isBehind ? comma + 1 : end;
  const between = isBehind ? text.slice(end, comma) : "";
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const isAlone = text.slice(lineStart, start).trim() === "";
  // A comment on the line of its end belongs to it.
  const [rest = ""] =
    /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?:\r?\n|$)/.exec(text.slice(last)) ?? [];
  const from = isAlone && rest !== "" ? lineStart : start;
  const to = isAlone && rest !== "" ? last + rest.length : last;
  const head = text.slice(0, from) + (between.trim() === "" ? "" : between);
  if (comma === undefined || isBehind) return head + text.slice(to);
  return text.slice(0, comma) + text.slice(comma + 1, from) + text.slice(to);
}
