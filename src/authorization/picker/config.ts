// What a link to the picker page says: base64url of JSON `{auth: {client_id, app_id}}`.
import { type Static, Type } from "typebox";
import { fieldErrors } from "../../base";
import { projectNumberOf } from "../compat";

const PickerConfig = Type.Object({
  auth: Type.Object({
    client_id: Type.String({ minLength: 1 }),
    app_id: Type.String({ pattern: "^[0-9]+$" }),
  }),
});
export type PickerConfig = Static<typeof PickerConfig>;

/** A client id and its project's number, escaped and encoded, stay far below it. */
const MAX_CHARACTERS = 2048;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The client id that a link names; undefined for a link that our tool cannot have made. */
export function clientIdOf(encoded: string): string | undefined {
  const config = decoded(encoded);
  if (fieldErrors(PickerConfig, config).length > 0) return undefined;
  const { auth } = config as PickerConfig;
  return projectNumberOf(auth.client_id) === auth.app_id ? auth.client_id : undefined;
}

// The decoder of the platform skips what is no digit: encoding again shows whether there was anything to skip.
function decoded(encoded: string): unknown {
  if (encoded.length > MAX_CHARACTERS) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  const bare = bytes.toString("base64url");
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
  if (encoded !== bare && encoded !== padded) return undefined;
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
