// Seals and opens the secrets of a provider's client.
import { equalsSealed, type Keyring, type Place, sealedColumn } from "../crypto";

import type { ProviderRow } from "./repository";

const FIELDS = ["client_secret", "private_key"] as const;
type Field = (typeof FIELDS)[number];

export interface ClientKeys {
  /** Sent only to the provider's endpoints. */
  secret: string | undefined;
  /** Signs assertions; never sent. */
  privateKey: string | undefined;
}

export type GivenSecrets = { readonly [F in Field]?: string | undefined };

export class ClientSecrets {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Null if there is no secret. */
  async seal(
    projectId: string,
    id: string,
    field: Field,
    secret: string | undefined,
  ): Promise<string | null> {
    return secret === undefined ? null : this.#keyring.seal(projectId, place(id, field), secret);
  }

  async open(
    { projectId, id }: { projectId: string; id: string },
    field: Field,
    sealed: string | null,
  ): Promise<string | undefined> {
    return sealed === null ? undefined : this.#keyring.open(projectId, place(id, field), sealed);
  }

  /** The fields whose stored value is the given one. */
  async equal(row: ProviderRow, given: GivenSecrets): Promise<Field[]> {
    const equal: Field[] = [];
    for (const field of FIELDS) {
      const value = given[field];
      if (
        value !== undefined &&
        (await equalsSealed(this.open(keyOf(row), field, row[`sealed_${field}`]), value))
      )
        equal.push(field);
    }
    return equal;
  }
}

export const sealedClientSecrets = FIELDS.flatMap((field) => [
  sealedColumn({
    table: "auth_providers",
    kind: "providers",
    column: `sealed_${field}`,
    keys: ["id"],
    place: (row) => place(String(row["id"]), field),
  }),
  sealedColumn({
    table: "former_providers",
    column: `sealed_${field}`,
    keys: ["id", "origins_id"],
    place: (row) => place(String(row["id"]), field),
  }),
]);

function keyOf({ project_id, id }: ProviderRow): { projectId: string; id: string } {
  return { projectId: project_id, id };
}

function place(id: string, field: Field): Place {
  return { table: "auth_providers", row: id, field };
}
