// A certified OpenID provider without registration, in a process of its own: `bun certified-provider.ts SECRET REDIRECT…`. Prints
// its address.
import { startOpenIdProvider } from "../oidc/provider";

const [, , secret = "", ...redirectUris] = process.argv;
const provider = await startOpenIdProvider();
provider.register({ id: "runtime", secret, redirectUris });
process.stdout.write(`${provider.address}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
