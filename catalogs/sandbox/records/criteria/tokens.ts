// Splits criteria into tokens.

export type Token =
  | { readonly kind: "name" | "number"; readonly text: string }
  /** In double quotes, with decoded escapes. */
  | { readonly kind: "text"; readonly text: string }
  /** In single quotes. */
  | { readonly kind: "date"; readonly text: string }
  | { readonly kind: "sign"; readonly text: string };

/** Invalid criteria: code 3090. */
export class CriteriaError extends Error {}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /-?\d+(?:\.\d+)?/y;
// Longest first. A single `=`, `&` or `|` is not an operator.
const SIGN = /&&|\|\||==|!=|<=|>=|[<>!().]/y;

export function tokensOf(criteria: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < criteria.length) {
    const char = criteria[at] ?? "";
    if (/\s/.test(char)) {
      at++;
    } else if (char === '"') {
      const [text, end] = quotedText(criteria, at);
      tokens.push({ kind: "text", text });
      at = end;
    } else if (char === "'") {
      const end = criteria.indexOf("'", at + 1);
      if (end < 0) throw new CriteriaError("A single quote is not closed.");
      tokens.push({ kind: "date", text: criteria.slice(at + 1, end) });
      at = end + 1;
    } else {
      const token = plainToken(criteria, at);
      tokens.push(token);
      at += token.text.length;
    }
  }
  return tokens;
}

/** `"` and `\` inside are escaped by a backslash, nothing else is. */
function quotedText(criteria: string, start: number): [string, number] {
  let text = "";
  for (let at = start + 1; at < criteria.length; at++) {
    const char = criteria[at] ?? "";
    if (char === '"') return [text, at + 1];
    if (char !== "\\") {
      text += char;
      continue;
    }
    const escaped = criteria[++at] ?? "";
    if (escaped !== '"' && escaped !== "\\") throw new CriteriaError("An escape is not known.");
    text += escaped;
  }
  throw new CriteriaError("A double quote is not closed.");
}

function plainToken(criteria: string, at: number): Token {
  const patterns = [
    ["name", NAME],
    ["number", NUMBER],
    ["sign", SIGN],
  ] as const;
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const text = pattern.exec(criteria)?.[0];
    if (text !== undefined) return { kind, text };
  }
  throw new CriteriaError(`"${criteria[at]}" is not an operator.`);
}
