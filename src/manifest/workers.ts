// Workers in a manifest. Their catalogs are not part of it, and those of the configuration file belong to the deployment.
import { present } from "../base";
import { alreadyExists, type FieldError, malformedRequest } from "../errors";
import type { Principal } from "../identity";
import type { Change } from "../store";
import {
  type CreateWorker,
  maySetPrograms,
  PROGRAM_REFUSED,
  type UpdateWorker,
  type Worker,
} from "../workers";
import type { Manifest, ManifestWorker } from "./schema";
import {
  byName,
  changeOf,
  differing,
  distinctNames,
  type Draft,
  everything,
  pruned,
  secretFields,
  type Services,
  type Step,
} from "./step";

/** Workers whose catalogs are read at the same time. */
const AT_ONCE = 8;
const SUFFIX = "_from";

export async function exportedWorkers({ workers }: Services, principal: Principal) {
  const nameOf = distinctNames();
  const own = (await everything((window) => workers.list(principal, window))).filter(isOwn);
  // What the server has found out or registered itself is not part of the document.
  const given = await workers.stored.givenOAuth2(principal);
  return byName(own, "id").map((worker) => exportedWorker(worker, given.get(worker.id), nameOf(worker.id)));
}

export async function planWorkers(
  services: Services,
  principal: Principal,
  manifest: Manifest,
  { prune }: Draft,
): Promise<Step[]> {
  if (manifest.workers === undefined) return [];
  const { workers } = services;
  const known = await everything((window) => workers.list(principal, window));
  const together = new Together();
  const steps = manifest.workers.map((wanted, index) =>
    planWorker(services, principal, {
      wanted,
      field: `workers.${index}`,
      known: known.find(({ id }) => id === wanted.id),
      together,
    }),
  );
  const ids = new Set(manifest.workers.map(({ id }) => id));
  const unwanted = prune ? known.filter((worker) => isOwn(worker) && !ids.has(worker.id)) : [];
  return [
    ...unwanted.map(({ id }) => pruned("worker", id, () => workers.deletion(principal, id))),
    ...(await Promise.all(steps)),
  ];
}

type OAuth2 = Omit<NonNullable<NonNullable<CreateWorker["mcp"]>["oauth2"]>, "client_secret" | "register">;

interface WorkerPlan {
  wanted: ManifestWorker;
  field: string;
  known: Worker | undefined;
  together: Together;
}

async function planWorker(
  { workers }: Services,
  principal: Principal,
  { wanted, field, known, together }: WorkerPlan,
): Promise<Step> {
  const { id } = wanted;
  if (wanted.mcp?.stdio !== undefined && !maySetPrograms(principal))
    return {
      change: changeOf("worker", id),
      field,
      problem: refusedProgram(field),
      prepare: () => undefined,
    };
  const [request, sources] = withoutSources(wanted);
  const missing = sources
    .filter((name) => !(known === undefined ? [] : secretsOf(known)).includes(name))
    .map((name) => `${name} of the worker ${id}`);
  if (known === undefined) {
    const prepare = together.add(() => workers.creation(principal, request));
    return { change: changeOf("worker", id), field, missing, prepare };
  }
  const patch = patchOf(request, known);
  const given = givenSecrets(patch);
  const same = await workers.stored.sameSecrets(principal, id, patch);
  const renewed = given.filter((name) => !same.includes(name)).map(fieldOfSecret);
  const differences = [...differing(withoutSecrets(patch), known), ...secretFields(renewed)];
  return {
    change: changeOf("worker", id, differences),
    field,
    missing,
    prepare:
      differences.length === 0 ? () => undefined : together.add(() => workers.change(principal, id, patch)),
  };
}

function refusedProgram(field: string): FieldError {
  return { field: `${field}.mcp.stdio`, rule: "terminal", message: PROGRAM_REFUSED };
}

/** Preparations that wait for other servers: the first one that is needed starts all of them, a few at a time. */
class Together {
  readonly #works: (() => Promise<void>)[] = [];
  #started = false;

  add(prepare: () => Promise<Change<unknown>>): () => Promise<Change<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Change<unknown>>();
    // Awaited when its turn in the document comes.
    promise.catch(() => undefined);
    this.#works.push(() => prepare().then(resolve, reject));
    return () => {
      this.#start();
      return promise;
    };
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const next = async (): Promise<void> => {
      for (let work = this.#works.shift(); work !== undefined; work = this.#works.shift()) await work();
    };
    for (let count = 0; count < AT_ONCE; count++) void next();
  }
}

/** The record as a request, and the names of the secrets whose values the client has not found. */
function withoutSources({ http, mcp, ...own }: ManifestWorker): [CreateWorker, string[]] {
  const { secret_from: _, secret = "", ...settings } = http ?? {};
  const { oauth2, secrets = {}, ...server } = mcp ?? {};
  const { client_secret_from: clientFrom, ...client } = oauth2 ?? {};
  const values = Object.entries(secrets).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  const absent = Object.keys(secrets).filter((name) => typeof secrets[name] !== "string");
  const request = {
    ...own,
    ...(http === undefined ? {} : { http: { ...settings, secret } }),
    ...(mcp === undefined
      ? {}
      : {
          mcp: {
            ...server,
            ...(mcp.secrets === undefined ? {} : { secrets: Object.fromEntries(values) }),
            ...(oauth2 === undefined ? {} : { oauth2: client }),
          },
        }),
  };
  const sources = [
    ...(http !== undefined && secret === "" ? ["secret"] : []),
    ...(clientFrom !== undefined && client.client_secret === undefined ? ["client_secret"] : []),
    ...absent.map((name) => `secrets.${name.slice(0, -SUFFIX.length)}`),
  ];
  // Of the protocol that is given, all required fields are there.
  return [request as CreateWorker, sources];
}

/** Throws if the worker cannot be changed into the wanted one. */
function patchOf({ id, type: _type, http, mcp, ...own }: CreateWorker, known: Worker): UpdateWorker {
  if (!isOwn(known))
    throw alreadyExists(
      `The worker "${id}" belongs to the configuration file. Leave it out of the manifest.`,
    );
  const wanted = http === undefined ? "mcp" : "http";
  if (wanted !== known.type)
    throw malformedRequest(
      `The worker "${id}" has type ${known.type}, which cannot be changed. Delete it first, or use ${known.type}.`,
    );
  const { secret, ...settings } = http ?? {};
  const { oauth2, ...server } = mcp ?? {};
  const { external_id: _external, register: _register, ...client } = oauth2 ?? {};
  return {
    ...own,
    ...(http === undefined ? {} : { http: { ...settings, ...(secret === "" ? {} : present({ secret })) } }),
    ...(mcp === undefined ? {} : { mcp: { ...server, ...(oauth2 === undefined ? {} : { oauth2: client }) } }),
  };
}

function givenSecrets({ http, mcp }: UpdateWorker): string[] {
  return [
    ...(http?.secret === undefined ? [] : ["secret"]),
    ...(mcp?.oauth2?.client_secret === undefined ? [] : ["client_secret"]),
    ...Object.keys(mcp?.secrets ?? {}).map((name) => `secrets.${name}`),
  ];
}

function withoutSecrets({ http, mcp, ...own }: UpdateWorker): object {
  const { secret: _secret, ...settings } = http ?? {};
  const { secrets: _secrets, oauth2, ...server } = mcp ?? {};
  const { client_secret: _client, ...client } = oauth2 ?? {};
  return {
    ...own,
    ...(http === undefined ? {} : { http: settings }),
    ...(mcp === undefined ? {} : { mcp: { ...server, ...(oauth2 === undefined ? {} : { oauth2: client }) } }),
  };
}

function fieldOfSecret(name: string): string {
  if (name === "secret") return "http.secret";
  return name === "client_secret" ? "mcp.oauth2.client_secret" : `mcp.${name}`;
}

/** The names of the secrets that are stored. */
function secretsOf({ http, mcp }: Worker): string[] {
  return [
    ...(http?.secret.exists === true ? ["secret"] : []),
    ...(mcp?.oauth2?.client_secret?.exists === true ? ["client_secret"] : []),
    ...Object.keys(mcp?.secrets ?? {}).map((name) => `secrets.${name}`),
  ];
}

// `prefix`: that of the variables for its secrets.
function exportedWorker(worker: Worker, oauth2: OAuth2 | undefined, prefix: string) {
  const { id, type, enabled, http, mcp, toolkit, updates } = worker;
  const { trust_annotations, strict_results, send_tokens, limits, identity, identity_header } = worker;
  return {
    id,
    type,
    enabled,
    ...(http === undefined ? {} : { http: exportedHttp(http, prefix) }),
    ...(mcp === undefined ? {} : { mcp: exportedMcp(mcp, oauth2, prefix) }),
    updates,
    ...present({ toolkit, trust_annotations, strict_results, send_tokens, limits, identity_header }),
    ...(identity === "jwt" ? { identity } : {}),
  };
}

function exportedHttp({ uri, timeout, retry }: NonNullable<Worker["http"]>, prefix: string) {
  return { uri, timeout, retry, secret_from: { env: `${prefix}_SECRET` } };
}

function exportedMcp(
  { uri, stdio, timeout, retry, headers, secrets, oauth2: shown }: NonNullable<Worker["mcp"]>,
  oauth2: OAuth2 | undefined,
  prefix: string,
) {
  const sources = Object.keys(secrets ?? {}).map((name) => [
    `${name}${SUFFIX}`,
    { env: `${prefix}_${name.toUpperCase()}` },
  ]);
  return {
    ...present({ uri, stdio }),
    timeout,
    retry,
    ...present({ headers }),
    ...(sources.length === 0 ? {} : { secrets: Object.fromEntries(sources) }),
    ...(oauth2 === undefined
      ? {}
      : {
          oauth2: {
            ...oauth2,
            ...(oauth2.client_id !== undefined && shown?.client_secret?.exists === true
              ? { client_secret_from: { env: `${prefix}_CLIENT_SECRET` } }
              : {}),
          },
        }),
  };
}

function isOwn({ binding }: Worker): boolean {
  return binding.type === "project";
}
