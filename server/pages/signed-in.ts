// Who is signed in with the browser that sends a request.
import { forbidden } from "../../src/errors";
import type { SignedIn } from "../../src/people";
import { sameSecret } from "../../src/crypto";
import type { Front, Incoming } from "../front";
import { readSession } from "./cookie";
import { isOwnOrigin } from "./localhost";

/** The person who is signed in to a project; undefined: no one is. */
export async function signedIn(
  { runtime }: Front,
  incoming: Incoming,
  projectId: string,
): Promise<SignedIn | undefined> {
  const { core, sessions } = runtime;
  const person = await sessions.find(projectId, readSession(incoming.request, projectId, core.publicUrl()));
  if (person !== undefined)
    incoming.principal = {
      kind: "user",
      projectId,
      incarnation: person.incarnation,
      userId: person.userId,
      address: incoming.address,
    };
  return person;
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
