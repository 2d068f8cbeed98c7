// Converts rows of workers to the records of the API.
import { present, timestamp } from "../base";
import { projectBinding } from "../identity";
import type { AccessFacts } from "./authorizations";
import type { CatalogFacts } from "./catalog-repository";
import { configOf, userKeyIdsOf, type WorkerConfig } from "./config";
import { failureOf, NO_CATALOG, skippedOf, summaryOf } from "./contents";
import { type KnownWorker, typeOf } from "./known";
import type { Worker } from "./schema";
import type { Skipped } from "./tool";

type SecretRecord = NonNullable<Worker["http"]>["secret"];

/** What a record shows besides the row. */
export interface RecordFacts {
  catalog: CatalogFacts | undefined;
  /** Toolkits of it that another worker has as well. */
  collisions: readonly Skipped[] | undefined;
  access: AccessFacts | undefined;
}

export function workerRecord(
  worker: KnownWorker,
  { catalog: facts, collisions = [], access }: RecordFacts,
): Worker {
  const { row, fixed } = worker;
  const config = configOf(row);
  const type = typeOf(row);
  const catalog = { ...NO_CATALOG, ...facts };
  const { updates, limits, identity_header } = config;
  const failure = failureOf(catalog);
  // A worker may list its tools without a token.
  const isListed = catalog.fetched_at !== null && failure === undefined;
  const met = access === undefined ? failure?.reason !== "unauthorized" : (access.met ?? isListed);
  const wantsKeys = access === undefined && userKeyIdsOf(row).length > 0;
  return {
    id: row.id,
    type,
    enabled: row.enabled === 1,
    managed: false,
    binding: fixed === undefined ? projectBinding(row.project_id) : { type: "static" },
    ...(type === "http" ? { http: httpOf(worker, config) } : { mcp: mcpOf(worker, config, access) }),
    requirements: {
      met,
      ...(met && access === undefined
        ? {}
        : { authorization: { met, ...(wantsKeys ? {} : { oauth2: { met } }) } }),
    },
    ...(type === "http"
      ? { send_tokens: config.send_tokens }
      : {
          toolkit: row.toolkit,
          trust_annotations: config.trust_annotations,
          strict_results: config.strict_results,
        }),
    updates,
    ...present({ limits, identity_header }),
    ...(config.stdio === undefined ? { identity: identity_header === undefined ? "none" : "jwt" } : {}),
    skipped: [...skippedOf(catalog), ...collisions],
    catalog: {
      ...present({ fetched_at: catalog.fetched_at === null ? undefined : timestamp(catalog.fetched_at) }),
      ...summaryOf(catalog),
      ...present({
        hash: catalog.accepted_hash === "" ? undefined : catalog.accepted_hash,
        error: access?.problem ?? failure?.message,
      }),
    },
    ...(fixed === undefined
      ? { created_at: timestamp(row.created_at), updated_at: timestamp(row.updated_at) }
      : {}),
  };
}

/** The record for the audit trail: without the state of the catalog, which changes by itself. */
export function auditRecord(worker: KnownWorker): object {
  const { catalog: _, skipped: __, requirements: ___, ...record } = workerRecord(worker, NO_FACTS);
  return record;
}

function httpOf({ row, fixed }: KnownWorker, config: WorkerConfig): NonNullable<Worker["http"]> {
  const { timeout, retry, sealed } = config;
  return {
    uri: row.uri,
    timeout,
    retry,
    secret: secretRecord(fixed !== undefined, sealed.includes("secret")),
  };
}

const NO_FACTS: RecordFacts = { catalog: undefined, collisions: undefined, access: undefined };

function mcpOf(
  { row, fixed }: KnownWorker,
  config: WorkerConfig,
  access: AccessFacts | undefined,
): NonNullable<Worker["mcp"]> {
  const { timeout, retry, headers, oauth2, stdio, sealed } = config;
  const isStatic = fixed !== undefined;
  const names = sealed.flatMap((name) =>
    name.startsWith("secrets.") ? [name.slice("secrets.".length)] : [],
  );
  return {
    ...(stdio === undefined ? { uri: row.uri } : { stdio }),
    timeout,
    retry,
    ...present({
      headers,
      external_id: access?.external_id ?? oauth2?.external_id,
      redirect_uri: access?.redirect_uri,
    }),
    ...(names.length === 0
      ? {}
      : { secrets: Object.fromEntries(names.map((name) => [name, secretRecord(isStatic, true)])) }),
    ...(oauth2 === undefined && access === undefined
      ? {}
      : {
          oauth2: {
            ...shownOf(access),
            ...oauth2,
            client_secret: secretRecord(
              isStatic,
              access?.has_secret === true || sealed.includes("client_secret"),
            ),
          },
        }),
  };
}

function shownOf(access: AccessFacts | undefined): NonNullable<NonNullable<Worker["mcp"]>["oauth2"]> {
  if (access === undefined) return {};
  const { met: _, has_secret: __, ...shown } = access;
  return shown;
}

function secretRecord(isStatic: boolean, exists: boolean): SecretRecord {
  return { binding: isStatic ? "static" : "project", editable: !isStatic, exists };
}
