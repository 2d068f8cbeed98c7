// Check (b): the customer's verifier. The browser is redirected to it with a flow id. The verifier confirms its signed-in
// user with an API key, and the grant is stored.
import type { Actor, Audit } from "../audit";
import type { Core } from "../core";
import { hashOf, newId, newToken } from "../crypto";
import { notFound, userMismatch } from "../errors";
import { actFor, actorOf, type Principal } from "../identity";
import type { Limits } from "../limits";
import { checkVerifierUrl } from "../settings";
import type { Finish } from "./finish";
import { addressOf, emptyFlow, OPENED_MS, OTHER_USER, placeOf, statusOf } from "./flow";
import type { Outcome } from "./outcome";
import { NewFlows } from "./pending";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import type { ConfirmedUser, ConfirmUser, TestVerifier, VerifierTest } from "./schema";

export class CustomVerifier {
  readonly #core: Core;
  readonly #finish: Finish;
  readonly #newFlows: NewFlows;
  readonly #audit: Audit;

  constructor(core: Core, finish: Finish, limits: Limits, audit: Audit) {
    this.#core = core;
    this.#finish = finish;
    this.#newFlows = new NewFlows(core, limits);
    this.#audit = audit;
  }

  /** Redirects the browser to the verifier, with the flow id as a parameter. */
  async start(flow: FlowRow, verifierUrl: string): Promise<Outcome> {
    const token = newToken(this.#core.random);
    await this.#core.store.write(() => repository.setCheck(flow, hashOf(token)));
    return { kind: "redirect", location: withFlowId(verifierUrl, token) };
  }

  /**
   * The verifier reports its signed-in user. Throws `not_found` for an unknown or used flow, `forbidden` for a key that may
   * not act for the user, and `user_mismatch` for another user, which also fails the flow.
   */
  async confirm(principal: Principal, request: ConfirmUser): Promise<ConfirmedUser> {
    actFor(principal, request.user_id, request.user_id);
    const { store, clock, log } = this.#core;
    const flow = await repository.findFlowByCheck(store, hashOf(request.flow_id));
    const open = flow !== undefined && flow.project_id === principal.projectId;
    if (!open || statusOf(flow, clock.now()) !== "pending")
      throw notFound("There is no pending flow with this flow_id.");
    // The address of the result page. It is read first, because it is deleted when the flow ends.
    const address = await addressOf(this.#core, flow);
    if (!(await store.write(() => repository.useCheck(flow))))
      throw notFound("There is no pending flow with this flow_id.");
    if (request.user_id !== flow.user_id) {
      await this.#finish.fail(flow, OTHER_USER, principal);
      log.warn("user mismatch", { authorization: flow.id, actor: actorOf(principal) });
      throw userMismatch("The signed-in user is not the user of this flow. Nothing was linked.");
    }
    const end = await this.#complete(flow, principal);
    // After a failure, our page shows the reason.
    return { auth_id: flow.id, next_uri: end.kind === "redirect" ? end.location : address };
  }

  /** Starts a flow without a grant, to test a verifier. */
  async test(principal: Principal, request: TestVerifier): Promise<VerifierTest> {
    const { keyring, clock, random, settings } = this.#core;
    actFor(principal, request.user_id, request.user_id);
    const url = checkVerifierUrl(request.verifier_url, settings["redirects.allow"]);
    const now = clock.now();
    const id = newId("ar", now, random);
    const [address, check] = [newToken(random), newToken(random)];
    const row: FlowRow = {
      ...emptyFlow(id, principal.projectId, request.user_id, now),
      address_hash: hashOf(address),
      sealed_address: await keyring.seal(principal.projectId, placeOf(id, "address"), address),
      check_hash: hashOf(check),
      expires_at: now + OPENED_MS,
    };
    const [newFlows, audit] = [this.#newFlows, this.#audit];
    await newFlows.added(principal.projectId, function* () {
      const added = yield* newFlows.add(row, now);
      if ("setting" in added) return added;
      yield* audit.record(principal, "consent.started", id, {
        user: request.user_id,
        details: { test: true },
      });
      return added;
    });
    return { flow_id: check, next_uri: withFlowId(url, check) };
  }

  #complete(flow: FlowRow, by: Actor): Promise<Outcome> {
    return flow.provider_id === null
      ? this.#finish.completeTest(flow, by)
      : this.#finish.completeHeld(flow, by);
  }
}

// The existing query is kept byte for byte, because it may be signed.
function withFlowId(verifierUrl: string, flowId: string): string {
  const url = new URL(verifierUrl);
  const pairs = url.search === "" ? [] : url.search.slice(1).split("&");
  const others = pairs.filter((pair) => pair !== "flow_id" && !pair.startsWith("flow_id="));
  url.search = [...others, `flow_id=${flowId}`].join("&");
  return url.href;
}
