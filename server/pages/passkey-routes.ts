// The addresses of passkeys and one-time links. What answers them is loaded with the first request: many servers have neither.
import type { Front, Incoming, Route } from "../front";

type Answer = (front: Front, incoming: Incoming) => Promise<Response> | Response;

export function passkeyRoutes(front: Front): Route[] {
  const passkeys = () => import("./passkey");
  const links = () => import("./sign-in-link");
  const route = (method: Route["method"], path: string, load: () => Promise<Answer>): Route => ({
    method,
    path: `/sign-in/${path}`,
    answer: async (incoming) => (await load())(front, incoming),
  });
  return [
    route("GET", "passkey", async () => (await passkeys()).openSignIn),
    route("GET", "passkey.js", async () => (await passkeys()).script),
    route("POST", "passkey/options", async () => (await passkeys()).signInOptions),
    route("POST", "passkey/verify", async () => (await passkeys()).signIn),
    route("GET", "passkey/new", async () => (await passkeys()).openAdd),
    route("POST", "passkey/new", async () => (await passkeys()).add),
    route("POST", "passkey/new/options", async () => (await passkeys()).addOptions),
    route("GET", "link/:token", async () => (await links()).openLink),
    route("POST", "link/:token", async () => {
      const { asPage, signInWithLink } = await links();
      return (...request) => asPage(signInWithLink(...request));
    }),
    route("POST", "link/:token/options", async () => (await links()).invitationOptions),
    route("POST", "link/:token/passkey", async () => (await links()).acceptInvitation),
  ];
}
