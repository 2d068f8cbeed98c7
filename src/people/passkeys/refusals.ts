// Why a passkey is refused, in sentences that the page shows.
import { forbidden, invalidParameter, notFound } from "../../errors";

export const MOST_PER_PERSON = 20;

export function unknownPasskey(): Error {
  return forbidden(
    "This passkey is not known in this project. Choose another one, or ask for a new invitation.",
  );
}

export function staleAnswer(): Error {
  return forbidden("This took too long, was used before, or was begun in another browser. Try again.");
}

export function invalidAnswer(): Error {
  return forbidden("The answer of the passkey is not valid for this address. Try again.");
}

export function copiedPasskey(): Error {
  return forbidden(
    "This passkey was used with a newer counter before, so it may have been copied. Sign in with another passkey and remove " +
      "this one, or ask for a new invitation.",
  );
}

export function tooManyPasskeys(): Error {
  return invalidParameter(
    `A person can have ${MOST_PER_PERSON} passkeys. Remove one that you no longer use, then try again.`,
  );
}

export function noPasskey(): Error {
  return notFound("You have no passkey with this id. Load the page again.");
}
