// The search language of the file interface: parsed, checked, and evaluated.
import { invalidParameter } from "../platform-error";

/** The fields of a term. */
export interface Searched {
  readonly name: string;
  readonly mimeType: string;
  readonly trashed: boolean;
  readonly starred: boolean;
  readonly createdTime: string;
  readonly modifiedTime: string;
  /** Name and contents, for `fullText`. */
  readonly text: string;
  readonly owners: readonly string[];
}

export interface Query {
  matches(file: Searched): boolean;
  /** Whether contents are searched; the results then have their own order. */
  readonly fullText: boolean;
}

type Test = (file: Searched) => boolean;

const TEXTS = new Set(["contains", "=", "!="]);
const EQUALS = new Set(["=", "!="]);
const ORDERED = new Set(["<=", "<", "=", "!=", ">", ">="]);

/** Operators of each term. */
const OPERATORS: Readonly<Record<string, ReadonlySet<string>>> = {
  name: TEXTS,
  mimeType: TEXTS,
  fullText: new Set(["contains"]),
  trashed: EQUALS,
  starred: EQUALS,
  createdTime: ORDERED,
  modifiedTime: ORDERED,
};

/** Throws 400 for syntax errors. */
export function parseQuery(text: string): Query {
  const parser = new Parser(text);
  const test = parser.either();
  if (!parser.done) throw refused();
  return { matches: test, fullText: parser.fullText };
}

class Parser {
  fullText = false;
  readonly #tokens: string[];

  constructor(text: string) {
    this.#tokens = text.match(/'(?:[^'\\]|\\['\\])*'|[A-Za-z]+|<=|>=|!=|[=<>()]|\S/g) ?? [];
  }

  get done(): boolean {
    return this.#tokens.length === 0;
  }

  either(): Test {
    const tests = [this.#all()];
    while (this.#take("or")) tests.push(this.#all());
    return (file) => tests.some((test) => test(file));
  }

  #all(): Test {
    const tests = [this.#one()];
    while (this.#take("and")) tests.push(this.#one());
    return (file) => tests.every((test) => test(file));
  }

  #one(): Test {
    if (this.#take("not")) {
      const test = this.#one();
      return (file) => !test(file);
    }
    if (this.#take("(")) {
      const test = this.either();
      if (!this.#take(")")) throw refused();
      return test;
    }
    return this.#term();
  }

  #term(): Test {
    const [first = "", operator = "", value = ""] = this.#tokens.splice(0, 3);
    if (operator === "in") {
      const person = unquoted(first);
      if (value !== "owners") throw refused();
      return (file) => file.owners.includes(person);
    }
    if (OPERATORS[first]?.has(operator) !== true) throw refused();
    if (first === "fullText") {
      this.fullText = true;
      return (file) => containsWords(file.text, unquoted(value));
    }
    return testOf(first, operator, value);
  }

  #take(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }
}

function testOf(field: string, operator: string, value: string): Test {
  if (field === "trashed" || field === "starred") {
    if (value !== "true" && value !== "false") throw refused();
    const wanted = (value === "true") === (operator === "=");
    return (file) => file[field] === wanted;
  }
  const wanted = unquoted(value);
  if (field === "createdTime" || field === "modifiedTime") {
    if (Number.isNaN(Date.parse(wanted))) throw refused();
    return (file) => compares(Date.parse(file[field]) - Date.parse(wanted), operator);
  }
  const name = field === "name" ? "name" : "mimeType";
  if (operator !== "contains") return (file) => (file[name] === wanted) === (operator === "=");
  return (file) => (name === "name" ? containsWords(file.name, wanted) : file.mimeType.startsWith(wanted));
}

function compares(difference: number, operator: string): boolean {
  if (operator === "=") return difference === 0;
  if (operator === "!=") return difference !== 0;
  if (operator.endsWith("=") && difference === 0) return true;
  return operator.startsWith("<") ? difference < 0 : difference > 0;
}

/** Every word is a prefix of a word of the text; case and punctuation are ignored. `2026` is not in `Budget2026`. */
function containsWords(text: string, wanted: string): boolean {
  const words = wordsOf(text);
  const looked = wordsOf(wanted);
  return looked.length > 0 && looked.every((word) => words.some((one) => one.startsWith(word)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) throw refused();
  return token.slice(1, -1).replaceAll(/\\(['\\])/g, "$1");
}

function refused(): Error {
  return invalidParameter("q");
}
