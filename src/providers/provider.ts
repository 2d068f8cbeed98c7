// What other areas know of a provider.
import type { EffectiveOAuth2 } from "./effective";

/** A provider as the services use it. */
export interface Provider {
  id: string;
  projectId: string;
  /** Well-known id, when it has one. */
  providerId: string | undefined;
  type: "oauth2";
  description: string | undefined;
  active: boolean;
  version: number;
  redirectUri: string;
  oauth2: EffectiveOAuth2;
  sealedClientSecret: string | null;
  sealedPrivateKey: string | null;
}
