// What the platforms of the sandbox keep between runs. A part is only read again after a call that may have changed it.
import type { ChatPlatform, Interceptor as OfChat, SavedConversations } from "./chat";
import type { Interceptor as OfRecords, SavedRecords } from "./records";
import type { PlatformsOf } from "./providers";
import type { Interceptor as OfSheets, SavedSheets } from "./sheets";

export interface SavedPlatforms {
  chat: SavedChat;
  records: SavedRecords;
  sheets: SavedSheets;
}

interface SavedChat {
  tokens: string;
  conversations: SavedConversations;
}

/** Methods of the chat platform that only read. */
const READING = /^(?:users\.|auth\.test|conversations\.(?!open))/;

export class Kept {
  readonly #chat: Part<SavedChat>;
  readonly #records: Part<SavedRecords>;
  readonly #sheets: Part<SavedSheets>;

  /** `changed` is called after each call that may have changed something. */
  constructor(changed: () => void) {
    this.#chat = new Part(changed);
    this.#records = new Part(changed);
    this.#sheets = new Part(changed);
  }

  readonly chat: OfChat = ({ method }) => ({
    page: null,
    before: () => Promise.resolve(undefined),
    after: (answer) => this.#chat.told(answer, !READING.test(method)),
  });

  readonly records: OfRecords = ({ method }) => ({
    before: () => undefined,
    after: (answer) => this.#records.told(answer, method !== "GET"),
  });

  readonly sheets: OfSheets = ({ verb }) => ({
    page: null,
    before: () => Promise.resolve(undefined),
    after: (answer) => this.#sheets.told(answer, verb !== "GET"),
  });

  async saved({ chat, records, sheets }: PlatformsOf): Promise<SavedPlatforms> {
    return {
      chat: await this.#chat.saved(() => savedChat(chat)),
      records: await this.#records.saved(() => Promise.resolve(records.saved())),
      sheets: await this.#sheets.saved(() => Promise.resolve(sheets.saved())),
    };
  }
}

async function savedChat(chat: ChatPlatform): Promise<SavedChat> {
  return { tokens: chat.savedTokens(), conversations: await chat.savedConversations() };
}

class Part<Saved> {
  readonly #changed: () => void;
  #version = 0;
  #read: { version: number; value: Saved } | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  told<Answer>(answer: Answer, mayHaveChanged: boolean): Answer {
    if (mayHaveChanged) {
      this.#version++;
      this.#changed();
    }
    return answer;
  }

  async saved(read: () => Promise<Saved>): Promise<Saved> {
    const version = this.#version;
    if (this.#read?.version !== version) this.#read = { version, value: await read() };
    return this.#read.value;
  }
}
