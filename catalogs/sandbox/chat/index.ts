// A strict stand-in for the Slack Web API, its consent page and its token endpoint.
export { type ChatOptions, type ChatPlatform, type IssuedToken, startChatPlatform } from "./sandbox";
export { chatProvider } from "./provider";
export { rateLimited } from "./front";
export type { SavedConversations } from "./saved-conversations";
export type {
  Channel,
  Channels,
  Interception,
  Interceptor,
  NewChannel,
  PageFault,
  People,
  Person,
  ReceivedCall,
  SeededMessage,
  StoredMessage,
} from "./types";
