import { en as checking } from "./checking.ts";
import { en as customers } from "./customers.ts";
import { en as erased } from "./erased.ts";
import { en as health } from "./health.ts";
import { en as history } from "./history.ts";
import { en as logins } from "./logins.ts";
import { en as looks } from "./looks.ts";
import { en as standing } from "./standing.ts";
import { en as stories } from "./stories.ts";
import { en as supportVisit } from "./support.ts";
import { en as templates } from "./templates.ts";
import { en as testing } from "./testing.ts";
import { en as trace } from "./trace.ts";
import { en as tryOut } from "./try-out.ts";

/** All texts of the pages, in English, as ICU messages. The other languages have the same keys and placeholders. */
export const en = {
  connect: {
    title: "Connect your account",
    lead: "{module} brings your customers' messages into your CRM and takes your answers back to them.",
    crmUrl: "Address of your CRM account",
    crmUrlHint: "For example https://your-shop.retailcrm.ru",
    apiKey: "API key",
    apiKeyHint:
      "In the CRM: Settings → Integration → API keys. The key needs the rights integration_read and integration_write; with settings_read and notification_write, the module also uses your account's language and notifies you in the CRM when a channel stops.",
    submit: "Connect",
    steps: "What happens next",
    step: {
      check: "We check the key, its rights and the version of your CRM.",
      register: "We register the module in your account.",
      messengers: "You add the messengers your customers use.",
    },
  },
  faults: {
    "address-form":
      "This does not look like the address of a CRM account. It should look like https://your-shop.retailcrm.ru",
    "address-host": "This module does not serve accounts at this address. Check the address for typos.",
    "key-missing": "Enter the API key exactly as your CRM shows it.",
    "not-a-crm": "There is a website at this address, but no CRM. Check the address.",
    unreachable: "We could not reach your CRM at this address. Check the address and try again in a few minutes.",
    blocked: "We could not reach your CRM at this address. Check the address and try again in a few minutes.",
    "wrong-key": "Your CRM does not recognise this API key. Copy it again from the CRM's settings.",
    "no-account": "There is no CRM account at this address. Check the address.",
    "no-access": "Your CRM refused this API key. In the CRM, check that the key is active and has the required rights.",
    rights: "The API key lacks these rights: {missing}. Give them to the key in the CRM's settings and try again.",
    version: "Your CRM does not offer version 5 of its API, which this module needs.",
    "connected-elsewhere":
      "This CRM is connected to this module already, under another address. Connect it under that address, or write to the operator of this module.",
    "gateway-off":
      "Chats are switched off in your CRM account, so no channel can be connected. Switch chats on in the CRM's settings and try again.",
    unpaid: "The balance of your CRM account is too low for this module. Top it up and try again.",
    busy: "Your CRM is busy. Try again in a minute.",
    "too-many": "You or somebody else is trying too many API keys at the moment. Try again in a few seconds.",
    refused: "Your CRM refused the connection.",
    "refused-because": "Your CRM refused the connection: {detail}",
    "register-elsewhere": "This key belongs to another CRM account.",
    "register-form": "The connection request is incomplete.",
    "register-token": "The connection request is not signed with this module's secret.",
    "one-click-off": "One-click connection is not set up on this server.",
  },
  account: {
    crm: "CRM account",
    key: "API key ending in {end}",
    reconnect: "Change key",
    back: "Back to the CRM",
    leave: "Sign out",
    state: {
      working: "Working",
      off: "Switched off in the CRM",
      frozen: "Frozen by the CRM",
    },
    stateHint: {
      working: "",
      off: "Messages from customers are stored and will be delivered when you switch the module on again in the CRM.",
      frozen:
        "Messages from customers are stored and will be delivered when your CRM lifts the freeze, for example after a payment.",
    },
    pausedBy: "Paused by {vendor}: {reason}",
    pausedHint:
      "Messages from customers are stored and will be delivered when {vendor} resumes the account. Until then agents cannot write.",
    pausedChannelHint:
      "Customers' messages are kept and will reach the agents when {vendor} resumes the channel. Until then agents cannot write.",
    trouble:
      "There is a problem with the connection to your CRM: {text}. We store every message and keep trying; connecting again with a new key may help.",
    none: "No channel is connected yet",
    noneHint: "Choose where your customers write. Their messages appear in the CRM's chats within seconds.",
    where: "Where do your customers write?",
    compare: "What each of them can do",
    add: "Add a channel",
    adding: "Add {title}",
    more: "More options",
    addButton: "Add",
    steps: {
      create: "Get your credentials",
      paste: "Paste them here",
      add: "Add it",
      tryIt: "Try it",
      tryHint:
        "Write to the channel as a customer and answer in your CRM. The next page shows how, and what has arrived.",
    },
    edit: "Settings",
    save: "Save",
    remove: "Remove",
    removeAsk: "This channel stops as soon as you remove it. Messages that are still waiting will not be delivered.",
    removeTitle: "Remove {name}?",
    removeConfirm: "Remove this channel",
    resume: "Try again",
    newSecret: "Paste the new value: {label}",
    replace: "Replace",
    stopped: "Stopped: {text}",
    troubled: "There is a problem: {text}",
    name: "Name",
    nameHint: "Agents see it in the CRM.",
    secretHint: "Stored but never shown. Leave this field empty to keep the current value.",
    past: {
      label: "Earlier messages",
      hint: "For agents to read in the CRM. Nobody is notified.",
      choices: { 0: "Do not import", 7: "Of the last 7 days", 30: "Of the last 30 days", 90: "Of the last 90 days" },
    },
    unsure: {
      label: "If it is unclear whether a message has arrived",
      hint: "A messenger may accept a message without confirming it, for example when the connection breaks.",
      choices: {
        resend: "Send it again (it may arrive twice)",
        hold: "Hold it and let me decide",
      },
    },
    counts: {
      waiting: "{count, plural, one {# on its way} other {# on their way}}",
      done: "{count, number} delivered in total",
      dead: "{count, number} not delivered in total",
      held: "{count, number} waiting for you",
    },
    heldCount:
      "{count, plural, one {# message may have been delivered and is waiting for your decision.} other {# messages may have been delivered and are waiting for your decision.}}",
    deadCount: "{count, plural, one {# message was not delivered.} other {# messages were not delivered.}}",
    failedMeanwhile:
      "{count, plural, one {# answer was not sent because the channel was stopped.} other {# answers were not sent because the channel was stopped.}}",
    lost: "Our records do not add up. Accepted but unaccounted for: {events, number}. The operator of this module has been alerted.",
    excess:
      "Our records do not add up. Ended but never accepted: {events, number}. The operator of this module has been alerted.",
    unreadable:
      "The stored settings of this channel can no longer be read, so it cannot work. Remove it and add it again; its messages stay in the CRM.",
  },
  /** Used in a list of what a messenger supports. */
  abilities: {
    text: "text",
    image: "pictures",
    file: "files",
    audio: "voice messages",
    quoting: "quotes",
    editing: "edits",
    deleting: "deletions",
    reaction: "reactions",
    read: "read receipts",
    suggestions: "quick replies",
    templates: "templates",
  },
  undelivered: {
    title: "Undelivered messages",
    hint: "These messages are stored. Resent ones go to the end of the chat.",
    link: "See undelivered messages",
    states: "Which messages",
    state: { held: "Waiting for you: {count, number}", dead: "Not delivered: {count, number}" },
    none: "There is nothing here.",
    why: "Reason",
    allReasons: "All reasons",
    selectAll: "Select all on this page",
    selectedCount: "selected",
    heldShort: "Perhaps delivered, but not confirmed",
    older: "Older messages",
    select: "Select the message of {who}",
    decide: { again: "Send again", arrived: "It arrived", drop: "Give up", discard: "Discard", restore: "Restore" },
    undo: "Undo",
    selected: { again: "Send selected again", drop: "Give up on selected", discard: "Discard selected" },
    all: "{count, plural, one {Act on this message} other {Act on all # messages}}",
    allHint: "What is sent again goes to the end of its chat. What is discarded can be restored for a day.",
    onAll: {
      again: "{count, plural, one {Send it again} other {Send all # again}}",
      drop: "{count, plural, one {Give up on it} other {Give up on all #}}",
      discard: "{count, plural, one {Discard it} other {Discard all #}}",
    },
    done: {
      again:
        "{count, plural, =0 {Nothing has changed.} one {The message is on its way again.} other {# messages are on their way again.}}",
      arrived:
        "{count, plural, =0 {Nothing has changed.} one {The message now counts as delivered.} other {# messages now count as delivered.}}",
      drop: "{count, plural, =0 {Nothing has changed.} one {The message will not be sent; it is now among the undelivered ones.} other {# messages will not be sent; they are now among the undelivered ones.}}",
      discard:
        "{count, plural, =0 {Nothing has changed.} one {The message was discarded.} other {# messages were discarded.}}",
      restore:
        "{count, plural, =0 {There is nothing left to restore.} one {The message is back among the undelivered ones.} other {# messages are back among the undelivered ones.}}",
    },
    unselected: "Select a message first.",
    ways: { inbound: "to the CRM", outbound: "to the customer", ack: "delivery report to the CRM" },
    held: "It may have been delivered, but the messenger did not confirm it. Check the chat, then decide.",
    gone: "(removed)",
    codes: {
      general: "It could not be delivered.",
      customer_not_exists: "The customer can no longer be reached.",
      reply_timed_out: "The messenger's time limit for replies has passed.",
      spam_suspicion: "The messenger flagged it as spam.",
      was_stopped: "The channel was stopped before it could be sent.",
      access_restricted: "The customer has blocked this channel, or the messenger does not allow the message.",
    },
  },
  checking,
  customers,
  erased,
  health,
  tryOut,
  history,
  logins,
  looks,
  standing,
  stories,
  supportVisit,
  templates,
  testing,
  trace,
  disconnect: {
    link: "Disconnect",
    title: "Disconnect this account",
    lead: "{module} will stop carrying messages for {account}.",
    stops: "What stops",
    messengers: "These channels are removed: {names}. What customers write there will no longer reach your CRM.",
    module: "The module is switched off in your CRM, and its subscriptions with the messengers end.",
    waiting:
      "{count, plural, one {# message is still on its way or waiting for your decision; it will not be delivered.} other {# messages are still on their way or waiting for your decision; they will not be delivered.}}",
    stays: "What stays",
    inCrm: "Chats and customers stay in your CRM.",
    here: "This server deletes the text of delivered messages after {settled, plural, one {# day} other {# days}}, of undelivered ones after {dead, plural, one {# day} other {# days}}, chat histories after {journal, plural, one {# day} other {# days}}, and the record of who changed what after {audit, plural, one {# day} other {# days}}.",
    confirm: "Disconnect",
    pausedKeeps: "{vendor} has paused this account: ask {vendor} to erase its data.",
    confirmErasing: "Disconnect and erase",
    cancel: "Keep it connected",
  },
  settings: {
    title: "Settings",
    another: "Connect another account",
    address: "Address",
    state: "State",
    cancel: "Cancel",
    disconnectHint: "Stops all channels and switches the module off in your CRM. The next page says what stays.",
  },
  doneAtStart: {
    left: "You have signed out.",
    disconnected:
      "The account is disconnected, and the module is switched off in the CRM. To use it again, connect the account below.",
    disconnectedHere:
      "The account is disconnected here, but we could not notify your CRM. Switch the module off in the CRM's list of integrations.",
    messengersLeft:
      "We could not notify at least one messenger: it may keep sending messages here, where they are refused. To end that, revoke this module's token in the messenger.",
  },
  entry: {
    title: "Which account?",
    open: "Open in this browser:",
    other: "Requested:",
    hint: "If you have just opened this module in that account's CRM, open it; your other accounts stay open. Otherwise, do not open it: another site may have sent you here.",
    stay: "Do not open it",
    enter: "Open {account}",
  },
  channelFaults: {
    kind: "This messenger is not available.",
    name: "The name can be at most 100 characters long.",
    gone: "This channel is no longer connected.",
    taken:
      "This login is already connected to this server, in this account or another one. Remove it there first, or create another one in the messenger.",
    vendor: "The vendor of this module has paused this channel, and only the vendor can resume it: {detail}",
    "too-many": "This account has reached its maximum number of channels. Remove one first.",
    unfit: "The stored settings no longer fit this version of the module. Save them again.",
    messenger: "The messenger refused the connection: {detail}",
    "no-messenger": "The channel could not be connected: {detail} Try again in a few minutes.",
    gateway: "Your CRM's chats did not accept the channel: {detail}",
    failed: "Something went wrong on our side; the error has been logged. Try again in a minute.",
  },
  settingFaults: {
    missing: "Fill in this field.",
    "too-long": "Too long: at most {limit, plural, one {# character} other {# characters}}.",
    "too-short": "Too short: at least {limit, plural, one {# character} other {# characters}}.",
    "too-many": "Too many lines: at most {limit, number}.",
    "too-few": "Too few lines: at least {limit, number}.",
    "too-high": "Too high: at most {limit, number}.",
    "too-low": "Too low: at least {limit, number}.",
    form: "This value does not have the expected format.",
  },
  preview: {
    design: "Design",
    message: "Try a message",
    designHint: "The window beside this form changes while you type. Visitors see it once it is saved.",
    title: "What will the customer get?",
    hint: "Try out a message: see how it is split for the messenger and what is lost. Nothing is sent.",
    text: "Text",
    kind: "Type",
    kinds: { image: "Pictures", file: "Files", audio: "Voice or music" },
    count: "How many",
    size: "Size of each, MB",
    buttons: "Quick replies, one per line",
    submit: "Show",
    steps: "{count, plural, one {One message:} other {# messages:}}",
    step: { text: "Text", image: "Pictures", file: "Files", audio: "Voice or music" },
    losses: "What differs from your message:",
    whole: "Nothing is lost.",
  },
  done: {
    connected: "Your account is connected.",
    reconnected: "Your account is connected again; the channels that it still has are unchanged.",
    added: "The channel is connected.",
    changed: "The settings are saved.",
    removed: "The channel is removed.",
    paused: "The channel is paused.",
    resumed: "The channel works again.",
    synchronised: "The templates are synchronised.",
    synchronising: "The templates are being synchronised. This page shows the result.",
  },
  noVisit: {
    title: "Open this page from your CRM",
    text: "Open this module in the list of integrations of your CRM account, or connect your account here first.",
  },
  foreign: {
    title: "This form is out of date",
    text: "It was opened too long ago or on another site. Reload the page and try again.",
  },
  loginOver: {
    title: "This login has expired",
    text: "It took more than ten minutes, was begun in another browser, or has ended already. Nothing has changed. Open the channel's page in your account and log in again.",
  },
  supportOver: {
    title: "This visit is over",
    text: "A support visit lasts ten minutes and its link opens once. Make a new link.",
  },
  supportLooks: {
    title: "You can only look",
    text: "A support visit changes nothing. Ask the account's users to do it, or use the console.",
  },
  loginFramed: {
    title: "Open this module in a tab of its own",
    text: "Messengers do not show their login inside another page. Open the address of this server in a browser tab, connect your account there, and log in from that page.",
  },
  notFound: { title: "Not found", text: "There is nothing here, or it no longer exists." },
  tooMany: { title: "Too many attempts", text: "Wait a minute and try again." },
  recordsTooLarge: {
    title: "Too large to download",
    text: "This server keeps more of this customer than a download may have. Ask the operator of this module for a copy: the command “gangway export” prints all of it.",
  },
  tooLarge: { title: "Too much text", text: "The form is larger than this server accepts." },
  broken: {
    title: "Something went wrong",
    text: "The error is on our side and has been logged. Try again in a minute.",
  },
  away: {
    title: "The server is not ready",
    text: "It cannot use its database at the moment. Messages are not lost: they arrive later. Try again in a minute, and check whether your last change was saved.",
  },
  toStart: "Go to the start page",
  support: "Help",
  privacy: "Privacy",
  languages: "Language",
} as const;
