// JSON that keeps exact digits: record ids of 19 digits pass through here and must come out as they went in.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const LONG = 16_384;

/** JSON that is text already, and is sent as it is. */
export class JsonText {
  readonly text: string;
  /** Whether a caller may keep it, and ask whether it has changed. */
  readonly kept: boolean;
  #etag: string | undefined;
  #sent = false;
  #blob: Blob | undefined;

  /** `shared`: one text for the answers of a moment; a tag of it is not worth having. */
  constructor(text: string, use: "kept" | "shared" = "kept") {
    this.text = text;
    this.kept = use === "kept";
  }

  /** What to send: of a long text that is sent again its bytes, which would be made from it for each answer otherwise. */
  get body(): string | Blob {
    const again = this.#sent;
    this.#sent = true;
    if (!again || this.text.length < LONG) return this.text;
    return (this.#blob ??= new Blob([this.text]));
  }

  /** Validator of RFC 9110: another text, another tag. */
  get etag(): string {
    return (this.#etag ??= `"${new Bun.CryptoHasher("sha256").update(this.text).digest("base64url").slice(0, 27)}"`);
  }
}

interface Source {
  source?: string;
}

/**
 * Parses JSON text. Integers outside the safe range become strings with their exact digits.
 * Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): Json {
  // Without a long run of digits nothing can lose precision, and the plain parser is several times faster.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key: string, value: Json, context?: Source) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? exactInteger(value, context?.source)
      : value,
  );
}

function exactInteger(value: number, source: string | undefined): Json {
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
