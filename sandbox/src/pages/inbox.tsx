import type { Child } from "hono/jsx";
import { Frame } from "./frame.tsx";

interface Props {
  /** Shown while the inbox is empty. */
  invitation: Child;
  /** The unknown `markup`. */
  markup: string;
}

/** The inbox's skeleton; its script fills it from the Bot API. */
export function InboxPage({ invitation, markup }: Props) {
  return (
    <Frame title="Inbox" script="/inbox.js">
      <main class="inbox" id="inbox" data-view="list" data-markup={markup}>
        <h1 class="sr">Inbox</h1>
        <ChatsPane invitation={invitation} />
        <section class="thread" aria-label="Conversation" tabindex={-1}>
          <ThreadHead />
          <div class="log-frame">
            <div id="messages" role="log" aria-label="Messages" />
            <div id="unopened">
              <Sign path="M4 5h16v11H10l-4 4v-4H4z" />
              <strong>No chat is open</strong>
              <p>Choose one from the list; its messages appear here, and you answer below.</p>
              <p>
                <kbd>?</kbd> lists the keys.
              </p>
            </div>
            <button type="button" id="newer" hidden>
              <Sign path="M12 5v14M6 13l6 6 6-6" />
              New messages
            </button>
          </div>
          <Composer />
        </section>
        <aside id="details" class="aside" aria-label="Details of the chat" tabindex={-1} hidden />
        <aside id="crm" class="aside" aria-label="Customer and orders" tabindex={-1} hidden />
      </main>
      <div id="problem" role="alert" hidden />
      <p id="news" class="sr" role="status" />
    </Frame>
  );
}

function ThreadHead() {
  return (
    <div class="thread-head">
      <button type="button" class="icon" id="back" aria-label="Back to the chats" title="Back to the chats">
        <Sign path="M15 5l-7 7 7 7" />
      </button>
      <span id="face" />
      <div class="thread-title">
        <h2 id="name">Choose a chat</h2>
        <p id="about" />
      </div>
      <div class="row" id="acts" />
      <Opener
        id="details"
        words="Details"
        keys="Alt+I"
        path="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.5M12 7.6v.3"
      />
      <Opener
        id="crm"
        words="Customer and orders"
        keys="Alt+C"
        path="M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0"
      />
    </div>
  );
}

interface OpenerProps {
  id: string;
  words: string;
  keys: string;
  path: string;
}

/** Opens a panel beside the conversation. */
function Opener({ id, words, keys, path }: OpenerProps) {
  return (
    <button
      type="button"
      class="icon"
      id={`${id}-open`}
      aria-label={words}
      title={`${words} (${keys})`}
      aria-expanded="false"
      aria-controls={id}
      hidden
    >
      <Sign path={path} />
    </button>
  );
}

function ChatsPane({ invitation }: { invitation: Child }) {
  const filters = [
    ["all", "All"],
    ["unread", "Unread"],
    ["mine", "Mine"],
    ["nobody", "Nobody’s"],
  ] as const;
  return (
    <section class="chats" aria-label="Chats">
      <div class="chats-head">
        <label for="agent" class="sr">
          Agent
        </label>
        <select id="agent" />
        <span id="connection" role="status" data-state="connecting">
          Connecting …
        </span>
        <button type="button" class="icon" id="help" aria-label="Keyboard help" title="Keyboard help (?)">
          ?
        </button>
      </div>
      <div class="chats-search">
        <label for="search" class="sr">
          Search the chats
        </label>
        <input type="search" id="search" placeholder="Search  /" autocomplete="off" />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere */}
        <div id="filters" role="group" aria-label="Which chats">
          {filters.map(([name, words]) => (
            <button type="button" data-filter={name} aria-pressed={name === "all" ? "true" : "false"}>
              {words}
            </button>
          ))}
        </div>
      </div>
      <div id="chats" role="listbox" aria-label="Chats" />
      {invitation}
      <p id="nothing" hidden>
        No matching chats.
      </p>
      <p id="count" />
    </section>
  );
}

function Composer() {
  return (
    <form id="composer" hidden>
      <p id="hindrance" role="status" hidden />
      <div id="quote" hidden>
        <span class="quoted">
          <span class="sr">Quoting </span>
          <strong id="quote-author" />
          <span id="quote-text" dir="auto" />
        </span>
        <button type="button" class="icon" id="quote-drop" aria-label="Do not quote" title="Do not quote">
          <Sign path="M6 6l12 12M18 6L6 18" />
        </button>
      </div>
      <ul id="files" class="chips" hidden />
      <label for="reply" class="sr">
        Your reply
      </label>
      <textarea id="reply" rows={2} dir="auto" />
      <div id="quick">
        <label for="suggestions" class="sr">
          Quick replies, one per line; prefix phone:, email: or url:
        </label>
        <textarea id="suggestions" rows={1} />
      </div>
      <Tools />
    </form>
  );
}

function Tools() {
  return (
    <div class="row tools">
      <label class="icon" id="attach-label" title="Attach files">
        <Sign path="M21 11.5l-8.6 8.6a5.5 5.5 0 0 1-7.8-7.8l9-9a3.7 3.7 0 0 1 5.2 5.2l-9 9a1.8 1.8 0 0 1-2.6-2.6l8-8" />
        <span class="sr">Attach files</span>
        <input type="file" id="attach" multiple />
      </label>
      <button type="button" class="icon" id="goods" aria-label="Product or order" title="Product or order">
        <Sign path="M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" />
      </button>
      <button type="button" class="icon" id="templates" aria-label="Template" title="Template">
        <Sign path="M4 4h16v16H4zM4 9h16M9 9v11" />
      </button>
      <button type="button" id="note" aria-pressed="false">
        <Sign path="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />
        Private note
      </button>
      <span id="attached" role="status" />
      <span id="counter" hidden />
      <button type="submit" id="send" class="primary" title="Enter sends, Shift+Enter is a new line">
        <span id="send-words">Send</span>
        <Sign path="M4 12l16-8-5 16-3.5-6.5z" />
      </button>
    </div>
  );
}

function Sign({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
