// The chat sandbox: a strict stand-in for the Slack Web API, its consent page and its token endpoint.
export { consentAs } from "./consent-as";
export { startChatSandbox, type ChatSandbox, type ChatSandboxOptions, type IssuedToken } from "./sandbox";
export type {
  Channel,
  Channels,
  Fault,
  NewChannel,
  PageFault,
  People,
  Person,
  RecordedRequest,
  SeededMessage,
  StoredMessage,
} from "./types";
