import { Act, Device, Page, Tabs } from "gangway-messenger/kit/emulator/phone-page";
import type { Child } from "hono/jsx";
import type { Network } from "./network.ts";
import { FOREIGN_ACCOUNT_ID } from "./seed.ts";
import { type Chat, windowEnd } from "./world.ts";

interface FrameProps {
  network: Network;
  chat: Chat;
  path: string;
  /** The quoted message's id. */
  reply?: string;
  /** Id of the message that is edited. */
  change?: string;
}

/** The chat, and what can be done in it. */
export function PhoneFrame({ network, chat, path, reply, change }: FrameProps) {
  const { customer, number } = chat;
  const query = `?number=${number.id}&customer=${customer.n}`;
  const action = `${path}${query}`;
  const changed = change === undefined ? undefined : network.world.messages.get(change)?.message;
  return (
    <Page title={`WhatsApp · ${customer.name}`}>
      <People network={network} chat={chat} path={path} />
      <Device
        title={
          <>
            {`${customer.name} writes to ${number.verifiedName}`}{" "}
            <small>{customer.isHidden ? `without a phone number: ${customer.userId}` : `+${customer.phone}`}</small>
          </>
        }
      >
        <iframe src={`${path}/messages${query}`} title="Messages" />
        <form class="row" method="post" action={action} enctype="multipart/form-data">
          {changed && <input type="hidden" name="id" value={changed.id} />}
          {changed && <input type="hidden" name="do" value="edit" />}
          {reply && <input type="hidden" name="reply" value={reply} />}
          {reply && <p>In reply to a message</p>}
          <label for="text">{changed ? "New text" : "Message"}</label>
          <input id="text" name="text" autofocus autocomplete="off" />
          {!changed && <input type="file" name="file" aria-label="File" />}
          <button type="submit">{changed ? "Change" : "Send"}</button>
        </form>
      </Device>
      <form class="row" method="post" action={action}>
        <Act name="picture">Picture</Act>
        <Act name="voice">Voice message</Act>
        <Act name="place">Place</Act>
        <Act name="contact">Contact</Act>
        <Act name="order">Order</Act>
        <Act name="poll">Poll</Act>
        <Act name="ad">Come by an ad</Act>
      </form>
      <Switches chat={chat} action={action} />
      <Business network={network} chat={chat} action={action} />
    </Page>
  );
}

function People({ network: { world }, chat, path }: Pick<FrameProps, "network" | "chat" | "path">) {
  return (
    <>
      <Tabs
        label="Number"
        tabs={[...world.numbers.values()]
          .filter(({ account }) => account !== FOREIGN_ACCOUNT_ID)
          .map(({ id, verifiedName }) => ({
            name: verifiedName,
            href: `${path}?number=${id}&customer=${chat.customer.n}`,
            isCurrent: id === chat.number.id,
          }))}
      />
      <Tabs
        label="Customer"
        tabs={world.customers.map((each) => ({
          name: each.name,
          href: `${path}?number=${chat.number.id}&customer=${each.n}`,
          isCurrent: each === chat.customer,
        }))}
      />
    </>
  );
}

function Switches({ chat: { customer, number }, action }: { chat: Chat; action: string }) {
  return (
    <form class="row" method="post" action={action}>
      <Act name="read">Read everything</Act>
      <Act name="eager">{customer.readsAtOnce ? "Stop reading at once" : "Read at once"}</Act>
      <Act name="online">{customer.isOnline ? "Go offline" : "Go online"}</Act>
      <Act name="hide">{customer.isHidden ? "Show the phone number" : "Hide the phone number"}</Act>
      <Act name="block">{customer.blocked.has(number.id) ? "Unblock" : "Block"}</Act>
      <Act name="marketing">{customer.optedOut.has(number.id) ? "Resume marketing" : "Stop marketing"}</Act>
    </form>
  );
}

function Business({ network, chat, action }: { network: Network; chat: Chat; action: string }) {
  const templates = [...(network.world.accounts.get(chat.number.account)?.templates.values() ?? [])];
  const until = windowEnd(chat);
  return (
    <>
      <p>
        {until > network.core.clock.now()
          ? `Window open until ${new Date(until).toISOString().slice(0, 16).replace("T", " ")} UTC`
          : "Window closed"}
      </p>
      <details>
        <summary>New customer</summary>
        <form class="row" method="post" action={action}>
          <input name="name" placeholder="Name" aria-label="Name" />
          <input name="phone" placeholder="15550100055" aria-label="Phone" />
          <Act name="join">Add</Act>
        </form>
      </details>
      {chat.number.isCoexistence && (
        <form class="row" method="post" action={action}>
          <label for="staff">Staff writes in the app</label>
          <input id="staff" name="text" />
          <Act name="staff">Send</Act>
        </form>
      )}
      <details>
        <summary>{`Templates (${templates.length})`}</summary>
        {templates.map(({ id, name, language, status }) => (
          <form class="row" method="post" action={`${action}&template=${id}&do=review`}>
            <span>{`${name} (${language}): ${status}`}</span>
            <Verdict event="APPROVED">Approve</Verdict>
            <Verdict event="REJECTED">Reject</Verdict>
            <Verdict event="PAUSED">Pause</Verdict>
          </form>
        ))}
      </details>
    </>
  );
}

function Verdict({ event, children }: { event: string; children?: Child }) {
  return (
    <button type="submit" name="event" value={event}>
      {children}
    </button>
  );
}
