// Runs in the network of the empty root, but outside of it: the chat platform, and the users with their browsers. Each line of
// its input is an address and a person, who then consents; the answer is the status of the last page.
import { createInterface } from "node:readline";
import { startChatSandbox } from "../../sandbox/chat";
import { Browser } from "../../support/browser";

const chat = await startChatSandbox();
process.stdout.write(`${JSON.stringify({ url: chat.url, id: chat.clientId, secret: chat.clientSecret })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [url = "", person = ""] = line.split(" ");
  const said = await new Browser()
    .consent(url, person)
    .then(({ status }) => String(status))
    .catch(String);
  process.stdout.write(`${JSON.stringify({ said })}\n`);
}
await chat.stop();
