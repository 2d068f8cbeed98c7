// Syntax trees of scripts (ESTree, https://github.com/estree/estree).
import { parse } from "acorn";

export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  /** Of a literal. */
  regex?: { pattern: string; flags: string };
  /** Of a literal or a member. */
  value?: unknown;
  /** Of a call. */
  callee?: unknown;
  /** Of a member of an object. */
  key?: unknown;
}

export function parseScript(script: string): unknown {
  return parse(script, { ecmaVersion: "latest", sourceType: "module" });
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function isIdentifier(value: unknown, name: string): boolean {
  return isNode(value) && value.type === "Identifier" && "name" in value && value.name === name;
}
