import { html } from "hono/html";

/** The phone's skeleton; its script fills it from the phone's own API. */
export function PhonePage() {
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>Phone · Sandbox</title>
          <link rel="stylesheet" href="/phone.css" />
          <script src="/phone.js" defer />
        </head>
        <body>
          <Panel />
          <main class="phone" id="phone" data-view="list">
            <section class="chats" aria-label="Chats">
              <div class="bar">
                <strong id="owner">Chats</strong>
              </div>
              <ul id="chats" />
              <Bots />
              <Business />
            </section>
            <Chat />
          </main>
        </body>
      </html>
    </>
  );
}

function Panel() {
  return (
    <aside aria-label="People and bots">
      <h1>Phone</h1>
      <p class="hint">
        You are a customer. Agents answer in the <a href="/inbox">inbox</a>. <a href="/phones">All phones</a>
      </p>
      <label for="person">Person</label>
      <select id="person" />
      <form id="new-person">
        <label for="first-name">New person</label>
        <div class="row">
          <input id="first-name" required maxlength={64} placeholder="First name" />
          <input id="language" maxlength={5} placeholder="en" aria-label="Language" />
          <button type="submit">Add</button>
        </div>
      </form>
    </aside>
  );
}

/** Below the chats, so that small windows show them too. */
function Bots() {
  return (
    <section class="bots" aria-labelledby="bots-title">
      <h2 id="bots-title">Bots</h2>
      <p class="hint">Press Start next to a bot and write to it.</p>
      <ul id="bots" />
      <details>
        <summary>Start by a link, or with its payload</summary>
        <label for="payload">Start link or payload</label>
        <input id="payload" maxlength={128} placeholder="https://t.me/harbour_bot?start=summer-sale" />
      </details>
    </section>
  );
}

/** A customer of a business account writes to a person, whose chatbot answers. */
function Business() {
  return (
    <section class="bots" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <ul id="others" />
      <label for="chatbot">Settings, Telegram Business, Chatbots</label>
      <select id="chatbot" />
    </section>
  );
}

function Chat() {
  return (
    <section class="chat" aria-label="Conversation">
      <div class="bar">
        <button type="button" id="back" aria-label="Back to the chats">
          ‹
        </button>
        <strong id="title">Choose a chat</strong>
        <span id="typing" role="status" />
        <button type="button" id="block" hidden>
          Block
        </button>
      </div>
      <div id="messages" role="log" aria-label="Messages" tabindex={0} />
      <section id="keyboard" aria-label="Quick replies" />
      <p id="notice" role="alert" hidden />
      <form id="composer" hidden>
        <div id="context" hidden />
        <section id="attachments" aria-label="Attachments" />
        <div class="row">
          <details id="attach">
            <summary aria-label="Attach">+</summary>
            <div id="menu" role="menu" />
          </details>
          <textarea id="text" rows={1} maxlength={4096} aria-label="Message" placeholder="Message" />
          <button type="submit" aria-label="Send">
            ➤
          </button>
        </div>
      </form>
    </section>
  );
}
