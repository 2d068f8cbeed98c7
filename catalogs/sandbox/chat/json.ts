// Reads external JSON with checks: a value of another type counts as absent.

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text in a field, or `""`. */
export function text(record: JsonRecord, field: string): string {
  const value = record[field];
  return typeof value === "string" ? value : "";
}

export function record(source: JsonRecord, field: string): JsonRecord {
  const value = source[field];
  return isRecord(value) ? value : {};
}

/** The objects in a list field; other items are omitted. */
export function records(source: JsonRecord, field: string): JsonRecord[] {
  const value = source[field];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function strings(source: JsonRecord, field: string): string[] {
  const value = source[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A copy without the named fields. */
export function without(source: JsonRecord, ...fields: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !fields.includes(name)));
}
