// JSON with exact digits of numbers: record ids have 19 digits, too many for a JavaScript number.

/** A number with its exact digits. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Wire = null | boolean | string | Digits | Wire[] | WireObject;
export interface WireObject {
  [key: string]: Wire;
}

interface Source {
  source?: string;
}

/** Undefined if the text is not JSON. */
export function readExact(text: string): Wire | undefined {
  try {
    return JSON.parse(text, (_key: string, value: Wire | number, context?: Source) =>
      typeof value === "number" ? new Digits(context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

/** Also accepts plain numbers, for codes and counts. */
export type Writable = Wire | number | Writable[] | { [key: string]: Writable };

export function writeExact(value: Writable): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${writeExact(inner)}`);
  return `{${members.join(",")}}`;
}

export function isWireObject(value: Wire | undefined): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}
