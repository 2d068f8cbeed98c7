// Takes the secrets out of the texts of a server: each becomes an entry of `mcp.secrets`, to which the text refers.
import { namesSecret, namesSecretOrAuth } from "./secret-names";
import { NotImported, type Part } from "./references";
import { type Span, spansIn } from "./secret-spans";
import { textOf } from "./server-entry";

/** Decides about a text that only looks like a secret. */
export type Doubt = (what: string) => Promise<boolean>;

/** What the record makes of a text by itself. */
const PLACEHOLDER = /\$\{(?:secret:|user\.|user_id\}|home\})/;
const MOST_SECRETS = 50;
const LONGEST = 5000;

/** The secrets of one server. */
export class Sealed {
  readonly values: Record<string, string> = {};
  readonly #doubt: Doubt;

  /** `doubt`: is asked about values that only look random. */
  constructor(doubt: Doubt) {
    this.#doubt = doubt;
  }

  /** A variable of the environment. */
  async variable(name: string, parts: readonly Part[]): Promise<string> {
    return namesSecretOrAuth(name)
      ? this.#whole(name, textOf(parts))
      : this.text(name, `the variable ${name}`, parts);
  }

  /** The value of a header; the scheme of a credential stays. */
  async header(name: string, parts: readonly Part[]): Promise<string> {
    const text = textOf(parts);
    if (!namesSecretOrAuth(name)) return this.text(name, `the header ${name}`, parts);
    const [, scheme = "", value = text] = /^((?:Bearer|Basic|Token)\s+)(.+)$/is.exec(text) ?? [];
    return scheme + this.#whole(name, value);
  }

  /** The argument after `before`. */
  async argument(before: string, parts: readonly Part[]): Promise<string> {
    const text = textOf(parts);
    const [, flag, value] = /^(--?[A-Za-z][\w-]*)=(.+)$/s.exec(text) ?? [];
    if (flag !== undefined && value !== undefined && namesSecret(flag))
      return `${flag}=${this.#whole(nameOfFlag(flag), value)}`;
    const isValue = /^--?[A-Za-z][\w-]*$/.test(before) && namesSecret(before) && !text.startsWith("-");
    return isValue ? this.#whole(nameOfFlag(before), text) : this.text("ARGUMENT", "an argument", parts);
  }

  /** Any other text: what is known to be a secret in it, or looks like one. */
  async text(name: string, what: string, parts: readonly Part[]): Promise<string> {
    const text = textOf(parts);
    if (PLACEHOLDER.test(text)) return this.#whole(name, text);
    const spans = merged(partSpans(parts), spansIn(text));
    let written = "";
    let end = 0;
    for (const span of spans) {
      const value = text.slice(span.start, span.end);
      const isSecret = span.doubtful !== true || (await this.#doubt(`${what} (${preview(value)})`));
      written += text.slice(end, span.start) + (isSecret ? this.#whole(span.name ?? name, value) : value);
      end = span.end;
    }
    return written + text.slice(end);
  }

  #whole(name: string, value: string): string {
    if (value === "") return "";
    if (value.length > LONGEST)
      throw new NotImported(`The value of ${name} is longer than ${LONGEST} characters.`);
    const wanted = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/[\W_]+/g, "_");
    const key = this.#free(wanted.replaceAll(/^_|_$/g, "").toUpperCase().slice(0, 90) || "VALUE", value);
    this.values[key] = value;
    if (Object.keys(this.values).length > MOST_SECRETS)
      throw new NotImported(`It has more than ${MOST_SECRETS} secrets.`);
    return `\${secret:${key}}`;
  }

  /** The name, or the next one if another value has it. */
  #free(name: string, value: string): string {
    let key = name;
    for (let next = 2; Object.hasOwn(this.values, key) && this.values[key] !== value; next++)
      key = `${name}_${next}`;
    return key;
  }
}

const nameOfFlag = (flag: string): string => flag.replace(/^-+/, "");

/** Enough to recognize it. */
const preview = (value: string): string => `${value.slice(0, 3)}…, ${value.length} characters`;

/** The parts that came from a reference to a secret. */
function partSpans(parts: readonly Part[]): Span[] {
  let start = 0;
  return parts.flatMap(({ text, secret }): Span[] => {
    const span = { start, end: start + text.length };
    start = span.end;
    return secret === undefined || text === "" ? [] : [{ ...span, name: secret }];
  });
}

function merged(first: readonly Span[], second: readonly Span[]): Span[] {
  const rest = second.filter((span) =>
    first.every(({ start, end }) => span.end <= start || span.start >= end),
  );
  return [...first, ...rest].toSorted((left, right) => left.start - right.start);
}
