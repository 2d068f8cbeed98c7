// Check (b): the customer's own verifier. The browser is sent there with a flow id, the verifier finds its signed-in
// user and confirms with an API key. The grant is final with that call.
import type { Core } from "../core";
import { hashOf, newId, newToken } from "../crypto";
import { forbidden, notFound, userMismatch } from "../errors";
import { actorOf, type Principal } from "../identity";
import { checkVerifierUrl } from "../settings";
import type { Finish } from "./finish";
import { addressOf, emptyFlow, OPENED_MS, placeOf, statusOf } from "./flow";
import type { Outcome } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import type { ConfirmedUser, ConfirmUser, TestVerifier, VerifierTest } from "./schema";

export class CustomVerifier {
  readonly #core: Core;
  readonly #finish: Finish;

  constructor(core: Core, finish: Finish) {
    this.#core = core;
    this.#finish = finish;
  }

  /** Sends the browser to the verifier, with the flow id as the one parameter that is ours. */
  async start(flow: FlowRow, verifierUrl: string): Promise<Outcome> {
    const token = newToken(this.#core.random);
    await this.#core.store.write(() => repository.setCheck(flow, hashOf(token)));
    return { kind: "redirect", location: withFlowId(verifierUrl, token) };
  }

  /**
   * The verifier says who sits at the browser. Throws `not_found` for an unknown or used flow, `user_mismatch` for
   * another user, which ends the flow.
   */
  async confirm(principal: Principal, request: ConfirmUser): Promise<ConfirmedUser> {
    // A user who confirms himself proves nothing.
    if (principal.kind === "user") throw forbidden("Only an API key of the project confirms users.");
    const { store, clock, log } = this.#core;
    const flow = await repository.findFlowByCheck(store, hashOf(request.flow_id));
    const open = flow !== undefined && flow.project_id === principal.projectId;
    if (!open || statusOf(flow, clock.now()) !== "pending")
      throw notFound("There is no such flow to confirm.");
    // The page that shows the end of the flow: its address is forgotten when the flow ends.
    const address = await addressOf(this.#core, flow);
    if (!(await store.write(() => repository.useCheck(flow))))
      throw notFound("There is no such flow to confirm.");
    if (request.user_id !== flow.user_id) {
      await this.#finish.fail(flow, "the person who is signed in is another user than the one to be linked");
      log.warn("user mismatch", { authorization: flow.id, actor: actorOf(principal) });
      throw userMismatch("The signed-in user is not the user of this flow. Nothing was linked.");
    }
    await this.#complete(flow);
    return { auth_id: flow.id, next_uri: flow.next_uri ?? address };
  }

  /** Starts a flow that grants nothing, to try a verifier out. */
  async test(principal: Principal, request: TestVerifier): Promise<VerifierTest> {
    const { store, keyring, clock, random, settings } = this.#core;
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
    await store.write(() => repository.addFlow(row));
    return { flow_id: check, next_uri: withFlowId(url, check) };
  }

  async #complete(flow: FlowRow): Promise<void> {
    if (flow.provider_id !== null) {
      await this.#finish.completeHeld(flow);
      return;
    }
    const { store, clock } = this.#core;
    const ending = { status: "completed", reason: null, scopes: [], connectionId: null } as const;
    await store.write(() => repository.finishFlow(flow, ending, clock.now()));
  }
}

function withFlowId(verifierUrl: string, flowId: string): string {
  const url = new URL(verifierUrl);
  url.searchParams.set("flow_id", flowId);
  return url.href;
}
