// The stored form of a catalog, and what a new reading of it makes of the stored one.
import { hashOfJson } from "./hash-of-json";
import { acceptedWith, changesBetween, type ToolChange } from "./changes";
import type { CatalogFacts, CatalogRow } from "./catalog-repository";
import type { ReadCatalog, Skipped, WorkerFailureReason, WorkerTool } from "./tool";

/** What a catalog has besides tools. It takes effect at once. */
export type Contents = Omit<ReadCatalog, "tools" | "skipped" | "ttlMs" | "isPrivate">;

/** The accepted tools of a toolkit in one version, by name. */
export interface NamesOfToolkit {
  /** Absent: that of the worker's record. */
  toolkit?: NonNullable<WorkerTool["toolkit"]>;
  names: string[];
}

export interface Summary {
  tools: number;
  new: number;
  changed: number;
  missing: number;
}

export interface Failure {
  reason: WorkerFailureReason;
  message: string;
}

export interface Reading {
  catalog: ReadCatalog;
  /** When it was started, ms. */
  startedAt: number;
  /** `fetched_at` of the stored catalog then; null: there was none. */
  storedThen: number | null;
}

/** How long a catalog is valid that says nothing about it; a longer time that it says is cut to it. */
export const MOST_AGE_MS = 600_000;
const LEAST_AGE_MS = 30_000;

export const NO_CATALOG: Omit<CatalogRow, "project_id" | "worker_id"> = {
  accepted_hash: "",
  latest_hash: "",
  names: "[]",
  skipped: "[]",
  summary: JSON.stringify({ tools: 0, new: 0, changed: 0, missing: 0 } satisfies Summary),
  fetched_at: null,
  due_at: 0,
  failure: null,
  failed_at: null,
  accepted: "[]",
  latest: null,
  contents: "{}",
  contents_hash: "",
};

export function acceptedOf(row: CatalogRow): WorkerTool[] {
  return JSON.parse(row.accepted) as WorkerTool[];
}

export function latestOf(row: CatalogRow): WorkerTool[] {
  return JSON.parse(row.latest ?? row.accepted) as WorkerTool[];
}

export function summaryOf(row: Pick<CatalogFacts, "summary">): Summary {
  return JSON.parse(row.summary) as Summary;
}

export function skippedOf(row: Pick<CatalogFacts, "skipped">): Skipped[] {
  return JSON.parse(row.skipped) as Skipped[];
}

export function failureOf(row: Pick<CatalogFacts, "failure">): Failure | undefined {
  return row.failure === null ? undefined : (JSON.parse(row.failure) as Failure);
}

export function contentsOf(row: Pick<CatalogRow, "contents">): Contents {
  return JSON.parse(row.contents) as Contents;
}

export function namesOf(row: Pick<CatalogFacts, "names">): NamesOfToolkit[] {
  return JSON.parse(row.names) as NamesOfToolkit[];
}

/** The row after a reading, and what differs from the reading before. */
export function withReading(
  before: CatalogRow,
  { catalog, startedAt }: Reading,
  options: { updates: "review" | "auto"; toolkit: string; now: number },
): { row: CatalogRow; changes: ToolChange[] } {
  const { tools, skipped, ttlMs, isPrivate: _, ...contents } = catalog;
  const latest = grouped(tools);
  const common = {
    skipped: JSON.stringify(skipped),
    contents: JSON.stringify(contents),
    contents_hash: hashOfJson(contents),
    fetched_at: startedAt,
    due_at: options.now + Math.min(Math.max(ttlMs ?? MOST_AGE_MS, LEAST_AGE_MS), MOST_AGE_MS),
    failure: null,
    failed_at: null,
  };
  const hash = hashOfJson(latest);
  if (hash === before.latest_hash) return { row: { ...before, ...common }, changes: [] };
  const isFirst = before.accepted_hash === "";
  const changes = changesBetween(latestOf(before), latest, options.toolkit);
  const accepted = isFirst || options.updates === "auto" ? latest : acceptedOf(before);
  return { row: { ...before, ...common, ...catalogColumns(accepted, latest, options.toolkit) }, changes };
}

/** The row after an acceptance. Throws nothing; `unknown` are names that match no change. */
export function withAcceptance(
  before: CatalogRow,
  toolkit: string,
  names: readonly string[] | undefined,
): { row: CatalogRow; unknown: string[] } {
  const latest = latestOf(before);
  const { tools, unknown } = acceptedWith(acceptedOf(before), latest, toolkit, names);
  return { row: { ...before, ...catalogColumns(grouped(tools), latest, toolkit) }, unknown };
}

export function diffOf(row: CatalogRow, toolkit: string): ToolChange[] {
  return row.latest === null ? [] : changesBetween(acceptedOf(row), latestOf(row), toolkit);
}

type CatalogColumns = Pick<
  CatalogRow,
  "accepted" | "accepted_hash" | "latest" | "latest_hash" | "names" | "summary"
>;

function catalogColumns(
  accepted: readonly WorkerTool[],
  latest: readonly WorkerTool[],
  toolkit: string,
): CatalogColumns {
  const [accepted_hash, latest_hash] = [hashOfJson(accepted), hashOfJson(latest)];
  const changes = changesBetween(accepted, latest, toolkit);
  const count = (kind: ToolChange["change"]): number =>
    changes.filter(({ change }) => change === kind).length;
  const summary: Summary = {
    tools: accepted.length,
    new: count("new"),
    changed: count("changed"),
    missing: count("missing"),
  };
  return {
    accepted: JSON.stringify(accepted),
    accepted_hash,
    latest: accepted_hash === latest_hash ? null : JSON.stringify(latest),
    latest_hash,
    names: JSON.stringify(namesByToolkit(accepted)),
    summary: JSON.stringify(summary),
  };
}

function keyOf({ toolkit }: WorkerTool): string {
  return toolkit === undefined ? "" : `${toolkit.name}@${toolkit.version ?? ""}`;
}

/** Tools of a toolkit in one version are next to each other, sorted by name. */
function grouped(tools: readonly WorkerTool[]): WorkerTool[] {
  return tools.toSorted((left, right) => {
    const [one, other] = [keyOf(left), keyOf(right)];
    if (one !== other) return one < other ? -1 : 1;
    return left.name < right.name ? -1 : 1;
  });
}

function namesByToolkit(tools: readonly WorkerTool[]): NamesOfToolkit[] {
  const groups: NamesOfToolkit[] = [];
  let key: string | undefined;
  for (const tool of tools) {
    if (keyOf(tool) !== key) {
      key = keyOf(tool);
      groups.push({ ...(tool.toolkit === undefined ? {} : { toolkit: tool.toolkit }), names: [] });
    }
    groups.at(-1)?.names.push(tool.name);
  }
  return groups;
}
