// The chat sandbox: a strict stand-in for the Slack Web API, its consent page and its token endpoint.
export { consentAs } from "./consent-as";
export { startChatSandbox, type ChatSandbox, type ChatSandboxOptions } from "./sandbox";
export type { Fault, RecordedRequest } from "./types";
export {
  chatProvider,
  type Channel,
  type Channels,
  type IssuedToken,
  type NewChannel,
  type PageFault,
  type People,
  type Person,
  type SeededMessage,
  type StoredMessage,
} from "../../../catalogs/sandbox/chat";
