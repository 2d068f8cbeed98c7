// The answer to a replacement of keys. Not in the published contract.
import { type Static, Type } from "typebox";

export const RotateIdentityResponse = Type.Object({
  key_id: Type.String({ description: "The `kid` of the key that signs now." }),
  replaced: Type.Array(Type.String(), { description: "The keys that are no longer published." }),
});

export type RotatedIdentity = Static<typeof RotateIdentityResponse>;
