// Whether user ids of several identity providers can be told apart. A `sub` is unique at its issuer only (OpenID Connect
// Core 1.0, section 2), and of any other claim a provider may say what it likes.
import type { Settings } from "../config";

/**
 * Ids of those `user_sources` whose users may be taken for users of another provider: nothing stands before their ids,
 * and nobody has said that this is meant (an empty `user_prefix` says so: they are the same people).
 */
export function ambiguousSources(settings: Settings): string[] {
  const { user_sources: sources, "auth.url": own } = settings;
  const bare = sources.filter(({ user_prefix = "" }) => user_prefix === "");
  const providers = bare.length + (own === undefined ? 0 : 1);
  if (providers < 2) return [];
  return bare.filter(({ user_prefix }) => user_prefix === undefined).map(({ id }) => id);
}
