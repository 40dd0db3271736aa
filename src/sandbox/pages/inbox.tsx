import { Frame } from "./frame.tsx";

/** The agent's inbox; its script fills it from the JSON API. */
export function InboxPage() {
  return (
    <Frame title="Inbox" script="/inbox.js">
      <main class="inbox">
        <nav id="chats" aria-label="Chats" />
        <section class="thread" aria-label="Conversation">
          <h1 id="name">Choose a chat</h1>
          <div id="messages" role="log" aria-live="polite" tabindex={0} aria-label="Messages" />
          <form id="composer" hidden>
            <p id="quote" hidden>
              <span id="quote-text" />{" "}
              <button type="button" id="quote-drop">
                Do not quote
              </button>
            </p>
            <p id="problem" role="alert" />
            <label for="reply">Your answer</label>
            <textarea id="reply" rows={2} />
            <div class="row">
              <button type="submit" id="send">
                Send
              </button>
              <label class="button" for="attach">
                Attach
                <input type="file" id="attach" multiple />
              </label>
              <span id="attached" />
              <label for="suggestions">Quick replies (one a line; phone:, email: or url: in front)</label>
              <textarea id="suggestions" rows={1} />
            </div>
          </form>
        </section>
      </main>
    </Frame>
  );
}
