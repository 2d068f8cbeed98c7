// Families as text: OpenMetrics 1.0, and the older text format of Prometheus (version 0.0.4).
import { OTHER, type Description, type Distribution, type Family, type Sample } from "./families";

export interface Format {
  contentType: string;
  isOpen: boolean;
}

export const OPEN_METRICS: Format = {
  contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  isOpen: true,
};
export const PLAIN: Format = { contentType: "text/plain; version=0.0.4; charset=utf-8", isOpen: false };

/** A family with its samples. */
export interface Read {
  family: Family;
  samples: readonly Sample[];
}

/** `viewer`: the project whose names are shown; undefined: those of all projects. */
export function pageOf(families: readonly Read[], format: Format, viewer: string | undefined): string {
  const parts = families.map((read) => familyText(read, format, viewer));
  return parts.join("") + (format.isOpen ? "# EOF\n" : "");
}

function familyText({ family, samples }: Read, format: Format, viewer: string | undefined): string {
  const { description, type } = family;
  const lines = headOf(family, format);
  for (const { labels, value } of merged(family, samples, viewer)) {
    const pairs = description.labels.map((name, at) => `${name}="${escaped(labels[at] ?? "")}"`);
    if (typeof value === "number") {
      const suffix = type === "counter" ? "_total" : type === "info" ? "_info" : "";
      lines.push(`${description.name}${suffix}${bracketed(pairs)} ${numberText(value)}`);
    } else lines.push(...distributionLines(description, pairs, value));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function headOf({ description, type }: Family, { isOpen }: Format): string[] {
  const { name, help, unit } = description;
  if (!isOpen) {
    const full = type === "counter" ? `${name}_total` : type === "info" ? `${name}_info` : name;
    return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type === "info" ? "gauge" : type}`];
  }
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
  ];
}

function distributionLines({ name }: Description, pairs: readonly string[], value: Distribution): string[] {
  const lines: string[] = [];
  let count = 0;
  for (let at = 0; at <= value.limits.length; at++) {
    count += value.counts[at] ?? 0;
    const limit = value.limits[at];
    const le = limit === undefined ? "+Inf" : floatText(limit);
    lines.push(`${name}_bucket${bracketed([...pairs, `le="${le}"`])} ${count}`);
  }
  lines.push(`${name}_count${bracketed(pairs)} ${count}`);
  lines.push(`${name}_sum${bracketed(pairs)} ${numberText(value.sum)}`);
  return lines;
}

/**
 * The samples as a viewer sees them. Names that another project has chosen become `other`, and what then has the same labels is
 * added up.
 */
function merged(
  { description, owned }: Family,
  samples: readonly Sample[],
  viewer: string | undefined,
): Iterable<Pick<Sample, "labels" | "value">> {
  if (owned.length === 0) return samples;
  const isOwned = description.labels.map((label) => owned.includes(label));
  const found = new Map<string, Pick<Sample, "labels" | "value">>();
  for (const { labels, value, owner } of samples) {
    const isHidden = viewer !== undefined && owner !== undefined && owner !== viewer;
    const shown = isHidden ? labels.map((label, at) => (isOwned[at] === true ? OTHER : label)) : labels;
    const key = shown.join("\u0000");
    const before = found.get(key);
    found.set(key, { labels: shown, value: before === undefined ? value : sumOf(before.value, value) });
  }
  return found.values();
}

// All distributions of a family have the same limits.
function sumOf(one: Sample["value"], other: Sample["value"]): Sample["value"] {
  if (typeof one === "number") return typeof other === "number" ? one + other : one;
  if (typeof other === "number") return one;
  const counts = Array.from(one.counts, (count, at) => count + (other.counts[at] ?? 0));
  return { limits: one.limits, counts, sum: one.sum + other.sum };
}

function bracketed(pairs: readonly string[]): string {
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Longer than every name that is allowed. */
const LONGEST_VALUE = 256;

/** A value of a label, which may be a name of others: one line of valid UTF-8. */
export function escaped(value: string): string {
  return value
    .slice(0, LONGEST_VALUE)
    .toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll('"', '\\"')
    .replaceAll(/\p{Cc}/gu, " ");
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

/** A float in its canonical form (OpenMetrics 1.0, "Canonical Numbers"): with a point. */
function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
