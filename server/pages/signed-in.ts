// Who is signed in with the browser that sends a request.
import { forbidden } from "../../src/errors";
import type { SignedIn } from "../../src/people";
import { sameSecret } from "../../src/crypto";
import type { Front, Incoming } from "../front";
import { readSession } from "./cookie";
import { isOwnOrigin } from "./localhost";
import { proxiedPerson } from "./proxied";

/**
 * The person who is signed in to a project; undefined: no one is. Throws `invalid_authorization` if the request names a person in
 * the header of a proxy without having come from one.
 */
export async function signedIn(
  front: Front,
  incoming: Incoming,
  projectId: string,
): Promise<SignedIn | undefined> {
  const { core, people } = front.runtime;
  const cookie = readSession(incoming.request, projectId, core.publicUrl());
  const person = await people.signedIn(projectId, cookie);
  const isBound = (await people.methodOf(projectId)) === "proxy";
  if (isBound && !(await isNamed(front, incoming, person))) return undefined;
  if (person !== undefined)
    incoming.principal = {
      kind: "user",
      projectId,
      incarnation: person.incarnation,
      userId: person.userId,
      role: await people.roleOf(projectId, person.userId),
      address: incoming.address,
    };
  return person;
}

/** A session of a person whom a proxy names lives as long as the proxy names the same one. */
async function isNamed(front: Front, incoming: Incoming, person: SignedIn | undefined): Promise<boolean> {
  const named = proxiedPerson(front, incoming);
  if (person === undefined || named === undefined) return false;
  if (named.userId === person.userId) return true;
  await front.runtime.sessions.end(person.projectId, person.userId, person.sessionId);
  return false;
}

/** Throws `forbidden` for a form that did not come from a page which this server showed to this person. */
export function checkForm(
  { runtime }: Front,
  { request }: Incoming,
  person: SignedIn,
  form: URLSearchParams,
): void {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== "null" && !isOwnOrigin(origin, runtime.core.publicUrl()))
    throw forbidden("This form was sent from another site.");
  if (!sameSecret(form.get("token") ?? "", person.formToken))
    throw forbidden("This form is not one of your present session. Load the page again.");
}
