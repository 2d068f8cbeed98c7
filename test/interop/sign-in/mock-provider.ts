// A company's OpenID provider that knows no registration of clients, in a process of its own: `bun mock-provider.ts`. Prints
// its address. `sub` of the people is what the address parameter `login_hint` or the variable PERSON says.
import { OAuth2Server } from "oauth2-mock-server";

const server = new OAuth2Server();
await server.issuer.keys.generate("RS256");
const person = process.env["PERSON"] ?? "alice";
server.service.on("beforeTokenSigning", (token: { payload: Record<string, unknown> }) => {
  token.payload["sub"] = person;
  token.payload["groups"] = (process.env["GROUPS"] ?? "").split(",").filter((name) => name !== "");
});
server.service.on("beforeUserinfo", (answer: { body: Record<string, unknown> }) => {
  answer.body = {
    sub: person,
    groups: (process.env["GROUPS"] ?? "").split(",").filter((name) => name !== ""),
  };
});
await server.start(0, "127.0.0.1");
const { port } = server.address();
server.issuer.url = `http://127.0.0.1:${port}`;
process.stdout.write(`${server.issuer.url}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
