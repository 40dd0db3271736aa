import { Act, Device, Page, Tabs } from "gangway-messenger/kit/emulator/phone-page";
import type { Platform } from "./network.ts";
import { type Chat, type Message, nameOf } from "./world.ts";

interface FrameProps {
  platform: Platform;
  chat: Chat;
  path: string;
  edited?: Message;
  /** Mid of the message that is quoted. */
  reply?: string;
}

/** The chat, and what the customer can do in it. */
export function PhoneFrame({ platform, chat, path, edited, reply }: FrameProps) {
  const { network, world } = platform;
  const isInstagram = network.object === "instagram";
  const query = `?account=${chat.account.id}&person=${chat.person.n}`;
  return (
    <Page title={`${network.title} · ${nameOf(chat.person)}`}>
      <Tabs
        label="Account"
        tabs={world.accounts.map(({ id, name }) => ({
          name,
          href: `${path}?account=${id}&person=${chat.person.n}`,
          isCurrent: id === chat.account.id,
        }))}
      />
      <Tabs
        label="Customer"
        tabs={world.people.map((person) => ({
          name: nameOf(person),
          href: `${path}?account=${chat.account.id}&person=${person.n}`,
          isCurrent: person === chat.person,
        }))}
      />
      <Device title={`${nameOf(chat.person)} writes to ${chat.account.name}`}>
        <iframe src={`${path}/messages${query}`} title="Messages" />
        <form class="row" method="post" action={`${path}${query}`} enctype="multipart/form-data">
          {edited && <input type="hidden" name="mid" value={edited.mid} />}
          {edited && <input type="hidden" name="do" value="edit" />}
          {reply && <input type="hidden" name="reply" value={reply} />}
          {reply && <p>In reply to a message</p>}
          <label for="text">{edited ? "New text" : "Message"}</label>
          <input id="text" name="text" value={edited?.text ?? ""} autofocus autocomplete="off" />
          {!edited && <input type="file" name="file" aria-label="File" />}
          <button type="submit">{edited ? "Change" : "Send"}</button>
          {!edited && <Act name="story">Answer the story</Act>}
          {!edited && isInstagram && <Act name="mention">Mention in a story</Act>}
          {!edited && isInstagram && <Act name="comment">Comment on a post</Act>}
        </form>
      </Device>
      <form class="row" method="post" action={`${path}${query}`}>
        <Act name="read">Read everything</Act>
        <Act name="block">{chat.isBlocked ? "Unblock" : "Block"}</Act>
      </form>
    </Page>
  );
}
