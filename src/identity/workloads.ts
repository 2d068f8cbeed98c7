// Workloads: jobs of other platforms that bring the platform's own short-lived token in place of an API key. A row names the
// issuer, the audience and the subject of such tokens, and the role and users that they have here.
import type { Audit, ExecutionLog } from "../audit";
import { isSameIssuer } from "../authorization-server";
import { checkCallerId, isLoopback, isObject, type Page, RecentMap, timestamp, wholePage } from "../base";
import type { Core } from "../core";
import { newId } from "../crypto";
import { alreadyExists, conflict, invalidAuthorization, invalidParameter, notFound } from "../errors";
import { CachedByGeneration, type Transaction } from "../store";
import { claimsOf } from "./issuer-keys";
import { type KeyPrincipal, refusePinned, roleOf, usersOf } from "./key-principal";
import type { Principal } from "./principal";
import type { Workload, WorkloadCreate } from "./schema";
import { checkSubjectPattern, matchesSubject } from "./subject-pattern";
import * as repository from "./workload-repository";
import type { FoundWorkload, WorkloadRow } from "./workload-repository";
import type { WorkloadTokens } from "./workload-tokens";

const MOST_PER_PROJECT = 200;
/** Issuers whose keys are kept. */
const MOST_ISSUERS = 100;

export class Workloads {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #executionLog: ExecutionLog;
  /** Of all projects, by their issuer. */
  readonly #rows: CachedByGeneration<string, ReadonlyMap<string, FoundWorkload[]>>;
  readonly #tokens = new RecentMap<string, WorkloadTokens>(MOST_ISSUERS);

  constructor(core: Core, audit: Audit, executionLog: ExecutionLog) {
    this.#core = core;
    this.#audit = audit;
    this.#executionLog = executionLog;
    this.#rows = new CachedByGeneration(core.store, "workloads");
  }

  /**
   * The principal of a token whose issuer is that of a workload; undefined for other tokens. The project is the one of the
   * path, or the only one with a matching workload; there is no default. Throws `invalid_authorization`.
   */
  async principalOf(token: string, pathProject: string | undefined): Promise<KeyPrincipal | undefined> {
    const rows = await this.#rows.get("all", () => this.#load());
    if (rows.size === 0) return undefined;
    const claims = claimsOf(token);
    const issuer = isObject(claims) ? claims["iss"] : undefined;
    // The claim only selects the keys, with which it is verified.
    const known = typeof issuer === "string" && !this.#isOfPeople(issuer) ? rows.get(issuer) : undefined;
    if (typeof issuer !== "string" || known === undefined) return undefined;
    const { subject, audience } = await (await this.#tokensOf(issuer)).verify(token);
    const matching = known.filter((row) => row.audience === audience && matchesSubject(row.subject, subject));
    const row = onlyOne(matching, pathProject);
    this.#executionLog.used("workload", row.id);
    return workloadPrincipal(row, subject);
  }

  /** The principal of a workload for a scheduled run, with its current permissions; undefined if it was removed. */
  async actor(projectId: string, id: string): Promise<Principal | undefined> {
    const row = await repository.findWorkload(this.#core.store, projectId, id);
    return row === undefined ? undefined : workloadPrincipal(row, "");
  }

  /** Throws `already_exists`, and `invalid_parameter` as `ApiKeys.create` does. */
  async create(principal: Principal, request: WorkloadCreate): Promise<Workload> {
    const { name, issuer, audience, subject, role = "run", users } = request;
    refusePinned(request);
    users?.forEach((user, at) => checkCallerId(user, `users.${at}`));
    checkSubjectPattern(subject);
    this.#checkIssuer(issuer);
    const { clock, random, store } = this.#core;
    const now = clock.now();
    const row: WorkloadRow = {
      id: newId("wl", now, random),
      project_id: principal.projectId,
      name,
      issuer,
      audience,
      subject,
      role,
      users: users === undefined ? null : JSON.stringify([...new Set(users)]),
      created_at: now,
    };
    await store.write(() => this.#create(principal, row));
    return this.#record(row);
  }

  async list(principal: Principal): Promise<Page<Workload>> {
    const rows = await repository.listWorkloads(this.#core.store, principal.projectId);
    return wholePage(await Promise.all(rows.map((row) => this.#record(row))));
  }

  async get(principal: Principal, id: string): Promise<Workload> {
    const row = await repository.findWorkload(this.#core.store, principal.projectId, id);
    if (row === undefined) throw unknownWorkload();
    return this.#record(row);
  }

  /** Its tokens stop working at once, on every server. */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.#core.store.write(() => this.#delete(principal, id));
  }

  *#create(principal: Principal, row: WorkloadRow): Transaction<void> {
    if (yield* repository.isNameTaken(row.project_id, row.name))
      throw alreadyExists(`There is a workload "${row.name}" already. Choose another name.`);
    if ((yield* repository.countWorkloads(row.project_id)) >= MOST_PER_PROJECT)
      throw conflict(`The project has ${MOST_PER_PROJECT} workloads, which is the most. Delete one first.`);
    yield* repository.addWorkload(row);
    yield* this.#audit.record(principal, "workload.create", row.id, { after: audited(row) });
  }

  *#delete(principal: Principal, id: string): Transaction<void> {
    const row = yield* repository.workloadInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownWorkload();
    yield* repository.deleteWorkload(principal.projectId, id);
    yield* this.#audit.record(principal, "workload.delete", id, { before: audited(row) });
  }

  #checkIssuer(issuer: string): void {
    const url = URL.parse(issuer);
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    const fault = !isSafe
      ? "issuer must be an https address, as the claim iss of the tokens spells it."
      : url.username !== "" || url.password !== ""
        ? "issuer must not contain a user name or password."
        : this.#isOfPeople(issuer)
          ? "issuer is the one of people who sign in. Its tokens are those of users, not of workloads."
          : undefined;
    if (fault === undefined) return;
    throw invalidParameter(fault, { fieldErrors: [{ field: "issuer", rule: "format", message: fault }] });
  }

  // A token is either one of a user or one of a workload, whatever its other claims are.
  #isOfPeople(issuer: string): boolean {
    const { settings, publicUrl } = this.#core;
    const { "auth.url": url, "auth.issuer": chosen, user_sources: sources } = settings;
    const own = [url, chosen, publicUrl(), ...sources.map((source) => source.issuer)];
    return own.some((each) => each !== undefined && isSameIssuer(each, issuer));
  }

  // Loaded when it is needed: most installations have no workloads.
  async #tokensOf(issuer: string): Promise<WorkloadTokens> {
    const { WorkloadTokens: Tokens } = await import("./workload-tokens");
    const known = this.#tokens.get(issuer);
    if (known !== undefined) return known;
    const tokens = new Tokens(this.#core, issuer);
    this.#tokens.set(issuer, tokens);
    return tokens;
  }

  async #load(): Promise<ReadonlyMap<string, FoundWorkload[]>> {
    const rows = await repository.everyWorkload(this.#core.store);
    return Map.groupBy(rows, ({ issuer }) => issuer);
  }

  async #record(row: WorkloadRow): Promise<Workload> {
    const { id, name, issuer, audience, subject, project_id } = row;
    const users = usersOf(row);
    const lastUsed = await this.#executionLog.lastUsed("workload", id);
    return {
      id,
      name,
      issuer,
      audience,
      subject,
      role: roleOf(row),
      project_id,
      ...(users === null ? {} : { users: [...users] }),
      created_at: timestamp(row.created_at),
      ...(lastUsed === undefined ? {} : { last_used_at: timestamp(lastUsed) }),
    };
  }
}

function onlyOne(matching: readonly FoundWorkload[], pathProject: string | undefined): FoundWorkload {
  const inPath = matching.filter((row) => row.project_id === pathProject);
  const [row, ...others] = inPath.length > 0 ? inPath : matching;
  if (row === undefined)
    throw invalidAuthorization(
      "The audience and subject of this token belong to no workload of this server.",
    );
  if (others.length === 0) return row;
  throw invalidAuthorization(
    "Several workloads match this token. Use an address with the project in its path, or one workload for each subject.",
  );
}

function workloadPrincipal(row: FoundWorkload, subject: string): KeyPrincipal {
  const { id: keyId, project_id: projectId, incarnation } = row;
  return {
    kind: "key",
    keyId,
    projectId,
    incarnation,
    role: roleOf(row),
    users: usersOf(row),
    workload: subject,
  };
}

function audited({ name, issuer, audience, subject, role, users }: WorkloadRow): object {
  return { name, issuer, audience, subject, role, ...(users === null ? {} : { users: JSON.parse(users) }) };
}

function unknownWorkload(): Error {
  return notFound("There is no workload with this id.");
}
