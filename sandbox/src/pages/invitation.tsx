import type { World } from "../world.ts";

interface Props {
  world: World;
  /** URL of a shop page with a web chat, if there is one. */
  shop?: string;
}

/** Shown until a customer writes. */
export function Invitation({ world, shop }: Props) {
  const open = [...world.channels.values()].filter(({ active }) => active);
  const hasBot = open.some(({ type }) => type === "telegram");
  return (
    <section id="invitation" aria-labelledby="invitation-title" hidden={world.chats.size > 0}>
      <h2 id="invitation-title">No customer has written yet</h2>
      {open.length === 0 ? (
        <p>
          No module has opened a channel. Connect one on the page <a href="/">Account</a> first.
        </p>
      ) : (
        <>
          <p>Play a customer:</p>
          <ul>
            {shop && (
              <li>
                <a href={shop} target="_blank" rel="noopener">
                  Open the shop
                </a>
                , press the round button in the corner and write a message.
              </li>
            )}
            {hasBot && (
              <li>
                <a href="/phone" target="_blank" rel="noopener">
                  Open the phone
                </a>
                , press <em>Start</em> next to a bot and write a message.
              </li>
            )}
            {open.length > 1 && (
              <li>
                Or take <a href="/phones">another phone</a>: there is one for each messenger.
              </li>
            )}
            {!shop && !hasBot && <li>Write through the messenger that your module connects.</li>}
          </ul>
          <p>Your message appears here. Open the chat and answer.</p>
        </>
      )}
    </section>
  );
}
