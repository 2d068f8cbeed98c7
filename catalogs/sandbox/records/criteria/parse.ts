// Parses criteria into a tree. By increasing precedence: `||`, `&&`, `!`, comparison.
import { CriteriaError, type Token, tokensOf } from "./tokens";

export type Literal =
  | { readonly kind: "text" | "date" | "number"; readonly text: string }
  | { readonly kind: "boolean"; readonly text: "true" | "false" }
  | { readonly kind: "null" };

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type TextTest = "contains" | "startsWith" | "endsWith";

export type Criteria =
  | { readonly op: "or" | "and"; readonly left: Criteria; readonly right: Criteria }
  | { readonly op: "not"; readonly of: Criteria }
  | { readonly op: "compare"; readonly field: string; readonly sign: Comparison; readonly literal: Literal }
  | { readonly op: "test"; readonly field: string; readonly test: TextTest; readonly text: string };

const COMPARISONS: readonly Comparison[] = ["==", "!=", "<", "<=", ">", ">="];
const TESTS: readonly TextTest[] = ["contains", "startsWith", "endsWith"];

/** Throws `CriteriaError`. */
export function parseCriteria(text: string): Criteria {
  const parser = new Parser(tokensOf(text));
  const criteria = parser.either();
  parser.end();
  return criteria;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  either(): Criteria {
    let left = this.#both();
    while (this.#skip("||")) left = { op: "or", left, right: this.#both() };
    return left;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new CriteriaError("There is text after the end.");
  }

  #both(): Criteria {
    let left = this.#one();
    while (this.#skip("&&")) left = { op: "and", left, right: this.#one() };
    return left;
  }

  #one(): Criteria {
    if (this.#skip("!")) return { op: "not", of: this.#one() };
    if (!this.#skip("(")) return this.#condition();
    const inner = this.either();
    this.#expect(")");
    return inner;
  }

  #condition(): Criteria {
    const field = this.#take("name").text;
    if (this.#skip(".")) {
      const name = this.#take("name").text;
      const test = TESTS.find((known) => known === name);
      if (test === undefined) throw new CriteriaError(`${name} is not a function.`);
      this.#expect("(");
      const { text } = this.#take("text");
      this.#expect(")");
      return { op: "test", field, test, text };
    }
    const written = this.#take("sign").text;
    const sign = COMPARISONS.find((known) => known === written);
    if (sign === undefined) throw new CriteriaError(`${written} compares nothing.`);
    return { op: "compare", field, sign, literal: this.#literal() };
  }

  #literal(): Literal {
    const token = this.#tokens[this.#at++];
    if (token?.kind === "text" || token?.kind === "date" || token?.kind === "number") {
      return { kind: token.kind, text: token.text };
    }
    if (token?.text === "true" || token?.text === "false") return { kind: "boolean", text: token.text };
    if (token?.text === "null") return { kind: "null" };
    throw new CriteriaError("A value is missing, or text has no quotes.");
  }

  #take(kind: Token["kind"]): Token {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== kind) throw new CriteriaError(`A ${kind} is missing.`);
    return token;
  }

  #skip(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || token.text !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#skip(sign)) throw new CriteriaError(`${sign} is missing.`);
  }
}
