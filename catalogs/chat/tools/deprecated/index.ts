// The deprecated tools. Each hands its work to the tool that replaces it; the log of an execution names that one.
import type { ToolDefinition } from "../../../../src/tools";
import {
  listConversationsMetadata,
  listDirectMessageConversationsMetadata,
  listGroupDirectMessageConversationsMetadata,
  listPrivateChannelsMetadata,
  listPublicChannelsMetadata,
} from "./listings";
import {
  getMessagesInChannelByName,
  getMessagesInConversationById,
  getMessagesInDirectMessageConversationByUsername,
  getMessagesInMultiPersonDmConversationByUsernames,
} from "./messages";
import {
  getChannelMetadataByName,
  getConversationMetadataById,
  getDirectMessageConversationMetadataByUsername,
  getMultiPersonDmConversationMetadataByUsernames,
} from "./metadata";
import { getMembersInChannelByName, getMembersInConversationById, getUserInfoById } from "./people";
import { sendDmToUser, sendMessageToChannel } from "./sending";

export const deprecatedTools: readonly ToolDefinition[] = [
  getUserInfoById,
  sendDmToUser,
  sendMessageToChannel,
  getMembersInConversationById,
  getMembersInChannelByName,
  getMessagesInChannelByName,
  getMessagesInConversationById,
  getMessagesInDirectMessageConversationByUsername,
  getMessagesInMultiPersonDmConversationByUsernames,
  listConversationsMetadata,
  listPublicChannelsMetadata,
  listPrivateChannelsMetadata,
  listGroupDirectMessageConversationsMetadata,
  listDirectMessageConversationsMetadata,
  getConversationMetadataById,
  getChannelMetadataByName,
  getDirectMessageConversationMetadataByUsername,
  getMultiPersonDmConversationMetadataByUsernames,
];
